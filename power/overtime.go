package power

import (
	"fmt"
	"slices"

	"hyptx/internal/number"
	"hyptx/internal/pipe"
	"hyptx/internal/sim"
	"hyptx/internal/table"
)

// Power over time. A launch's energy is that of its row (estimate.go); a simulation says
// when the launch did what, in intervals of 500 cycles or more. So the energy of each
// component is shared out to the intervals as what it was charged for happened: that of
// DRAM as sectors moved, that of the FP32 units as their instructions were issued; what
// is drawn without any work goes with time. The sum over a launch is its row's energy.
//
// A board's limit holds over milliseconds: a span of less than that may draw more.
//
// Where a part of a launch was simulated its intervals stand for the whole, each longer by
// the same factor: phases keep their order and their share, not their number.

// OverTimeRow is a row of power --over-time: a launch's interval, and what is drawn in it.
type OverTimeRow struct {
	Network  string      `csv:"network" json:"network" doc:"which launch, where"`
	Kernel   string      `csv:"kernel" json:"kernel" doc:"^"`
	Label    string      `csv:"label" json:"label" doc:"^"`
	Launch   string      `csv:"launch" json:"launch" doc:"^"`
	GPU      string      `csv:"gpu" json:"gpu" doc:"^"`
	Phase    string      `csv:"phase" json:"phase" doc:"'start' while the launch is started, 'interval' of its simulation, 'mean' of a launch that was not simulated, 'concurrent' with --concurrent: launch and kernel name all that run then"`
	BeginUs  number.Real `csv:"begin_us" json:"begin_us" doc:"from the start of the first launch; of a launch with several repetitions all of them as one"`
	EndUs    number.Real `csv:"end_us" json:"end_us" doc:"^"`
	ClockMHz number.Real `csv:"clock_mhz" json:"clock_mhz" doc:"SM clock"`
	PowerW   number.Real `csv:"power_w" json:"power_w" doc:"mean power between them"`
	GroupPower
}

// GroupPower is power by reporting group in W, in the order of the groups.
type GroupPower struct {
	Const       number.Real `csv:"const_w" json:"const_w" doc:"power by the paper's groups; they sum to power_w"`
	Static      number.Real `csv:"static_w" json:"static_w" doc:"^"`
	IdleSM      number.Real `csv:"idle_sm_w" json:"idle_sm_w" doc:"^"`
	RegFile     number.Real `csv:"regfile_w" json:"regfile_w" doc:"^"`
	ALU         number.Real `csv:"alu_w" json:"alu_w" doc:"^"`
	FPU         number.Real `csv:"fpu_dpu_w" json:"fpu_dpu_w" doc:"^"`
	SFU         number.Real `csv:"sfu_w" json:"sfu_w" doc:"^"`
	Tensor      number.Real `csv:"tensor_w" json:"tensor_w" doc:"^"`
	L1Shared    number.Real `csv:"l1d_shared_w" json:"l1d_shared_w" doc:"^"`
	ICacheConst number.Real `csv:"icache_ccache_w" json:"icache_ccache_w" doc:"^"`
	L2NoC       number.Real `csv:"l2_noc_w" json:"l2_noc_w" doc:"^"`
	DRAM        number.Real `csv:"dram_mc_w" json:"dram_mc_w" doc:"^"`
	Others      number.Real `csv:"others_w" json:"others_w" doc:"^"`
}

// Values are the columns, in the order of [Legend].
func (g *GroupPower) Values() [numGroups]*number.Real {
	return [numGroups]*number.Real{&g.Const, &g.Static, &g.IdleSM, &g.RegFile, &g.ALU, &g.FPU, &g.SFU, &g.Tensor, &g.L1Shared, &g.ICacheConst, &g.L2NoC, &g.DRAM, &g.Others}
}

// driver is what a component's energy goes with.
type driver uint8

const (
	byTime driver = iota
	byIssue
	byInteger
	byFloat
	byDouble
	bySpecial
	byMatrix
	byTexture
	byL1
	byShared
	byL2
	byDRAM
	numDrivers
)

// drivers say with what the energy of each component goes.
var drivers = [numComponents]driver{
	IBP: byIssue, ICP: byIssue, CCP: byIssue, RFP: byIssue, SchedP: byIssue, PipeP: byIssue,
	DCP: byL1, SHRDP: byShared, TCP: byTexture, TexP: byTexture,
	INTP: byInteger, IntMul24P: byInteger, IntMul32P: byInteger, IntMulP: byInteger, IntDivP: byInteger,
	FPUP: byFloat, FPMulP: byFloat, FPDivP: byFloat, DPUP: byDouble, DPMulP: byDouble, DPDivP: byDouble,
	FPSqrtP: bySpecial, FPLgP: bySpecial, FPSinP: bySpecial, FPExpP: bySpecial, TensorP: byMatrix,
	L2CP: byL2, NoCP: byL2, DRAMP: byDRAM, MCP: byTime, IdleCoreP: byTime, ConstP: byTime, StaticP: byTime,
}

