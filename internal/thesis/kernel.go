package thesis

import (
	"context"
	"fmt"
	"strings"

	"hyptx/internal/number"
	"hyptx/internal/roofline"
	model "hyptx/internal/roofline/thesis"
)

// Where the parameters of a kernel come from.
const (
	fromCounters = "printed counters"
	emulated     = "emulated"
)

// KernelRow is a row of thesis_kernels.csv: a kernel as the model sees it.
type KernelRow struct {
	Kernel string `csv:"kernel" doc:"SOR, LMSOR or SGEMM"`
	Source string `csv:"source" doc:"of the parameters: nvprof's counters or parameters that the thesis prints, or our program, emulated"`
	Type   string `csv:"k_type" doc:"parameters of the kernel (thesis, tables 4.5, 4.10, 5.11, 6.4): type, operations, bytes of DRAM, mix, densities of operations, of loads and stores and of all else"`

	Ops      number.Real `csv:"w_comp_ops" doc:"^"`
	Bytes    number.Real `csv:"w_traf_bytes" doc:"^"`
	MixPct   number.Real `csv:"e_mix_pct" doc:"^"`
	OpsPct   number.Real `csv:"d_ops_pct" doc:"^"`
	LdStPct  number.Real `csv:"d_ldst_pct" doc:"^"`
	OtherPct number.Real `csv:"d_other_pct" doc:"^"`

	PrintedOps      number.Real `csv:"printed_w_comp_ops" doc:"the same as printed"`
	PrintedBytes    number.Real `csv:"printed_w_traf_bytes" doc:"^"`
	PrintedMixPct   number.Real `csv:"printed_e_mix_pct" doc:"^"`
	PrintedOpsPct   number.Real `csv:"printed_d_ops_pct" doc:"^"`
	PrintedLdStPct  number.Real `csv:"printed_d_ldst_pct" doc:"^"`
	PrintedOtherPct number.Real `csv:"printed_d_other_pct" doc:"^"`
}

// TimeRow is a row of thesis_times.csv: a kernel on a GPU.
type TimeRow struct {
	Kernel string `csv:"kernel" doc:"which kernel, by parameters from where (as in thesis_kernels.csv), on which GPU of the thesis"`
	Source string `csv:"source" doc:"^"`
	GPU    string `csv:"gpu" doc:"^"`

	Bound           string      `csv:"bound" doc:"what limits it by the model: Compute or Memory"`
	MS              number.Real `csv:"predicted_ms" doc:"time by the model; as the thesis prints it; as it measured it"`
	PrintedMS       number.Real `csv:"printed_ms" doc:"^"`
	MeasuredMS      number.Real `csv:"measured_ms" doc:"^"`
	ErrorPct        number.Real `csv:"error_pct" doc:"off the measured time (5.12), and as printed"`
	PrintedErrorPct number.Real `csv:"printed_error_pct" doc:"^"`
	// A unit that works all of the time is used to 10.
	DRAMUse  number.Real `csv:"dram_use" doc:"what part of the time the model gives DRAM, operations, loads and stores, and all else, in tenths; and nvprof's utilisation of DRAM and of the unit that is used most, if it printed them (tables 5.8, 5.13, 5.15)"`
	OpsUse   number.Real `csv:"ops_use" doc:"^"`
	LdStUse  number.Real `csv:"ldst_use" doc:"^"`
	OtherUse number.Real `csv:"other_use" doc:"^"`
	NvDRAM   number.Real `csv:"nvprof_dram" doc:"^"`
	NvUnit   string      `csv:"nvprof_top" doc:"^"`
	NvTop    number.Real `csv:"nvprof_top_use" doc:"^"`
}

// A kernel of the thesis, and what it prints of it.
type kernel struct {
	name, printed, times, top string
}

var kernels = []kernel{
	{"SOR", "redblack_sor_8192", "redblack_times.tsv", "redblack_sor"},
	{"LMSOR", "lmsor_3842", "lmsor_times.tsv", "lmsor"},
	{"SGEMM", "sgemm_1280x640x640_b32", "sgemm_times.tsv", "sgemm"},
}

