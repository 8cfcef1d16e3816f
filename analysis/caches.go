package analysis

import (
	"context"
	"errors"
	"slices"

	"hyptx/emulator"
	"hyptx/internal/cache"
	"hyptx/internal/gpu"
	"hyptx/internal/hierarchy"
	"hyptx/internal/number"
	"hyptx/internal/sim"
	"hyptx/internal/traffic/stream"
)

// Caches are modelled, not counted: they belong to a GPU. While a launch runs, the
// emulator hands its requests on, in the order of the schedule, and each GPU that was
// asked for listens with a hierarchy of its own (internal/hierarchy): one emulation
// serves all GPUs. What a launch leaves in the L2 the next one finds there.
//
// What is multiplied for counts cannot be for caches: a CTA that another one stands for
// has the same counts, but other addresses. So with caches every CTA is run, or of a
// large launch a sample (--sample, sampled.go). Repetitions are different: the first one finds what the launch before
// left, the second one what the first left, and so does every later one. Two are run,
// and the second stands for the rest.

// newCached returns the facts of what the cache model counted. The bytes of the
// final flush belong to no launch.
func newCached(r hierarchy.Result) (f Facts) {
	f.know(blockCached)
	if r.Sampled {
		f.DRAMVariance = number.Ratio(r.Variance)
	}
	c := &r.Counters
	for counter, n := range map[Counter]uint64{
		L1ReadHits: c.L1.ReadHits, L1ReadMisses: c.L1.ReadMisses, L1WriteHits: c.L1.WriteHits, L1WriteMisses: c.L1.WriteMisses,
		L2ReadSectors: c.L2.Reads(), L2WriteSectors: c.L2.Writes(), L2ReadHits: c.L2.ReadHits, L2WriteHits: c.L2.WriteHits,
		NoCFlits: c.NoCFlits, DRAMReadBytes: cache.SectorBytes * c.DRAMReadSectors, DRAMWriteBytes: cache.SectorBytes * c.DRAMWriteSectors,
		DRAMRowActivations: c.DRAMRowActivations, DRAMAccesses: c.DRAMAccesses, DRAMAccessRows: c.DRAMAccessRows,
	} {
		f.add(counter, n)
	}
	if !r.Accesses {
		f.drop(DRAMAccesses)
		f.drop(DRAMAccessRows)
	}
	return f
}

// seen is what the caches of one GPU did in a launch, in all repetitions.
type seen struct {
	facts Facts
	// lone is the course of the longest warp on an SM of its own, nil if it has none.
	lone *sim.Lone
	// unfit is why the GPU cannot run the launch, nil if it can.
	unfit error
}

// listeners returns the memories of the session's GPUs, with empty caches; none
// if no GPU was chosen.
func (s *Session) listeners() (list hierarchy.Listeners, err error) {
	for _, g := range s.Options.GPUs {
		var watch func(uint64, uint8)
		if s.Options.WatchL2 != nil {
			watch = s.Options.WatchL2(g)
		}
		h, err := hierarchy.New(g, s.Options.Sample, s.Options.Jobs, s.Options.MaxMemoryBytes, watch, s.Options.WatchL2Only)
		if err != nil {
			return nil, err
		}
		for _, b := range s.Manifest.Buffers {
			h.Buffers = append(h.Buffers, b.Base)
		}
		slices.Sort(h.Buffers)
		list = append(list, h)
	}
	return list, nil
}

