package gpu

import (
	"maps"
	"slices"
	"strings"
)

// A GPU's file is written by hand from several documents, with slips that look like
// numbers: KB for bytes, a rate of all SMs for that of one. Most of them contradict
// another number of the same file.

// check finds numbers that contradict each other.
func (r *reader) check(g *GPU) {
	atMost(r, "clock.base_mhz", g.Clock.BaseMHz, "clock.boost_mhz", g.Clock.BoostMHz)
	atMost(r, "clock.min_mhz", g.Clock.MinMHz, "clock.base_mhz", g.Clock.BaseMHz)
	atMost(r, "clock.min_mhz", g.Clock.MinMHz, "clock.boost_mhz", g.Clock.BoostMHz)
	atMost(r, "clock.boost_mhz", g.Clock.BoostMHz, "clock.max_mhz", g.Clock.MaxMHz)
	atMost(r, "limits.threads_per_cta", g.Limits.ThreadsPerCTA, "limits.threads", g.Limits.Threads)
	atMost(r, "shared.per_cta_max_bytes", g.Shared.PerCTAMaxBytes, "shared.per_sm_bytes", g.Shared.PerSMBytes)
	atMost(r, "registers.per_cta_max", g.Registers.PerCTAMax, "registers.per_sm", g.Registers.PerSM)
	atMost(r, "power.idle_mhz", g.Power.IdleMHz, "clock.max_mhz", g.Clock.MaxMHz)
	atMost(r, "power.constant_w", g.Power.ConstantW, "power.tdp_w", g.Power.TDPW)
	atMost(r, "power.idle_sm_w", g.Power.IdleSMW, "power.active_sm_w", g.Power.ActiveSMW)
	atMost(r, "power.min_voltage_v", g.Power.MinVoltageV, "power.max_voltage_v", g.Power.MaxVoltageV)
	atMost(r, "power.min_voltage_mhz", g.Power.MinVoltageMHz, "power.max_voltage_mhz", g.Power.MaxVoltageMHz)
	divides(r, "l1.sector_bytes", g.L1.SectorBytes, "l1.line_bytes", g.L1.LineBytes)
	divides(r, "l2.sector_bytes", g.L2.SectorBytes, "l2.line_bytes", g.L2.LineBytes)
	atMost(r, "l1.line_bytes", g.L1.LineBytes, "l1.bytes", g.L1.Bytes)
	atMost(r, "l2.line_bytes", g.L2.LineBytes, "l2.bytes", g.L2.Bytes)
	r.reached("l1", g.L1.MeasuredBytesPerClock, g.L1.BytesPerClock)
	r.reached("l2", g.L2.MeasuredBytesPerClock, g.L2.BytesPerClock)
	r.sets("l1", g.L1.Bytes, g.L1.Ways, g.L1.LineBytes)
	r.sets("l2", g.L2.Bytes, g.L2.Ways, g.L2.LineBytes)
	if w := g.Limits.WarpThreads; w != nil && w.Value != 32 && (w.Value != 64 || !strings.EqualFold(g.Vendor, "AMD")) {
		r.Fail("limits.warp_threads.value", "must be 32, or 64 if the vendor is AMD, not %d", w.Value)
	}
	if c := g.Shared.ConfigurationsBytes; c != nil && (len(c.Value) == 0 || !slices.IsSorted(c.Value)) {
		r.Fail("shared.configurations_bytes.value", "must be a list in ascending order")
	}
	if c := g.ComputeCapability; c != nil && !isCapability(c.Value) {
		r.Fail("compute_capability.value", "%.30q: must be two numbers with a dot, as 7.0", c.Value)
	}
	r.checkSizes(g)
	if m := g.DRAM.Type; m != nil && memories()[m.Value] == nil {
		r.Fail("dram.type.value", "%q: must be one of %s", m.Value, strings.Join(slices.Sorted(maps.Keys(memories())), ", "))
	}
	r.checkTiming(g)
	r.policy("l1.write_policy", g.L1.WritePolicy)
	r.policy("l2.write_policy", g.L2.WritePolicy)
}

// What no GPU has more of. The cache model's tables have bounds, too: 4096 SMs
// and channels, 2^26 lines (package cache).
const (
	mostUnits      = 4096
	mostCacheLines = 1 << 26
	// issuedPerScheduler: the schedulers of Kepler to Pascal issue two
	// instructions of a warp together (CUDA C++ Programming Guide, compute
	// capabilities 3.x to 6.x).
	issuedPerScheduler = 2
)

