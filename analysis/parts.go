package analysis

import (
	"context"
	"slices"

	"hyptx/depgraph"
	"hyptx/emulator"
	"hyptx/internal/slice"
	"hyptx/ir"
)

// Several workers may run CTAs of a launch where the slice has no order of its own to
// keep: no atomics whose results decide, no stores that other CTAs may read. What
// follows origins runs on one, because origins are kept beside memory.

// compileParts decodes the slices of a launch and finds out how many workers may
// run each.
func (s *Session) compileParts(ctx context.Context, c *cover, origins *slice.Slice) error {
	for i := range c.parts {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		p := &c.parts[i]
		if same := slices.IndexFunc(c.parts[:i], func(q part) bool { return q.filter == p.filter }); same >= 0 {
			p.prog, p.workers, p.speculate = c.parts[same].prog, c.parts[same].workers, c.parts[same].speculate
			continue
		}
		options := emulator.Options{Slice: p.filter.Slice, Traffic: s.traffic, Variation: s.Options.Variation}
		p.workers = 1
		switch {
		case s.Options.Mode == Full:
			options.Slice, options.Origins, options.Decides = nil, origins, s.decisiveSlice(c.launch, origins)
			options.Observe = s.observes(c.launch.kernel)
			var err error
			if options.Adds, err = s.addRules(ctx, c.launch); err != nil {
				return err
			}
			options.Check = s.checking.looks()
			if origins == nil && s.checking == nil {
				s.speculate(p, &options)
			}
		case origins != nil:
			options.Origins = p.filter.Slice
			options.Decides = s.decisiveSlice(c.launch, origins)
		case p.filter.ParallelSafe && !p.filter.Stores(): // else there were no second try
			p.workers = s.Options.Jobs
		}
		var err error
		if p.prog, err = s.compile(ctx, c.launch.kernel, options); err != nil {
			return err
		}
	}
	s.segments = c.parts[0].prog.Segments()
	return nil
}

// compiled is what was last compiled of a kernel.
type compiled struct {
	options emulator.Options
	prog    *emulator.Program
}

// compile decodes a kernel, unless it was just decoded in the same way: launches that
// are alike share a slice.
func (s *Session) compile(ctx context.Context, k *ir.Func, options emulator.Options) (*emulator.Program, error) {
	if last := s.compiled[k]; last.prog != nil && last.options == options {
		return last.prog, nil
	}
	prog, err := s.machine.Compile(ctx, k, options)
	if err == nil {
		s.compiled[k] = compiled{options, prog}
	}
	return prog, err
}

// speculate lets workers run the CTAs of a whole kernel side by side, where it can
// be found out afterwards whether they saw what others wrote: the program then
// counts what they touch, of which stores are enough where no load can meet
// one. Where somebody listens to the warps or their requests, or another machine is
// followed, there is no second try.
func (s *Session) speculate(p *part, options *emulator.Options) {
	f := p.filter.Graph.Slice(depgraph.Full)
	if s.Options.Jobs == 1 || f.Meets || s.onWarp != nil || s.caches != nil || s.debugging != nil || s.Options.Variation != nil {
		return
	}
	p.workers, p.speculate = s.Options.Jobs, true
	if !options.Traffic {
		options.Traffic, options.Writes = !f.ParallelSafe, true
	}
}

// originSlice returns the slice through which the emulator follows what values
// depend on; nil where all of them are exact for certain: nothing that a
// decision reads is unspecified, assumed or ordered by chance, and nothing is
// stored for others to decide on.
func (s *Session) originSlice(l *launchPlan, f *depgraph.Filtered) *slice.Slice {
	if usesHeap(l.kernel) {
		return nil // it is assumed whatever the heap decides
	}
	if f.Specified() && len(l.block.Assumed) == 0 && !f.Stores() && !s.Options.Forgive && s.Options.Lenient == nil {
		return nil
	}
	return f.Slice
}

// decisiveSlice returns the slice of the decisions alone, of the slice through
// which origins are followed where that is of addresses, too: nil if all of it is
// of decisions. Modes then agree on how exact a launch's decisions are.
func (s *Session) decisiveSlice(l *launchPlan, origins *slice.Slice) *slice.Slice {
	if !s.traffic || origins == nil {
		return nil
	}
	if s.decisive == nil {
		s.decisive = s.planner.Plan(s.depLaunches(), s.copies(), depgraph.Control, nil)
	}
	return s.decisive[l.index].Slice
}

// watchBuffers notes from which buffers the slices read.
func (s *Session) watchBuffers(plan []*depgraph.Filtered) {
	if s.Options.Mode != Memory {
		return
	}
	read, all := depgraph.Watched(plan)
	for b, i := range s.bufferIndex {
		s.memory[b].Watched = all || read[i]
	}
}
