package gpu

// An SM's clock is not the DRAM's. At half the clock a load from DRAM takes as many
// nanoseconds as before in the DRAM, so half the SM's cycles, and as many cycles as
// before up to the L2, whose clock goes with the SMs'.

// MostMHz is above the clock of every GPU's SMs: one beyond it, of a flag or of a measured
// row, is a slip.
const MostMHz = 10_000

// At returns the GPU at a clock of its SMs and one of its memory in MHz, 0 for those
// that stay; source says who wants them.
func (g *GPU) At(mhz, memoryMHz float64, source string) *GPU {
	at := *g
	if mhz != 0 {
		at.Latency.DRAMCycles = g.dramCyclesAt(mhz, source)
		at.Clock.BoostMHz = &Float{mhz, source}
	}
	if c := g.DRAM.ClockMHz; memoryMHz != 0 && c != nil {
		at.memoryFaster(memoryMHz/c.Value, source)
	}
	return &at
}

// WithBandwidth returns the GPU with a DRAM of another bandwidth, in GB/s.
func (g *GPU) WithBandwidth(gbPerS float64, source string) *GPU {
	at := *g
	if own := g.DRAM.BandwidthGBPerS; own != nil {
		at.memoryFaster(gbPerS/own.Value, source)
	}
	return &at
}

// memoryFaster multiplies what goes with the memory's clock.
func (g *GPU) memoryFaster(by float64, source string) {
	if by == 1 {
		return
	}
	for _, f := range []**Float{&g.DRAM.BandwidthGBPerS, &g.DRAM.ClockMHz, &g.Measured.BMemGBPerS} {
		if *f != nil {
			*f = &Float{(*f).Value * by, source}
		}
	}
}

// dramCyclesAt is the latency of the DRAM at another clock of the SMs.
func (g *GPU) dramCyclesAt(mhz float64, source string) *Float {
	was, err := g.ClockMHz()
	l2, dram := g.Latency.L2Cycles, g.Latency.DRAMCycles
	if err != nil || l2 == nil || dram == nil || mhz == was {
		return dram
	}
	return &Float{l2.Value + (dram.Value-l2.Value)*mhz/was, clipped(dram.Source + "; " + source)}
}
