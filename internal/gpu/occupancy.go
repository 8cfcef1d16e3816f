package gpu

import (
	"fmt"
	"math"
	"strings"
)

// How many CTAs fit on an SM is the least of five quotients. For CTAs of 256
// threads (8 warps), 37 registers a thread and 20,000 bytes of shared memory on a
// GV100 (64 warps, 32 CTAs, 65,536 registers in 4 partitions, 98,304 bytes):
//
//	warps      64 / 8                                                     8
//	ctas                                                                 32
//	registers  a warp gets 37 x 32 = 1184, rounded up to 1280; a partition
//	           of 16,384 holds 12 of them, the SM 48; 48 / 8              6
//	shared     20,000 rounded up to 20,224; 98,304 / 20,224               4
//	threads    2048 / 256                                                 8
//
// So 4 CTAs are resident, 32 of 64 warps (50 %), and shared memory is the limiter.

// LimitError says that a CTA can never become resident: it needs more than an
// SM has.
type LimitError struct {
	GPU    string
	What   string // "threads per CTA"
	Needed int
	Limit  int
	Unit   string
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("GPU %s: %s: %d %s needed, at most %d possible", e.GPU, e.What, e.Needed, e.Unit, e.Limit)
}

// CTA is what a thread block needs of an SM.
type CTA struct {
	Threads            int
	RegistersPerThread int // 32-bit
	SharedBytes        int // static and dynamic together
}

// Occupancy is how many CTAs of a launch are resident on one SM, if there are
// enough of them.
type Occupancy struct {
	CTAsPerSM      int
	WarpsPerSM     int
	TheoreticalPct float64 // resident warps / most warps
	Limiter        string  // what allows no more: warps, ctas, registers, shared or threads; several are joined by "+"
}

// Occupy returns the occupancy of a launch by the rules of NVIDIA's occupancy
// calculator (cuda_occupancy.h of CUDA 12): registers are given to warps, in
// units, from the partition of the SM that the warp runs on; shared memory to
// CTAs, in units, with what the driver reserves. A CTA that does not fit at all
// is a [LimitError].
func (g *GPU) Occupy(c CTA) (Occupancy, error) {
	l, err := g.sm()
	if err != nil {
		return Occupancy{}, err
	}
	if c.Threads < 1 || c.RegistersPerThread < 0 || c.SharedBytes < 0 {
		return Occupancy{}, fmt.Errorf("a CTA of %d threads, %d registers a thread and %d bytes of shared memory cannot be", c.Threads, c.RegistersPerThread, c.SharedBytes)
	}
	if err := l.launchable(g.Name, c); err != nil {
		return Occupancy{}, err
	}
	warps := ceilDiv(c.Threads, l.warpThreads)
	bounds := []struct {
		name string
		ctas int
	}{
		{"warps", l.warps / warps},
		{"ctas", l.ctas},
		{"registers", l.registerWarps(c) / warps},
		{"shared", l.sharedCTAs(c)},
		{"threads", l.threads / (warps * l.warpThreads)},
	}
	ctas := bounds[0].ctas
	for _, b := range bounds {
		ctas = min(ctas, b.ctas)
	}
	var limiters []string
	for _, b := range bounds {
		if b.ctas == ctas {
			limiters = append(limiters, b.name)
		}
	}
	return Occupancy{
		CTAsPerSM: ctas, WarpsPerSM: ctas * warps,
		TheoreticalPct: 100 * float64(ctas*warps) / float64(l.warps),
		Limiter:        limiterNames(limiters),
	}, nil
}

// limiterNames joins the limiters. The limits of warps and of threads say the
// same on every GPU so far, so that threads is left out beside warps.
func limiterNames(names []string) string {
	list := strings.Join(names, "+")
	if strings.HasPrefix(list, "warps") {
		list = strings.TrimSuffix(list, "+threads")
	}
	return list
}

