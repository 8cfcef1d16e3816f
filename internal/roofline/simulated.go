package roofline

import (
	"cmp"
	"errors"

	"hyptx/internal/gpu"
	"hyptx/internal/number"
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
	Lacks:         lacksForSimulation,
	Predict:       predictSimulated,
}

func lacksForSimulation(d *Device) error {
	if _, err := d.shape(); err != nil {
		return err
	}
	_, overhead := d.overheadUs()
	return errors.Join(overhead, sim.Lacks(d.Spec))
}

func predictSimulated(l *Launch, k thesis.Kernel, d *Device, o Options) (t Time, err error) {
	s := l.Simulated
	switch {
	case s == nil:
		return t, cmp.Or(lacksForSimulation(d), errors.New("the launch was not simulated"))
	case s.Unfit != nil:
		return t, s.Unfit
	}
	overhead, err := d.overheadUs()
	if err != nil {
		return t, err
	}
	var full times
	if shape, err := d.shape(); err == nil && l.CTAs > 0 {
		full.occupy(l, d, shape)
	}
	full.warnOfOverhead(d)
	if s.Differing {
		full.warn("repetitions: the first was simulated, and the others execute other numbers of instructions (launches of their own are simulated each)")
	}
	t.Limits, t.Notes, t.ClockMHz = full.Limits, full.Notes, s.ClockMHz
	t.LaunchUs = number.Ratio(s.Repetitions * overhead)
	t.LatencyUs, t.whole = number.Ratio(s.Cycles/s.ClockMHz), true
	t.Us = number.Ratio(t.LaunchUs.X + t.LatencyUs.X)
	if t.Us.X > 0 {
		t.ErrorPct = number.Ratio(100 * s.Uncertainty * t.LatencyUs.X / t.Us.X)
		t.GOPS, t.UsedGBps = finite(k.Ops/t.Us.X/1e3), finite(l.Traffic.DRAM().X/t.Us.X/1e3)
	}
	t.busy(&s.Busy)
	t.Simulation = simulationOf(s.Estimate)
	return t, nil
}

// boundShare of its peak rate is what a part gives at least that a launch is said to wait
// for; where nothing is that busy, it waits for latencies. It is the rule of Nsight
// Compute's section GPU Speed Of Light Throughput.
const boundShare = 0.6

// busy fills the terms of a simulated time with what its parts were taken for, so that
// these are lower bounds of the whole, which stands in LatencyUs.
func (t *Time) busy(b *sim.Busy) {
	taken := func(share float64) number.Real { return number.Ratio(t.LatencyUs.X * min(share, 1)) }
	issue := b.Issue
	t.IssueLimit = "issue"
	for u, share := range b.Units {
		if share > issue {
			issue, t.IssueLimit = share, gpu.Unit(u).String()
		}
	}
	t.IssueUs, t.L1Us, t.L2Us, t.DRAMUs = taken(issue), taken(b.L1), taken(max(b.L2, b.NoC)), taken(b.DRAM)
	t.way = b.Way
	t.MemUs, t.MemoryLimit = t.L1Us, "L1"
	if t.L2Us.X > t.MemUs.X {
		t.MemUs, t.MemoryLimit = t.L2Us, "L2"
	}
	if t.DRAMUs.X >= t.MemUs.X {
		t.MemUs, t.MemoryLimit = t.DRAMUs, "DRAM"
	}
	t.Bound = boundOf(t.LaunchUs.X, t.LatencyUs.X, t.IssueUs.X, t.MemUs.X)
}

