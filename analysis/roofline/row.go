package roofline

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"hyptx/analysis"
	"hyptx/analysis/roofline/thesis"
)

// Row is a row of roofline.csv: a launch, or the total of a network, on one
// GPU. Times and operations are those of all repetitions. What is not known is
// empty, and Missing says what would be needed.
type Row struct {
	Network string `csv:"network" json:"network"`
	Kernel  string `csv:"kernel" json:"kernel"`
	Label   string `csv:"label" json:"label"`
	Launch  string `csv:"launch" json:"launch"`
	GPU     string `csv:"gpu" json:"gpu"`

	TimeModel string        `csv:"time_model" json:"time_model"`
	TimeUs    analysis.Real `csv:"time_us" json:"time_us"`
	Bound     string        `csv:"bound" json:"bound"`
	LaunchUs  analysis.Real `csv:"t_launch_us" json:"t_launch_us"`
	IssueUs   analysis.Real `csv:"t_issue_us" json:"t_issue_us"`
	MemUs     analysis.Real `csv:"t_mem_us" json:"t_mem_us"`
	LatencyUs analysis.Real `csv:"t_latency_us" json:"t_latency_us"`
	DRAMUs    analysis.Real `csv:"t_dram_us" json:"t_dram_us"`
	L2Us      analysis.Real `csv:"t_l2_us" json:"t_l2_us"`
	L1Us      analysis.Real `csv:"t_l1_us" json:"t_l1_us"`
	Missing   string        `csv:"missing" json:"missing"`
	Eligible  string        `csv:"eligible" json:"eligible"`
	Warnings  string        `csv:"warnings" json:"warnings"`

	Counts        string `csv:"counts" json:"counts"`
	TrafficSource string `csv:"traffic_source" json:"traffic_source"`
	RatesBasis    string `csv:"rates" json:"rates"`
	Exactness     string `csv:"exactness" json:"exactness"`
	AssumedInputs string `csv:"assumed_inputs" json:"assumed_inputs"`

	KType    string        `csv:"k_type" json:"k_type"`
	WComp    analysis.Int  `csv:"w_comp_ops" json:"w_comp_ops"`
	WTraf    analysis.Int  `csv:"w_traf_bytes" json:"w_traf_bytes"`
	EMixPct  analysis.Real `csv:"e_mix_pct" json:"e_mix_pct"`
	DOpsPct  analysis.Real `csv:"d_ops_pct" json:"d_ops_pct"`
	DLdStPct analysis.Real `csv:"d_ldst_pct" json:"d_ldst_pct"`
	DOther   analysis.Real `csv:"d_other_pct" json:"d_other_pct"`

	// Operations per byte of each level; DRAM's is O_krn.
	IntensityDRAM analysis.Real `csv:"intensity_dram" json:"intensity_dram"`
	IntensityL2   analysis.Real `csv:"intensity_l2" json:"intensity_l2"`
	IntensityL1   analysis.Real `csv:"intensity_l1" json:"intensity_l1"`

	WOp       analysis.Real `csv:"w_op" json:"w_op"`
	WLdSt     analysis.Real `csv:"w_ldst" json:"w_ldst"`
	WOther    analysis.Real `csv:"w_other" json:"w_other"`
	COp       analysis.Real `csv:"c_op" json:"c_op"`
	CLdSt     analysis.Real `csv:"c_ldst" json:"c_ldst"`
	COther    analysis.Real `csv:"c_other" json:"c_other"`
	EInstrPct analysis.Real `csv:"e_instr_pct" json:"e_instr_pct"`
	PeakGOPS  analysis.Real `csv:"t_op_gops" json:"t_op_gops"`
	MixGOPS   analysis.Real `csv:"t_op_mix_gops" json:"t_op_mix_gops"`
	Adjusted  analysis.Real `csv:"t_op_adjusted_gops" json:"t_op_adjusted_gops"`
	DRAMGBps  analysis.Real `csv:"b_mem_gb_per_s" json:"b_mem_gb_per_s"`
	// ODev is the adjusted operational intensity of the GPU.
	ODev         analysis.Real `csv:"o_dev" json:"o_dev"`
	DeviationRad analysis.Real `csv:"deviation_rad" json:"deviation_rad"`
	GOPS         analysis.Real `csv:"predicted_gops" json:"predicted_gops"`
	UsedGBps     analysis.Real `csv:"predicted_gb_per_s" json:"predicted_gb_per_s"`
	EUtil        analysis.Real `csv:"e_util" json:"e_util"`

	CTAsPerSM     analysis.Int  `csv:"ctas_per_sm" json:"ctas_per_sm"`
	WarpsPerSM    analysis.Int  `csv:"warps_per_sm" json:"warps_per_sm"`
	OccupancyPct  analysis.Real `csv:"occupancy_pct" json:"occupancy_pct"`
	Limiter       string        `csv:"occupancy_limiter" json:"occupancy_limiter"`
	Waves         analysis.Real `csv:"waves" json:"waves"`
	ChainCycles   analysis.Real `csv:"chain_cycles" json:"chain_cycles"`
	ChainWarp     string        `csv:"chain_warp" json:"chain_warp"`           // longest, or mean of a CTA's
	LoadsInFlight analysis.Real `csv:"loads_in_flight" json:"loads_in_flight"` // of a warp
	IssueLimit    string        `csv:"issue_limit" json:"issue_limit"`
	MemoryLimit   string        `csv:"memory_limit" json:"memory_limit"` // the longest of t_mem_us: DRAM, L2 or L1
	EffectiveGBps analysis.Real `csv:"effective_gb_per_s" json:"effective_gb_per_s"`
	IPCBound      analysis.Real `csv:"ipc_bound" json:"ipc_bound"`
	// What the caches give a clock in bytes, one SM's L1 and the whole L2, and
	// whether micro-benchmarks or data sheets say so.
	L1BytesPerClock analysis.Real `csv:"l1_bytes_per_clock" json:"l1_bytes_per_clock"`
	L2BytesPerClock analysis.Real `csv:"l2_bytes_per_clock" json:"l2_bytes_per_clock"`
	CacheRates      string        `csv:"cache_rates" json:"cache_rates"`
}

