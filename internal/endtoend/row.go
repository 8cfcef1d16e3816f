package endtoend

import "hyptx/internal/number"

// Row is a measured kernel as one variant of the power model and one time model have it.
// A kernel of several launches has the mean of their powers and times, as AccelWattch's
// figures are means.
type Row struct {
	Kernel  string `csv:"kernel" doc:"the measured kernel, by AccelWattch's name"`
	Program string `csv:"program" doc:"ours that stands in for it: program and kernel"`
	// Variant and TimeModel are of the prediction; the sheets' are beside it.
	Variant   string      `csv:"variant" doc:"whose energies are charged, and the model of the time"`
	TimeModel string      `csv:"time_model" doc:"^"`
	Launches  int         `csv:"launches" doc:"launches of it, whose mean the figures are"`
	MeasuredW number.Real `csv:"measured_w" doc:"measured power"`
	PowerW    number.Real `csv:"power_w" doc:"predicted power, in the predicted time"`
	ErrorPct  number.Real `csv:"error_pct" doc:"100 (predicted - measured) / measured"`
	TimedW    number.Real `csv:"power_timed_w" doc:"predicted power, in the measured time"`
	TimedPct  number.Real `csv:"power_timed_error_pct" doc:"100 (predicted - measured) / measured"`

	SASSSimW number.Real `csv:"accelwattch_sass_sim_w" doc:"AccelWattch's published power, by variant"`
	PTXSimW  number.Real `csv:"accelwattch_ptx_sim_w" doc:"^"`
	HWW      number.Real `csv:"accelwattch_hw_w" doc:"^"`
	HybridW  number.Real `csv:"accelwattch_hybrid_w" doc:"^"`

	MeasuredUs number.Real `csv:"measured_us" doc:"Nsight's cycles at 1447 MHz, without the launch"`
	TimeUs     number.Real `csv:"time_us" doc:"predicted time, without the launch's overhead"`
	LaunchUs   number.Real `csv:"launch_us" doc:"the launch's overhead"`

	MeasuredInstructions number.Real `csv:"measured_warp_instructions" doc:"machine instructions of warps, those of hardware and the estimate of ours"`
	Instructions         number.Real `csv:"est_warp_instructions" doc:"^"`
	MeasuredDRAM         number.Real `csv:"measured_dram_sectors" doc:"sectors of 32 bytes read from DRAM and written to it, by hardware and by ours"`
	DRAM                 number.Real `csv:"dram_sectors" doc:"^"`
	Missing              string      `csv:"missing" doc:"why there is no prediction"`
}
