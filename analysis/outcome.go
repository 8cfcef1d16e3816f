package analysis

import (
	"path/filepath"
	"strings"

	"hyptx/depgraph"
	"hyptx/emulator"
	"hyptx/internal/pathlist"
	"hyptx/internal/ssa"
)

// From what was run to what it stands for. A result of the emulator is exact for the
// warps that were run, once. The launch's counts are these, times the CTAs and warps
// that each stands for (represent.go), times the repetitions that each one that was run
// stands for. An example: a launch of 1,000 CTAs of 8 full warps, repeated 10 times,
// whose slice reads nothing that differs: one warp is run, with weight 8,000, and each
// count is multiplied by 8,000, then by 10.

// outcome is what running the parts of a launch gave.
type outcome struct {
	*cover
	// results are what came of running the cover's parts, repeats times over.
	results []*emulator.Result
	repeats int64
	mode    Mode
	// forgiven are the accesses that hit no memory.
	forgiven uint64
	// extent is what all of them touched, nil where nobody counts; program is
	// what all chosen launches of the program did.
	extent, program *extent
	// sampled is what was run of the launch besides, for the addresses of a sample of its
	// CTAs; nil where all of them were run, or nobody wants to know.
	sampled *sampledRun
	// caches are what the caches of the session's GPUs did.
	caches []seen
	// simulated is what simulations say, by GPU; counted are the facts without them.
	simulated []Simulated
	counted   *Facts
	// pathLists are the blocks that threads entered, of the first repetition; nil if nobody asked.
	pathLists *pathlist.Lists
	// first are the warp instructions of the first repetition.
	first uint64
	// longest are the counts of the warp with the most instructions; nil if it
	// was not looked for.
	longest []uint64
}

// partOf returns the part of the i'th result.
func (o *outcome) partOf(i int) *part { return &o.parts[i%len(o.parts)] }

// classBytes is what the classes of CTAs count of the limit of memory.
func (o *outcome) classBytes() (n int64) {
	for _, r := range o.results {
		n += r.ClassBytes
	}
	return n
}

// newLaunchProfile returns the profile of a launch with what is known before
// anything runs; f is its slice.
func (s *Session) newLaunchProfile(l *launchPlan, f *depgraph.Filtered) *LaunchProfile {
	k := l.kernel
	blocks := 0
	for _, fn := range written(k) {
		blocks += len(fn.Blocks)
	}
	static := instructions(k.Closure())
	lp := &LaunchProfile{Kernel: k, plan: l, filter: f, Launch: Launch{
		Network: s.Manifest.Name, File: filepath.Base(k.Module.File), KernelName: k.Name, Demangled: Demangle(k.Name),
		Label: l.launch.Label, Stream: l.launch.Stream, Number: l.number, Target: k.Module.Target, Grid: l.grid, Block: l.cta, AssumedInputs: strings.Join(s.Assumed, "; "),
	}}
	for c, n := range map[Counter]uint64{
		Launches: uint64(l.launch.Count), CTAs: l.ctas(), Warps: l.ctas() * ((l.threads() + 31) / 32), Threads: l.ctas() * l.threads(),
		DynamicSharedBytes: uint64(l.launch.DynamicSharedBytes), RegistersPerThread: uint64(ssa.RegistersPerThread(k)),
		FileInstructions: s.fileInstructions(k.Module), StaticInstructions: static, BasicBlocks: uint64(blocks),
		StaticThreadInstructions: static * l.ctas() * l.threads() * uint64(l.launch.Count),
		SliceInstructions:        uint64(f.Len()), DependencyGraphs: uint64(f.Groups().Count()),
	} {
		lp.Facts.Set(c, n)
	}
	return lp
}

// addOutcome adds what came of running the launch's parts, each as often as it
// stands for others, and all of it times the repetitions that one stands for.
func (lp *LaunchProfile) addOutcome() {
	o, f := lp.outcome, &lp.Facts
	var once, emulated Facts // of the repetitions that were run
	once.know(blockExecuted)
	emulated.know(blockPlanned)
	var mostDivergent uint64
	var inexact inexactness
	classes, paths := 0, 0
	for i, res := range o.results {
		p := o.partOf(i)
		classes, paths = max(classes, len(res.Classes)), max(paths, res.MaxPaths)
		emulated.add(EmulatedWarpInstructions, -res.Skipped) // counted below, but not run
		for _, c := range res.Classes {
			one := newExecuted(p, c.Counts)
			once.addTimes(&one, uint64(c.CTAs)*p.weight)
			if i < len(o.parts) {
				o.first += uint64(c.CTAs) * p.weight * one.n[WarpInstructions]
			}
			if !p.again {
				emulated.add(EmulatedCTAs, uint64(c.CTAs))
			}
			emulated.add(EmulatedWarpInstructions, uint64(c.CTAs)*p.prog.EmulatedWarpInstructions(c.Counts))
			mostDivergent = max(mostDivergent, one.n[DivergentBranches]*p.weight/p.each)
			inexact.add(p.prog.Decisions(c.Counts), uint64(c.CTAs)*p.weight)
		}
	}
	if o.sampled != nil {
		for _, c := range o.sampled.Classes {
			emulated.add(EmulatedCTAs, uint64(c.CTAs))
			emulated.add(EmulatedWarpInstructions, uint64(c.CTAs)*o.sampled.Program.EmulatedWarpInstructions(c.Counts))
		}
	}
	if o.filters != nil {
		classes = o.countClasses()
	}
	addresses, moved := o.addTraffic(&once)
	if o.extent != nil {
		once.Set(FootprintBytes, o.extent.bytes())
	}
	f.addTimes(&once, lp.standsFor())
	f.addTimes(&emulated, 1)
	f.Set(CTAExecutions, lp.plan.ctas()*uint64(lp.plan.launch.Count))
	f.Set(StaticSharedBytes, uint64(o.parts[0].prog.StaticSharedBytes()))
	f.Set(LocalBytes, uint64(o.parts[0].prog.LocalBytes()))
	f.Set(DivergentBranchesPerCTAMax, mostDivergent)
	f.Set(CTAClasses, uint64(classes))
	f.Set(AssumedDecisions, inexact.assumed()*lp.standsFor())
	if paths > 0 {
		f.Set(DistinctThreadPathsMax, uint64(paths))
	}
	lp.Exactness = inexact.exactness()
	if f.Of(DivergentBarriers).N > 0 { // what comes then is as open as what a decision would rest on
		lp.Exactness = Worse(lp.Exactness, undefinedCounts)
	}
	if lp.plan.assumed || f.Of(LibraryCalls).N > 0 || usesHeap(lp.Kernel) {
		lp.Exactness = assumedCounts
	}
	if moved && f.unseen == nil {
		lp.MemoryExactness = Worse(lp.Exactness, addresses.exactness())
		if f.TrafficSampled {
			lp.MemoryExactness = Worse(lp.MemoryExactness, sampledCounts)
		}
	}
}