// ofKind are the drivers of instructions beside byIssue.
var ofKind = [pipe.NumKinds]driver{
	pipe.FP32: byFloat, pipe.FP16: byFloat, pipe.FP64: byDouble, pipe.Convert64: byDouble,
	pipe.IntAdd: byInteger, pipe.IntShift: byInteger, pipe.IntMul: byInteger, pipe.IntMulWide: byInteger, pipe.Compare: byInteger,
	pipe.Move: byInteger, pipe.Convert: byInteger, pipe.Uniform: byInteger,
	pipe.Special: bySpecial, pipe.Matrix: byMatrix, pipe.Texture: byTexture,
	pipe.LoadShared: byShared, pipe.StoreShared: byShared, pipe.AtomicShared: byShared, pipe.LoadMatrix: byShared,
}

// events returns how often the drivers happened in an interval.
func events(i *sim.Interval) (of [numDrivers]float64) {
	of[byTime] = i.Cycles
	for k, n := range i.Issued {
		of[byIssue] += float64(n)
		if d := ofKind[k]; d != byTime {
			of[d] += float64(n)
		}
	}
	m := &i.Memory
	of[byL1] = float64(m.L1Reads + m.L1Writes)
	of[byL2] = float64(m.Reads + m.Writes + m.Atomics)
	of[byDRAM] = float64(m.DRAMReads + m.DRAMWrites)
	return of
}

// OverTime returns the power of a network's launches over time, one after the other, up
// to the first without a figure: when those behind it begin is unknown.
func (m *Model) OverTime(launches []Timed) (rows []*OverTimeRow) {
	if m.Concurrent {
		if runs, err := m.schedule(launches); err == nil && len(runs) > 0 {
			rows, _ = m.spans(runs)
		}
		return rows
	}
	us := 0.0
	pieces, err := m.alongTrace(launches)
	if m.Trace != nil && err == nil {
		for _, of := range pieces {
			for i := range of {
				rows = append(rows, of[i].overTime()...)
			}
		}
		return rows
	}
	for i := range launches {
		t, _, e, _, err := m.limited(&launches[i])
		if err != nil {
			return rows
		}
		rows = append(rows, m.overTime(t, e, us)...)
		us += t.Time.Us.X
	}
	return rows
}

// overTime returns the rows of a launch that begins at us.
func (m *Model) overTime(t *Timed, e *Estimate, us float64) (rows []*OverTimeRow) {
	l := t.Launch
	row := func(phase string, longUs float64, w *watts) {
		r := &OverTimeRow{Network: l.Network, Kernel: l.Demangled, Label: l.Label, Launch: l.Name(), GPU: m.Chip.Name, Phase: phase,
			BeginUs: number.Ratio(us), EndUs: number.Ratio(us + longUs), ClockMHz: number.Ratio(t.Time.ClockMHz), PowerW: number.Ratio(w.total())}
		of := w.byGroup()
		for g, to := range r.Values() {
			*to = number.Ratio(of[g])
		}
		us += longUs
		rows = append(rows, r)
	}
	if len(l.Intervals) == 0 {
		row("mean", t.Time.Us.X, &e.Watts)
		return rows
	}
	joules := e.Watts.times(e.Seconds)
	startUs := min(t.Time.LaunchUs.X, t.Time.Us.X)
	if startUs > 0 {
		var idle watts
		for c, d := range drivers {
			if d == byTime {
				idle[c] = e.Watts[c]
			}
		}
		row("start", startUs, &idle)
		for c, x := range idle.times(startUs / micro) {
			joules[c] -= x
		}
	}
	var all [numDrivers]float64
	for i := range l.Intervals {
		for d, n := range events(&l.Intervals[i]) {
			all[d] += n
		}
	}
	for i := range l.Intervals {
		in := &l.Intervals[i]
		of := events(in)
		longUs := (t.Time.Us.X - startUs) * in.Cycles / all[byTime]
		if longUs <= 0 {
			continue
		}
		var w watts
		for c, j := range joules {
			d := drivers[c]
			if all[d] == 0 { // charged for what the machine code does not have as such
				d = byIssue
			}
			w[c] = j * of[d] / all[d] / longUs * micro
		}
		row("interval", longUs, &w)
	}
	return rows
}

// OverTimeSummary says of each network where most power is drawn.
func OverTimeSummary(rows []*OverTimeRow) (lines []string) {
	for one := range table.Runs(rows, func(a, b *OverTimeRow) bool { return a.Network == b.Network && a.GPU == b.GPU }) {
		peak := slices.MaxFunc(one, func(a, b *OverTimeRow) int {
			if a.PowerW.X < b.PowerW.X {
				return -1
			}
			return 1
		})
		lines = append(lines, fmt.Sprintf("%s on %s draws most for %s at %.5g us: %.4g W, in launch %s (%s)",
			peak.Network, peak.GPU, quantity(peak.EndUs.X-peak.BeginUs.X, "s"), peak.BeginUs.X, peak.PowerW.X, peak.Launch, peak.Kernel))
	}
	return lines
}
