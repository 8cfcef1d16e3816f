package analysis

import (
	"context"
	"math"
	"slices"

	"hyptx/emulator"
	"hyptx/internal/cache"
	"hyptx/internal/gpu"
	"hyptx/internal/sim"
	"hyptx/internal/traffic"
)

// Simulated is what a simulation says of a launch, all repetitions together.
type Simulated struct {
	*sim.Estimate
	// Cycles are the SMs' from the first CTA's start to the last one's end, of as
	// many launches as Repetitions.
	Cycles, Repetitions float64
	// Uncertainty is the share of the cycles by which they may be off, in 95 of 100 launches,
	// because not all was simulated.
	Uncertainty float64
	// Differing: its repetitions execute other numbers of instructions than the first, of which each
	// is taken to take as long as these are more.
	Differing bool
	// facts are those of memory, as far as they follow from what was simulated.
	facts Facts
}

// addSimulated notes what simulations say, on the GPUs that come after those whose caches
// were modelled, and what only they have met.
func (s *Session) addSimulated(ctx context.Context, lp *LaunchProfile, of *simulatedLaunch) error {
	if of == nil {
		return nil
	}
	counted := lp.Facts
	lp.outcome.counted = &counted
	lp.outcome.simulated = append(make([]Simulated, len(s.Options.GPUs)), of.results...)
	for pc, n := range of.beyond {
		if !slices.ContainsFunc(lp.outcome.results, func(r *emulator.Result) bool { return r.Beyond[pc] > 0 }) {
			s.forgive(lp.Kernel.Module, pc, n*uint64(lp.plan.launch.Count))
		}
	}
	for i := range of.results {
		if lp.Lengths == nil {
			of.results[i].Equal()
		} else if err := of.results[i].FollowLongest(ctx); err != nil {
			return err
		}
	}
	return nil
}

// simulatedOn adds what a simulation says of the launch. What it estimates of memory
// stands in for what nobody counted.
func (lp *LaunchProfile) simulatedOn(g *gpu.GPU, x *Simulated) {
	lp.Simulated = x
	if x.Unfit != nil || lp.CacheGPU != "" {
		return
	}
	if x.Part {
		lp.addMachine(g)
		instructions := lp.Facts.X(EstWarpInstructions) / x.Repetitions / lp.Facts.X(CTAs)
		lp.Simulated = x.asLongAs(instructions).unequal(lp.Lengths, instructions)
		x = lp.Simulated
	}
	lp.Simulated = x.repeated(lp.Facts.X(WarpInstructions) / (x.Repetitions * float64(max(lp.outcome.first, 1))))
	x = lp.Simulated
	// Also where another GPU wanted all CTAs to be run for its caches: what is said of one
	// GPU is the same beside others and alone.
	lp.Facts.forget(blockMoved)
	lp.Facts.TrafficSampled = false
	for c := range NumCounters {
		if x.facts.known.has(c) && !lp.Facts.known.has(c) {
			lp.Facts.Set(c, x.facts.n[c])
		}
	}
	lp.CacheGPU, lp.Facts.CachesSimulated = g.Name, true
}

// alike is by what share the instructions of a CTA may differ from those of the ones that were
// simulated without being told: estimates of machine code are off by less (own choice).
const alike = 0.02

// asLongAs returns what is said of a launch whose CTAs have so many instructions on average. Of
// some only the beginning was simulated: what follows goes on as fast as what was seen. Else
// those that were simulated may be longer or shorter than the others: it takes as much longer.
func (x *Simulated) asLongAs(instructions float64) *Simulated {
	f := instructions * float64(x.Simulated) / float64(max(x.Issued, 1))
	switch {
	case x.Cut && f >= 1:
		return x.stretched(f, x.Estimate.Uncertainty(f))
	case f == 0 || math.Abs(f-1) <= alike:
		return x
	}
	// How long the longest of them takes is not known either.
	return x.stretched(f, math.Hypot(x.Uncertainty, math.Abs(f-1)))
}

// unequal returns what is said of a launch whose CTAs are so long in instructions of the text, and have
// so many of the machine on average; nil: they are about equal.
func (x *Simulated) unequal(l *sim.Lengths, instructions float64) *Simulated {
	if l == nil {
		return x
	}
	once := x.Cycles / x.Repetitions
	cycles := x.Unequal(x.InMachine(*l, instructions), once)
	if cycles == once {
		return x
	}
	of, estimate := *x, *x.Estimate
	of.Estimate, of.Cycles, estimate.Cycles = &estimate, cycles*x.Repetitions, cycles
	estimate.Busy = x.Busy.Times(once / cycles)
	of.Uncertainty = math.Hypot(x.Uncertainty, unequalShare*math.Abs(1-once/cycles))
	return &of
}

// repeated returns what is said of a launch whose repetitions have on average f times the instructions of
// the first, which was simulated. How much of that was its start nobody knows.
func (x *Simulated) repeated(f float64) *Simulated {
	if f == 1 || f == 0 {
		return x
	}
	of := x.stretched(f, min(math.Hypot(x.Uncertainty, math.Abs(f-1)/max(f, 1)), 1))
	of.Differing = true
	return of
}

// unequalShare is by what share of what unequal CTAs make a launch longer that may be off: which of them
// meet on an SM is as much chance as rule (own choice).
const unequalShare = 0.5

// stretched returns what is said of a launch that is f times as long, which is as uncertain.
func (x *Simulated) stretched(f, uncertainty float64) *Simulated {
	of, estimate := *x, *x.Estimate
	of.Estimate, of.Uncertainty = &estimate, uncertainty
	of.Cycles, estimate.Cycles = f*of.Cycles, f*estimate.Cycles
	dram := x.Estimate.DRAMReads(f)
	for c := range of.facts.n {
		switch n := float64(of.facts.n[c]); Counter(c) {
		case CacheCTAs:
		case DRAMReadBytes, DRAMRowActivations:
			of.facts.n[c] = uint64(math.Round(dram * n))
		default:
			of.facts.n[c] = uint64(math.Round(f * n))
		}
	}
	// What does not come from DRAM again is hit in the L2.
	of.facts.n[L2ReadHits] = min(of.facts.n[L2ReadHits]+uint64((f-dram)*float64(x.facts.n[DRAMReadBytes])/cache.SectorBytes), of.facts.n[L2ReadSectors])
	return &of
}

// newSimulated returns the facts of memory that a simulation estimates: what the CTAs
// that were traced moved, each of which stands for so many, and what the caches did,
// times over.
func newSimulated(e *sim.Estimate, moved *traffic.Counts, each, times float64) (f Facts) {
	var once Facts
	f.know(blockMoved)
	f.known.set(FootprintBytes, false)
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
	f.known.set(DRAMAccesses, false) // bytes are of whole pieces, as the GPU has them
	f.known.set(DRAMAccessRows, false)
	return f
}
