package silicon

import (
	"hyptx/internal/gpu"
	"hyptx/internal/number"
	"hyptx/internal/roofline"
)

// Row is a measured row with what is predicted of it. A time that is not predicted
// has its reason in Missing, a power in PowerMissing. What was not measured is
// unknown, and predicted all the same.
type Row struct {
	Set      string      `csv:"set" doc:"what was measured, as the folder's tables have it: the set, the GPU and its clocks, the launch of a manifest; measured time = scale x time of that launch"`
	GPU      string      `csv:"gpu" doc:"^"`
	SMMHz    number.Real `csv:"sm_mhz" doc:"^"`
	MemMHz   number.Real `csv:"mem_mhz" doc:"^"`
	Manifest string      `csv:"manifest" doc:"^"`
	Launch   string      `csv:"launch" doc:"^"`
	Scale    float64     `csv:"scale" doc:"^"`
	Program  string      `csv:"program" doc:"^"`
	Kernel   string      `csv:"kernel" doc:"^"`

	Board     string      `csv:"board" doc:"the GPU of hyptx, or the GPU's file, that stands for it, and the clock of its SMs: the row's, else that at which it runs when nobody says otherwise"`
	ClockMHz  number.Real `csv:"clock_mhz" doc:"^"`
	TimeModel string      `csv:"time_model" doc:"the model of the predicted time"`

	MeasuredUs number.Real `csv:"measured_us" doc:"measured time"`
	TimeUs     number.Real `csv:"time_us" doc:"predicted time, scaled as the measured one is"`
	ErrorPct   number.Real `csv:"error_pct" doc:"100 (predicted - measured) / measured"`
	Term       string      `csv:"term" doc:"the term of the predicted time that leads: issue (and of which unit), DRAM, L2, L1, latency or launch"`
	roofline.Terms
	RooflineUs number.Real `csv:"plain_roofline_us" doc:"the plain roofline, for comparison: the longer of the PTX's floating-point operations at the data sheet's peak at this clock, and each byte once at the data sheet's bandwidth"`
	Missing    string      `csv:"missing" doc:"why there is no predicted time"`
	Exactness  string      `csv:"exactness" doc:"of the counts, as in profile.csv"`
	Warnings   string      `csv:"warnings" doc:"reasons not to trust the time"`

	MeasuredW    number.Real `csv:"measured_w" doc:"measured power"`
	PowerW       number.Real `csv:"power_w" doc:"predicted power, in the predicted time"`
	PowerPct     number.Real `csv:"power_error_pct" doc:"100 (predicted - measured) / measured"`
	TimedW       number.Real `csv:"power_timed_w" doc:"predicted power, in the measured time"`
	TimedPct     number.Real `csv:"power_timed_error_pct" doc:"100 (predicted - measured) / measured"`
	PowerMissing string      `csv:"power_missing" doc:"why a predicted power is not there"`

	number string // of its launch; "" for all of the manifest's
	// gpu is the board at the row's clocks, listens the one whose caches listen to
	// the emulation; nil where Missing says why.
	gpu, listens *gpu.GPU
}
