package roofline

import (
	"fmt"
	"math"

	"hyptx/internal/number"
	"hyptx/internal/roofline/thesis"
)

// A time keeps the terms it was made of. They say what a launch waits for, and they
// are what another clock changes: at half the clock all that the SMs and their caches
// do takes twice as long, while DRAM and the start of the launch take what they took.

// Time is how long a launch takes, all its repetitions together: what a time
// model says, or what was measured. Rows of time and estimates of power are both
// made of it. What a model does not say is unknown.
type Time struct {
	// Us is the whole, in us; unknown where a term that it needs is. ErrorPct is by how much
	// it may be off because a part of the launch stands for all of it.
	Us, ErrorPct number.Real
	Bound        thesis.Bound
	Terms
	Limits
	Simulation
	// GOPS and UsedGBps are the operations, in 1e9 a second, and the bandwidth of
	// DRAM, in GB/s, that the launch reaches in this time.
	GOPS, UsedGBps number.Real
	// ClockMHz is the clock of the SMs.
	ClockMHz float64
	// whole: LatencyUs is all of the time but the launch's overhead.
	whole bool
	// way is how long the way from the L2 takes for what DRAM moves, over how long DRAM itself does: it
	// goes with the SMs' clock.
	way float64
	// Source says who says so: "model analytic", "measured".
	Source string
	// Notes say what a reader of the time has to know.
	Notes []string
}

// Terms are what a time is made of, in us: the launch's overhead, and what
// overlaps after that. MemUs is the longest of DRAMUs, L2Us and L1Us.
type Terms struct {
	LaunchUs  number.Real `csv:"t_launch_us" json:"t_launch_us" doc:"terms of the model: launch overhead, issuing instructions, memory, latency; the thesis' model has the second and third. Of a simulated time, and of an analytic one of machine code, the last is all of it but the launch; of a simulated one the two before are for how long the busiest unit, and the busiest part of memory, were taken on an average of all SMs, those without a CTA too"`
	IssueUs   number.Real `csv:"t_issue_us" json:"t_issue_us" doc:"^"`
	MemUs     number.Real `csv:"t_mem_us" json:"t_mem_us" doc:"^"`
	LatencyUs number.Real `csv:"t_latency_us" json:"t_latency_us" doc:"^"`
	DRAMUs    number.Real `csv:"t_dram_us" json:"t_dram_us" doc:"the parts of t_mem_us"`
	L2Us      number.Real `csv:"t_l2_us" json:"t_l2_us" doc:"^"`
	L1Us      number.Real `csv:"t_l1_us" json:"t_l1_us" doc:"^"`
}

// All are the terms, so that adding them up is a loop.
func (t *Terms) All() []*number.Real {
	return []*number.Real{&t.LaunchUs, &t.IssueUs, &t.MemUs, &t.LatencyUs, &t.DRAMUs, &t.L2Us, &t.L1Us}
}

// Total is the time in us that the terms make: the launch, and then the longest
// of those that sideBySide.
func (t *Terms) Total() float64 {
	return t.LaunchUs.X + max(t.IssueUs.X, t.DRAMUs.X, t.L2Us.X, t.L1Us.X, t.LatencyUs.X)
}

