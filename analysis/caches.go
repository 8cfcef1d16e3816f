package analysis

import (
	"context"

	"hyptx/emulator"
	"hyptx/internal/cache"
	"hyptx/internal/gpu"
	"hyptx/internal/hierarchy"
	"hyptx/internal/traffic"
)

// newCached returns the facts of what the cache model counted. The bytes of the
// final flush belong to no launch.
func newCached(r hierarchy.Result) (f Facts) {
	f.know(blockCached)
	if r.Sampled {
		f.DRAMVariance = Ratio(r.Variance)
	}
	c := &r.Counters
	for counter, n := range map[Counter]uint64{
		L1ReadHits: c.L1.ReadHits, L1ReadMisses: c.L1.ReadMisses, L1WriteHits: c.L1.WriteHits, L1WriteMisses: c.L1.WriteMisses,
		L2ReadSectors: c.L2.Reads(), L2WriteSectors: c.L2.Writes(), L2ReadHits: c.L2.ReadHits, L2WriteHits: c.L2.WriteHits,
		NoCFlits: c.NoCFlits, DRAMReadBytes: cache.SectorBytes * c.DRAMReadSectors, DRAMWriteBytes: cache.SectorBytes * c.DRAMWriteSectors,
		DRAMRowActivations: c.DRAMRowActivations,
	} {
		f.add(counter, n)
	}
	return f
}

// listeners returns the memory of the session's GPU, with empty caches; none if
// no GPU was chosen.
func (s *Session) listeners() (hierarchy.Listeners, error) {
	if s.Options.GPU == nil {
		return nil, nil
	}
	h, err := hierarchy.New(s.Options.GPU, s.Options.Sample, s.Options.Jobs, s.Options.MaxMemoryBytes)
	if err != nil {
		return nil, err
	}
	return hierarchy.Listeners{h}, nil
}

// launchCached runs a launch and lets those who listen see its requests. What
// the caches did is added to o, times over.
func (s *Session) launchCached(ctx context.Context, l *launchPlan, prog *emulator.Program, cfg emulator.LaunchConfig, o *outcome, times uint64) (*emulator.Result, error) {
	if s.caches == nil {
		return s.machine.Launch(ctx, prog, cfg)
	}
	cta := gpu.CTA{
		Threads:            int(l.threads()),
		RegistersPerThread: l.kernel.RegistersPerThread(),
		SharedBytes:        int(prog.StaticSharedBytes() + l.launch.DynamicSharedBytes),
	}
	if err := s.caches.Begin(cta, int64(l.ctas())); err != nil {
		return nil, err
	}
	if s.caches.Listening() {
		cfg.Requests = s.caches.Take
	}
	r, err := s.machine.Launch(ctx, prog, cfg)
	if err != nil {
		return nil, err
	}
	for _, moved := range s.caches.End(touched(cfg.Footprint, o), r.Traffic.LocalBytes) {
		if o.unfit = moved.Unfit; o.unfit == nil {
			seen := newCached(moved)
			o.caches.addTimes(&seen, times)
			o.caches.add(CacheCTAs, moved.CTAs)
		}
	}
	return r, nil
}

// touched returns what a launch touches in global memory: a repetition that
// stands for others has no footprint of its own, and touches the same.
func touched(f *traffic.Footprint, o *outcome) *traffic.Footprint {
	if f == nil {
		return o.extent.global
	}
	return f
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

// Unfit returns why the GPU whose caches are modelled cannot run the launch: it
// needs more of something than there is. nil if it can, or none is chosen.
func (lp *LaunchProfile) Unfit() error {
	if lp.outcome == nil {
		return nil
	}
	return lp.outcome.unfit
}
