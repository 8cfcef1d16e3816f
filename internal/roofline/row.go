package roofline

import (
	"math"
	"strconv"

	"hyptx/analysis"
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
	// MeasuredUs is what a profiler or the user measured: on the reference, if
	// there is one, else on a GPU that nobody named. DeviationPct compares TimeUs
	// with it where there is one GPU only, and no reference.
	MeasuredUs   analysis.Real `csv:"measured_us" json:"measured_us"`
	DeviationPct analysis.Real `csv:"deviation_pct" json:"deviation_pct"`
	EUtil        analysis.Real `csv:"e_util" json:"e_util"` // TimeUs is the model's times that
	Missing      string        `csv:"missing" json:"missing"`
	Eligible     string        `csv:"eligible" json:"eligible"`
	Warnings     string        `csv:"warnings" json:"warnings"`

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

// yesNo is a flag as a cell.
func yesNo(b bool) string { return strconv.FormatBool(b) }
