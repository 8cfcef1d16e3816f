package analysis

import (
	"cmp"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"hyptx/depgraph"
	"hyptx/emulator"
	"hyptx/internal/pathlist"
	"hyptx/internal/slice"
)

// runLaunch emulates a launch as its mode asks. Through the instructions of
// origins, if it is not nil, origins are followed.
func (s *Session) runLaunch(ctx context.Context, l *launchPlan, f *depgraph.Filtered, origins *slice.Slice) (*outcome, error) {
	c := runAll(l, f)
	if s.Options.Mode != Full && !s.whole && s.caches == nil && !s.Options.PathLists {
		c = represent(l, f, origins != nil)
	}
	if err := s.compileParts(ctx, c, origins); err != nil {
		return nil, uncompiled{err}
	}
	s.findStems(l, f)
	o := &outcome{cover: c, mode: s.Options.Mode, repeats: s.repetitions(l, f), extent: s.newExtent()}
	for i := range o.repeats * int64(len(c.parts)) {
		p := &c.parts[i%int64(len(c.parts))]
		adds, err := s.watchAdds(ctx, l, p.prog)
		if err != nil {
			return nil, err
		}
		var done atomic.Int64
		stop := s.watch(l, p, &done)
		cfg := s.config(l, p, &done)
		cfg.Adds, cfg.Observer = adds, s.observer(l, i)
		cfg.PerCTA = cfg.PerCTA || c.filters != nil || s.classes || s.wantsLengths(l)
		if s.Options.PathLists && i < int64(len(c.parts)) { // of the first repetition
			o.pathLists = cmp.Or(o.pathLists, &pathlist.Lists{})
			cfg.OnPath, cfg.Workers, cfg.Speculate = o.pathLists.Add, 1, false
		}
		if o.extent != nil {
			cfg.Footprint = s.machine.Memory.NewFootprint()
		}
		r, err := s.launchCached(ctx, l, p.prog, cfg, o, 1)
		stop()
		if err != nil {
			return nil, err
		}
		if !s.traffic {
			r.Traffic = nil // it was counted for speculation alone
		}
		s.heardAdds(l, adds)
		o.results = append(o.results, r)
		o.addExtent(cfg.Footprint, i)
		if i == o.repeats-1 {
			if err := s.launchAgain(ctx, l, p.prog, cfg, o); err != nil {
				return nil, err
			}
		}
	}
	s.addForgiven(o)
	return o, nil
}

// repetitions returns how often a launch with a count has to be run: as often
// as it says where a repetition can see what the one before did, or somebody watches
// the requests, else once.
func (s *Session) repetitions(l *launchPlan, f *depgraph.Filtered) int64 {
	if l.launch.Count > 1 && (s.Options.Mode == Full || s.whole || s.Options.WatchL2 != nil || s.Options.WatchCTAs != nil || f.Stores()) {
		return l.launch.Count
	}
	return 1
}

// standsFor returns how many repetitions of the launch each one that was run
// stands for.
func (lp *LaunchProfile) standsFor() uint64 {
	return uint64(lp.plan.launch.Count / lp.outcome.repeats)
}

// config is the emulator's description of a part of a launch.
func (s *Session) config(l *launchPlan, p *part, done *atomic.Int64) emulator.LaunchConfig {
	return emulator.LaunchConfig{
		Grid: l.grid, Block: l.cta, Cluster: l.cluster, ExplicitCluster: l.explicit, Params: l.block.Data,
		DynamicBytes:    l.launch.DynamicSharedBytes,
		StackBytes:      max(s.Manifest.Limits.StackBytes, defaultStackBytes),
		SMs:             uint32(max(s.Manifest.Device.SMs, 1)),
		CTAs:            p.ctas,
		Warps:           p.warps,
		Workers:         p.workers,
		Speculate:       p.speculate,
		MaxInstructions: s.maxInstructions(l),
		PerCTA:          s.Options.PerCTA || s.Options.Verify,
		Progress:        done,
		AssumedParams:   l.block.Assumed,
		Loops:           s.Options.Loops,
		OnWarp:          s.onWarp,
		Paths:           s.Options.Paths,
		Forgive:         s.Options.Forgive,
		Lenient:         s.Options.Lenient != nil,
		Check:           s.checking.logOf(),
		Print:           s.print,
		PrintBytes:      cmp.Or(s.Manifest.Limits.PrintfBytes, defaultPrintBytes),
	}
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
