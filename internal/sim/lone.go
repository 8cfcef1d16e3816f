package sim

import (
	"context"
	"errors"
	"slices"

	"hyptx/internal/gpu"
	"hyptx/internal/pipe"
)

// What a warp takes that has an SM and its L1 for itself: the course of the longest one is what a
// launch of few warps takes, however much the GPU could do beside it. Its instructions are issued
// in the order of its code, by the same rules as of any other warp; other warps, for which it
// would wait at barriers or units, are not there.
//
// What it is the first to read comes from DRAM, and as late where another warp has asked for it
// just before, as those of a wave do. How much of it the L2 had when the launch began is known
// later: so the warp is followed with nothing, with half of that and with all there.

// Lone is the course of such a warp.
type Lone struct {
	Course
	// Steady is the course of the second half of what was seen, nil unless the warp goes on behind
	// it (Cut): as it then does. The first half finds an empty L1, and loads that miss it all at once.
	Steady *Course
	Cut    bool
}

// Course is how long so many instructions of the machine take.
type Course struct {
	// Cycles are those that they take if the L2 had nothing, half, or all of what they read.
	Cycles [3]float64
	// InL1 are the cycles if all of that were in the L1.
	InL1         float64
	Instructions float64
	// Reads are sectors, of which Hits were in the warp's own L1.
	Reads, Hits float64
	// AtL2 are sectors that the L2 was asked for, of which First were so for the first time.
	AtL2, First float64
}

// L1Hits returns the share of sectors that its own L1 has.
func (c *Course) L1Hits() float64 { return c.Hits / max(c.Reads, 1) }

// At returns the cycles where the L2 had such a share: in proportion between those that were tried.
func (c *Course) At(had float64) float64 {
	halves := 2 * min(max(had, 0), 1)
	i := min(int(halves), 1)
	return c.Cycles[i] + (c.Cycles[i+1]-c.Cycles[i])*(halves-float64(i))
}

// behind returns the course of what follows a beginning.
func (c *Course) behind(begin *Course) *Course {
	of := &Course{InL1: c.InL1 - begin.InL1, Instructions: c.Instructions - begin.Instructions, Reads: c.Reads - begin.Reads, Hits: c.Hits - begin.Hits, AtL2: c.AtL2 - begin.AtL2, First: c.First - begin.First}
	for i := range of.Cycles {
		of.Cycles[i] = c.Cycles[i] - begin.Cycles[i]
	}
	return of
}

// errWaits is why a warp has no course of its own.
var errWaits = errors.New("the warp waits for more than its own loads")

// loneInstructions are as many as a loop needs to come to a steady state, many times over
// (own choice).
const loneInstructions = 1 << 17

// loneL2Bytes is room for all that the beginning of a warp reads (own choice).
const loneL2Bytes = 4 << 20

// LoneWarp returns the course of the longest of some warps, of CTAs that need so much of an SM. cut:
// they go on behind their traces. An error says that it has none: for what goes on by itself it
// waits, and for clusters.
func (s *Simulator) LoneWarp(ctx context.Context, l *Linker, cta gpu.CTA, warps []Trace, cut bool) (*Lone, error) {
	m, _, err := s.configure(cta)
	if err != nil {
		return nil, err
	}
	// Of what SMs have in common there is more than one warp can use.
	m.SMs, m.Chiplets = 1, Chiplets{}
	m.L2.Slices, m.L2.Bytes = 1, int64(loneL2Bytes/(m.L2.Ways*blockBytes)*m.L2.Ways*blockBytes)
	m.DRAM.Channels, m.DRAM.RowCycles, m.DRAM.ActivateCycles, m.DRAM.MissCycles = 1, 0, 0, 0
	code, err := Compile(l.Program(), m)
	if err != nil {
		return nil, err
	}
	longest, shortened := code.alone(slices.MaxFunc(warps, func(a, b Trace) int { return int(code.length(a) - code.length(b)) }), loneInstructions)
	if longest == nil {
		return nil, errWaits
	}
	whole, err := m.course(ctx, code, longest)
	if err != nil {
		return nil, err
	}
	of := &Lone{Course: *whole, Cut: cut || shortened}
	if begin := code.upTo(longest, int64(whole.Instructions/2)); of.Cut && len(begin) < len(longest) {
		first, err := m.course(ctx, code, begin)
		if err != nil {
			return nil, err
		}
		of.Steady = whole.behind(first)
	}
	return of, nil
}

// course runs a warp on copies of a GPU with nothing, half, and all in the L2 of what it reads, and
// with all in the L1.
func (m Config) course(ctx context.Context, code *Code, t Trace) (*Course, error) {
	of := &Course{Instructions: float64(code.length(t))}
	for i := range of.Cycles {
		m.L2.Had = float64(i) / 2
		r, err := m.runAlone(ctx, code, t)
		if err != nil {
			return nil, err
		}
		of.Cycles[i] = r.Cycles - m.Launch.CTACycles
		of.Reads, of.Hits = float64(r.Memory.L1Reads), float64(r.Memory.L1ReadHits)
		if i == 0 {
			of.AtL2, of.First = float64(r.Memory.Reads), float64(r.Memory.Reads-r.Memory.ReadHits)
		}
	}
	m.L2.Had, m.L2.LatencyCycles = 0, m.Kinds[pipe.LoadGlobal].LatencyCycles
	m.DRAM.LatencyCycles = m.L2.LatencyCycles
	r, err := m.runAlone(ctx, code, t)
	if err != nil {
		return nil, err
	}
	of.InL1 = r.Cycles - m.Launch.CTACycles
	return of, nil
}

// runAlone runs a warp on a GPU whose caches are empty.
func (m *Config) runAlone(ctx context.Context, code *Code, t Trace) (*Result, error) {
	g, err := New(m)
	if err != nil {
		return nil, err
	}
	cta := &CTA{Warps: []Trace{t}}
	return g.Run(ctx, &Launch{Code: code, CTAsPerSM: 1, Next: func(int) (next *CTA, err error) {
		next, cta = cta, nil
		return next, nil
	}})
}

// alone returns the beginning of a trace, of so many instructions at most, without barriers, and
// whether it goes on behind that; nil if the warp waits for anything else that others do.
func (c *Code) alone(t Trace, most int64) (of Trace, cut bool) {
	of = slices.Clone(c.upTo(t, most))
	for b, records := range c.walk(of) {
		for k := c.blocks[b].first; k < c.blocks[b].end; k++ {
			switch o := &c.ops[k]; {
			case o.waits || o.records() && spaceOf(records[0]) >= BulkLoad:
				return nil, false
			case o.records():
				records = records[1+blocksOf(records[0]):]
			case o.record:
				records[0] = passBit
				records = records[1:]
			}
		}
	}
	return of, len(of) < len(t)
}
