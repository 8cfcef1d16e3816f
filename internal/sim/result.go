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
	marked       marked
	progress     []progress
}

// result sums up.
func (r *run) result() *Result {
	of := &Result{Cycles: max(r.last, r.memory.drained()).Cycles(), CTAs: r.ctas}
	for _, s := range r.sms {
		of.Issued += s.issued()
		for k, t := range s.stalls {
			of.Stalls[k] += t.Cycles()
		}
		of.ActiveCycles += s.active.Cycles()
		of.WarpCycles += s.warpTime.Cycles()
	}
	of.Memory, of.marked, of.progress = r.counted(), r.marked, r.progress
	return of
}

// marked is memory as it was counted when so many CTAs had ended.
type marked struct {
	CTAs   int64
	Memory MemoryCounts
}

// counted returns what the launch did in memory so far.
func (r *run) counted() MemoryCounts {
	c := r.memory.counted().plus(r.before, -1)
	for _, s := range r.sms {
		c = c.plus(s.counts, 1)
	}
	return c
}
