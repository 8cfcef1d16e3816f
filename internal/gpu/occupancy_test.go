package gpu

import (
	"errors"
	"strings"
	"testing"
)

// get returns an embedded GPU.
func get(t *testing.T, name string) *GPU {
	t.Helper()
	g, err := Get(name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestOccupy(t *testing.T) {
	for _, c := range []struct {
		gpu     string
		cta     CTA
		ctas    int
		pct     float64
		limiter string
	}{
		// NVIDIA, CUDA C++ Best Practices Guide, Calculating Occupancy: compute capability 7.0, 37 registers
		{"v100", CTA{128, 37, 0}, 12, 75, "registers"},
		{"v100", CTA{320, 37, 0}, 4, 62.5, "registers"},
		{"v100", CTA{256, 32, 0}, 8, 100, "warps+registers"},
		{"v100", CTA{256, 64, 0}, 4, 50, "registers"},
		{"v100", CTA{1024, 33, 0}, 1, 50, "registers"},
		{"v100", CTA{256, 16, 96 << 10}, 1, 12.5, "shared"},
		{"v100", CTA{32, 16, 0}, 32, 50, "ctas"},
		{"v100", CTA{33, 0, 0}, 32, 100, "warps+ctas"},
		// a partial warp takes a whole one
		{"v100", CTA{65, 16, 0}, 21, 98.4375, "warps"},
		// compute capability 8.9: published block counts of kernels of 256 threads; 1 KiB a CTA is reserved
		{"rtx-4090", CTA{256, 80, 0}, 3, 50, "registers"},
		{"rtx-4090", CTA{256, 64, 0}, 4, 100 * 32. / 48, "registers"},
		{"rtx-4090", CTA{128, 16, 24576}, 4, 100 * 16. / 48, "shared"},
		{"rtx-4090", CTA{128, 16, 24577}, 3, 25, "shared"},
		{"rtx-3090", CTA{128, 32, 0}, 12, 100, "warps"},
		{"rtx-3090", CTA{64, 32, 0}, 16, 100 * 32. / 48, "ctas"},
		{"t4", CTA{1024, 64, 0}, 1, 100, "warps+registers"},
		{"a100", CTA{256, 32, 163 << 10}, 1, 12.5, "shared"},
		{"h100", CTA{256, 32, 100 << 10}, 2, 25, "shared"},
		{"h100", CTA{128, 255, 0}, 2, 12.5, "registers"},
		// Fermi: units of 64 registers a warp, two partitions
		{"gtx-480", CTA{192, 20, 0}, 8, 100, "warps+ctas+registers"},
		{"gtx-480", CTA{192, 20, 9000}, 5, 62.5, "shared"},
		{"gtx-480", CTA{256, 21, 0}, 5, 100 * 40. / 48, "registers"},
		{"tesla-k20c", CTA{32, 32, 0}, 16, 25, "ctas"},
	} {
		o, err := get(t, c.gpu).Occupy(c.cta)
		if err != nil {
			t.Errorf("%s %+v: %v", c.gpu, c.cta, err)
			continue
		}
		warps := c.ctas * ceilDiv(c.cta.Threads, 32)
		if want := (Occupancy{c.ctas, warps, c.pct, c.limiter}); o != want {
			t.Errorf("%s %+v: %+v, want %+v", c.gpu, c.cta, o, want)
		}
	}
}

// TestOccupyHolds: what is resident fits, and one CTA more does not, for every
// NVIDIA GPU and shapes of all kinds.
func TestOccupyHolds(t *testing.T) {
	for _, g := range embedded() {
		l, err := g.sm()
		if err != nil {
			continue
		}
		for threads := 1; threads <= 1024; threads += 37 {
			for regs := 0; regs <= 255; regs += 15 {
				for shared := 0; shared <= l.ctaShared; shared += 7001 {
					c := CTA{threads, regs, shared}
					o, err := g.Occupy(c)
					if limit := (*LimitError)(nil); errors.As(err, &limit) {
						continue
					}
					if err != nil {
						t.Fatal(err)
					}
					if o.CTAsPerSM < 1 || !l.fits(c, o.CTAsPerSM) || l.fits(c, o.CTAsPerSM+1) {
						t.Fatalf("%s %+v: %+v", g.Name, c, o)
					}
				}
			}
		}
	}
}

// fits reports whether so many CTAs fit on an SM, by placing warp after warp
// on the partition with most room.
func (l sm) fits(c CTA, ctas int) bool {
	warps := ceilDiv(c.Threads, l.warpThreads)
	if ctas > l.ctas || ctas*warps > l.warps || ctas*roundUp(c.SharedBytes+l.reserved, l.sharedUnit) > l.shared {
		return false
	}
	room := make([]int, l.partition)
	for i := range room {
		room[i] = l.registers / l.partition
	}
	for w := range ctas * warps {
		room[w%l.partition] -= l.warpRegisters(c)
	}
	for _, r := range room {
		if r < 0 {
			return false
		}
	}
	return true
}

func TestUnlaunchable(t *testing.T) {
	for _, c := range []struct {
		gpu  string
		cta  CTA
		want string
	}{
		{"v100", CTA{1025, 16, 0}, "GPU v100-sxm2: threads per CTA: 1025 threads needed, at most 1024 possible"},
		{"v100", CTA{128, 256, 0}, "registers per thread: 256 registers needed, at most 255 possible"},
		{"v100", CTA{1024, 65, 0}, "registers per CTA: 73728 registers needed, at most 65536 possible"},
		{"v100", CTA{128, 16, 98305}, "shared memory per CTA: 98305 bytes needed, at most 98304 possible"},
		{"gtx-1060", CTA{128, 16, 49153}, "shared memory per CTA: 49153 bytes needed, at most 49152 possible"},
		{"jetson-tx1", CTA{1024, 40, 0}, "registers per CTA: 40960 registers needed, at most 32768 possible"},
		{"gv100:limits.warps=4", CTA{256, 16, 0}, "GPU gv100: warps per CTA (limits.warps): 8 warps needed, at most 4 possible"},
		{"gv100:shared.allocation_unit_bytes=256000", CTA{256, 16, 4}, "shared memory per CTA, in whole units (shared.per_sm_bytes): 256000 bytes needed, at most 98304 possible"},
		{"gv100:limits.threads_per_cta=40,limits.threads=40", CTA{33, 16, 0}, "threads per CTA, in whole warps (limits.threads): 64 threads needed, at most 40 possible"},
		{"v100", CTA{0, 16, 0}, "a CTA of 0 threads"},
		{"v100", CTA{32, -1, 0}, "-1 registers a thread"},
		{"r9-nano", CTA{64, 16, 0}, "GPU r9-nano: limits.warps is unknown"},
	} {
		if _, err := get(t, c.gpu).Occupy(c.cta); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %+v: %v, want %s", c.gpu, c.cta, err, c.want)
		}
	}
}
