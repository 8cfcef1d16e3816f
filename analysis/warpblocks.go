package analysis

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"hyptx/depgraph"
	"hyptx/emulator"
	"hyptx/ir"
)

// blockCount is how often a warp issues a run of instructions: a basic block,
// or what calls, barriers and warp-synchronous operations cut from one.
type blockCount struct {
	First  ir.PC
	Issues float64
}

// WarpBlocks returns the block counts of the warp that issues the most
// instructions in one repetition of the launch, in the order of the text; nil
// if nothing was run. Counts are kept for each CTA: without
// [Options.LongestWarp], and where running a CTA again would change memory, the
// mean over the warps of the CTA with the most instructions stands for it, and
// mean says so.
func (lp *LaunchProfile) WarpBlocks() (blocks []blockCount, mean bool) {
	o := lp.outcome
	if o == nil {
		return nil, false
	}
	counts, warps := o.longest, 1.0
	if counts == nil {
		c := o.longestClass(lp.plan)
		counts, warps = c.counts, c.warps
	}
	o.parts[0].prog.Blocks(counts, func(first ir.PC, issues, _ uint64) {
		blocks = append(blocks, blockCount{first, float64(issues) / warps})
	})
	return blocks, warps > 1
}

// longestClass is a class of CTAs, run for so many warps of each.
type longestClass struct {
	counts []uint64
	warps  float64
	cta    int64 // one of them
	part   *part
}

// longestClass returns the class with the most instructions a warp.
func (o *outcome) longestClass(l *launchPlan) longestClass {
	var longest longestClass
	most := -1.0
	for i, res := range o.results {
		p := o.partOf(i)
		warps := float64(len(p.warps))
		if p.warps == nil {
			warps = float64((l.threads() + 31) / 32)
		}
		for _, c := range res.Classes {
			executed := newExecuted(p, c.Counts)
			n := executed.X(WarpInstructions) / warps
			if n > most || n == most && o.filters != nil && c.First < longest.cta {
				most, longest = n, longestClass{c.Counts, warps, c.First, p}
			}
		}
	}
	return longest
}

// findLongestWarp runs the CTA with the most instructions once more, each warp
// with counts of its own, unless that could change memory or is not needed.
func (s *Session) findLongestWarp(ctx context.Context, l *launchPlan, f *depgraph.Filtered, o *outcome) error {
	c := o.longestClass(l)
	if c.warps <= 1 || s.Options.Mode == Full || f.Stores() {
		return nil
	}
	p := part{prog: c.part.prog, workers: 1, ctas: l.inWholeClusters([]int64{c.cta}), warps: c.part.warps}
	cfg := s.config(l, &p, new(atomic.Int64))
	most := uint64(0)
	cfg.OnWarp = func(cta int64, _ int, counts []uint64) {
		if cta != c.cta {
			return
		}
		n := uint64(0)
		p.prog.EachInstr(counts, func(i emulator.InstrCount) { n += i.Issues })
		if n > most {
			most, o.longest = n, slices.Clone(counts)
		}
	}
	_, err := s.machine.Launch(ctx, p.prog, cfg)
	if waits := (*emulator.DeadlockError)(nil); errors.As(err, &waits) { // for CTAs that were not run again
		o.longest = nil
		return nil
	}
	return err
}
