package hierarchy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"hyptx/internal/cache"
	"hyptx/internal/gpu"
	"hyptx/internal/rows"
)

var l1Policies = map[string]cache.WritePolicy{
	gpu.WriteThrough: cache.NoAllocate, gpu.WriteThroughAllocate: cache.Allocate, gpu.WriteEvict: cache.Evict,
}

// Check returns a [gpu.UnknownError] that names the fields without which
// the caches of a GPU cannot be modelled; nil if all of them are known.
func Check(g *gpu.GPU) error {
	_, err1 := config(g)
	_, err2 := g.Occupy(gpu.CTA{Threads: 1})
	_, err3 := g.L1Shape(0)
	return joinUnknown(g, err1, err2, err3)
}

// config describes a GPU to the cache model. A figure that is unknown is an
// error.
func config(g *gpu.GPU) (c cache.Config, err error) {
	sms, err1 := gpu.Need(g, "sms", g.SMs)
	channels, err2 := gpu.Need(g, "dram.channels", g.DRAM.Channels)
	l1Policy, err3 := gpu.Need(g, "l1.write_policy", g.L1.WritePolicy)
	cachesGlobal, err4 := gpu.Need(g, "l1.caches_global_loads", g.L1.CachesGlobal)
	l2, err5 := g.L2Shape()
	l2Policy, err6 := gpu.Need(g, "l2.write_policy", g.L2.WritePolicy)
	if err := joinUnknown(g, err1, err2, err3, err4, err5, err6); err != nil {
		return c, err
	}
	write, ok := l1Policies[l1Policy]
	if !ok {
		return c, fmt.Errorf("GPU %s: l1.write_policy %s: the cache model has no such L1; its stores all go to the L2", g.Name, l1Policy)
	}
	if l2Policy != gpu.WriteBack {
		return c, fmt.Errorf("GPU %s: l2.write_policy %s: the cache model's L2 is write-back", g.Name, l2Policy)
	}
	c = cache.Config{SMs: sms, Channels: channels, L1Write: write, LoadsPastL1: !cachesGlobal, L2: level(l2)}
	if t, err := g.Timing(); err == nil { // else nobody knows how DRAM is laid out
		d := &t.DRAM
		of := rows.Geometry{Channels: d.Channels, Banks: d.Banks, RowBytes: d.RowBytes, QueueRequests: d.QueueRequests}
		if of.Valid() && slices.Contains([]int{32, 64, 128}, d.AccessBytes) && d.AccessBytes <= l2.LineBytes {
			c.DRAM, c.DRAMAccessBytes = of, d.AccessBytes
		}
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

func level(s gpu.CacheShape) cache.Level {
	return cache.Level{SizeBytes: int64(s.Bytes), Ways: s.Ways, LineBytes: s.LineBytes, SectorBytes: s.SectorBytes}
}

// Resident returns how many CTAs an SM holds and what they leave of its L1. A
// kernel that needs more registers than there can be is taken to have as many
// as there can: ptxas spills the others, and this traffic is not modelled.
func Resident(g *gpu.GPU, cta gpu.CTA) (cache.Launch, error) {
	most, err := gpu.Need(g, "registers.per_thread_max", g.Registers.PerThreadMax)
	if err != nil {
		return cache.Launch{}, err
	}
	cta.RegistersPerThread = min(cta.RegistersPerThread, most)
	o, err := g.Occupy(cta)
	if err != nil {
		return cache.Launch{}, err
	}
	unit, err1 := gpu.Need(g, "shared.allocation_unit_bytes", g.Shared.AllocationUnitBytes)
	reserved, err2 := gpu.Need(g, "shared.reserved_per_cta_bytes", g.Shared.ReservedPerCTABytes)
	if err := joinUnknown(g, err1, err2); err != nil {
		return cache.Launch{}, err
	}
	shared := (cta.SharedBytes + reserved + unit - 1) / unit * unit
	l1, err := g.L1Shape(o.CTAsPerSM * shared)
	if err != nil {
		return cache.Launch{}, err
	}
	return cache.Launch{CTAsPerSM: o.CTAsPerSM, L1: level(l1)}, nil
}
