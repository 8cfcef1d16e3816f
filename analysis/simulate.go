package analysis

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"hyptx/depgraph"
	"hyptx/emulator"
	"hyptx/internal/gpu"
	"hyptx/internal/machine"
	"hyptx/internal/manifest"
	"hyptx/internal/sim"
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
	slices []*depgraph.Filtered
	// known are the results of launches by what is equal of those that share them;
	// before are the buffers of the launch before.
	known  map[string]*simulatedLaunch
	before []*manifest.Buffer
}

// newSimulation returns nil if nobody asked for one.
func (s *Session) newSimulation() (*simulation, error) {
	if len(s.Options.Simulate) == 0 {
		return nil, nil
	}
	x := &simulation{known: map[string]*simulatedLaunch{}}
	for _, g := range s.Options.Simulate {
		clock, err := g.ClockMHz()
		if err != nil {
			return nil, err
		}
		of, err := sim.NewSimulator(g, clock, sim.Options{Budget: s.Options.SimulatedInstructions, FewWaves: s.Options.SimulatedOfFewWaves, ColdL2: s.Options.ColdL2, PerInstruction: s.Options.Stalls, OverTime: s.Options.OverTime})
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

// simulate simulates a launch on all GPUs. One that a GPU cannot run, or the simulator
// cannot follow, has counts all the same: its estimates say why there is no time. A fault
// of the program is an error. nil is of a launch that nobody wants to be simulated.
func (s *Session) simulate(ctx context.Context, l *launchPlan) (*simulatedLaunch, error) {
	if !s.simulates {
		return nil, nil
	}
	x := s.simulation
	key := x.key(l, s.hostSteps)
	if of, ok := x.known[key]; ok {
		x.leave(l, of, true)
		return of, nil
	}
	of, err := s.trySimulate(ctx, l)
	if fault := (*tracingError)(nil); errors.As(err, &fault) {
		return nil, fault.error
	}
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		of = &simulatedLaunch{}
		for range s.simulation.of {
			of.results = append(of.results, Simulated{Estimate: &sim.Estimate{Unfit: err}})
		}
		return of, nil
	}
	x.leave(l, of, false)
	if key != "" {
		x.known[key] = of
	}
	return of, nil
}

// simulatedLaunch is what came of a launch: what is said of it on each GPU, and by
// instruction the accesses of one repetition that hit no memory and were forgiven, as many
// as all CTAs make if they are like those that were traced.
type simulatedLaunch struct {
	results []Simulated
	beyond  map[ir.PC]uint64
	stores  []storing // by pointer among the arguments
	// storedBytes are the first CTA's.
	storedBytes uint64
}

// key returns what launches have in common of which one is simulated: the kernel, the
// grid, the arguments but for where buffers lie, and which of these the launch before
// had, as it left them in the L2; and the host has written nothing between them, not to
// constants either. "" is a launch like which there is no other, for where
// it reads and writes rests on what lies in memory.
func (x *simulation) key(l *launchPlan, hostSteps int) string {
	before := x.before
	x.before = nil
	data := slices.Clone(l.block.Data)
	var places []byte
	for _, p := range l.block.Pointers {
		clear(data[p.At : p.At+8])
		if p.Buffer == nil {
			places = append(places, " -"...)
			continue
		}
		first := slices.Index(x.before, p.Buffer)
		if first < 0 {
			first, x.before = len(x.before), append(x.before, p.Buffer)
		}
		places = fmt.Appendf(places, " %d:%d+%d@%d %v", first, p.Buffer.Bytes, p.Offset, p.Address()%alignBytes, slices.Contains(before, p.Buffer))
	}
	if x.slices[l.index].ReadsGlobal() || len(l.block.Assumed) > 0 || slices.ContainsFunc(x.of, func(s *sim.Simulator) bool { return s.Spec.Chiplets != nil }) {
		return "" // pages of chiplets lie where they were touched first
	}
	return fmt.Sprintf("%d %p %v %v %v %d %d %x%s", hostSteps, l.kernel, l.grid, l.cluster, l.cta, l.launch.DynamicSharedBytes, l.launch.Count, data, places)
}

// alignBytes is where a buffer may begin that is as good as another: two lines of the
// caches, as cudaMalloc aligns (CUDA C++ Programming Guide, device memory accesses).
const alignBytes = 256

// tracingFault says why CTAs could not be traced: by a fault of the program, or because they
// wait for others, of which only some are traced.
func tracingFault(err error) error {
	if waits := (*emulator.DeadlockError)(nil); errors.As(err, &waits) {
		return errors.New("CTAs wait for others, which are not simulated with them (option time-model analytic)")
	}
	return &tracingError{err}
}

func (s *Session) trySimulate(ctx context.Context, l *launchPlan) (*simulatedLaunch, error) {
	x := s.simulation
	if err := l.unsimulated(); err != nil {
		return nil, err
	}
	prog, err := s.machine.Compile(ctx, l.kernel, emulator.Options{Slice: x.slices[l.index].Slice, Traffic: true, Descriptors: x.slices[l.index]})
	if err != nil {
		return nil, err
	}
	cta := gpu.CTA{Threads: int(l.threads()), SharedBytes: int(prog.StaticSharedBytes() + l.launch.DynamicSharedBytes)}
	defer func() {
		for _, of := range x.of {
			of.Stop()
		}
	}()
	var linkers []*sim.Linker // of the simulators
	for _, of := range x.of {
		linker, err := s.linker(ctx, l, of.Spec)
		if err != nil {
			return nil, err
		}
		of.Kernel = l.kernel.Name
		cta.RegistersPerThread = fitting(linker.Registers, cta.Threads, of.Spec)
		if err := of.Begin(linker, cta, int64(l.ctas()), int64(l.grid[0]), int(l.clusterSize())); err != nil {
			return nil, err
		}
		linkers = append(linkers, linker)
	}
	t := &tracing{Session: s, launchPlan: l, prog: prog, linkers: linkers, words: map[*sim.Simulator]int{}, samples: map[int]sample{}}
	if err := t.first(ctx); err != nil {
		return nil, tracingFault(err)
	}
	if err := t.others(ctx); err != nil {
		return nil, tracingFault(err)
	}
	var results []Simulated
	for _, of := range x.of {
		e, err := of.End(ctx)
		if err != nil {
			return nil, err
		}
		n := float64(l.launch.Count)
		x := Simulated{Estimate: e, Cycles: n * e.Cycles, Repetitions: n}
		if e.Unfit == nil {
			x.Uncertainty = e.Uncertainty(1)
			seen := t.moved(of, e)
			if m := seen.moved; m != nil && m.Uncounted > 0 {
				pc := ir.PC(m.Uncounted - 1)
				e.Unfit = uncounted(filepath.Base(l.kernel.Module.FileOf(pc)), &l.kernel.Module.Instrs[pc])
			}
			x.facts = newSimulated(e, seen.moved, n*float64(l.ctas())/float64(seen.ctas)/e.Longer, n)
		}
		results = append(results, x)
	}
	first := t.samples[0]
	return &simulatedLaunch{results: results, beyond: t.beyond, storedBytes: first.storedBytes()}, nil
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
	if of := g.Limits.WarpAllocationGranularity; of != nil {
		warps = (warps + of.Value - 1) / of.Value * of.Value
	}
	return min(registers, most.Value/(32*warps)/unit*unit)
}

// linker returns the machine code of a launch's kernel for a GPU, made once for launches
// of the same shape.
func (s *Session) linker(ctx context.Context, l *launchPlan, g *gpu.GPU) (*sim.Linker, error) {
	key := codeKey{l.kernel, l.cta, l.grid, machineFor(l.kernel.Module, g)}
	if of := s.linkers[key]; of != nil {
		return of, nil
	}
	var listings []*machine.Listing
	for _, overlay := range s.planner.Kernel(l.kernel).SSA {
		listing, err := machine.List(ctx, overlay, &machine.Launch{NTID: l.cta, NCTAID: l.grid}, key.sm)
		if err != nil {
			return nil, err
		}
		listings = append(listings, listing)
	}
	of, err := sim.NewLinker(ctx, l.kernel.Module, listings, key.sm)
	if err != nil {
		return nil, err
	}
	if s.linkers == nil {
		s.linkers = map[codeKey]*sim.Linker{}
	}
	s.linkers[key] = of
	return of, nil
}

// machineFor returns the compute capability that code is made for: the GPU's, or that
// which the PTX names.
func machineFor(m *ir.Module, g *gpu.GPU) int {
	if g != nil && g.SM() > 0 {
		return g.SM()
	}
	return m.Target.SM
}