// Total is what stands for the launch in the row of a total.
const Total = "total"

// finite returns a known number unless it is none.
func finite(x float64) analysis.Real {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return analysis.Real{}
	}
	return analysis.Ratio(x)
}

// scaled returns a number in another unit.
func scaled(r analysis.Real, by float64) analysis.Real {
	if !r.Known {
		return r
	}
	return analysis.Ratio(r.X * by)
}

// tableColumns are what most people look at.
var tableColumns = []analysis.Column{
	{Heading: "launch"}, {Heading: "label", Text: true}, {Heading: "kernel", Text: true}, {Heading: "gpu", Text: true},
	{Heading: "time us"}, {Heading: "bound", Text: true}, {Heading: "launch us"}, {Heading: "issue us"}, {Heading: "mem us"}, {Heading: "latency us"},
	{Heading: "op/byte"}, {Heading: "o_dev"}, {Heading: "GOPS"}, {Heading: "occ %"}, {Heading: "limiter", Text: true}, {Heading: "eligible", Text: true},
}

// WriteTable writes the readable table: networks apart, below each what is
// missing for the times that are not there, and what the others rest on.
func WriteTable(w io.Writer, rows []*Row) error {
	for begin, end := 0, 0; begin < len(rows); begin = end {
		for end = begin; end < len(rows) && rows[end].Network == rows[begin].Network; {
			end++
		}
		if _, err := fmt.Fprintln(w, rows[begin].Network); err != nil {
			return err
		}
		if err := writeRows(w, withoutSingleTotals(rows[begin:end])); err != nil {
			return err
		}
	}
	return nil
}

// withoutSingleTotals leaves out totals of a single launch.
func withoutSingleTotals(rows []*Row) []*Row {
	var out []*Row
	for i, r := range rows {
		if r.Launch != Total || i >= 2 && rows[i-2].Launch != Total {
			out = append(out, r)
		}
	}
	return out
}

func writeRows(w io.Writer, rows []*Row) error {
	cells := make([][]string, len(rows))
	lacking := map[string]int{}
	var reasons []string
	for i, r := range rows {
		cells[i] = []string{r.Launch, r.Label, analysis.ShortKernel(r.Kernel), r.GPU, r.TimeUs.String(), r.boundText(), r.LaunchUs.String(), r.IssueUs.String(),
			r.MemUs.String(), r.LatencyUs.String(), r.IntensityDRAM.String(), r.ODev.String(), r.GOPS.String(), r.OccupancyPct.String(), r.Limiter, r.Eligible}
		if r.Missing != "" && r.Launch != Total {
			if lacking[r.Missing]++; lacking[r.Missing] == 1 {
				reasons = append(reasons, r.Missing)
			}
		}
	}
	if err := analysis.WriteColumns(w, tableColumns, cells, func(i int) bool { return rows[i].Launch == Total && i > 0 }); err != nil {
		return err
	}
	for _, reason := range reasons {
		if _, err := fmt.Fprintf(w, "no time (rows: %d): %s\n", lacking[reason], reason); err != nil {
			return err
		}
	}
	return writeBasis(w, rows)
}

// boundText names the cache of a launch that a cache limits.
func (r *Row) boundText() string {
	if r.cacheBound() {
		return r.Bound + " (" + r.MemoryLimit + ")"
	}
	return r.Bound
}

// cacheBound reports whether a cache, and not DRAM, limits the launch.
func (r *Row) cacheBound() bool {
	return r.Bound == string(thesis.Memory) && (r.MemoryLimit == "L1" || r.MemoryLimit == "L2")
}

// writeBasis says what the times rest on, and what was assumed.
func writeBasis(w io.Writer, rows []*Row) error {
	var models, counts, traffic, rates, assumed string
	for _, r := range rows {
		models, counts, traffic = joined(models, r.TimeModel), joined(counts, r.Counts), joined(traffic, r.TrafficSource)
		rates = joined(rates, r.RatesBasis)
		if assumed == "" {
			assumed = r.AssumedInputs
		}
	}
	_, err := fmt.Fprintf(w, "a model: time %s, counts %s, DRAM traffic %s, rates %s\n", models, counts, traffic, rates)
	if err == nil && assumed != "" {
		_, err = fmt.Fprintf(w, "assumed: %s\n", assumed)
	}
	return err
}

// yesNo is a flag as a cell.
func yesNo(b bool) string { return strconv.FormatBool(b) }
