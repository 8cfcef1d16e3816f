package analysis

import (
	"context"

	"hyptx/depgraph"
	"hyptx/emulator"
	"hyptx/internal/gpu"
	"hyptx/internal/machine"
	"hyptx/internal/sim"
	"hyptx/internal/traffic/stream"
	"hyptx/ir"
)

// Time is simulated beside counting. The counts of a launch take one CTA of each sort;
// a simulation wants to know where every warp of some waves of CTAs reads and writes.
// So these are emulated by themselves, just before the launch is: with the slice of
// decisions and addresses, in the memory as it is then, and what they write is
// forgotten. What they did is handed to the simulators of all GPUs that were asked for
// (package sim).

// simulation is what the simulations of a session need.
type simulation struct {
	of []*sim.Simulator
	// slices are those of decisions and addresses, by launch.
	slices  []*depgraph.Filtered
	linkers map[codeKey]*sim.Linker
}

// newSimulation returns nil if nobody asked for one.
func (s *Session) newSimulation() (*simulation, error) {
	if len(s.Options.Simulate) == 0 {
		return nil, nil
	}
	x := &simulation{linkers: map[codeKey]*sim.Linker{}}
	for _, g := range s.Options.Simulate {
		clock, err := g.ClockMHz()
		if err != nil {
			return nil, err
		}
		of, err := sim.NewSimulator(g, clock, s.Options.SimulatedInstructions)
		if err != nil {
			return nil, err
		}
		x.of = append(x.of, of)
	}
	return x, nil
}

// planTraced returns what of each launch has to run where some are simulated besides:
// what decides, and what earlier launches store that later ones find addresses in.
func (s *Session) planTraced(chosen []bool) (runs []*depgraph.Filtered) {
	runs, s.simulation.slices = s.planner.PlanTraced(s.depLaunches(), s.copies(), chosen)
	return runs
}

// simulate simulates a launch on all GPUs. One that cannot be simulated has counts all
// the same: its estimates say why there is no time.
func (s *Session) simulate(ctx context.Context, l *launchPlan) []Simulated {
	results, err := s.trySimulate(ctx, l)
	if err == nil {
		return results
	}
	results = nil
	for range s.simulation.of {
		results = append(results, Simulated{Estimate: &sim.Estimate{Unfit: err}})
	}
	return results
}

func (s *Session) trySimulate(ctx context.Context, l *launchPlan) (results []Simulated, err error) {
	x := s.simulation
	prog, err := s.machine.Compile(l.kernel, emulator.Options{Slice: x.slices[l.index].Slice, Traffic: true})
	if err != nil {
		return nil, err
	}
	cta := gpu.CTA{Threads: int(l.threads()), SharedBytes: int(prog.StaticSharedBytes() + l.launch.DynamicSharedBytes)}
	defer func() {
		for _, of := range x.of {
			of.Stop()
		}
	}()
	for _, of := range x.of {
		linker := s.linker(l, of.Spec)
		cta.RegistersPerThread = fitting(linker.Registers, cta.Threads, of.Spec)
		if err := of.Begin(linker, cta, int64(l.ctas())); err != nil {
			return nil, err
		}
	}
	err = s.trace(ctx, l, prog, []int64{0}, func(c *stream.CTA) {
		for _, of := range x.of {
			of.Plan(c)
		}
	})
	if err != nil {
		return nil, err
	}
	err = s.trace(ctx, l, prog, x.chosen(int64(l.ctas())), func(c *stream.CTA) {
		for _, of := range x.of {
			of.Take(c)
		}
	})
	if err != nil {
		return nil, err
	}
	for _, of := range x.of {
		e, err := of.End(ctx)
		if err != nil {
			return nil, err
		}
		n := float64(l.launch.Count)
		results = append(results, Simulated{Estimate: e, Cycles: n * e.Cycles, Repetitions: n})
	}
	return results, nil
}

// fitting returns the registers of a thread, as estimated, but no more than let a CTA of
// so many threads run at all: it does, or nobody would ask.
func fitting(registers, threads int, g *gpu.GPU) int {
	most := g.Registers.PerCTAMax
	if most == nil {
		return registers
	}
	const unit = 8 // a warp gets multiples of 256
	warps := (threads + 31) / 32
	return min(registers, most.Value/(32*warps)/unit*unit)
}

// chosen returns the CTAs that a simulation sees.
func (x *simulation) chosen(ctas int64) (list []int64) {
	for i := range ctas {
		for _, of := range x.of {
			if of.Sees(i) {
				list = append(list, i)
				break
			}
		}
	}
	return list
}

// trace runs CTAs of a launch, whose traces give gets in their order.
func (s *Session) trace(ctx context.Context, l *launchPlan, prog *emulator.Program, ctas []int64, give func(*stream.CTA)) error {
	if len(ctas) == 0 {
		return nil
	}
	cfg := s.config(l, &part{ctas: ctas, workers: s.Options.Jobs}, nil)
	cfg.Apart, cfg.PerCTA, cfg.Loops, cfg.Paths, cfg.OnWarp = true, false, false, false, nil
	cfg.Traced = func(int64) bool { return true }
	cfg.Requests = func(c *stream.CTA) error {
		give(c)
		return nil
	}
	_, err := s.machine.Launch(ctx, prog, cfg)
	return err
}

// linker returns the machine code of a launch's kernel for a GPU, made once for launches
// of the same shape.
func (s *Session) linker(l *launchPlan, g *gpu.GPU) *sim.Linker {
	key := codeKey{l.kernel, l.cta, l.grid, machineFor(l.kernel.Module, g)}
	if of := s.simulation.linkers[key]; of != nil {
		return of
	}
	var listings []*machine.Listing
	for _, overlay := range s.planner.Kernel(l.kernel).SSA {
		listings = append(listings, machine.List(overlay, &machine.Launch{NTID: l.cta, NCTAID: l.grid}, key.sm))
	}
	of := sim.NewLinker(l.kernel.Module, listings, key.sm)
	s.simulation.linkers[key] = of
	return of
}

// machineFor returns the compute capability that code is made for: the GPU's, or that
// which the PTX names.
func machineFor(m *ir.Module, g *gpu.GPU) int {
	if g != nil && g.SM() > 0 {
		return g.SM()
	}
	return m.Target.SM
}

// Simulated is what a simulation says of a launch, all repetitions together.
type Simulated struct {
	*sim.Estimate
	// Cycles are the SMs' from the first CTA's start to the last one's end, of as
	// many launches as Repetitions.
	Cycles, Repetitions float64
}
