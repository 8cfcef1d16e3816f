package analysis

import (
	"errors"
	"fmt"
	"strings"

	"hyptx/internal/cache"
	"hyptx/internal/gpu"
)

// cacheGPU is what the cache model needs of a GPU.
type cacheGPU struct {
	gpu    *gpu.GPU
	config cache.Config
	// load is what a load of global memory is.
	load cache.Kind
}

var l1Policies = map[string]cache.WritePolicy{
	gpu.WriteThrough: cache.NoAllocate, gpu.WriteThroughAllocate: cache.Allocate, gpu.WriteEvict: cache.Evict,
}

// CheckCaches returns a [gpu.UnknownError] that names the fields without which
// the caches of a GPU cannot be modelled; nil if all of them are known.
func CheckCaches(g *gpu.GPU) error {
	_, err1 := newCacheGPU(g)
	_, err2 := g.Occupy(gpu.CTA{Threads: 1})
	_, err3 := g.L1Shape(0)
	return joinUnknown(g, err1, err2, err3)
}

// newCacheGPU describes a GPU to the cache model. A figure that is unknown is
// an error.
func newCacheGPU(g *gpu.GPU) (*cacheGPU, error) {
	sms, err1 := gpu.Need(g, "sms", g.SMs)
	channels, err2 := gpu.Need(g, "dram.channels", g.DRAM.Channels)
	l1Policy, err3 := gpu.Need(g, "l1.write_policy", g.L1.WritePolicy)
	cachesGlobal, err4 := gpu.Need(g, "l1.caches_global_loads", g.L1.CachesGlobal)
	l2, err5 := g.L2Shape()
	l2Policy, err6 := gpu.Need(g, "l2.write_policy", g.L2.WritePolicy)
	if err := joinUnknown(g, err1, err2, err3, err4, err5, err6); err != nil {
		return nil, err
	}
	write, ok := l1Policies[l1Policy]
	if !ok {
		return nil, fmt.Errorf("GPU %s: l1.write_policy %s: the cache model has no such L1; its stores all go to the L2", g.Name, l1Policy)
	}
	if l2Policy != gpu.WriteBack {
		return nil, fmt.Errorf("GPU %s: l2.write_policy %s: the cache model's L2 is write-back", g.Name, l2Policy)
	}
	c := &cacheGPU{gpu: g, config: cache.Config{SMs: sms, Channels: channels, L1Write: write, L2: cacheLevel(l2)}}
	if !cachesGlobal {
		c.load = cache.LoadPast
	}
	return c, nil
}

// joinUnknown makes one error of those that say what is unknown of a GPU; any
// other error comes first.
func joinUnknown(g *gpu.GPU, errs ...error) error {
	var paths []string
	for _, err := range errs {
		if unknown := (*gpu.UnknownError)(nil); errors.As(err, &unknown) {
			paths = append(paths, unknown.Path)
		} else if err != nil {
			return err
		}
	}
	if len(paths) == 0 {
		return nil
	}
	return g.Unknown(strings.Join(paths, ", "))
}

func cacheLevel(s gpu.CacheShape) cache.Level {
	return cache.Level{SizeBytes: int64(s.Bytes), Ways: s.Ways, LineBytes: s.LineBytes, SectorBytes: s.SectorBytes}
}

// launch returns how many CTAs an SM holds and what they leave of its L1. A
// kernel that needs more registers than there can be is taken to have as many
// as there can: ptxas spills the others, and this traffic is not modelled.
func (c *cacheGPU) launch(cta gpu.CTA) (cache.Launch, error) {
	most, err := gpu.Need(c.gpu, "registers.per_thread_max", c.gpu.Registers.PerThreadMax)
	if err != nil {
		return cache.Launch{}, err
	}
	cta.RegistersPerThread = min(cta.RegistersPerThread, most)
	o, err := c.gpu.Occupy(cta)
	if err != nil {
		return cache.Launch{}, err
	}
	unit, err1 := gpu.Need(c.gpu, "shared.allocation_unit_bytes", c.gpu.Shared.AllocationUnitBytes)
	reserved, err2 := gpu.Need(c.gpu, "shared.reserved_per_cta_bytes", c.gpu.Shared.ReservedPerCTABytes)
	if err := joinUnknown(c.gpu, err1, err2); err != nil {
		return cache.Launch{}, err
	}
	shared := (cta.SharedBytes + reserved + unit - 1) / unit * unit
	l1, err := c.gpu.L1Shape(o.CTAsPerSM * shared)
	if err != nil {
		return cache.Launch{}, err
	}
	return cache.Launch{CTAsPerSM: o.CTAsPerSM, L1: cacheLevel(l1)}, nil
}
