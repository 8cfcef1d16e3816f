package analysis

import (
	"context"

	"hyptx/internal/gpu"
	"hyptx/internal/machine"
	"hyptx/internal/sim"
	"hyptx/internal/traffic/stream"
)

// Time is simulated while a launch runs, as its caches are modelled: the emulator
// hands on what the warps of some CTAs did, and each GPU that was asked for lets its
// machine code do the same (package sim).

// simulators returns those of the session's GPUs; none if nobody asked.
func (s *Session) simulators() (list []*sim.Simulator, err error) {
	if s.Options.SimulatedInstructions == 0 {
		return nil, nil
	}
	for _, g := range s.Options.GPUs {
		clock, err := g.ClockMHz()
		if err != nil {
			return nil, err
		}
		of, err := sim.NewSimulator(g, clock, s.Options.SimulatedInstructions)
		if err != nil {
			return nil, err
		}
		list = append(list, of)
	}
	return list, nil
}

// beginSimulation readies the simulators for a launch.
func (s *Session) beginSimulation(l *launchPlan, cta gpu.CTA) error {
	if len(s.sims) == 0 {
		return nil
	}
	for _, of := range s.sims {
		if err := of.Begin(s.linker(l, of.Spec), cta, int64(l.ctas())); err != nil {
			return err
		}
	}
	return nil
}

// linker returns the machine code of a launch's kernel for a GPU, made once for launches
// of the same shape.
func (s *Session) linker(l *launchPlan, g *gpu.GPU) *sim.Linker {
	sm := l.kernel.Module.Target.SM
	if g.SM() > 0 {
		sm = g.SM()
	}
	key := codeKey{l.kernel, l.cta, l.grid, sm}
	if of := s.linkers[key]; of != nil {
		return of
	}
	var listings []*machine.Listing
	for _, overlay := range s.planner.Kernel(l.kernel).SSA {
		listings = append(listings, machine.List(overlay, &machine.Launch{NTID: l.cta, NCTAID: l.grid}, sm))
	}
	of := sim.NewLinker(l.kernel.Module, listings)
	if s.linkers == nil {
		s.linkers = map[codeKey]*sim.Linker{}
	}
	s.linkers[key] = of
	return of
}

// traced reports whether a simulator wants a CTA's traces.
func (s *Session) traced(linear int64) bool {
	for _, of := range s.sims {
		if of.Traced(linear) {
			return true
		}
	}
	return false
}

// take gives the listeners the next CTA.
func (s *Session) take(c *stream.CTA) error {
	for _, of := range s.sims {
		if err := of.Take(c); err != nil {
			return err
		}
	}
	return s.caches.Take(c)
}

// endSimulation notes how long the launch took on each GPU; its repetitions are times
// as many.
func (s *Session) endSimulation(ctx context.Context, o *outcome, times uint64) error {
	if o.simulated == nil {
		o.simulated = make([]Simulated, len(s.sims))
	}
	for i, of := range s.sims {
		e, err := of.End(ctx)
		if err != nil {
			return err
		}
		o.simulated[i].add(e, times)
	}
	return nil
}

// stopSimulation gives up what a launch that failed has begun.
func (s *Session) stopSimulation() {
	for _, of := range s.sims {
		of.Stop()
	}
}

// Simulated is what a simulation says of a launch, all repetitions together.
type Simulated struct {
	// Last is what it says of the last repetition that was simulated.
	Last *sim.Estimate
	// Cycles are the SMs' from the first CTA's start to the last one's end;
	// Repetitions how many launches they are of.
	Cycles, Repetitions float64
}

func (s *Simulated) add(e *sim.Estimate, times uint64) {
	s.Last = e
	s.Cycles += e.Cycles * float64(times)
	s.Repetitions += float64(times)
}
