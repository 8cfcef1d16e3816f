package power

import (
	"fmt"
	"math"
)

// PublishedKernel is a kernel of a published validation table: its modelled
// power by component and what was measured.
type PublishedKernel struct {
	Kernel    string
	Watts     Watts
	TotalW    float64 // the sum of Watts
	MeasuredW float64
	// PublishedW is the total that stands in the published table.
	PublishedW float64
}

// published is a published validation table, recomputed from its components.
type published struct {
	Name    string
	Title   string
	Kernels []PublishedKernel
}

// publishedTable says how the totals of a table come from its components.
type publishedTable struct {
	name, title, file string
	// constant multiplies constant power (AccelWattch's Turing case).
	constant float64
	// from is the first column that the sheet sums; earlier ones are left out.
	from Component
}

// publishedTables are the sheets of AccelWattch_graphs.xlsx. The sheet of
// Turing, PTX SIM, sums from the column RFP on only. Pascal's are scaled already.
var publishedTables = []publishedTable{
	{"volta_sass_sim", "Volta SASS SIM", "validation_volta_sass_sim.tsv", 1, IBP},
	{"volta_ptx_sim", "Volta PTX SIM", "validation_volta_ptx_sim.tsv", 1, IBP},
	{"volta_hw", "Volta HW", "validation_volta_hw.tsv", 1, IBP},
	{"volta_hybrid", "Volta HYBRID", "validation_volta_hybrid.tsv", 1, IBP},
	{"pascal_sass_sim", "Pascal SASS SIM", "validation_pascal_sass_sim.tsv", 1, IBP},
	{"pascal_ptx_sim", "Pascal PTX SIM", "validation_pascal_ptx_sim.tsv", 1, IBP},
	{"turing_sass_sim", "Turing SASS SIM", "validation_turing_sass_sim.tsv", turingConstSASS, IBP},
	{"turing_ptx_sim", "Turing PTX SIM", "validation_turing_ptx_sim.tsv", turingConstPTX, RFP},
}

// mendedTables are the sheet of Turing, PTX SIM, with all its columns, and
// with either factor on constant power that the sheets use.
var mendedTables = []publishedTable{
	{"turing_ptx_sim", "Turing PTX SIM, all columns, constant x 2.083", "validation_turing_ptx_sim.tsv", turingConstPTX, IBP},
	{"turing_ptx_sim", "Turing PTX SIM, all columns, constant x 1.708", "validation_turing_ptx_sim.tsv", turingConstSASS, IBP},
}

// unfittedTables are other chips with the GV100's coefficients as they are,
// without the factors that the sheets put on them.
var unfittedTables = []publishedTable{
	{"pascal_sass_sim", "Pascal SASS SIM, no factors", "validation_pascal_sass_sim_unscaled.tsv", 1, IBP},
	{"pascal_ptx_sim", "Pascal PTX SIM, no factors", "validation_pascal_ptx_sim_unscaled.tsv", 1, IBP},
	{"turing_sass_sim", "Turing SASS SIM, no factors", "validation_turing_sass_sim.tsv", 1, IBP},
	{"turing_ptx_sim", "Turing PTX SIM, no factors, all columns", "validation_turing_ptx_sim.tsv", 1, IBP},
}

// PublishedTables returns the eight tables behind the paper's headline figures.
func PublishedTables() []*published { return readPublished(publishedTables) }

func readPublished(tables []publishedTable) []*published {
	out := make([]*published, len(tables))
	for i, p := range tables {
		out[i] = p.read()
	}
	return out
}

func (p *publishedTable) read() *published {
	t := readTable(p.file)
	out := &published{Name: p.name, Title: p.title}
	for row := range t.rows {
		k := PublishedKernel{Kernel: t.text(row, "kernel"), MeasuredW: t.number(row, "hw_measured_W"), PublishedW: t.number(row, "sim_total_W")}
		for name := range t.column {
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

// HWKernel is a kernel with the activities that hardware counters and traces
// gave, and its measured power.
type HWKernel struct {
	Kernel   string
	Activity Activity
	Category string // of the table: a key of static.tsv with "static_" before it
	// RerunW is what an independent run of the released program gave.
	RerunW, MeasuredW float64
}

// gv100ClockMHz is the clock of the published tables (configuration SM7_QV100).
const gv100ClockMHz = 1447

// hwInstructions are the columns of the activity table that count instructions. SCHED_INST
// joins integer and floating-point instructions, which cost the same.
var hwInstructions = map[string]Counter{
	"TOT_INST": TotInst, "SCHED_INST": IntInst, "INT": Int, "IMUL": IntMul, "FP": FP, "FPMUL": FPMul, "DP": DP, "DPMUL": DPMul,
	"SQRT": Sqrt, "LG": Log, "SIN": Sin, "EXP": Exp, "TENSOR": Tensor, "TEX": Tex,
}

// hwMemory are the columns that Nsight counters give.
var hwMemory = map[string]Counter{
	"L1_RH": L1ReadHit, "L1_RM": L1ReadMiss, "L1_WH": L1WriteHit, "L1_WM": L1WriteMiss, "CC_ACC": ConstHit, "SHRD_ACC": SharedPass,
	"DRAM_Rd": DRAMRead, "DRAM_Wr": DRAMWrite, "L2_RH": L2ReadHit, "L2_RM": L2ReadMiss, "L2_WH": L2WriteHit, "L2_WM": L2WriteMiss, "NOC": Flit,
}

// HWKernels returns the 25 kernels of the HW variant on a GV100.
func HWKernels() []HWKernel {
	t := readTable("volta_hw_activity.tsv")
	out := make([]HWKernel, len(t.rows))
	for row := range t.rows {
		k := HWKernel{Kernel: t.text(row, "kernel"), Category: t.text(row, "static_category"), RerunW: t.number(row, "rerun_model_W"), MeasuredW: t.number(row, "measured_W")}
		for name, c := range hwInstructions {
			k.Activity.Counts[c] = t.number(row, name)
		}
		k.Activity.Lanes = t.number(row, "lanes")
		k.Activity.nsight(t, row, gv100ClockMHz)
		out[row] = k
	}
	return out
}

// nsight fills what Nsight counters say. The program takes whole cycles.
func (a *Activity) nsight(t *table, row int, clockMHz float64) {
	for name, c := range hwMemory {
		a.Counts[c] = t.number(row, name)
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
func v100Kernels() []HWKernel {
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
func rerun(kernels []HWKernel) (modelled, measured []float64, err error) {
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