// launchCached runs a launch and lets those who listen see its requests. What
// the caches did is added to o, times over.
func (s *Session) launchCached(ctx context.Context, l *launchPlan, prog *emulator.Program, cfg emulator.LaunchConfig, o *outcome, times uint64) (*emulator.Result, error) {
	if s.caches == nil {
		return s.machine.Launch(ctx, prog, cfg)
	}
	cta, err := s.shape(ctx, l)
	if err != nil {
		return nil, err
	}
	if err := s.caches.Begin(cta, int64(l.ctas())); err != nil {
		return nil, err
	}
	if s.caches.Listening() {
		cfg.Requests = s.caches.Take
		if s.Options.WatchCTAs != nil {
			if err := s.watchCTAs(l, cta, &cfg); err != nil {
				return nil, err
			}
		}
	}
	r, err := s.machine.Launch(ctx, prog, cfg)
	if err != nil {
		return nil, err
	}
	if o.caches == nil {
		o.caches = make([]seen, len(s.caches))
	}
	touched, local := cfg.Footprint, r.Traffic.LocalBytes
	switch {
	case cfg.CTAs != nil: // a sample, of which the hierarchies hear what it touches
		local = scaled(local, l.ctas(), uint64(len(cfg.CTAs)))
	case touched == nil: // a repetition that stands for others touches what the first did
		touched = o.extent.global
	}
	for i, moved := range s.caches.End(touched, local) {
		of := &o.caches[i]
		if of.unfit = moved.Unfit; of.unfit == nil && !s.Options.WatchL2Only {
			once := newCached(moved)
			of.facts.addTimes(&once, times)
			of.facts.add(CacheCTAs, moved.CTAs)
		}
	}
	return r, nil
}

// watchCTAs lets who asked for it hear a launch's CTAs before the caches do.
func (s *Session) watchCTAs(l *launchPlan, cta gpu.CTA, cfg *emulator.LaunchConfig) error {
	resident, err := hierarchy.Resident(s.Options.GPUs[0], cta)
	if err != nil {
		return err
	}
	watch := s.Options.WatchCTAs(l.kernel.Name, l.number, int64(l.ctas()), resident.CTAsPerSM)
	cfg.Requests = func(c *stream.CTA) error { return errors.Join(watch(c), s.caches.Take(c)) }
	return nil
}

// launchAgain lets a launch that is multiplied run once more for the caches:
// it finds what the first repetition left in the L2, and so do the others.
func (s *Session) launchAgain(ctx context.Context, l *launchPlan, prog *emulator.Program, cfg emulator.LaunchConfig, o *outcome) error {
	more := uint64(l.launch.Count - o.repeats)
	if s.caches == nil || more == 0 {
		return nil
	}
	cfg.Footprint, cfg.Progress, cfg.OnWarp = nil, nil, nil
	_, err := s.launchCached(ctx, l, prog, cfg, o, more)
	return err
}

// on returns the launch's profile with the caches of the i-th GPU that was
// modelled, without any if i is negative.
func (lp *LaunchProfile) on(gpus []*gpu.GPU, i int) *LaunchProfile {
	of := *lp
	of.shown, of.CacheGPU, of.Simulated, of.Lone = 0, "", nil, nil
	of.Facts.DRAMVariance, of.Facts.CachesSimulated = number.Real{}, false
	of.Facts.forget(blockCached)
	if lp.outcome != nil && lp.outcome.counted != nil {
		of.Facts.take(blockMoved, lp.outcome.counted)
	}
	if i < 0 || lp.outcome == nil {
		return &of
	}
	if i < len(lp.outcome.caches) {
		if of.shown = int32(i) + 1; of.Unfit() == nil {
			of.CacheGPU, of.Lone = gpus[i].Name, lp.outcome.caches[i].lone
			of.Facts.addTimes(&lp.outcome.caches[i].facts, 1)
		}
	}
	if i < len(lp.outcome.simulated) && lp.outcome.simulated[i].Estimate != nil {
		of.simulatedOn(gpus[i], &lp.outcome.simulated[i])
	}
	return &of
}

// Unfit returns why the GPU whose caches are shown cannot run the launch: it
// needs more of something than there is. nil if it can, or none is.
func (lp *LaunchProfile) Unfit() error {
	if lp.shown == 0 {
		return nil
	}
	return lp.outcome.caches[lp.shown-1].unfit
}

// On returns the same profile on another GPU: with its machine code and, if it is
// one of the session's, which all listened to one run, with its caches. nil is
// no GPU: the machine code is that of the architecture which the PTX names.
func (p *Profile) On(g *gpu.GPU) *Profile {
	of := p.none()
	of.shown, of.gpu = slices.Index(p.gpus, g), g
	for _, lp := range p.Launches {
		of.add(lp)
	}
	if p.complete {
		of.addTotal()
	}
	return of
}
