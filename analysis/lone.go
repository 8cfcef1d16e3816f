package analysis

import (
	"context"

	"hyptx/depgraph"
	"hyptx/emulator"
	"hyptx/internal/gpu"
	"hyptx/internal/sim"
	"hyptx/internal/traffic/stream"
)

// The closed form of time wants to know how long the longest warp takes if it has an SM for
// itself. What its instructions need of one another says little of that where a compiler has put
// them in an order, in which they are issued: of twenty-five loads and what needs them some are
// behind what waits. So of the CTA with the most instructions one more run is traced, as far as
// loops need to come to a steady state, and its longest warp is simulated alone.

// loneWords are how many words of a warp's trace are enough: some thousand accesses (own choice).
const loneWords = 1 << 14

// findLone finds the course of the longest warp alone, for the GPUs whose caches listened. A
// launch in which it has none, or that cannot be traced, goes without.
func (s *Session) findLone(ctx context.Context, l *launchPlan, f *depgraph.Filtered, o *outcome) error {
	if len(o.caches) == 0 || s.Options.Mode != Memory || f.Stores() || l.clusterSize() > 1 || usesHeap(l.kernel) {
		return nil
	}
	longest := o.longestClass(l)
	if longest.part == nil {
		return nil
	}
	prog, err := s.machine.Compile(ctx, l.kernel, emulator.Options{Slice: f.Slice, Traffic: true})
	if err != nil {
		return context.Cause(ctx)
	}
	// What is wrong with a CTA was found before.
	_, _ = s.runTraced(ctx, l, prog, &part{ctas: []int64{longest.cta}, workers: 1}, loneWords, func(c *stream.CTA) {
		for i, g := range s.Options.GPUs {
			o.caches[i].lone, _ = s.loneOn(ctx, l, g, c) // nil: it goes by its chain
		}
	})
	return context.Cause(ctx)
}

// loneOn returns the course on a GPU, by a CTA's traces; nil if it has none there.
func (s *Session) loneOn(ctx context.Context, l *launchPlan, g *gpu.GPU, c *stream.CTA) (*sim.Lone, error) {
	clock, err := g.ClockMHz()
	if err != nil {
		return nil, err
	}
	on, err := sim.NewSimulator(g, clock, sim.Options{})
	if err != nil {
		return nil, err
	}
	linker, err := s.linker(ctx, l, g)
	if err != nil {
		return nil, err
	}
	shape, err := s.shape(ctx, l)
	if err != nil {
		return nil, err
	}
	shape.RegistersPerThread = fitting(linker.Registers, shape.Threads, g)
	return on.LoneWarp(ctx, linker, shape, linker.CTA(c).Warps, c.Cut)
}