// checkSizes finds numbers that are beyond every GPU, or not of a size that
// memories have.
func (r *reader) checkSizes(g *GPU) {
	most := func(path string, f *Int, most int) {
		if f != nil && f.Value > most {
			r.Fail(path+".value", "%d is beyond every GPU (%d)", f.Value, most)
		}
	}
	most("sms", g.SMs, mostUnits)
	most("dram.channels", g.DRAM.Channels, mostUnits)
	sector := func(path string, f *Int) {
		if f != nil && f.Value != 32 && f.Value != 64 && f.Value != 128 {
			r.Fail(path+".value", "must be 32, 64 or 128, not %d", f.Value)
		}
	}
	sector("l1.sector_bytes", g.L1.SectorBytes)
	sector("l2.sector_bytes", g.L2.SectorBytes)
	// Of more SMs than there can be, which has been said, no L1 would be small enough.
	if g.SMs != nil && g.SMs.Value <= mostUnits && g.L1.LineBytes != nil {
		most("l1.bytes", g.L1.Bytes, mostCacheLines/max(g.SMs.Value, 1)*g.L1.LineBytes.Value)
	}
	if g.L2.LineBytes != nil {
		most("l2.bytes", g.L2.Bytes, mostCacheLines*g.L2.LineBytes.Value)
	}
	if c, both := g.Shared.ConfigurationsBytes, g.L1.SharesWithShared; c != nil && len(c.Value) > 0 && both != nil && both.Value && g.L1.Bytes != nil && slices.Max(c.Value) > g.L1.Bytes.Value {
		r.Fail("shared.configurations_bytes.value", "%d is more than l1.bytes, %d, of which shared memory takes its part", slices.Max(c.Value), g.L1.Bytes.Value)
	}
	if f := g.DRAM.RowBytes; f != nil && f.Value < 32 {
		r.Fail("dram.row_bytes.value", "must be at least a sector of 32, not %d", f.Value)
	}
	if w, s := g.Issue.WarpsPerClock, g.Issue.Schedulers; w != nil && s != nil && float64(w.Value) > issuedPerScheduler*float64(s.Value) {
		r.Fail("issue.warps_per_clock.value", "%v is more than two for each of issue.schedulers, %v", w.Value, s.Value)
	}
}

// What a cache can do with a store.
const (
	WriteThrough         = "write-through"          // passes it on, updates what it has
	WriteThroughAllocate = "write-through-allocate" // passes it on, keeps the sectors written as a whole
	WriteEvict           = "write-evict"            // passes it on, drops what it has
	WriteBack            = "write-back"             // keeps it until the line is replaced
)

var writePolicies = []string{WriteThrough, WriteThroughAllocate, WriteEvict, WriteBack}

func (r *reader) policy(path string, p *Text) {
	if p != nil && !slices.Contains(writePolicies, p.Value) {
		r.Fail(path+".value", "%q: must be one of %s", p.Value, strings.Join(writePolicies, ", "))
	}
}

// atMost checks that a is at most b where both are known.
func atMost[T int | float64](r *reader, path string, a *Fact[T], ofPath string, b *Fact[T]) {
	if a != nil && b != nil && a.Value > b.Value {
		r.Fail(path+".value", "%v is more than %s, %v", a.Value, ofPath, b.Value)
	}
}

func divides(r *reader, path string, a *Int, ofPath string, b *Int) {
	if a != nil && b != nil && b.Value%a.Value != 0 {
		r.Fail(path+".value", "%d does not divide %s, %d", a.Value, ofPath, b.Value)
	}
}

// reached checks that a measured rate is at most the theoretical one.
func (r *reader) reached(level string, measured *Float, theoretical *Int) {
	if measured != nil && theoretical != nil && measured.Value > float64(theoretical.Value) {
		r.Fail(level+".measured_bytes_per_clock.value", "%v is more than %s.bytes_per_clock, %d", measured.Value, level, theoretical.Value)
	}
}

// sets checks that a cache is a whole number of sets.
func (r *reader) sets(level string, bytes, ways, line *Int) {
	if bytes != nil && ways != nil && line != nil && bytes.Value%(ways.Value*line.Value) != 0 {
		r.Fail(level+".ways.value", "%d ways x %d bytes a line do not divide %s.bytes, %d", ways.Value, line.Value, level, bytes.Value)
	}
}
