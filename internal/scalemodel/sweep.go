package scalemodel

import (
	"hyptx/analysis"
	"hyptx/internal/number"
	"hyptx/internal/sim"
)

// Each launch of a program on each size: what the sum over a program hides. A network's layers
// have from a few to thousands of CTAs, so that one stops scaling long before another.

// SweepRow is a row of sweep.csv: a launch on a size.
type SweepRow struct {
	Network string      `csv:"network" doc:"name of the program"`
	Launch  string      `csv:"launch" doc:"number and kernel of the launch, as in profile.csv"`
	Kernel  string      `csv:"kernel" doc:"^"`
	CTAs    uint64      `csv:"ctas" doc:"its CTAs"`
	Size    int         `csv:"size" doc:"SMs, or chiplets, with L2 and DRAM in proportion"`
	Cycles  number.Real `csv:"cycles" doc:"simulated, of all repetitions"`
	IPC     number.Real `csv:"ipc" doc:"thread instructions a cycle"`
	Scaling number.Real `csv:"scaling" doc:"IPC over that of the smallest size in proportion: 1 is linear"`
	Class   Class       `csv:"class" doc:"as in predict.csv, of this launch from the smallest size to this one"`
	FMem    number.Real `csv:"f_mem" doc:"share of the cycles in which an SM issues nothing because all its warps wait for memory, mean over SMs"`
	Active  number.Real `csv:"active_pct" doc:"of the cycles of all SMs those in which one has a CTA, in percent"`
	Warps   number.Real `csv:"warps" doc:"warps of an SM while it has a CTA, in the mean"`
	Limit   Limit       `csv:"limit" doc:"why it scales no further: ctas (fewer than SMs, so that some have none), else DRAM, L2, L1, issue or, between chiplets, link (that part is busy for 60 % of the time or more, Nsight Compute's rule), else latency; of a sub-linear launch in the place of latency warps (an SM has fewer of them than on the smallest size, as there are too few CTAs to fill it) or tail (SMs are without a CTA before the last one ends), where that costs most of the IPC"`
	Remote  number.Real `csv:"remote_pct" doc:"of chiplets: part of the L2's sectors that another chiplet asked for, in percent"`
	Missing string      `csv:"missing" doc:"why a launch has no figures on any size, so that it is left out of the prediction"`
	Assumed string      `csv:"assumed_inputs" doc:"what nobody gave of the launch and was assumed, as in profile.csv"`
}

// Limit is what a launch waits for on a size.
type Limit string

// The limits, but for the names of units, as the L2 (busiest).
const (
	FewCTAs  Limit = "ctas"
	FewWarps Limit = "warps"
	Tail     Limit = "tail"
	Latency  Limit = "latency"
)

// Sweep are the rows of all launches on all sizes that were simulated, size by size.
func (m *Machines) Sweep(name string, p *analysis.Profile) (rows []*SweepRow) {
	left := m.LeftOut(p)
	for i, g := range m.simulated {
		for n, lp := range p.On(g).Launches {
			r := &SweepRow{Network: name, Launch: lp.Name(), Kernel: lp.KernelName, CTAs: lp.Facts.Of(analysis.CTAs).N, Size: m.Sizes[i], Missing: left[n], Assumed: lp.AssumedInputs}
			if rows = append(rows, r); r.Missing != "" {
				continue
			}
			r.fill(lp, rows[n], m.perSize)
			if g.Chiplets != nil {
				n := &lp.Simulated.Estimate.Memory
				r.Remote = number.Ratio(100 * float64(n.Remote) / float64(max(n.Reads+n.Writes+n.Atomics, 1)))
			}
		}
	}
	return rows
}

// fill sets what a simulation says, beside that of the smallest size.
func (r *SweepRow) fill(lp *analysis.LaunchProfile, first *SweepRow, perSize int) {
	s := lp.Simulated
	r.Cycles, r.IPC = number.Ratio(s.Cycles), number.Ratio(lp.Facts.X(analysis.ThreadInstructionsPredOn)/s.Cycles)
	r.Class = ClassOf(first.Size, first.IPC.X, r.Size, r.IPC.X)
	r.Scaling = number.Ratio(r.IPC.X / first.IPC.X / (float64(r.Size) / float64(first.Size)))
	r.FMem = number.Ratio(s.MemoryWait)
	if s.ActiveCycles > 0 {
		r.Active = number.Ratio(100 * s.ActiveCycles / (s.Result.Cycles * float64(s.SMs)))
		r.Warps = number.Ratio(s.WarpCycles / s.ActiveCycles)
	}
	if r.Limit = busiest(&s.Busy); r.CTAs < uint64(r.Size*perSize) {
		r.Limit = FewCTAs
	} else if r.Limit == Latency && r.Class == SubLinear {
		r.Limit = r.waiting(first)
	}
}

// waiting says what costs most against the smallest size where no part is busy. IPC over the
// proportional one is a product: of how many SMs are active, how many warps each of these has,
// and what a warp does. The smallest factor is the one.
func (r *SweepRow) waiting(first *SweepRow) Limit {
	active, warps := r.Active.X/first.Active.X, r.Warps.X/first.Warps.X
	switch each := r.Scaling.X / (active * warps); {
	case active < min(warps, each):
		return Tail
	case warps < each:
		return FewWarps
	}
	return Latency
}

// busyShare is when a part is what is waited for (Nsight Compute's section GPU Speed Of
// Light Throughput, as package roofline has it).
const busyShare = 0.6

// busiest is the part that is what a launch waits for, if there is one.
func busiest(b *sim.Busy) Limit {
	issue := b.Issue
	for _, u := range b.Units {
		issue = max(issue, u)
	}
	name, most := Latency, busyShare
	for _, part := range []struct {
		name  Limit
		share float64
	}{{"link", b.Link}, {"DRAM", b.DRAM}, {"L2", max(b.L2, b.NoC)}, {"L1", b.L1}, {"issue", issue}} {
		if part.share >= most {
			name, most = part.name, part.share
		}
	}
	return name
}
