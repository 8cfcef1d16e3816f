package sim

import (
	"context"
	"errors"
	"slices"

	"hyptx/internal/gpu"
)

// What a warp takes that has an SM and its L1 for itself, and of what it does not find there
// waits as long as the launch does on average: the course of the longest one is what a launch of
// few warps takes, however much the GPU could do beside it. Its instructions are issued in the
// order of its code, by the same rules as of any other warp; other warps, for which it would wait
// at barriers or units, are not there.

// Lone is the course of such a warp: the cycles that it takes, by what a load takes that misses the
// L1, the share of sectors for which that is not so, and the machine instructions that were seen.
type Lone struct {
	MissCycles, Cycles []float64
	L1Hits             float64
	Instructions       float64
	// Cut: it goes on behind them.
	Cut bool
}

// At returns the cycles where misses take so many: in proportion between those that were tried.
func (l *Lone) At(missCycles float64) float64 {
	i := 1
	for i < len(l.MissCycles)-1 && l.MissCycles[i] < missCycles {
		i++
	}
	from, to := l.MissCycles[i-1], l.MissCycles[i]
	return l.Cycles[i-1] + (l.Cycles[i]-l.Cycles[i-1])*(missCycles-from)/(to-from)
}

// errWaits is why a warp has no course of its own.
var errWaits = errors.New("the warp waits for more than its own loads")

// LoneWarp returns the course of the longest of some warps, of CTAs that need so much of an SM,
// where misses take each of so many cycles, ascending and at least two. An error says that it has
// none: for what goes on by itself it waits, and for clusters.
func (s *Simulator) LoneWarp(ctx context.Context, l *Linker, cta gpu.CTA, warps []Trace, missCycles []float64) (*Lone, error) {
	m, _, err := s.configure(cta)
	if err != nil {
		return nil, err
	}
	// Whatever misses the L1 takes as long; of the rest there is more than one warp can use.
	m.SMs, m.Chiplets = 1, Chiplets{}
	m.L2.Slices, m.L2.Bytes = 1, int64(m.L2.Ways*blockBytes)
	m.DRAM.Channels, m.DRAM.RowCycles, m.DRAM.ActivateCycles, m.DRAM.MissCycles = 1, 0, 0, 0
	of := &Lone{MissCycles: missCycles}
	for _, cycles := range missCycles {
		m.L2.LatencyCycles, m.DRAM.LatencyCycles = cycles, cycles
		code, err := Compile(l.Program(), m)
		if err != nil {
			return nil, err
		}
		if of.Instructions == 0 {
			longest := slices.MaxFunc(warps, func(a, b Trace) int { return int(code.length(a) - code.length(b)) })
			if warps = []Trace{code.alone(longest)}; warps[0] == nil {
				return nil, errWaits
			}
			of.Instructions = float64(code.length(warps[0]))
		}
		g, err := New(m)
		if err != nil {
			return nil, err
		}
		n := 0
		r, err := g.Run(ctx, &Launch{Code: code, CTAsPerSM: 1, Next: func(int) (*CTA, error) {
			if n++; n > 1 {
				return nil, nil
			}
			return &CTA{Warps: warps}, nil
		}})
		if err != nil {
			return nil, err
		}
		of.Cycles = append(of.Cycles, r.Cycles-m.Launch.CTACycles)
		of.L1Hits = float64(r.Memory.L1ReadHits) / float64(max(r.Memory.L1Reads, 1))
	}
	return of, nil
}

// alone returns a trace without barriers; nil if the warp waits for anything else that others do.
func (c *Code) alone(t Trace) Trace {
	t = slices.Clone(t)
	for b, records := range c.walk(t) {
		for k := c.blocks[b].first; k < c.blocks[b].end; k++ {
			switch o := &c.ops[k]; {
			case o.waits || o.records() && spaceOf(records[0]) >= BulkLoad:
				return nil
			case o.records():
				records = records[1+blocksOf(records[0]):]
			case o.record:
				records[0] = passBit
				records = records[1:]
			}
		}
	}
	return t
}
