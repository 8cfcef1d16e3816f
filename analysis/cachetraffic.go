package analysis

import (
	"context"
	"errors"
	"fmt"
	"math"

	"hyptx/emulator"
	"hyptx/internal/cache"
	"hyptx/internal/gpu"
)

// newCached returns the facts of what the cache model counted. The bytes of the
// final flush belong to no launch.
func newCached(c cache.Counters) (f Facts) {
	f.know(blockCached)
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

// cacheTraffic feeds a cache model with the requests of a program's launches.
type cacheTraffic struct {
	*cacheGPU
	model  *cache.Model
	choice Sample
	// Of the launch: the first error, its CTAs, those that were seen, and the
	// sample, nil if it is no sample.
	err        error
	ctas, seen int64
	sample     *waveSample
	// before is what the L2 held when the launch began; absent what it would hold
	// besides if it had seen all of the launches before: nothing without samples.
	before, absent held
}

// newCacheTraffic returns a model with empty caches of the session's GPU, nil
// if none was chosen.
func (s *Session) newCacheTraffic() (*cacheTraffic, error) {
	if s.Options.GPU == nil {
		return nil, nil
	}
	c, err := newCacheGPU(s.Options.GPU)
	if err != nil {
		return nil, err
	}
	c.config.Workers, c.config.MaxStreamBytes = s.Options.Jobs, s.Options.MaxMemoryBytes
	m, err := cache.New(c.config)
	if err != nil {
		return nil, fmt.Errorf("GPU %s: %w", c.gpu.Name, err)
	}
	return &cacheTraffic{cacheGPU: c, model: m, choice: s.Options.Sample}, nil
}

// launchCached runs a launch and, if there is a cache model, lets it see the
// requests. What the caches did is added to o, times over.
func (s *Session) launchCached(ctx context.Context, l *launchPlan, cfg emulator.LaunchConfig, o *outcome, times uint64) (*emulator.Result, error) {
	c := s.caches
	if c == nil {
		return s.machine.Launch(ctx, o.prog, cfg)
	}
	if err := c.begin(l, o.prog); err != nil {
		if limit := (*gpu.LimitError)(nil); !errors.As(err, &limit) {
			return nil, err
		}
		// The GPU cannot run this launch; it can the others.
		o.unfit = err
		return s.machine.Launch(ctx, o.prog, cfg)
	}
	cfg.Trace = c.take
	r, err := s.machine.Launch(ctx, o.prog, cfg)
	if err == nil {
		seen := c.end(touched(cfg.Footprint, o), r.Traffic.LocalBytes)
		o.caches.addTimes(&seen, times)
		o.caches.add(CacheCTAs, uint64(c.seen))
		err = c.err
	}
	return r, err
}

// touched returns what a launch touches in global memory: a repetition that
// stands for others has no footprint of its own, and touches the same.
func touched(f *emulator.Footprint, o *outcome) *emulator.Footprint {
	if f == nil {
		return o.extent.global
	}
	return f
}

// launchAgain lets a launch that is multiplied run once more for the caches:
// it finds what the first repetition left in the L2, and so do the others.
func (s *Session) launchAgain(ctx context.Context, l *launchPlan, cfg emulator.LaunchConfig, o *outcome) error {
	more := uint64(l.launch.Count - o.repeats)
	if s.caches == nil || more == 0 {
		return nil
	}
	cfg.Footprint, cfg.Progress, cfg.OnWarp = nil, nil, nil
	_, err := s.launchCached(ctx, l, cfg, o, more)
	return err
}

// begin starts a launch.
func (c *cacheTraffic) begin(l *launchPlan, prog *emulator.Program) error {
	launch, err := c.launch(gpu.CTA{
		Threads:            int(l.threads()),
		RegistersPerThread: l.kernel.RegistersPerThread(),
		SharedBytes:        int(prog.StaticSharedBytes() + l.launch.DynamicSharedBytes),
	})
	if err != nil {
		return err
	}
	if err := c.model.Begin(launch); err != nil {
		return fmt.Errorf("GPU %s: %w", c.gpu.Name, err)
	}
	c.err, c.seen, c.ctas = nil, 0, int64(l.ctas())
	c.sample = c.choice.newWaveSample(c.ctas, int64(c.config.SMs*launch.CTAsPerSM))
	if c.sample != nil || c.absent != (held{}) {
		c.before, _ = c.holds()
	}
	return nil
}

// holds returns what the L2 holds, and how many of its sets are in use.
func (c *cacheTraffic) holds() (h held, sets int64) {
	r := c.model.Resident()
	return held{float64(r.Lines), float64(r.DirtySectors)}, r.Sets
}

// end lets a launch end that touched so much, and returns what the caches did.
func (c *cacheTraffic) end(touched *emulator.Footprint, localBytes uint64) Facts {
	n := c.model.Drain()
	variance := Real{}
	switch {
	case c.sample.complete():
		l := c.launchL2()
		l.extentOf(touched, localBytes, c.config.L2.LineBytes)
		var left held
		var x float64
		n, left, x = c.sample.estimate(l)
		c.absent, variance = left.sub(l.after), Ratio(x)
	case c.absent != (held{}):
		variance = Ratio(c.writeAbsent(&n))
	}
	f := newCached(n)
	f.DRAMVariance = variance
	return f
}

// launchL2 describes the L2 around the launch.
func (c *cacheTraffic) launchL2() *launchL2 {
	after, used := c.holds()
	lines := float64(c.config.L2.Lines())
	return &launchL2{
		capacity: lines, ways: float64(c.config.L2.Ways), sets: lines / float64(c.config.L2.Ways), sectorsPerLine: float64(c.config.L2.LineBytes / cache.SectorBytes),
		before: c.before.add(c.absent), after: after, usedSets: float64(used), stale: c.absent != (held{}),
	}
}

// writeAbsent adds to a launch of which all was seen what it pushes out besides
// of a sample before it, and returns the variance of that: it may be none of it.
func (c *cacheTraffic) writeAbsent(n *cache.Counters) (variance float64) {
	l := c.launchL2()
	came := held{float64(n.L2Fills), float64(n.DirtiedSectors)}
	left, written := l.end(l.capacity, l.before, came)
	_, seen := l.end(l.capacity, c.before, came)
	more := max(written-seen, -float64(n.DRAMWriteSectors))
	n.DRAMWriteSectors = uint64(math.Round(float64(n.DRAMWriteSectors) + more))
	c.absent = held{left.lines - l.after.lines, c.absent.dirty - more}
	return more * more / 3
}

// flush returns the sectors that are dirty at the end of the program.
func (c *cacheTraffic) flush() uint64 {
	return uint64(math.Round(max(0, float64(c.model.Flush().DRAMFlushSectors)+c.absent.dirty)))
}

// take is the emulator's callback: it starts a CTA of the launch.
func (c *cacheTraffic) take(t emulator.Trace) {
	if c.err != nil || c.sample != nil && !c.sample.sees(t.CTA) {
		return
	}
	c.seen++
	c.push(t)
	if c.sample != nil && c.sample.endsWith(t.CTA, c.ctas) {
		c.sample.add(t.CTA, c.model.Drain())
	}
}

// push gives the model a CTA.
func (c *cacheTraffic) push(t emulator.Trace) {
	cta := c.model.NewCTA()
	t.EachKnown(func(kind emulator.TraceKind, warp int, first uint64, shape uint32) bool {
		switch kind {
		case emulator.TraceLoad:
			return cta.AddKnown(warp, c.load, first, shape)
		case emulator.TraceLoadPast:
			return cta.AddKnown(warp, cache.LoadPast, first, shape)
		case emulator.TraceStore:
			return cta.AddKnown(warp, cache.Store, first, shape)
		}
		return false
	}, func(r emulator.TraceRequest, runs []uint64) {
		store := cache.Store
		if len(r.Masks) > 0 {
			store = cache.StorePart
		}
		at := cache.Runs{First: r.First, Words: runs, Masks: r.Masks, Key: r.Shape}
		switch r.Kind {
		case emulator.TraceLoad:
			cta.Add(r.Warp, c.load, at)
		case emulator.TraceLoadPast:
			cta.Add(r.Warp, cache.LoadPast, at)
		case emulator.TraceStore:
			cta.Add(r.Warp, store, at)
		case emulator.TraceAtomic:
			cta.Add(r.Warp, cache.Atomic, at)
		case emulator.TraceLocalLoad:
			cta.AddLocal(r.Warp, cache.Load, at)
		case emulator.TraceLocalStore:
			cta.AddLocal(r.Warp, store, at)
		case emulator.TraceConst: // the constant caches are taken to hold them
		}
	})
	c.err = c.model.Push(cta)
}

// Unfit returns why the GPU whose caches are modelled cannot run the launch: it
// needs more of something than there is. nil if it can, or none is chosen.
func (lp *LaunchProfile) Unfit() error {
	if lp.outcome == nil {
		return nil
	}
	return lp.outcome.unfit
}
