package analysis

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"hyptx/depgraph"
	"hyptx/emulator"
	"hyptx/internal/gpu"
	"hyptx/internal/manifest"
	"hyptx/ir"
)

// Profile is the profile of a program.
type Profile struct {
	// Rows are the launches that were chosen, in order, then the total.
	Rows []*Row
	// Launches are the same launches with all that is known of them, for the
	// other views.
	Launches []*LaunchProfile
	// network is the program's name; complete: it ran to its end, and the last row
	// is the total.
	network  string
	complete bool
	// gpus listened to the run. The facts show the caches of the one that is
	// shown, none if that is negative; flushedSectors were dirty in the L2 of each at
	// the end.
	gpus           []*gpu.GPU
	shown          int
	flushedSectors []uint64
}

// newProfile returns the profile of a session with no launch yet.
func (s *Session) newProfile() *Profile {
	p := &Profile{network: s.Manifest.Name, gpus: s.Options.GPUs, flushedSectors: make([]uint64, len(s.Options.GPUs))}
	if p.gpus == nil {
		p.shown = -1
	}
	return p
}

// add adds a launch with its row.
func (p *Profile) add(lp *LaunchProfile) {
	lp = lp.on(p.gpus, p.shown)
	p.Rows, p.Launches = append(p.Rows, lp.Row()), append(p.Launches, lp)
}

// outcome is what running the parts of a launch gave.
type outcome struct {
	*cover
	// results are what came of running the cover's parts, repeats times over.
	results []*emulator.Result
	repeats int64
	mode    Mode
	// extent is what all of them touched, nil where nobody counts; program is
	// what all chosen launches of the program did.
	extent, program *extent
	// caches are what the caches of the session's GPUs did.
	caches []seen
	// longest are the counts of the warp with the most instructions; nil if it
	// was not looked for.
	longest []uint64
}

// partOf returns the part of the i'th result.
func (o *outcome) partOf(i int) *part { return &o.parts[i%len(o.parts)] }

// defaultStackBytes is CUDA's cudaLimitStackSize (CUDA Runtime API,
// cudaDeviceSetLimit).
const defaultStackBytes = 1024

// Profile runs the program in the session's mode and returns a row for each
// launch and their total. On an error it returns the rows that were complete by
// then, without a total.
func (s *Session) Profile(ctx context.Context) (*Profile, error) {
	p := s.newProfile()
	chosen, err := s.chosen()
	if err != nil {
		return p, err
	}
	filters := s.plan(nil)
	runs := s.narrowed(filters, chosen)
	if err := s.precompile(runs); err != nil {
		return p, err
	}
	caches, err := s.listeners()
	if err != nil {
		return p, err
	}
	for _, step := range s.steps {
		if err := ctx.Err(); err != nil {
			return p, context.Cause(ctx)
		}
		if step.launch == nil {
			if err := s.host(step.host); err != nil {
				return p, err
			}
			continue
		}
		l := step.launch
		if runs[l.index] == nil {
			continue
		}
		if s.caches = nil; chosen[l.index] {
			s.caches = caches
		}
		limited, cancel := s.limitLaunch(ctx)
		lp, err := s.profileLaunch(limited, l, filters[l.index], runs[l.index])
		if cancel(); err != nil {
			return p, s.launchError(l, err)
		}
		if chosen[l.index] {
			p.add(lp)
		}
		s.keepExtent(lp, chosen[l.index])
	}
	s.caches = nil
	for i, h := range caches {
		p.flushedSectors[i] = h.Flush()
	}
	return p, p.finish(s)
}

// profileLaunch profiles one launch, whose slice is f; run is what of it has to
// run.
func (s *Session) profileLaunch(ctx context.Context, l *launchPlan, f, run *depgraph.Filtered) (*LaunchProfile, error) {
	begin := time.Now()
	lp := s.newLaunchProfile(l, f)
	if s.Options.Mode == Static {
		shared, local := emulator.DeclaredBytes(l.kernel)
		lp.Facts.Set(StaticSharedBytes, uint64(shared))
		lp.Facts.Set(LocalBytes, uint64(local))
	} else {
		o, err := s.runLaunch(ctx, l, run, s.originSlice(l, run))
		if err != nil {
			return nil, err
		}
		lp.outcome = o
		if s.Options.LongestWarp {
			if err := s.findLongestWarp(ctx, l, run, o); err != nil {
				return nil, err
			}
		}
		if err := l.checkCounts(s.Manifest, lp.largest()); err != nil {
			return nil, err
		}
		lp.addOutcome()
		lp.addMachine(s.machineCode(l))
		s.explainAssumed(lp)
	}
	lp.AnalysisMS = float64(time.Since(begin).Microseconds()) / 1000
	return lp, nil
}

