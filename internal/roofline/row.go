package roofline

import (
	"math"

	"hyptx/internal/number"
)

// Row is a row of roofline.csv: a launch, or the total of a network, on one
// GPU. Times and operations are those of all repetitions. What is not known is
// empty, and Missing says what would be needed. It is made of a launch, the
// kernel as the thesis describes it, and what the time model says ([Time]).
type Row struct {
	Network string `csv:"network" json:"network" doc:"which launch, where, by which model"`
	Kernel  string `csv:"kernel" json:"kernel" doc:"^"`
	Label   string `csv:"label" json:"label" doc:"^"`
	Launch  string `csv:"launch" json:"launch" doc:"^"`
	Kind    string `csv:"kind" json:"kind" doc:"what the row is of: 'launch', 'range' (of launches that --time has a single time of), or 'total' of a program"`
	GPU     string `csv:"gpu" json:"gpu" doc:"^"`

	TimeModel string      `csv:"time_model" json:"time_model" doc:"^"`
	TimeUs    number.Real `csv:"time_us" json:"time_us" doc:"predicted time of all repetitions"`
	ErrorPct  number.Real `csv:"time_error_pct" json:"time_error_pct" doc:"of a simulated time, in percent of time_us: by how much it may be off, in 95 of 100 launches, from what a simulation of the whole launch would say, because a part of it stands for the rest (0: all was simulated); how far the model is from hardware is not in it"`
	Bound     string      `csv:"bound" json:"bound" doc:"'Memory' or 'Compute' where that is taken for 60 % of the time, else 'Latency'; 'Launch' where that takes longer than all of these; of a total what most of its time goes to"`
	Terms
	// MeasuredUs is what a profiler or the user measured: on the reference, if
	// there is one, else on a GPU that nobody named. DeviationPct compares TimeUs
	// with it where there is one GPU only, and no reference.
	MeasuredUs   number.Real `csv:"measured_us" json:"measured_us" doc:"what a profiler (--counters) or the user (--time) measured, on the GPU of --measured or on one that nobody named"`
	DeviationPct number.Real `csv:"deviation_pct" json:"deviation_pct" doc:"(time_us - measured_us) / measured_us, where there is one GPU"`
	EUtil        number.Real `csv:"e_util" json:"e_util" doc:"measured/predicted time of the GPU of --measured (thesis 5.13): time_us is the model's times that, on all GPUs, so that ratios between them stay the model's; the terms t_* are not scaled"` // TimeUs is the model's times that
	Missing      string      `csv:"missing" json:"missing" doc:"why there is no time: what would have to be known"`
	Eligible     string      `csv:"eligible" json:"eligible" doc:"whether the thesis' filter takes it (64 threads a block, 90 blocks)"`
	Warnings     string      `csv:"warnings" json:"warnings" doc:"reasons not to trust the time"`

	Counts        string `csv:"counts" json:"counts" doc:"what was charged: 'machine', 'ptx' or 'measured'"`
	TrafficSource string `csv:"traffic_source" json:"traffic_source" doc:"where DRAM traffic comes from: 'model' (of caches), 'simulated', 'footprint', 'measured' or 'given'"`
	RatesBasis    string `csv:"rates" json:"rates" doc:"where the GPU's rates come from: 'measured', 'datasheet', 'datasheet, measured B_mem' (which were measured), or 'given' by a CSV file"`
	Exactness     string `csv:"exactness" json:"exactness" doc:"of the counts, the weaker of exactness and memory_exactness in profile.csv"`
	AssumedInputs string `csv:"assumed_inputs" json:"assumed_inputs" doc:"^"`

	KType string     `csv:"k_type" json:"k_type" doc:"the kernel's parameters (thesis, table 4.2): type, operations, bytes, mix of operations, densities of instructions"`
	WComp number.Int `csv:"w_comp_ops" json:"w_comp_ops" doc:"^"`
	WTraf number.Int `csv:"w_traf_bytes" json:"w_traf_bytes" doc:"^"`
	// TensorOps are operations of tensor cores, which the thesis' GPUs did not have and
	// its parameters leave out.
	TensorOps number.Int  `csv:"tensor_ops" json:"tensor_ops" doc:"operations of tensor cores, two a multiply-add: not in w_comp_ops, but in intensities and predicted_gops"`
	EMixPct   number.Real `csv:"e_mix_pct" json:"e_mix_pct" doc:"^"`
	DOpsPct   number.Real `csv:"d_ops_pct" json:"d_ops_pct" doc:"^"`
	DLdStPct  number.Real `csv:"d_ldst_pct" json:"d_ldst_pct" doc:"^"`
	DOther    number.Real `csv:"d_other_pct" json:"d_other_pct" doc:"^"`

	// Operations per byte of each level; DRAM's is O_krn.
	IntensityDRAM number.Real `csv:"intensity_dram" json:"intensity_dram" doc:"operations a byte of each level"`
	IntensityL2   number.Real `csv:"intensity_l2" json:"intensity_l2" doc:"^"`
	IntensityL1   number.Real `csv:"intensity_l1" json:"intensity_l1" doc:"^"`

	WOp       number.Real `csv:"w_op" json:"w_op" doc:"weights and costs of instructions, their efficiency, throughputs, and the GPU's adjusted intensity (thesis 4.9 to 4.17)"`
	WLdSt     number.Real `csv:"w_ldst" json:"w_ldst" doc:"^"`
	WOther    number.Real `csv:"w_other" json:"w_other" doc:"^"`
	COp       number.Real `csv:"c_op" json:"c_op" doc:"^"`
	CLdSt     number.Real `csv:"c_ldst" json:"c_ldst" doc:"^"`
	COther    number.Real `csv:"c_other" json:"c_other" doc:"^"`
	EInstrPct number.Real `csv:"e_instr_pct" json:"e_instr_pct" doc:"^"`
	PeakGOPS  number.Real `csv:"t_op_gops" json:"t_op_gops" doc:"^"`
	MixGOPS   number.Real `csv:"t_op_mix_gops" json:"t_op_mix_gops" doc:"^"`
	Adjusted  number.Real `csv:"t_op_adjusted_gops" json:"t_op_adjusted_gops" doc:"^"`
	DRAMGBps  number.Real `csv:"b_mem_gb_per_s" json:"b_mem_gb_per_s" doc:"^"`
	// ODev is the adjusted operational intensity of the GPU.
	ODev         number.Real `csv:"o_dev" json:"o_dev" doc:"^"`
	DeviationRad number.Real `csv:"deviation_rad" json:"deviation_rad" doc:"^"`
	GOPS         number.Real `csv:"predicted_gops" json:"predicted_gops" doc:"what the time implies"`
	UsedGBps     number.Real `csv:"predicted_gb_per_s" json:"predicted_gb_per_s" doc:"^"`

	Limits
	Simulation
}

// Total is what stands for the launch in the row of a total.
const Total = "total"

// finite returns a known number unless it is none.
func finite(x float64) number.Real {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return number.Real{}
	}
	return number.Ratio(x)
}
