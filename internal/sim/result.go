package sim

import "hyptx/internal/pipe"

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
	// MemoryWait is the share of the cycles of all SMs in which one issues nothing because all
	// of its warps wait for memory.
	MemoryWait float64
	// Instructions are the stalls of each, by PC, if they were asked for.
	Instructions []InstructionStalls
	// Intervals are what was done when, one after the other, if they were asked for.
	Intervals []Interval
	Memory    MemoryCounts
	Busy      Busy
	marked    marked
	progress  []progress
}

// Busy are the shares of the launch's cycles, over all that there are of a part, in
// which it was taken: Issue of the schedulers' slots, Units of the units of sub-cores or
// of SMs by their numbers, L1 of the units that take accesses, NoC of the SMs' ways to the
// L2 and back (the busier direction), L2 of the slices and DRAM of the channels' buses.
type Busy struct {
	Issue             float64
	Units             [maxUnits]float64
	L1, NoC, L2, DRAM float64
	writing           float64 // of the channels' buses for writes alone
	// Link is the share of the busiest link between chiplets, one way.
	Link float64
	// Way is how long the ways from the L2 take for what DRAM moves over how long DRAM does.
	Way float64
}

// Times returns the shares of a time of which the first one is so large a share.
func (b Busy) Times(f float64) Busy {
	for _, share := range []*float64{&b.Issue, &b.L1, &b.NoC, &b.L2, &b.DRAM, &b.writing, &b.Link} {
		*share *= f
	}
	for u := range b.Units {
		b.Units[u] *= f
	}
	return b
}

// busy returns the shares of so many cycles.
func (r *run) busy(cycles float64) (b Busy) {
	if cycles == 0 {
		return b
	}
	sms, cores := cycles*float64(len(r.sms)), cycles*float64(len(r.sms)*r.m.Cores)
	out := 0.0
	for _, s := range r.sms {
		b.Issue += float64(s.issued()) / (cores * float64(r.m.IssueWidth))
		for u, t := range s.busy {
			b.Units[u] += t.Cycles() / sms
		}
		for i := range s.cores {
			for u, t := range s.cores[i].busy {
				b.Units[u] += t.Cycles() / cores
			}
		}
		b.Units[r.m.Kinds[pipe.Matrix].Unit] += s.tensorBusy.Cycles() / sms
		b.L1 += s.lsu.busy.Cycles() / sms
		out += s.lsu.outBusy.Cycles() / sms
	}
	slices, back, dram, writing := r.memory.busy()
	b.NoC = max(out, back.Cycles()/sms)
	b.L2 = slices.Cycles() / (cycles * float64(r.m.L2.Slices))
	b.DRAM, b.writing = dram.Cycles()/(cycles*float64(r.m.DRAM.Channels)), writing.Cycles()/(cycles*float64(r.m.DRAM.Channels))
	b.Way = r.memory.way()
	if r.memory.chips != nil {
		b.Link = r.memory.chips.linkBusy().Cycles() / cycles
	}
	return b
}

// result sums up.
func (r *run) result() *Result {
	of := &Result{Cycles: max(r.last, r.memory.drained()).Cycles(), CTAs: r.ctas}
	of.Instructions = r.byInstruction()
	of.Issued = r.issued()
	for _, s := range r.sms {
		for k, t := range s.stalls {
			of.Stalls[k] += t.Cycles()
		}
		of.ActiveCycles += s.active.Cycles()
		of.WarpCycles += s.warpTime.Cycles()
		of.MemoryWait += s.wait.total.Cycles()
	}
	if of.Cycles > 0 {
		of.MemoryWait /= of.Cycles * float64(len(r.sms))
	}
	of.Memory, of.marked, of.progress = r.counted(), r.marked, r.progress
	of.Busy = r.busy(of.Cycles)
	if r.record(Cycles(of.Cycles), true); r.recorder != nil {
		of.Intervals = r.recorder.served(r.m)
	}
	return of
}

// marked is memory as it was counted when so many CTAs had ended, and so many instructions
// were issued.
type marked struct {
	CTAs   int64
	issued uint64
	Memory MemoryCounts
}

// issued returns how many instructions of warps the SMs have issued so far.
func (r *run) issued() (n uint64) {
	for _, s := range r.sms {
		n += s.issued()
	}
	return n
}

// counted returns what the launch did in memory so far.
func (r *run) counted() MemoryCounts {
	c := r.memory.counted().plus(r.before, -1)
	for _, s := range r.sms {
		c = c.plus(s.counts, 1)
	}
	return c
}
