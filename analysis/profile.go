package analysis

import (
	"context"
	"fmt"
	"slices"
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
	// totals are those of the programs, for the grand total.
	totals []*LaunchProfile
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
	if s.Options.AnalysisTime {
		lp.AnalysisMS = Ratio(float64(time.Since(begin).Microseconds()) / 1000)
	}
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