// ofProgram is the kernel that a program is ours of.
var ofProgram = map[string]string{"sor": "SOR", "lmsor": "LMSOR", "matmul": "SGEMM"}

// paramRow is a row of the tables of kernel parameters.
type paramRow struct {
	Kernel    string  `csv:"kernel"`
	Table     string  `csv:"source_table"`
	Type      string  `csv:"K_type"`
	Ops       float64 `csv:"W_comp_ops"`
	Bytes     float64 `csv:"W_traf_bytes"`
	Mix       float64 `csv:"E_mix_pct"`
	OpsPct    float64 `csv:"D_ops_pct"`
	LdStPct   float64 `csv:"D_ldst_pct"`
	OtherPct  float64 `csv:"D_other_pct"`
	Intensity float64 `csv:"O_krn"`
}

// metricRow is a row of tables 4.4, 4.9 and 5.10.
type metricRow struct {
	Kernel      string  `csv:"kernel"`
	Invocations float64 `csv:"invocations"`
	FMA32       float64 `csv:"M_fma32"`
	FMA64       float64 `csv:"M_fma64"`
	LdSt        float64 `csv:"M_ldst"`
	Inst        float64 `csv:"M_inst"`
	FP32        float64 `csv:"M_fp32"`
	FP64        float64 `csv:"M_fp64"`
	Int         float64 `csv:"M_int"`
	Reads       float64 `csv:"M_tran_r"`
	Writes      float64 `csv:"M_tran_w"`
}

func (m metricRow) metrics() model.Metrics {
	n := m.Invocations
	return model.Metrics{FMA32: n * m.FMA32, FMA64: n * m.FMA64, FP32: n * m.FP32, FP64: n * m.FP64, Integer: n * m.Int, LdSt: n * m.LdSt,
		WarpInstructions: n * m.Inst, DRAMReads: n * m.Reads, DRAMWrite: n * m.Writes}
}

// runCounters applies the model to what is printed of the kernels.
func runCounters(_ context.Context, r *Result, _ Lab) error {
	metrics, err := printed[metricRow]("metrics.tsv")
	if err != nil {
		return err
	}
	for _, m := range metrics {
		k, err := m.metrics().Kernel(model.Any)
		if err != nil {
			return err
		}
		if err := r.add(named(m.Kernel), fromCounters, k); err != nil {
			return err
		}
	}
	return nil
}

// named finds a kernel by its name in the printed tables.
func named(printed string) kernel {
	for _, k := range kernels {
		if k.printed == printed {
			return k
		}
	}
	return kernel{name: printed, printed: printed}
}

// runPrograms applies the model to our versions of the kernels.
func runPrograms(ctx context.Context, r *Result, lab Lab) error {
	devices, err := roofline.Devices([]string{reference})
	if err != nil {
		return err
	}
	for _, program := range lab.Programs {
		launches, err := lab.emulate(ctx, program, devices[0], roofline.Thesis)
		if err != nil {
			return err
		}
		m, bytes := model.Metrics{}, 0.0
		for _, l := range launches {
			m, bytes = m.Plus(l.Metrics), bytes+l.Traffic.DRAM().X
		}
		k, err := m.Kernel(model.Any)
		if err != nil {
			return fmt.Errorf("%s: %w", program, err)
		}
		k.TrafficBytes = bytes
		base, small := strings.CutSuffix(program, "-small")
		of := kernel{name: program}
		for _, k := range kernels {
			if k.name == ofProgram[base] && !small {
				of = k
			}
		}
		if err := r.add(of, emulated, k); err != nil {
			return err
		}
	}
	return nil
}