// sm has the limits of an SM that occupancy needs.
type sm struct {
	warpThreads, warps, ctas, threads, ctaThreads             int
	registers, ctaRegisters, threadRegisters, unit, partition int
	shared, ctaShared, reserved, sharedUnit                   int
}

// sm collects the limits; one that is unknown is an error.
func (g *GPU) sm() (sm, error) {
	var l sm
	err := g.needAll([]needed{
		{&l.warpThreads, "limits.warp_threads", g.Limits.WarpThreads},
		{&l.warps, "limits.warps", g.Limits.Warps},
		{&l.ctas, "limits.ctas", g.Limits.CTAs},
		{&l.threads, "limits.threads", g.Limits.Threads},
		{&l.ctaThreads, "limits.threads_per_cta", g.Limits.ThreadsPerCTA},
		{&l.partition, "limits.warp_allocation_granularity", g.Limits.WarpAllocationGranularity},
		{&l.registers, "registers.per_sm", g.Registers.PerSM},
		{&l.ctaRegisters, "registers.per_cta_max", g.Registers.PerCTAMax},
		{&l.threadRegisters, "registers.per_thread_max", g.Registers.PerThreadMax},
		{&l.unit, "registers.allocation_unit", g.Registers.AllocationUnit},
		{&l.shared, "shared.per_sm_bytes", g.Shared.PerSMBytes},
		{&l.ctaShared, "shared.per_cta_max_bytes", g.Shared.PerCTAMaxBytes},
		{&l.reserved, "shared.reserved_per_cta_bytes", g.Shared.ReservedPerCTABytes},
		{&l.sharedUnit, "shared.allocation_unit_bytes", g.Shared.AllocationUnitBytes},
	})
	return l, err
}

// launchable returns a LimitError for a CTA that fits on no SM.
func (l sm) launchable(gpu string, c CTA) error {
	warps := ceilDiv(c.Threads, l.warpThreads)
	for _, e := range []LimitError{
		{gpu, "threads per CTA", c.Threads, l.ctaThreads, "threads"},
		{gpu, "registers per thread", c.RegistersPerThread, l.threadRegisters, "registers"},
		{gpu, "registers per CTA", l.warpRegisters(c) * roundUp(warps, l.partition), l.ctaRegisters, "registers"},
		{gpu, "shared memory per CTA", c.SharedBytes, l.ctaShared, "bytes"},
		// Limits of an SM may be below those of a CTA, in a file that somebody changed.
		{gpu, "warps per CTA (limits.warps)", warps, l.warps, "warps"},
		{gpu, "warps per CTA (registers.per_sm)", warps, l.registerWarps(c), "warps"},
		{gpu, "shared memory per CTA, in whole units (shared.per_sm_bytes)", l.sharedUnits(c), l.shared, "bytes"},
		{gpu, "threads per CTA, in whole warps (limits.threads)", warps * l.warpThreads, l.threads, "threads"},
	} {
		if e.Needed > e.Limit {
			return &e
		}
	}
	return nil
}

// warpRegisters is what one warp gets.
func (l sm) warpRegisters(c CTA) int {
	return roundUp(c.RegistersPerThread*l.warpThreads, l.unit)
}

// registerWarps is how many warps the registers of an SM are enough for.
func (l sm) registerWarps(c CTA) int {
	perWarp := l.warpRegisters(c)
	if perWarp == 0 {
		return math.MaxInt
	}
	return l.registers / l.partition / perWarp * l.partition
}

// sharedUnits is what one CTA gets of the shared memory.
func (l sm) sharedUnits(c CTA) int { return roundUp(c.SharedBytes+l.reserved, l.sharedUnit) }

func (l sm) sharedCTAs(c CTA) int {
	bytes := l.sharedUnits(c)
	if bytes == 0 {
		return math.MaxInt
	}
	return l.shared / bytes
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
func roundUp(a, b int) int { return ceilDiv(a, b) * b }
