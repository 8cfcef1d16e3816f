package roofline

import (
	"errors"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/roofline/thesis"
	"hyptx/internal/sim"
)

// SimulatedModel is the time of the timing simulator (package sim): cycles of the
// SMs at the GPU's clock, and what starting a launch takes besides.
var SimulatedModel = &Model{
	Name:          "simulated",
	About:         "by a timing simulator",
	ChargesCaches: true,
	Simulates:     true,
	Lacks: func(d *Device) error {
		_, err := d.shape()
		return err
	},
	Predict: predictSimulated,
}

func predictSimulated(l *Launch, k thesis.Kernel, d *Device, o Options) (t Time, err error) {
	s := l.Simulated
	switch {
	case s == nil:
		return t, errors.New("the launch was not simulated")
	case s.Unfit != nil:
		return t, s.Unfit
	}
	overhead, err := gpu.Need(d.Spec, "launch_overhead_us", d.Spec.LaunchOverheadUs)
	if err != nil {
		return t, err
	}
	var full times
	if shape, err := d.shape(); err == nil && l.CTAs > 0 {
		full.occupy(l, d, shape)
	}
	t.Limits, t.Notes, t.ClockMHz = full.Limits, full.Notes, s.ClockMHz
	t.LaunchUs = analysis.Ratio(s.Repetitions * overhead)
	t.LatencyUs = analysis.Ratio(s.Cycles / s.ClockMHz)
	t.Us = analysis.Ratio(t.LaunchUs.X + t.LatencyUs.X)
	t.Bound = Latency
	t.Simulation = simulationOf(s.Estimate)
	return t, nil
}

// Simulation is what a simulation tells besides the time. Shares of stalls are of the
// cycles of resident warps, by the names of Nsight Compute's warp states.
type Simulation struct {
	SMCycles           analysis.Real `csv:"sm_cycles" json:"sm_cycles" doc:"cycles of the SMs' clock in which one repetition runs, simulated"`
	IPC                analysis.Real `csv:"ipc" json:"ipc" doc:"machine instructions of warps a cycle and SM that has a CTA"`
	ActiveWarps        analysis.Real `csv:"active_warps_per_sm" json:"active_warps_per_sm" doc:"resident warps on such an SM, on average"`
	Selected           analysis.Real `csv:"selected_pct" json:"selected_pct" doc:"what resident warps do, in percent of their cycles: they issue, or wait for that reason"`
	NotSelected        analysis.Real `csv:"stall_not_selected_pct" json:"stall_not_selected_pct" doc:"^"`
	Wait               analysis.Real `csv:"stall_wait_pct" json:"stall_wait_pct" doc:"^"`
	LongScoreboard     analysis.Real `csv:"stall_long_scoreboard_pct" json:"stall_long_scoreboard_pct" doc:"^"`
	ShortScoreboard    analysis.Real `csv:"stall_short_scoreboard_pct" json:"stall_short_scoreboard_pct" doc:"^"`
	MathPipe           analysis.Real `csv:"stall_math_pipe_throttle_pct" json:"stall_math_pipe_throttle_pct" doc:"^"`
	MIOThrottle        analysis.Real `csv:"stall_mio_throttle_pct" json:"stall_mio_throttle_pct" doc:"^"`
	LGThrottle         analysis.Real `csv:"stall_lg_throttle_pct" json:"stall_lg_throttle_pct" doc:"^"`
	BarrierWait        analysis.Real `csv:"stall_barrier_pct" json:"stall_barrier_pct" doc:"^"`
	BranchResolving    analysis.Real `csv:"stall_branch_resolving_pct" json:"stall_branch_resolving_pct" doc:"^"`
	Dispatch           analysis.Real `csv:"stall_dispatch_stall_pct" json:"stall_dispatch_stall_pct" doc:"^"`
	SimulatedDRAMBytes analysis.Real `csv:"simulated_dram_bytes" json:"simulated_dram_bytes" doc:"that crossed the interface of DRAM in what was simulated"`
	SimulatedL2Hits    analysis.Real `csv:"simulated_l2_hit_pct" json:"simulated_l2_hit_pct" doc:"reads of sectors that hit in the simulated L2"`
	SimulatedCTAs      analysis.Int  `csv:"simulated_ctas" json:"simulated_ctas" doc:"CTAs that were simulated, on how many SMs of the GPU"`
	SimulatedSMs       analysis.Int  `csv:"simulated_sms" json:"simulated_sms" doc:"^"`
}

func simulationOf(e *sim.Estimate) (s Simulation) {
	pct := func(part, whole float64) analysis.Real {
		if whole == 0 {
			return analysis.Real{}
		}
		return analysis.Ratio(100 * part / whole)
	}
	s.SMCycles = analysis.Ratio(e.Cycles)
	s.IPC, s.ActiveWarps = finite(float64(e.Issued)/e.ActiveCycles), finite(e.WarpCycles/e.ActiveCycles)
	for reason, to := range map[sim.Reason]*analysis.Real{
		sim.Selected:        &s.Selected,
		sim.NotSelected:     &s.NotSelected,
		sim.Wait:            &s.Wait,
		sim.LongScoreboard:  &s.LongScoreboard,
		sim.ShortScoreboard: &s.ShortScoreboard,
		sim.MathPipe:        &s.MathPipe,
		sim.MIOThrottle:     &s.MIOThrottle,
		sim.LGThrottle:      &s.LGThrottle,
		sim.BarrierWait:     &s.BarrierWait,
		sim.BranchResolving: &s.BranchResolving,
		sim.Dispatch:        &s.Dispatch,
	} {
		*to = pct(e.Stalls[reason], e.WarpCycles)
	}
	s.SimulatedDRAMBytes = analysis.Ratio(32 * float64(e.Memory.DRAMReads+e.Memory.DRAMWrites))
	s.SimulatedL2Hits = pct(float64(e.Memory.ReadHits), float64(e.Memory.Reads))
	s.SimulatedCTAs, s.SimulatedSMs = analysis.Count(uint64(e.Simulated)), analysis.Count(uint64(e.SMs))
	return s
}