// precompile decodes every launch that is to run once, so that an instruction
// that cannot be executed is an error before anything runs. runs are the
// launches' slices: nil for one that does not run, nil altogether if all run
// in full.
func (s *Session) precompile(runs []*depgraph.Filtered) error {
	type what struct {
		kernel *ir.Func
		launch *manifest.Launch
	}
	if s.Options.Mode == Static {
		return nil
	}
	seen := map[what]bool{}
	for _, l := range s.launches {
		if runs != nil && runs[l.index] == nil {
			continue
		}
		key := what{kernel: l.kernel}
		var slice *ir.Slice
		if s.Options.Mode != Full {
			key.launch, slice = l.launch, runs[l.index].Slice
		}
		if seen[key] {
			continue
		}
		seen[key] = true
		if _, err := s.machine.Compile(l.kernel, emulator.Options{Slice: slice, Variation: s.Options.Variation}); err != nil {
			return s.launchError(l, err)
		}
	}
	return nil
}

// runLaunch emulates a launch as its mode asks. Through the instructions of
// origins, if it is not nil, origins are followed.
func (s *Session) runLaunch(ctx context.Context, l *launchPlan, f *depgraph.Filtered, origins *ir.Slice) (*outcome, error) {
	c := runAll(l, f)
	if s.Options.Mode != Full && !s.whole && s.caches == nil {
		c = represent(l, f)
	}
	if err := s.compileParts(c, origins); err != nil {
		return nil, err
	}
	o := &outcome{cover: c, mode: s.Options.Mode, repeats: s.repetitions(l, f), extent: s.newExtent()}
	for i := range o.repeats * int64(len(c.parts)) {
		p := &c.parts[i%int64(len(c.parts))]
		var done atomic.Int64
		stop := s.watch(l, p, &done)
		cfg := s.config(l, p, &done)
		cfg.PerCTA = cfg.PerCTA || c.filters != nil
		cfg.Footprint = o.extent.part(s)
		r, err := s.launchCached(ctx, l, p.prog, cfg, o, 1)
		stop()
		if err != nil {
			return nil, err
		}
		o.results = append(o.results, r)
		o.addExtent(cfg.Footprint, i)
		if i == o.repeats-1 {
			if err := s.launchAgain(ctx, l, p.prog, cfg, o); err != nil {
				return nil, err
			}
		}
	}
	return o, nil
}

// compileParts decodes the slices of a launch and finds out how many workers may
// run each.
func (s *Session) compileParts(c *cover, origins *ir.Slice) error {
	for i := range c.parts {
		p := &c.parts[i]
		if same := slices.IndexFunc(c.parts[:i], func(q part) bool { return q.filter == p.filter }); same >= 0 {
			p.prog, p.workers = c.parts[same].prog, c.parts[same].workers
			continue
		}
		options := emulator.Options{Slice: p.filter.Slice, Traffic: s.traffic, Variation: s.Options.Variation}
		parallel := p.filter.ParallelSafe()
		switch {
		case s.Options.Mode == Full:
			options.Slice, options.Origins = nil, origins
			parallel = p.filter.Graph.Slice(depgraph.Full).ParallelSafe()
		case origins != nil:
			options.Origins = p.filter.Slice
		}
		var err error
		if p.prog, err = s.machine.Compile(c.launch.kernel, options); err != nil {
			return err
		}
		if p.workers = 1; parallel && origins == nil {
			p.workers = s.Options.Jobs
		}
	}
	s.segments = c.parts[0].prog.Segments()
	return nil
}

// repetitions returns how often a launch with a count has to be run: as often
// as it says where a repetition can see what the one before did, else once.
func (s *Session) repetitions(l *launchPlan, f *depgraph.Filtered) int64 {
	if l.launch.Count > 1 && (s.Options.Mode == Full || s.whole || f.Stores()) {
		return l.launch.Count
	}
	return 1
}

// standsFor returns how many repetitions of the launch each one that was run
// stands for.
func (lp *LaunchProfile) standsFor() uint64 {
	return uint64(lp.plan.launch.Count / lp.outcome.repeats)
}

// originSlice returns the slice through which the emulator follows what values
// depend on; nil where all of them are exact for certain: nothing that a
// decision reads is unspecified, assumed or ordered by chance, and nothing is
// stored for others to decide on.
func (s *Session) originSlice(l *launchPlan, f *depgraph.Filtered) *ir.Slice {
	if f.Specified() && len(l.block.Assumed) == 0 && !f.Stores() {
		return nil
	}
	return f.Slice
}

