package sim

// What a CTA reads for the first time comes from DRAM, and mostly stays in the L2. A warp that goes
// over the same memory again and again has read all of it in its beginning: of such a one that is
// thirty times longer than what was seen of it nobody reads thirty times as much from DRAM. How
// much of it is new is told by the trace of the first CTA, as far as that goes, and behind it by
// how much was new in its second half.

// fresh are the distinct sectors of global memory that a CTA reads: in its beginning that is simulated, in the
// first half of its trace, and in all of that, which is so many times longer than the beginning.
type fresh struct{ begun, half, whole, known float64 }

// freshOf returns them for the first CTA, of which such a part is simulated.
func (c *Code) freshOf(first *CTA, portion float64) fresh {
	read := func(part float64) float64 { return float64(sectors(c.read(nil, c.beginning(first, part)))) }
	of := fresh{half: read(0.5), whole: read(1), known: 1 / portion}
	if of.begun = of.whole; portion < 1 {
		of.begun = read(portion)
	}
	return of
}

// beginning returns a CTA with such a part of the instructions of each warp.
func (c *Code) beginning(of *CTA, part float64) *CTA {
	return c.begin(of, c.lengths(of, part))
}

// growth returns how many times as many sectors a CTA reads as its beginning, if it is so many
// times longer.
func (f *fresh) growth(longer float64) float64 {
	if f.begun == 0 {
		return longer
	}
	between := func(from, to, a, b float64) float64 { return a + (b-a)*(longer-from)/(to-from) }
	half := f.known / 2
	read := between(half, f.known, f.half, f.whole)
	if longer < half {
		read = between(1, half, f.begun, f.half)
	}
	return min(longer, max(1, read/f.begun))
}

// DRAMReads returns how many times as much is read from DRAM as in what was simulated, if CTAs are so
// many times longer. As long as all that they read finds room in the L2 only what is new is; what had
// come again by then goes on to do so.
func (e *Estimate) DRAMReads(longer float64) float64 {
	reads, f := float64(e.Whole.DRAMReads), &e.fresh
	first := min(reads, float64(e.ctas)*f.begun)
	if grown := first * f.growth(longer); first > 0 && grown*sectorBytes <= float64(e.l2Bytes) {
		return (grown + (reads-first)*longer) / reads
	}
	return longer
}
