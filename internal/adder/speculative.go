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
	predicted   Words
}

func (s *speculative) add(x *Vectors, c *Counts) {
	open := &x.Valid
	if s.peek {
		open = &x.Open
	}
	s.predictor.Step(x, open, &s.predicted)
	if !x.count(c, &s.predicted, open, s.untrusted) {
		return
	}
	if s.uncorrected {
		s.wrong(x, c)
	}
}

// count counts what predictions cost, and leaves those that were wrong in x.misses. It
// reports whether there are any.
func (x *Vectors) count(c *Counts, predicted, open *Words, untrusted bool) bool {
	n := x.words
	guess, truth, matter, bad := predicted[:n:n], x.True[:n:n], open[:n:n], x.misses[:n:n]
	var any uint64
	for i, p := range guess {
		d := (p ^ truth[i]) & matter[i]
		bad[i] = d
		any |= d
	}
	if any == 0 {
		return false
	}
	again := x.Valid[:n:n]
	if untrusted {
		again = matter
	}
	var misses, wrong, recomputed int
	for i, d := range bad {
		// No element borrows from another, since its highest bit is not in d: 2^k-d has
		// that bit if d is 0, and beside d it has all bits from the lowest one of d on.
		t := x.top - d
		misses += bits.OnesCount64(^t & x.top)
		recomputed += bits.OnesCount64((d | t) & again[i])
		wrong += bits.OnesCount64(d)
	}
	c.Mispredicted += uint64(misses)
	c.Recomputed += uint64(recomputed)
	c.SliceMisses += uint64(wrong)
	c.Stalled++
	return true
}

// wrong notes the sums that wrong carry-ins make, where nothing corrects them.
func (s *speculative) wrong(x *Vectors, c *Counts) {
	c.Stalled, c.Recomputed = 0, 0
	for rest := x.Mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		if x.at(&x.misses, lane) == 0 {
			continue
		}
		a, b, carry := x.Operands(lane)
		keep := ^uint64(0) >> (64 - min(64, x.slices*x.bits))
		c.Errors.note(s.sum(x, lane, a, b, carry)&keep, (a+b+carry)&keep)
	}
}

// sum adds slice by slice with the carry-ins that were predicted; what a slice
// carries out is lost.
func (s *speculative) sum(x *Vectors, lane int, a, b, carry uint64) (sum uint64) {
	p := x.at(&s.predicted, lane)
	if x.bits == 8 {
		// Bit k of p goes to bit 8k, and from there into slice k+1; the highest bit of
		// each slice is added without what it carries.
		const tops = 0x8080808080808080
		in := p*0x0002040810204081&0x0101010101010101<<8 | carry
		return (a&^tops + b&^tops + in) ^ (a^b)&tops
	}
	low := uint64(1)<<x.bits - 1
	for i := range x.slices {
		at := i * x.bits
		sum |= (a>>at&low + b>>at&low + carry) & low << at
		carry, p = p&1, p>>1
	}
	return sum
}