// config is the emulator's description of a part of a launch.
func (s *Session) config(l *launchPlan, p *part, done *atomic.Int64) emulator.LaunchConfig {
	return emulator.LaunchConfig{
		Grid: l.grid, Block: l.cta, Params: l.block.Data,
		DynamicBytes:    l.launch.DynamicSharedBytes,
		StackBytes:      max(s.Manifest.Limits.StackBytes, defaultStackBytes),
		SMs:             uint32(max(s.Manifest.Device.SMs, 1)),
		CTAs:            p.ctas,
		Warps:           p.warps,
		Workers:         p.workers,
		MaxInstructions: s.Options.MaxInstructions,
		PerCTA:          s.Options.PerCTA || s.Options.Verify,
		Progress:        done,
		AssumedParams:   assumedParams(l.block),
		Loops:           s.Options.Loops,
		OnWarp:          s.onWarp,
		Paths:           s.Options.Paths,
	}
}

func assumedParams(b *manifest.ParamBlock) (ranges [][2]int) {
	for _, r := range b.Assumed {
		ranges = append(ranges, [2]int{r.Start, r.End})
	}
	return ranges
}

// watch tells the progress about a part every tenth of a second until the
// function that it returns is called.
func (s *Session) watch(l *launchPlan, p *part, done *atomic.Int64) (stop func()) {
	if s.Options.Progress == nil {
		return func() {}
	}
	ctas := int64(l.ctas())
	if p.ctas != nil {
		ctas = int64(len(p.ctas))
	}
	s.Options.Progress.Start(fmt.Sprintf("%d/%d %s", l.index+1, len(s.launches), l.kernel.Name), ctas)
	quit := make(chan struct{})
	go func() {
		t := time.NewTicker(100 * time.Millisecond)
		defer t.Stop()
		for {
			select {
			case <-quit:
				return
			case <-t.C:
				s.Options.Progress.Done(done.Load())
			}
		}
	}()
	return func() { close(quit) }
}

// newLaunchProfile returns the profile of a launch with what is known before
// anything runs; f is its slice.
func (s *Session) newLaunchProfile(l *launchPlan, f *depgraph.Filtered) *LaunchProfile {
	k := l.kernel
	blocks := 0
	for _, fn := range k.Closure() {
		blocks += len(fn.Blocks)
	}
	static := uint64(s.planner.Kernel(k).Instructions())
	lp := &LaunchProfile{Kernel: k, plan: l, filter: f, Launch: Launch{
		Network: s.Manifest.Name, File: filepath.Base(k.Module.File), KernelName: k.Name, Demangled: Demangle(k.Name),
		Label: l.launch.Label, Number: l.number, Target: k.Module.Target, Grid: l.grid, Block: l.cta, AssumedInputs: strings.Join(s.Assumed, "; "),
	}}
	for c, n := range map[Counter]uint64{
		Launches: uint64(l.launch.Count), CTAs: l.ctas(), Warps: l.ctas() * ((l.threads() + 31) / 32), Threads: l.ctas() * l.threads(),
		DynamicSharedBytes: uint64(l.launch.DynamicSharedBytes), RegistersPerThread: uint64(k.RegistersPerThread()),
		FileInstructions: uint64(len(k.Module.Instrs)), StaticInstructions: static, BasicBlocks: uint64(blocks),
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
	var mostDivergent, assumed, scheduled uint64
	classes, paths := 0, 0
	for i, res := range o.results {
		p := o.partOf(i)
		classes, paths = max(classes, len(res.Classes)), max(paths, res.MaxPaths)
		emulated.add(EmulatedWarpInstructions, -res.Skipped) // counted below, but not run
		for _, c := range res.Classes {
			one := newExecuted(p.prog, c.Counts)
			once.addTimes(&one, uint64(c.CTAs)*p.weight)
			if !p.again {
				emulated.add(EmulatedCTAs, uint64(c.CTAs))
			}
			emulated.add(EmulatedWarpInstructions, uint64(c.CTAs)*p.prog.EmulatedWarpInstructions(c.Counts))
			mostDivergent = max(mostDivergent, one.n[DivergentBranches]*p.weight/p.each)
			a, sch := p.prog.Decisions(c.Counts)
			assumed += a * uint64(c.CTAs) * p.weight
			scheduled += sch * uint64(c.CTAs) * p.weight
		}
	}
	if o.filters != nil {
		classes = o.countClasses()
	}
	inexact := o.addTraffic(&once)
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
	f.Set(AssumedDecisions, assumed*lp.standsFor())
	if paths > 0 {
		f.Set(DistinctThreadPathsMax, uint64(paths))
	}
	switch {
	case assumed > 0 || inexact.Assumed > 0 || lp.plan.assumed:
		lp.Exactness = "assumed"
	case scheduled > 0 || inexact.Scheduled > 0:
		lp.Exactness = "scheduled"
	default:
		lp.Exactness = "exact"
	}
}
