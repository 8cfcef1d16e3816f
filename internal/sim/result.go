package sim

// Result is what is told of a launch.
type Result struct {
	// Cycles pass from the start of the first CTA to the end of the last one.
	Cycles float64
	CTAs   int64
	// Issued are warp instructions.
	Issued uint64
	// Stalls are cycles of resident warps by what they did; WarpCycles is their sum.
	Stalls     [NumReasons]float64
	WarpCycles float64
	// ActiveCycles are the cycles in which an SM had a CTA, over all SMs.
	ActiveCycles float64
	Memory       MemoryCounts
}

// result sums up.
func (r *run) result(before MemoryCounts) *Result {
	of := &Result{Cycles: max(r.last, r.memory.drained()).Cycles(), CTAs: r.ctas}
	for _, s := range r.sms {
		for i := range s.cores {
			of.Issued += s.cores[i].issued
		}
		for k, t := range s.stalls {
			of.Stalls[k] += t.Cycles()
		}
		of.ActiveCycles += s.active.Cycles()
		of.WarpCycles += s.warpTime.Cycles()
	}
	of.Memory = r.memory.counted().minus(before)
	return of
}

// minus returns the difference of counts.
func (c MemoryCounts) minus(o MemoryCounts) MemoryCounts {
	return MemoryCounts{
		Reads: c.Reads - o.Reads, ReadHits: c.ReadHits - o.ReadHits, Writes: c.Writes - o.Writes, Atomics: c.Atomics - o.Atomics,
		DRAMReads: c.DRAMReads - o.DRAMReads, DRAMWrites: c.DRAMWrites - o.DRAMWrites, Activations: c.Activations - o.Activations,
	}
}
