package analysis

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"hyptx/depgraph"
	"hyptx/emulator"
	"hyptx/internal/gpu"
	"hyptx/internal/hierarchy"
	"hyptx/internal/manifest"
	"hyptx/internal/number"
	"hyptx/internal/slice"
	"hyptx/ir"
)

// How a program is profiled. First all launches are planned together: each is sliced,
// and the slices of launches that store what later ones decide by grow by these stores
// (plan.go). Everything that will run is decoded once, so that an instruction which
// cannot be executed is an error at once and not after an hour. Then the launches run in
// order, on one memory, with what the host does in between, and each is turned into
// facts as it ends: nothing of a launch is kept but counts.

// Profile is the profile of a program.
type Profile struct {
	// Rows are the launches that were chosen, in order, then the total.
	Rows []*Row
	// Launches are the same launches with all that is known of them, for the
	// other views.
	Launches []*LaunchProfile
	// of is what they add up to.
	of tally
	// network is the program's name; complete: it ran to its end, and the last row
	// is the total.
	network  string
	complete bool
	// gpus listened to the run, those whose caches were modelled before those that were
	// simulated. The facts show the caches of the one that is shown, none if that is
	// negative; flushedSectors were dirty in the L2 of each at the end.
	gpus           []*gpu.GPU
	shown          int
	flushedSectors []uint64
	// gpu is the one whose machine code is charged for, nil for that which the
	// PTX names.
	gpu *gpu.GPU
	// totals are those of the programs, for the grand total.
	totals []*LaunchProfile
}

// newProfile returns the profile of a session with no launch yet.
func (s *Session) newProfile() *Profile {
	p := &Profile{network: s.Manifest.Name, gpus: slices.Concat(s.Options.GPUs, s.Options.Simulate)}
	p.flushedSectors = make([]uint64, len(p.gpus))
	if p.gpus == nil {
		p.shown = -1
	} else {
		p.gpu = p.gpus[0]
	}
	return p
}

// none is the profile without a launch.
func (p *Profile) none() *Profile {
	return &Profile{network: p.network, gpus: p.gpus, shown: p.shown, gpu: p.gpu, flushedSectors: p.flushedSectors}
}

// keptBytes is what the results of a launch and its row take beside its classes of
// CTAs (Facts and Row have 2 to 3 KB each; own estimate of the rest), and once more for
// each GPU.
const keptBytes = 8 << 10

// add adds a launch with its row.
func (p *Profile) add(lp *LaunchProfile) {
	lp = lp.on(p.gpus, p.shown)
	lp.addMachine(p.gpu)
	p.of.add(lp)
	p.Rows, p.Launches = append(p.Rows, lp.row()), append(p.Launches, lp)
}

// viewOf collects the rows of a view, of the launches of which something was run.
func viewOf[T any](p *Profile, rows func(*LaunchProfile) []T) (all []T) {
	for _, lp := range p.Launches {
		if lp.outcome != nil {
			all = append(all, rows(lp)...)
		}
	}
	return all
}

// Profile runs the program in the session's mode and returns a row for each
// launch and their total. Launches that fail have rows without counts and are in
// the error, unless Options.FailFast is set (failure.go). On any other error it
// returns the rows that were complete by then, without a total.
func (s *Session) Profile(ctx context.Context) (*Profile, error) {
	s.settle(ctx)
	p := s.newProfile()
	chosen, err := s.chosen()
	if err == nil && s.Options.Kept != nil {
		err = s.machine.Memory.Reserve(*s.Options.Kept)
	}
	if err != nil {
		return p, err
	}
	var filters, runs []*depgraph.Filtered
	caches, err := guarded(ctx, s, blindTime, func() (_ hierarchy.Listeners, err error) {
		if filters, runs, err = s.prepare(ctx, chosen); err != nil {
			return nil, err
		}
		return s.listeners()
	})
	if err != nil {
		return p, err
	}
	var failed failures
	copied := len(s.copies()) > 0
	for next := 0; ; {
		l, err := s.nextLaunch(ctx, &next)
		if err != nil {
			return p, failed.join(err)
		}
		if l == nil {
			break
		}
		if runs[l.index] == nil {
			continue
		}
		if s.caches, s.simulates = nil, s.simulation != nil && chosen[l.index]; chosen[l.index] {
			s.caches = caches
		}
		lp, err := s.tryLaunch(ctx, l, filters[l.index], runs[l.index])
		switch {
		case err != nil && (s.Options.FailFast || ctx.Err() != nil || s.left != nil):
			return p, failed.join(s.launchError(l, err))
		case err != nil:
			lp = s.newLaunchProfile(l, filters[l.index])
			lp.Error = strings.ReplaceAll(err.Error(), "\n", "; ")
			failed.add(lp, runs[l.index], s.launchError(l, err))
			caches.Drop()
		default:
			failed.mark(lp, runs[l.index], copied)
		}
		if err := s.keep(ctx, p, lp, chosen[l.index]); err != nil {
			return p, failed.join(s.launchError(l, err))
		}
	}
	s.caches = nil
	for i, h := range caches {
		p.flushedSectors[i] = h.Flush()
	}
	return p, failed.join(p.finish(s))
}

