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

// loneCTAs are how many CTAs are looked at for the longest warp before a launch, and by how many words
// of a warp's trace (own choice).
const loneCTAs, shortWords = 512, 1 << 10

// hasLone reports whether a launch has a longest warp that can be followed alone.
func (s *Session) hasLone(l *launchPlan) bool {
	return s.Options.LongestWarp && s.Options.Mode == Memory && l.clusterSize() == 1 && !usesHeap(l.kernel)
}

// loneBefore finds the course of the longest warp alone of a launch that changes what it reads, which nobody
// can run again: before it runs, among some CTAs of it, of which the longest is followed. nil: of all others.
func (s *Session) loneBefore(ctx context.Context, l *launchPlan, f *depgraph.Filtered) ([]*sim.Lone, error) {
	if s.caches == nil || !s.hasLone(l) || !f.Stores() {
		return nil, nil
	}
	all := int64(l.ctas())
	some := make([]int64, min(loneCTAs, all))
	for i := range some {
		some[i] = int64(i) * all / int64(len(some))
	}
	longest, most := int64(0), 0
	err := s.followed(ctx, l, f, some, shortWords, func(c *stream.CTA) {
		for _, t := range c.Traces {
			if len(t) > most {
				longest, most = c.Linear, len(t)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return s.lone(ctx, l, f, longest)
}

// findLone finds the course of the longest warp alone, for the GPUs whose caches listened, if nobody found
// it before. A launch in which it has none, or that cannot be traced, goes without.
func (s *Session) findLone(ctx context.Context, l *launchPlan, f *depgraph.Filtered, o *outcome, before []*sim.Lone) (err error) {
	if len(o.caches) == 0 || !s.hasLone(l) {
		return nil
	}
	if longest := o.longestClass(l); !f.Stores() && longest.part != nil {
		before, err = s.lone(ctx, l, f, longest.cta)
	}
	for i, of := range before {
		o.caches[i].lone = of
	}
	return err
}

// lone returns the course of a CTA's longest warp on each GPU.
func (s *Session) lone(ctx context.Context, l *launchPlan, f *depgraph.Filtered, cta int64) ([]*sim.Lone, error) {
	of := make([]*sim.Lone, len(s.Options.GPUs))
	return of, s.followed(ctx, l, f, []int64{cta}, loneWords, func(c *stream.CTA) {
		for i, g := range s.Options.GPUs {
			of[i], _ = s.loneOn(ctx, l, g, c) // nil: it goes by its chain
		}
	})
}

// followed gives the traces of some CTAs. What is wrong with one of them is found when all run.
func (s *Session) followed(ctx context.Context, l *launchPlan, f *depgraph.Filtered, ctas []int64, words int, give func(*stream.CTA)) error {
	if prog, err := s.machine.Compile(ctx, l.kernel, emulator.Options{Slice: f.Slice, Traffic: true}); err == nil {
		_, _ = s.runTraced(ctx, l, prog, &part{ctas: ctas, workers: 1}, words, give)
	}
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