// Simulation is what a simulation tells besides the time. Shares of stalls are of the
// cycles of resident warps, by the names of Nsight Compute's warp states.
type Simulation struct {
	SMCycles    number.Real `csv:"sm_cycles" json:"sm_cycles" doc:"cycles of the SMs' clock in which one repetition runs, simulated"`
	IPC         number.Real `csv:"ipc" json:"ipc" doc:"machine instructions of warps a cycle and SM that has a CTA"`
	ActiveWarps number.Real `csv:"active_warps_per_sm" json:"active_warps_per_sm" doc:"resident warps on such an SM, on average"`
	sim.WarpStates
	IssueSlots         number.Real `csv:"issue_slots_pct" json:"issue_slots_pct" doc:"cycles, in percent over all of the GPU, in which schedulers issue, and in which each pipe is taken"`
	FMAPipe            number.Real `csv:"pipe_fma_pct" json:"pipe_fma_pct" doc:"^"`
	ALUPipe            number.Real `csv:"pipe_alu_pct" json:"pipe_alu_pct" doc:"^"`
	FP64Pipe           number.Real `csv:"pipe_fp64_pct" json:"pipe_fp64_pct" doc:"^"`
	FP16Pipe           number.Real `csv:"pipe_fp16_pct" json:"pipe_fp16_pct" doc:"^"`
	XUPipe             number.Real `csv:"pipe_xu_pct" json:"pipe_xu_pct" doc:"^"`
	LSUPipe            number.Real `csv:"pipe_lsu_pct" json:"pipe_lsu_pct" doc:"^"`
	TensorPipe         number.Real `csv:"pipe_tensor_pct" json:"pipe_tensor_pct" doc:"^"`
	L1Throughput       number.Real `csv:"l1_throughput_pct" json:"l1_throughput_pct" doc:"cycles, in percent over all of the GPU, in which the L1's unit for accesses, the SMs' ways to the L2, its slices, and the buses of DRAM are taken"`
	NoCThroughput      number.Real `csv:"noc_throughput_pct" json:"noc_throughput_pct" doc:"^"`
	L2Throughput       number.Real `csv:"l2_throughput_pct" json:"l2_throughput_pct" doc:"^"`
	DRAMThroughput     number.Real `csv:"dram_throughput_pct" json:"dram_throughput_pct" doc:"^"`
	SimulatedDRAMBytes number.Real `csv:"simulated_dram_bytes" json:"simulated_dram_bytes" doc:"that crossed the interface of DRAM in what was simulated"`
	SimulatedL2Hits    number.Real `csv:"simulated_l2_hit_pct" json:"simulated_l2_hit_pct" doc:"reads of sectors that hit in the simulated L2"`
	SimulatedCTAs      number.Int  `csv:"simulated_ctas" json:"simulated_ctas" doc:"CTAs that were simulated, on how many SMs of the GPU"`
	SimulatedSMs       number.Int  `csv:"simulated_sms" json:"simulated_sms" doc:"^"`
}

func simulationOf(e *sim.Estimate) (s Simulation) {
	pct := func(part, whole float64) number.Real {
		if whole == 0 {
			return number.Real{}
		}
		return number.Ratio(100 * part / whole)
	}
	s.SMCycles = number.Ratio(e.Cycles)
	s.IPC, s.ActiveWarps = finite(e.IPC), finite(e.WarpCycles/e.ActiveCycles)
	for reason, to := range s.Shares() {
		*to = pct(e.Stalls[reason], e.WarpCycles)
	}
	s.throughput(&e.Busy)
	s.SimulatedDRAMBytes = number.Ratio(32 * float64(e.Memory.DRAMReads+e.Memory.DRAMWrites))
	s.SimulatedL2Hits = pct(float64(e.Memory.ReadHits), float64(e.Memory.Reads))
	s.SimulatedCTAs, s.SimulatedSMs = number.Count(uint64(e.Simulated)), number.Count(uint64(e.SMs))
	return s
}

// throughput fills the shares in which parts of the GPU were taken.
func (s *Simulation) throughput(b *sim.Busy) {
	pct := func(share float64) number.Real { return number.Ratio(100 * share) }
	s.IssueSlots = pct(b.Issue)
	for u, to := range map[gpu.Unit]*number.Real{
		gpu.UnitFMA: &s.FMAPipe, gpu.UnitALU: &s.ALUPipe, gpu.UnitFP64: &s.FP64Pipe, gpu.UnitFP16: &s.FP16Pipe,
		gpu.UnitXU: &s.XUPipe, gpu.UnitLSU: &s.LSUPipe, gpu.UnitTensor: &s.TensorPipe,
	} {
		*to = pct(b.Units[u])
	}
	s.L1Throughput, s.NoCThroughput, s.L2Throughput, s.DRAMThroughput = pct(b.L1), pct(b.NoC), pct(b.L2), pct(b.DRAM)
}
