package power

// metric is what one column of a counter file adds to an activity.
type metric struct {
	counter Counter
	weight  float64
	unit    string // of Nsight Compute's raw page; "" if the file is not its
}

// nsightMetrics are the Nsight Compute metrics of the HW variant
// (accel-sim-framework, gen_hw_perf_csv.py) that are events.
var nsightMetrics = map[string]metric{
	"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum":  {L1ReadHit, 1, "sector"},
	"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum": {L1ReadMiss, 1, "sector"},
	"l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum":  {L1WriteHit, 1, "sector"},
	"l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_miss.sum": {L1WriteMiss, 1, "sector"},
	"idc__requests.sum":                                   {ConstHit, 1, "request"},
	"sm__sass_inst_executed_op_shared_ld.sum":             {SharedPass, 1, "inst"},
	"sm__sass_inst_executed_op_shared_st.sum":             {SharedPass, 1, "inst"},
	"dram__sectors_read.sum":                              {DRAMRead, 1, "sector"},
	"dram__sectors_write.sum":                             {DRAMWrite, 1, "sector"},
	"lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum":   {L2ReadHit, 1, "sector"},
	"lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum":  {L2ReadMiss, 1, "sector"},
	"lts__t_sectors_srcunit_tex_op_write_lookup_hit.sum":  {L2WriteHit, 1, "sector"},
	"lts__t_sectors_srcunit_tex_op_write_lookup_miss.sum": {L2WriteMiss, 1, "sector"},
	"lts__t_sectors_srcunit_tex_op_read.sum":              {Flit, 2, "sector"},
	"lts__t_sectors_srcunit_tex_op_write.sum":             {Flit, 2, "sector"},
}

// nsightPipes are the pipes whose active cycles, over all cycles and their
// number, make the duty cycle.
var nsightPipes = []string{"sm__pipe_alu_cycles_active.sum", "sm__pipe_fma_cycles_active.sum", "sm__pipe_fp64_cycles_active.sum", "sm__pipe_shared_cycles_active.sum", "sm__pipe_tensor_cycles_active.sum"}

// The other metrics: elapsed cycles summed over SMs, and how active they are.
const (
	nsightCycles = "sm__cycles_elapsed.sum"
	nsightActive = "smsp__cycles_active.avg.pct_of_peak_sustained_elapsed"
)

// chipVoltage is a column of AccelWattch's hw_perf.csv: the voltage over the
// reference. Here it is a setting of the whole run, so that it must be 1.
const chipVoltage = "Chip Voltage"

// shortNames are the columns of AccelWattch's hw_perf.csv and of its activity
// tables by our names.
var shortNames = map[string]string{
	"L1_RH": "DC_RH", "L1_RM": "DC_RM", "L1_WH": "DC_WH", "L1_WM": "DC_WM", "CC_ACC": "CC_H", "SHRD_ACC": "SHRD", "DRAM_Rd": "MEM_RD", "DRAM_Wr": "MEM_WR",
	"SCHED_INST": "INT_INST", "Pipeline_Duty": "duty", "Num_Idle_SMs": "idle_sms", "Elapsed_Cycles": "cycles",
}