// add adds the rows of a kernel: its parameters, and its times on all GPUs.
func (r *Result) add(of kernel, source string, k model.Kernel) error {
	row := &KernelRow{Kernel: of.name, Source: source, Type: string(k.Type), Ops: number.Ratio(k.Ops), Bytes: number.Ratio(k.TrafficBytes),
		MixPct: number.Ratio(100 * k.MixEfficiency), OpsPct: number.Ratio(100 * k.OpsDensity), LdStPct: number.Ratio(100 * k.LdStDensity),
		OtherPct: number.Ratio(100 * k.OtherDensity)}
	params, err := printed[paramRow]("kernels.tsv")
	if err != nil {
		return err
	}
	for _, p := range params {
		if p.Kernel == of.printed {
			row.PrintedOps, row.PrintedBytes, row.PrintedMixPct = number.Ratio(p.Ops), number.Ratio(p.Bytes), number.Ratio(p.Mix)
			row.PrintedOpsPct, row.PrintedLdStPct, row.PrintedOtherPct = number.Ratio(p.OpsPct), number.Ratio(p.LdStPct), number.Ratio(p.OtherPct)
		}
	}
	r.Kernels = append(r.Kernels, row)
	rates, err := printed[rateRow]("rates.tsv")
	if err != nil {
		return err
	}
	for _, g := range rates {
		t, err := timeOf(of, source, k, g)
		if err != nil {
			return err
		}
		r.Times = append(r.Times, t)
	}
	return nil
}

// printedTime is a row of the tables of times.
type printedTime struct {
	GPU      string  `csv:"gpu"`
	MS       float64 `csv:"predicted_ms"`
	Measured float64 `csv:"measured_ms"`
	ErrorPct float64 `csv:"error_pct"`
	Again    string  `csv:"recomputed_error_pct"`
	AgainMS  string  `csv:"recomputed_predicted_ms"`
	Bound    string  `csv:"recomputed_bound"`
}

// topRow is a row of tables 5.8, 5.13 and 5.15.
type topRow struct {
	Kernel string  `csv:"kernel"`
	Table  string  `csv:"source_table"`
	GPU    string  `csv:"gpu"`
	Rank   int     `csv:"rank"`
	Metric string  `csv:"metric"`
	Value  float64 `csv:"value"`
}

// timeOf predicts a kernel on a GPU.
func timeOf(of kernel, source string, k model.Kernel, g rateRow) (*TimeRow, error) {
	p, err := model.Predict(k, g.rates(), model.MAD)
	if err != nil {
		return nil, err
	}
	t := &TimeRow{Kernel: of.name, Source: source, GPU: g.GPU, Bound: string(p.Bound), MS: number.Ratio(1e3 * p.Seconds)}
	share := func(seconds float64) number.Real { return number.Ratio(10 * seconds / p.Seconds) }
	cost := p.OpCost + p.LdStCost + p.OtherCost
	t.DRAMUse, t.OpsUse = share(p.MemorySeconds), share(p.IssueSeconds*p.OpCost/cost)
	t.LdStUse, t.OtherUse = share(p.IssueSeconds*p.LdStCost/cost), share(p.IssueSeconds*p.OtherCost/cost)
	if of.times == "" {
		return t, nil
	}
	times, err := printed[printedTime](of.times)
	if err != nil {
		return nil, err
	}
	for _, x := range times {
		if x.GPU == g.GPU {
			t.PrintedMS, t.MeasuredMS, t.PrintedErrorPct = number.Ratio(x.MS), number.Ratio(x.Measured), number.Ratio(x.ErrorPct)
			t.ErrorPct = number.Ratio(model.ErrorPct(1e3*p.Seconds, x.Measured))
		}
	}
	tops, err := printed[topRow]("top_utilization.tsv")
	if err != nil {
		return nil, err
	}
	for _, x := range tops {
		if x.Kernel != of.top || x.GPU != g.GPU {
			continue
		}
		if x.Rank == 1 {
			t.NvUnit, t.NvTop = x.Metric, number.Ratio(x.Value)
		}
		if x.Metric == "dram" {
			t.NvDRAM = number.Ratio(x.Value)
		}
	}
	return t, nil
}
