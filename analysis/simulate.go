package analysis

import (
	"context"
	"fmt"
	"math"
	"slices"

	"hyptx/depgraph"
	"hyptx/emulator"
	"hyptx/internal/cache"
	"hyptx/internal/gpu"
	"hyptx/internal/machine"
	"hyptx/internal/manifest"
	"hyptx/internal/sim"
	"hyptx/internal/traffic"
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
	// known are the results of launches by what is equal of those that share them;
	// before are the buffers of the launch before.
	known  map[string][]Simulated
	before []*manifest.Buffer
}

// newSimulation returns nil if nobody asked for one.
func (s *Session) newSimulation() (*simulation, error) {
	if len(s.Options.Simulate) == 0 {
		return nil, nil
	}
	x := &simulation{linkers: map[codeKey]*sim.Linker{}, known: map[string][]Simulated{}}
	for _, g := range s.Options.Simulate {
		clock, err := g.ClockMHz()
		if err != nil {
			return nil, err
		}
		of, err := sim.NewSimulator(g, clock, sim.Options{Budget: s.Options.SimulatedInstructions, ColdL2: s.Options.ColdL2})
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
	x := s.simulation
	key := x.key(l, s.hostSteps)
	if of, ok := x.known[key]; ok {
		return of
	}
	results, err := s.trySimulate(ctx, l)
	if err == nil {
		if key != "" {
			x.known[key] = results
		}
		return results
	}
	results = nil
	for range s.simulation.of {
		results = append(results, Simulated{Estimate: &sim.Estimate{Unfit: err}})
	}
	return results
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
	if x.slices[l.index].ReadsGlobal() || len(l.block.Assumed) > 0 {
		return ""
	}
	return fmt.Sprintf("%d %p %v %v %d %d %x%s", hostSteps, l.kernel, l.grid, l.cta, l.launch.DynamicSharedBytes, l.launch.Count, data, places)
}

// alignBytes is where a buffer may begin that is as good as another: two lines of the
// caches, as cudaMalloc aligns (CUDA C++ Programming Guide, device memory accesses).
const alignBytes = 256

func (s *Session) trySimulate(ctx context.Context, l *launchPlan) (results []Simulated, err error) {
	x := s.simulation
	prog, err := s.machine.Compile(ctx, l.kernel, emulator.Options{Slice: x.slices[l.index].Slice, Traffic: true})
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
		linker := s.linker(l, of.Spec)
		cta.RegistersPerThread = fitting(linker.Registers, cta.Threads, of.Spec)
		if err := of.Begin(linker, cta, int64(l.ctas())); err != nil {
			return nil, err
		}
		linkers = append(linkers, linker)
	}
	t := &tracing{Session: s, launchPlan: l, prog: prog, linkers: linkers, words: map[*sim.Simulator]int{}, samples: map[int]sample{}}
	if err := t.first(ctx); err != nil {
		return nil, err
	}
	if err := t.others(ctx); err != nil {
		return nil, err
	}
	for _, of := range x.of {
		e, err := of.End(ctx)
		if err != nil {
			return nil, err
		}
		n := float64(l.launch.Count)
		x := Simulated{Estimate: e, Cycles: n * e.Cycles, Repetitions: n}
		if e.Unfit == nil {
			seen := t.moved(of, e)
			x.facts = newSimulated(e, seen.moved, n*float64(l.ctas())/float64(seen.ctas)/e.Longer, n)
		}
		results = append(results, x)
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
	if of := g.Limits.WarpAllocationGranularity; of != nil {
		warps = (warps + of.Value - 1) / of.Value * of.Value
	}
	return min(registers, most.Value/(32*warps)/unit*unit)
}

// newSimulated returns the facts of memory that a simulation estimates: what the CTAs
// that were traced moved, each of which stands for so many, and what the caches did,
// times over.
func newSimulated(e *sim.Estimate, moved *traffic.Counts, each, times float64) (f Facts) {
	var once Facts
	f.know(blockMoved)
	f.known[FootprintBytes] = false
	if moved != nil {
		for k := range moved.Accesses {
			once.addAccess(&moved.Accesses[k], 1)
		}
	}
	for c, n := range once.n {
		f.n[c] = uint64(math.Round(each * float64(n)))
	}
	f.know(blockCached)
	c := &e.Whole
	for counter, n := range map[Counter]uint64{
		L1ReadHits: c.L1ReadHits, L1ReadMisses: c.L1Reads - c.L1ReadHits, L1WriteHits: c.L1WriteHits, L1WriteMisses: c.L1Writes - c.L1WriteHits,
		L2ReadSectors: c.Reads + c.Atomics, L2ReadHits: c.ReadHits + c.AtomicHits, L2WriteSectors: c.Writes, L2WriteHits: c.WriteHits,
		NoCFlits: c.Flits, DRAMReadBytes: cache.SectorBytes * c.DRAMReads, DRAMWriteBytes: cache.SectorBytes * c.DRAMWrites,
		DRAMRowActivations: c.Activations, CacheCTAs: uint64(e.Simulated),
	} {
		f.n[counter] = uint64(math.Round(times * float64(n)))
	}
	return f
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
	// facts are those of memory, as far as they follow from what was simulated.
	facts Facts
}

// simulatedOn adds what a simulation says of the launch. What it estimates of memory
// stands in for what nobody counted.
func (lp *LaunchProfile) simulatedOn(g *gpu.GPU, x *Simulated) {
	lp.Simulated = x
	if x.Unfit != nil || lp.CacheGPU != "" {
		return
	}
	if x.Cut {
		lp.addMachine(g)
		lp.Simulated = x.stretched(lp.Facts.X(EstWarpInstructions) / x.Repetitions / lp.Facts.X(CTAs))
		x = lp.Simulated
	}
	if lp.outcome.mode == Control {
		lp.Facts.forget(blockMoved)
	}
	for c, known := range x.facts.known {
		if known && !lp.Facts.known[c] {
			lp.Facts.Set(Counter(c), x.facts.n[c])
		}
	}
	lp.CacheGPU, lp.Facts.CachesSimulated = g.Name, true
}

// stretched returns what is said of CTAs of which only the beginning was simulated, of so
// many instructions as they have on average: what follows goes on as fast as what was
// seen.
func (x *Simulated) stretched(instructions float64) *Simulated {
	f := max(1, instructions*float64(x.Simulated)/float64(max(x.Issued, 1)))
	of, estimate := *x, *x.Estimate
	of.Estimate = &estimate
	of.Cycles, estimate.Cycles = f*of.Cycles, f*estimate.Cycles
	for c := range of.facts.n {
		if Counter(c) != CacheCTAs {
			of.facts.n[c] = uint64(math.Round(f * float64(of.facts.n[c])))
		}
	}
	return &of
}
