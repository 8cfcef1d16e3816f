package adder

import "math/bits"

// speculative is an adder that adds with predicted carry-ins. Each slice compares
// what it was given with what the slice below carried out, in the first cycle, with
// its own guess: the lowest slice that finds a difference is the lowest whose
// prediction was wrong. It and all above it compute again in the second cycle, with the
// other carry-in (E and S of the paper's figure 4); then all true carries are known.
type speculative struct {
	predictor Predictor
	peek      bool
	// untrusted: slices whose carry-in peeking told do not compute again.
	untrusted   bool
	uncorrected bool
	predicted   Masks
	sum         errorSum // of an addition
}

func (s *speculative) add(x *Vectors, c *Counts) {
	open := &x.All
	if s.peek {
		open = &x.Open
	}
	s.predictor.Step(x, open, &s.predicted)
	missed := x.miss(&s.predicted, open)
	switch {
	case missed == 0:
	case s.uncorrected:
		s.sum = errorSum{}
		use.wrong(x, missed, &s.sum)
		c.Errors.add(&s.sum)
		c.Mispredicted += popcount(missed)
		for _, d := range x.misses[:x.Predicted] {
			c.SliceMisses += popcount(d)
		}
	case s.untrusted:
		x.count(c, missed, open)
	default:
		x.count(c, missed, &x.All)
	}
}

// miss leaves predictions that were wrong in x.misses, and returns the lanes that have any.
func (x *Vectors) miss(predicted, open *Masks) (missed uint32) {
	n := x.Predicted
	guess, truth, matter, bad := predicted[:n:n], x.True[:n:n], open[:n:n], x.misses[:n:n]
	for i, p := range guess {
		d := (p ^ truth[i]) & matter[i]
		bad[i] = d
		missed |= d
	}
	return missed
}

// count counts what predictions cost that were wrong; again are the lanes whose slices compute
// again if one up to theirs was.
func (x *Vectors) count(c *Counts, missed uint32, again *Masks) {
	wrong, recomputed := 0, 0
	behind := uint32(0) // lanes with a wrong prediction in a slice up to this one
	for i, d := range x.misses[:x.Predicted] {
		behind |= d
		wrong += bits.OnesCount32(d)
		recomputed += bits.OnesCount32(behind & again[i])
	}
	c.Mispredicted += popcount(missed)
	c.Recomputed += uint64(recomputed)
	c.SliceMisses += uint64(wrong)
	c.Stalled++
}

// wrongSums sums up how far off lanes are that missed: a slice with a wrong carry-in is one more
// than it should be, or one less, and what it carries out is lost.
func wrongSums(x *Vectors, missed uint32, n *errorSum) {
	keep := ^uint64(0) >> (64 - min(64, x.Slices*x.Bits))
	tops, less := topBits[x.Bits], uint64(1)<<x.Bits-2
	for ; missed != 0; missed &= missed - 1 {
		lane := bits.TrailingZeros32(missed) % Lanes
		off := uint64(0)
		for i, bad := range x.misses[:x.Predicted] {
			off |= uint64(bad>>lane&1) * (1 + less*uint64(x.True[i]>>lane&1)) << (x.Bits * (i + 1) & 63)
		}
		want := x.sum(lane)
		got := (want&^tops + off&^tops) ^ (want^off)&tops
		n.note(lane, got&keep, want&keep)
	}
}

// topBits are the highest bits of slices, by their width.
var topBits = [...]uint64{2: 0xaaaaaaaaaaaaaaaa, 4: 0x8888888888888888, 8: 0x8080808080808080, 16: 0x8000800080008000, 32: 0x8000000080000000}
