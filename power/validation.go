package power

import (
	"cmp"
	"fmt"
	"math"

	"hyptx/internal/number"
)

// What was published. For up to 26 kernels on each of three GPUs there are measured
// powers and the components that the authors' program gave; the counts behind them
// can be had for the variant hw on a GV100 only (volta_hw_activity.tsv). So most
// tables can be summed and compared but not run again; that one can, and is.

// kernelPower is a kernel of a published validation table: its modelled
// power by component and what was measured.
type kernelPower struct {
	Kernel    string
	Watts     watts
	TotalW    float64 // the sum of Watts
	MeasuredW float64
	// PublishedW is the total that stands in the published table.
	PublishedW float64
}

// published is a published validation table, recomputed from its components.
type published struct {
	File, Title string
	Kernels     []kernelPower
}

// publishedTable says how the totals of a table come from its components.
type publishedTable struct {
	// file is the sheet among the embedded tables, without "validation_" and ".tsv".
	file, title string
	// constant multiplies constant power (AccelWattch's Turing case).
	constant float64
	// from is the first column that the sheet sums; earlier ones are left out.
	from Component
}

// publishedTables are the sheets of AccelWattch_graphs.xlsx. The sheet of
// Turing, PTX SIM, sums from the column RFP on only. Pascal's are scaled already.
var publishedTables = []publishedTable{
	{"volta_sass_sim", "Volta SASS SIM", 1, IBP},
	{"volta_ptx_sim", "Volta PTX SIM", 1, IBP},
	{"volta_hw", "Volta HW", 1, IBP},
	{"volta_hybrid", "Volta HYBRID", 1, IBP},
	{"pascal_sass_sim", "Pascal SASS SIM", 1, IBP},
	{"pascal_ptx_sim", "Pascal PTX SIM", 1, IBP},
	{"turing_sass_sim", "Turing SASS SIM", turingConstSASS, IBP},
	{"turing_ptx_sim", "Turing PTX SIM", turingConstPTX, RFP},
}

// mendedTables are the sheet of Turing, PTX SIM, with all its columns, and
// with either factor on constant power that the sheets use.
var mendedTables = []publishedTable{
	{"turing_ptx_sim", "Turing PTX SIM, all columns, constant x 2.083", turingConstPTX, IBP},
	{"turing_ptx_sim", "Turing PTX SIM, all columns, constant x 1.708", turingConstSASS, IBP},
}

// unfittedTables are other chips with the GV100's coefficients as they are,
// without the factors that the sheets put on them.
var unfittedTables = []publishedTable{
	{"pascal_sass_sim_unscaled", "Pascal SASS SIM, no factors", 1, IBP},
	{"pascal_ptx_sim_unscaled", "Pascal PTX SIM, no factors", 1, IBP},
	{"turing_sass_sim", "Turing SASS SIM, no factors", 1, IBP},
	{"turing_ptx_sim", "Turing PTX SIM, no factors, all columns", 1, IBP},
}

// Published returns the sheets of AccelWattch's validation, and Volta's by the energies of
// GPUWattch.
func Published() (sheets []*published) {
	for i := range publishedTables {
		sheets = append(sheets, publishedTables[i].read())
	}
	return append(sheets, sheets[0].byGPUWattch(sassSim, "Volta GPUWattch, counts of SASS SIM"), sheets[1].byGPUWattch(PTXSim, "Volta GPUWattch, counts of PTX SIM"))
}

// Groups is the kernel's power by reporting group.
func (k *kernelPower) Groups() (g GroupPower) {
	of := k.Watts.byGroup()
	for i, to := range g.Values() {
		*to = number.Ratio(of[i])
	}
	return g
}

func (p *publishedTable) read() *published {
	t := readTable("validation_" + p.file + ".tsv")
	out := &published{File: p.file, Title: p.title}
	for row := range t.rows {
		k := kernelPower{Kernel: t.text(row, "kernel"), MeasuredW: t.number(row, "hw_measured_W"), PublishedW: t.number(row, "sim_total_W")}
		for name := range t.Column {
			if c, err := parseComponent(name); err == nil && c >= p.from {
				k.Watts[c] = t.number(row, name)
			}
		}
		k.Watts[ConstP] *= p.constant
		k.TotalW = k.Watts.total()
		out.Kernels = append(out.Kernels, k)
	}
	return out
}

// accuracy compares modelled with measured power over all kernels.
func (p *published) accuracy() Accuracy {
	modelled, measured := make([]float64, len(p.Kernels)), make([]float64, len(p.Kernels))
	for i, k := range p.Kernels {
		modelled[i], measured[i] = k.TotalW, k.MeasuredW
	}
	return compare(modelled, measured)
}

// measuredKernel is a kernel with the activities that hardware counters and traces
// gave, and its measured power.
type measuredKernel struct {
	Kernel   string
	Activity Activity
	Category string // of the table: a key of static.tsv with "static_" before it
	// RerunW is what an independent run of the released program gave.
	RerunW, MeasuredW float64
}

// gv100ClockMHz is the clock of the published tables (configuration SM7_QV100).
const gv100ClockMHz = 1447

// HWKernels returns the 25 kernels of the HW variant on a GV100.
func HWKernels() []measuredKernel {
	t := readTable("volta_hw_activity.tsv")
	out := make([]measuredKernel, len(t.rows))
	for row := range t.rows {
		k := measuredKernel{Kernel: t.text(row, "kernel"), Category: t.text(row, "static_category"), RerunW: t.number(row, "rerun_model_W"), MeasuredW: t.number(row, "measured_W")}
		k.Activity.Lanes = t.number(row, "lanes")
		k.Activity.nsight(t, row, gv100ClockMHz)
		out[row] = k
	}
	return out
}

// nsight fills what a table of counters has of a kernel: the columns that are
// counters under one of AccelWattch's two names for them. SCHED_INST joins integer
// and floating-point instructions, which cost the same. The program takes whole
// cycles.
func (a *Activity) nsight(t *embedded, row int, clockMHz float64) {
	for name := range t.Column {
		if c, err := parseCounter(cmp.Or(shortNames[name], name)); err == nil {
			a.Counts[c] = t.number(row, name)
		}
	}
	a.Duty, a.IdleSMs = t.number(row, "Pipeline_Duty"), t.number(row, "Num_Idle_SMs")
	a.Cycles, a.ClockMHz = math.RoundToEven(t.number(row, "Elapsed_Cycles")), clockMHz
}

// v100ClockMHz is the clock at which the third party's power measurements of
// the V100 were made, as its logs say (add_ubench_freq).
const v100ClockMHz = 1530

// v100Kernels returns the same kernels on a V100-SXM2: counters and power of
// that card; instructions and lanes, which follow from the program alone, are
// those of the GV100 (both are sm_70).
func v100Kernels() []measuredKernel {
	t := readTable("v100_sxm2.tsv")
	out := HWKernels()
	for i := range out {
		row := t.find(out[i].Kernel)
		out[i].Activity.nsight(t, row, v100ClockMHz)
		out[i].MeasuredW = t.number(row, "measured_W")
	}
	return out
}

// rerun estimates kernels with the HW energies and the released rules.
func rerun(kernels []measuredKernel) (modelled, measured []float64, err error) {
	chip := GV100(hw, Release)
	for _, k := range kernels {
		e, err := chip.Estimate(&k.Activity, Release, Reference)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", k.Kernel, err)
		}
		modelled, measured = append(modelled, e.TotalW()), append(measured, k.MeasuredW)
	}
	return modelled, measured, nil
}