// Limits are what bounds the terms, as far as the model knows it.
type Limits struct {
	CTAsPerSM    number.Int  `csv:"ctas_per_sm" json:"ctas_per_sm" doc:"occupancy by NVIDIA's rules, what limits it, and waves of CTAs"`
	WarpsPerSM   number.Int  `csv:"warps_per_sm" json:"warps_per_sm" doc:"^"`
	OccupancyPct number.Real `csv:"occupancy_pct" json:"occupancy_pct" doc:"^"`
	Limiter      string      `csv:"occupancy_limiter" json:"occupancy_limiter" doc:"^"`
	// Waves are how often all SMs are filled with CTAs.
	Waves         number.Real `csv:"waves" json:"waves" doc:"^"`
	ChainCycles   number.Real `csv:"chain_cycles" json:"chain_cycles" doc:"cycles of the longest warp alone on an SM, in the order of its machine code, or where nobody followed it of its dependent chain (chain_warp says of which warp)"`
	ChainWarp     string      `csv:"chain_warp" json:"chain_warp" doc:"^"`                                   // longest, or mean of a CTA's
	LoadsInFlight number.Real `csv:"loads_in_flight" json:"loads_in_flight" doc:"loads of a warp at a time"` // of a warp
	// IssueLimit says what IssueUs is of, MemoryLimit what MemUs: DRAM, L2 or L1.
	IssueLimit    string      `csv:"issue_limit" json:"issue_limit" doc:"the unit that t_issue_us is of"`
	MemoryLimit   string      `csv:"memory_limit" json:"memory_limit" doc:"the longest of DRAM, L2 and L1"`
	EffectiveGBps number.Real `csv:"effective_gb_per_s" json:"effective_gb_per_s" doc:"DRAM bandwidth that the loads in flight can use"`
	// IPCBound is how many warp instructions an SM executes a clock on average if
	// the launch takes no longer than its largest term.
	IPCBound number.Real `csv:"ipc_bound" json:"ipc_bound" doc:"warp instructions an SM and clock"`
	// What the caches give a clock in bytes, one SM's L1 and the whole L2, and
	// whether micro-benchmarks or data sheets say so.
	L1BytesPerClock number.Real `csv:"l1_bytes_per_clock" json:"l1_bytes_per_clock" doc:"what the caches were charged with, and whether that was measured or is of a data sheet"`
	L2BytesPerClock number.Real `csv:"l2_bytes_per_clock" json:"l2_bytes_per_clock" doc:"^"`
	CacheRates      string      `csv:"cache_rates" json:"cache_rates" doc:"^"`
}

// Measured is a time in us that was measured at a clock of the SMs in MHz.
func Measured(us, clockMHz float64) Time {
	return Time{Us: number.Ratio(us), ClockMHz: clockMHz, Source: sourceMeasured}
}

// Of returns the time that other terms make: the same but for them.
func (t Time) Of(terms Terms) Time {
	t.Terms, t.Us = terms, number.Ratio(terms.Total())
	return t
}

// At returns the time at another clock: what waits for the SMs and their caches
// goes with the clock, DRAM and the launch's overhead do not, unless the way to DRAM takes longer.
func (t Time) At(clockMHz float64) (Time, error) {
	if !t.IssueUs.Known || !t.LatencyUs.Known || !t.DRAMUs.Known {
		return t, fmt.Errorf("the time is %s: another clock needs the terms of the time model", t.Source)
	}
	terms, x := t.Terms, t.ClockMHz/clockMHz
	for _, us := range []*number.Real{&terms.IssueUs, &terms.LatencyUs, &terms.L2Us, &terms.L1Us} {
		us.X *= x
	}
	longer := max(1, t.way*x) / max(1, t.way)
	terms.DRAMUs.X *= longer
	if t.whole {
		terms.LatencyUs.X = beside(t.Us.X-t.LaunchUs.X, t.DRAMUs.X, x, longer)
	}
	terms.MemUs = number.Ratio(max(terms.DRAMUs.X, terms.L2Us.X, terms.L1Us.X))
	t = t.Of(terms)
	t.ClockMHz, t.way = clockMHz, t.way*x
	return t, nil
}

// A time as a whole is one figure, of which DRAM is the part that the clock leaves alone.
// Both overlap, but not wholly: requests come in bursts, and at the beginning and the end
// of a CTA one of the two waits for the other. sideBySide is the exponent of the norm by which
// they add up: 1 would be one after the other, infinity side by side. It was chosen on the
// simulator itself ([ours]): launches simulated at other clocks come within 6 % on average.
const sideBySide = 3.0

// beside returns a time in us, of which DRAM takes so much, where that takes longer, and all but
// DRAM x times as long.
func beside(us, dramUs, x, longer float64) float64 {
	dram := math.Pow(min(dramUs, us), sideBySide)
	return math.Pow((math.Pow(us, sideBySide)-dram)*math.Pow(x, sideBySide)+dram*math.Pow(longer, sideBySide), 1/sideBySide)
}

// sourceMeasured is the source of measured times.
const sourceMeasured = "measured"

// IsMeasured reports whether the time was measured.
func (t Time) IsMeasured() bool { return t.Source == sourceMeasured }
