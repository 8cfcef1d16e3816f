package analysis

import (
	"context"
	"fmt"

	"hyptx/analysis/cache"
	"hyptx/analysis/gpu"
	"hyptx/emulator"
)

// CacheBlock is the cache block of a row: empty unless a GPU was chosen. It is
// a model's answer (package cache), not a count. Sectors have 32 bytes.
type CacheBlock struct {
	L1ReadHits         Int    `csv:"l1_read_hits" json:"l1_read_hits"`
	L1ReadMisses       Int    `csv:"l1_read_misses" json:"l1_read_misses"`
	L1WriteHits        Int    `csv:"l1_write_hits" json:"l1_write_hits"`
	L1WriteMisses      Int    `csv:"l1_write_misses" json:"l1_write_misses"`
	L1HitRatePct       Real   `csv:"l1_hit_rate_pct" json:"l1_hit_rate_pct"`
	L2ReadSectors      Int    `csv:"l2_read_sectors" json:"l2_read_sectors"`
	L2WriteSectors     Int    `csv:"l2_write_sectors" json:"l2_write_sectors"`
	L2ReadHits         Int    `csv:"l2_read_hits" json:"l2_read_hits"`
	L2WriteHits        Int    `csv:"l2_write_hits" json:"l2_write_hits"`
	L2HitRatePct       Real   `csv:"l2_hit_rate_pct" json:"l2_hit_rate_pct"`
	NoCFlits           Int    `csv:"noc_flits" json:"noc_flits"`
	DRAMReadBytes      Int    `csv:"dram_read_bytes" json:"dram_read_bytes"`
	DRAMWriteBytes     Int    `csv:"dram_write_bytes" json:"dram_write_bytes"`
	DRAMFlushBytes     Int    `csv:"dram_flush_bytes" json:"dram_flush_bytes"`
	DRAMRowActivations Int    `csv:"dram_row_activations" json:"dram_row_activations"`
	CacheModel         string `csv:"cache_model" json:"cache_model"`
}

// fill writes a launch's traffic. The bytes of the final flush belong to no
// launch.
func (r *CacheBlock) fillCaches(c cache.Counters, model string) {
	r.L1ReadHits, r.L1ReadMisses = Count(c.L1.ReadHits), Count(c.L1.ReadMisses)
	r.L1WriteHits, r.L1WriteMisses = Count(c.L1.WriteHits), Count(c.L1.WriteMisses)
	r.L1HitRatePct = Percent(c.L1.ReadHits, c.L1.Reads(), Real{})
	r.L2ReadSectors, r.L2WriteSectors = Count(c.L2.Reads()), Count(c.L2.Writes())
	r.L2ReadHits, r.L2WriteHits = Count(c.L2.ReadHits), Count(c.L2.WriteHits)
	r.L2HitRatePct = Percent(c.L2.ReadHits, c.L2.Reads(), Real{})
	r.NoCFlits = Count(c.NoCFlits)
	r.DRAMReadBytes = Count(cache.SectorBytes * c.DRAMReadSectors)
	r.DRAMWriteBytes = Count(cache.SectorBytes * c.DRAMWriteSectors)
	r.DRAMRowActivations = Count(c.DRAMRowActivations)
	r.CacheModel = model
}

// cacheTraffic feeds a cache model with the requests of a program's launches.
type cacheTraffic struct {
	*cacheGPU
	model *cache.Model
	err   error // the first one within a launch
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
	c.config.Workers = s.Options.Jobs
	m, err := cache.New(c.config)
	if err != nil {
		return nil, fmt.Errorf("GPU %s: %w", c.gpu.Name, err)
	}
	return &cacheTraffic{cacheGPU: c, model: m}, nil
}

// launchCached runs a launch and, if there is a cache model, lets it see the
// requests. What the caches did is added to o, times over.
func (s *Session) launchCached(ctx context.Context, l *launchPlan, cfg emulator.LaunchConfig, o *outcome, times uint64) (*emulator.Result, error) {
	c := s.caches
	if c == nil {
		return s.machine.Launch(ctx, o.prog, cfg)
	}
	if err := c.begin(l, o.prog); err != nil {
		return nil, err
	}
	cfg.Trace = c.take
	r, err := s.machine.Launch(ctx, o.prog, cfg)
	counters := c.model.Drain()
	o.caches.AddTimes(counters, times)
	if err == nil {
		err = c.err
	}
	c.err = nil
	return r, err
}

// launchAgain lets a launch that is multiplied run once more for the caches:
// it finds what the first repetition left in the L2, and so do the others.
func (s *Session) launchAgain(ctx context.Context, l *launchPlan, cfg emulator.LaunchConfig, o *outcome) error {
	more := uint64(l.launch.Count - o.repeats)
	if s.caches == nil || more == 0 {
		return nil
	}
	cfg.Footprint, cfg.Progress = nil, nil
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
	return nil
}

// take is the emulator's callback: it starts a CTA of the launch.
func (c *cacheTraffic) take(t emulator.Trace) {
	if c.err != nil {
		return
	}
	cta := c.model.NewCTA()
	t.Each(func(r emulator.TraceRequest, runs []uint64) {
		store := cache.Store
		if r.Partial {
			store = cache.StorePart
		}
		at := cache.Runs{First: r.First, Words: runs, Key: r.Shape}
		switch r.Kind {
		case emulator.TraceLoad:
			cta.Add(r.Warp, c.load, at)
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

// cacheColumns fills the cache block of a launch.
func (lp *LaunchProfile) cacheColumns(c *cacheTraffic) {
	if c != nil {
		lp.Row.fillCaches(lp.outcome.caches, c.gpu.Name)
	}
}

// cacheTotal fills the cache block of the total: sums, and what the L2 still
// had to write back when the last launch had ended.
func (s *Session) cacheTotal(p *Profile, r *Row) {
	if s.Options.GPU == nil {
		return
	}
	var sum cache.Counters
	for _, lp := range p.Launches {
		sum.AddTimes(lp.outcome.caches, 1)
	}
	r.fillCaches(sum, s.Options.GPU.Name)
	r.DRAMFlushBytes = Count(cache.SectorBytes * p.flushedSectors)
}