// tryLaunch profiles a launch within the time that it has.
func (s *Session) tryLaunch(ctx context.Context, l *launchPlan, filter, run *depgraph.Filtered) (*LaunchProfile, error) {
	limited, cancel := s.limitLaunch(ctx, l)
	defer cancel()
	return guarded(ctx, s, s.grace(), func() (*LaunchProfile, error) { return s.profileLaunch(limited, l, filter, run) })
}

// prepare finds the slices of all launches, and runs, what of each has to run.
func (s *Session) prepare(ctx context.Context, chosen []bool) (filters, runs []*depgraph.Filtered, err error) {
	if s.Options.Mode != Full { // the mode may have been chosen since the program was opened
		s.traffic = s.Options.Mode == Memory
	}
	if s.simulation, err = s.newSimulation(); err != nil {
		return nil, nil, err
	}
	filters = s.plan(nil)
	runs = s.narrowed(filters, chosen)
	if s.controls = nil; s.samples() {
		s.controls = s.planner.Plan(s.depLaunches(), s.copies(), depgraph.Control, chosen)
	}
	if s.simulation != nil {
		if of := s.planTraced(chosen); !s.traffic { // else what is run has the addresses already
			runs = of
		}
	}
	s.watchBuffers(filters)
	if s.Options.FailFast {
		err = s.precompile(ctx, runs)
	}
	return filters, runs, err
}

// keep keeps what was counted of a launch, as a row if it was chosen: in the profile or,
// where somebody hears each launch, as a part of what all add up to.
func (s *Session) keep(ctx context.Context, p *Profile, lp *LaunchProfile, chosen bool) error {
	s.keepExtent(lp, chosen)
	if !chosen {
		return nil
	}
	if s.Options.Each == nil || s.Options.Verify {
		bytes := int64(keptBytes * (1 + len(p.gpus)))
		if err := s.machine.Memory.Reserve(bytes); err != nil {
			return err
		}
		if p.add(lp); s.Options.Kept != nil {
			*s.Options.Kept += bytes
			if lp.outcome != nil {
				*s.Options.Kept += lp.outcome.classBytes()
			}
		}
	}
	if s.Options.Each == nil {
		return nil
	}
	one := p.none()
	one.add(lp)
	if !s.Options.Verify {
		p.of.join(&one.of)
	}
	_, err := guarded(ctx, s, graceTime, func() (any, error) { return nil, s.Options.Each(one) })
	if lp.outcome != nil && !s.Options.Verify {
		return errors.Join(err, s.machine.Memory.Reserve(-lp.outcome.classBytes()))
	}
	return err
}

// profileLaunch profiles one launch, whose slice is f; run is what of it has to
// run.
func (s *Session) profileLaunch(ctx context.Context, l *launchPlan, f, run *depgraph.Filtered) (*LaunchProfile, error) {
	begin := time.Now()
	lp := s.newLaunchProfile(l, f)
	s.addTrust(lp)
	if s.Options.Mode == Static {
		shared, local := emulator.DeclaredBytes(l.kernel)
		lp.Facts.Set(StaticSharedBytes, uint64(shared))
		lp.Facts.Set(LocalBytes, uint64(local))
	} else {
		simulated, err := s.simulate(ctx, l)
		if err != nil {
			return nil, err
		}
		lone, err := s.loneBefore(ctx, l, run)
		if err != nil {
			return nil, err
		}
		o, err := s.runSampled(ctx, l, run)
		if o == nil && err == nil {
			o, err = s.runLaunch(ctx, l, run, s.originSlice(l, run))
		}
		if err != nil {
			return nil, err
		}
		lp.outcome = o
		if s.Options.LongestWarp {
			if err := s.findLongestWarp(ctx, l, run, o); err != nil {
				return nil, err
			}
			if err := s.findLone(ctx, l, run, o, lone); err != nil {
				return nil, err
			}
		}
		if err := l.checkCounts(s.Manifest, lp.largest()); err != nil {
			return nil, err
		}
		lp.addOutcome()
		if s.wantsLengths(l) {
			lp.Lengths = lp.lengths()
		}
		if err := s.addSimulated(ctx, lp, simulated); err != nil {
			return nil, err
		}
		if s.Options.Forgive {
			lp.Facts.Set(ForgivenAccesses, o.forgiven)
		}
		if lp.machineCode, err = s.estimates(ctx, l); err != nil {
			return nil, err
		}
		lp.addMachine(nil)
		s.explainAssumed(lp)
	}
	if s.Options.AnalysisTime {
		lp.AnalysisMS = number.Ratio(float64(time.Since(begin).Microseconds()) / 1000)
	}
	return lp, nil
}

// precompile decodes every launch that is to run once, so that an instruction
// that cannot be executed is an error before anything runs. runs are the
// launches' slices: nil for one that does not run, nil altogether if all run
// in full.
func (s *Session) precompile(ctx context.Context, runs []*depgraph.Filtered) error {
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
		var runsOnly *slice.Slice
		if s.Options.Mode != Full {
			key.launch, runsOnly = l.launch, runs[l.index].Slice
		}
		if seen[key] {
			continue
		}
		seen[key] = true
		if _, err := s.machine.Compile(ctx, l.kernel, emulator.Options{Slice: runsOnly, Variation: s.Options.Variation}); err != nil {
			return s.launchError(l, err)
		}
	}
	return nil
}
