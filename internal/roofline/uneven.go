package roofline

import (
	"hyptx/internal/number"
	"hyptx/internal/sim"
)

// Waves of equal CTAs end together. Of unequal ones an SM begins the next when one has ended, and
// the launch is over with the last one: the closed form takes them to be of the mean length first,
// and then asks when each would begin and end at the pace that follows from that (package sim,
// uneven.go).

// lengths returns how long the longest warps of CTAs are that have so many instructions in so many warps,
// of which the path is the longest, or, where nobody knows that one's, what was seen of it alone. If that
// is longer than the others of its CTA, longer CTAs are so by one warp; else by all of them.
func (p *Path) lengths(of *sim.Lengths, warps float64, seen *sim.Lone) *sim.Lengths {
	longest := p.Instructions()
	if p.mean && seen != nil && !seen.Cut {
		longest = seen.Instructions / p.issue
	} else if p.mean {
		return of
	}
	if of == nil || warps < 2 {
		return of
	}
	others := max(0, of.Longest()-longest) / (warps - 1)
	list := make(sim.Lengths, len(*of))
	for i, all := range *of {
		list[i] = float32(max(float64(all)/warps, float64(all)-(warps-1)*others))
	}
	return &list
}

// mean returns the length of the mean CTA as a share of the longest one's.
func (l *Launch) mean() float64 {
	if l.Lengths == nil {
		return 1
	}
	return l.Lengths.Mean() / l.Lengths.Longest()
}

// unequal makes the latency that of a launch with unequal CTAs, of one whose CTAs are of the mean length.
func (t *times) unequal(l *Launch, d *Device, s shape) {
	longest, alone := max(t.Issue.X, t.Memory.X, t.Latency.X), t.ChainCycles.X/(s.clockMHz*1e6)
	if l.Lengths == nil || alone <= 0 || longest <= 0 {
		return
	}
	p := sim.Pace{
		Alone: l.Lengths.Longest() / alone, SMs: int(s.sms), PerSM: int(t.CTAsPerSM.N),
		Shared: max(t.DRAM.X, t.slices) > max(t.Issue.X, t.L1.X, t.network),
	}
	if d.timing != nil {
		p.Start = p.Alone * d.timing.Launch.FirstIssueCycles / (s.clockMHz * 1e6)
		p.Interval = 1 / (d.timing.Launch.CTAsPerCycle * s.clockMHz * 1e6)
	}
	p.Full = (l.Lengths.Mean() + p.Start) * l.CTAs * l.Repetitions / max(t.Issue.X, t.Memory.X)
	if !p.Shared {
		p.Full *= s.uneven(l) / s.sms
	}
	t.Latency = number.Ratio(l.Repetitions * p.Unequal(*l.Lengths, longest/l.Repetitions))
	t.whole = true
}
