package adder

import "math/bits"

// speculative is an adder that adds with predicted carry-ins, which nobody corrects. In those that
// are corrected, each slice compares what it was given with what the slice below carried out, in
// the first cycle, with its own guess: the lowest slice that finds a difference is the lowest
// whose prediction was wrong. It and all above it compute again in the second cycle, with the
// other carry-in (E and S of the paper's figure 4); then all true carries are known. What that
// costs is counted by pages (page.go).
type speculative struct {
	point     int
	predictor Predictor
	peek      bool
	predicted Masks
}

func (s *speculative) add(x *Vectors, c *Counts) {
	if s.predictor.Step(x, &s.predicted) == 0 {
		return
	}
	missed, slices := x.miss(&s.predicted, s.peek)
	if missed != 0 {
		c.Mispredicted += popcount(missed)
		c.SliceMisses += slices
		use.wrong(x, missed, &c.Errors)
	}
}

// miss leaves predictions that were wrong in x.misses, and returns the lanes that have any, and how many
// there are.
func (x *Vectors) miss(predicted *Masks, peek bool) (missed uint32, slices uint64) {
	n := x.Predicted
	guess, truth, open, bad := predicted[:n:n], x.True[:n:n], x.Open[:n:n], x.misses[:n:n]
	for i, p := range guess {
		d := (p ^ truth[i]) & x.Mask
		if peek {
			d &= open[i]
		}
		bad[i] = d
		missed |= d
		slices += popcount(d)
	}
	return missed, slices
}

// wrongSums sums up how far off lanes are that missed: a slice with a wrong carry-in is one more
// than it should be, or one less, and what it carries out is lost.
func wrongSums(x *Vectors, missed uint32, n *Errors) {
	keep := ^uint64(0) >> (64 - min(64, x.Slices*x.Bits))
	tops, less := topBits[x.Bits], uint64(1)<<x.Bits-2
	var relative [relativeSums]float64 // of this addition
	for ; missed != 0; missed &= missed - 1 {
		lane := bits.TrailingZeros32(missed) % Lanes
		off := uint64(0)
		for i, bad := range x.misses[:x.Predicted] {
			off |= uint64(bad>>lane&1) * (1 + less*uint64(x.True[i]>>lane&1)) << (x.Bits * (i + 1) & 63)
		}
		want := x.sum(lane)
		got := ((want&^tops + off&^tops) ^ (want^off)&tops) & keep
		want &= keep
		off = max(got, want) - min(got, want)
		n.Wrong++
		n.add(off, 0)
		n.Max = max(n.Max, off)
		if want != 0 {
			relative[lane%relativeSums] += float64(off) / float64(want)
			n.against++
		}
	}
	for i, r := range relative {
		n.relative[i] += r
	}
}

// topBits are the highest bits of slices, by their width.
var topBits = [...]uint64{2: 0xaaaaaaaaaaaaaaaa, 4: 0x8888888888888888, 8: 0x8080808080808080, 16: 0x8000800080008000, 32: 0x8000000080000000}
