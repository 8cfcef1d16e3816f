package beside

import (
	"hyptx/analysis"
	"hyptx/internal/nsight"
	"hyptx/internal/number"
)

// What ours rests on.
const (
	fromPTX     = "PTX"
	fromMachine = "machine code, estimated"
	fromCaches  = "cache model"
	notInPTX    = "PTX cannot know it"
)

// sectorBytes is what a profiler calls a sector of L2 and DRAM.
const sectorBytes = 32

// metric is one of a profiler's, by its names, and the sum of our counters that is
// the same.
type metric struct {
	names []string
	unit  nsight.Unit // in Nsight Compute's files; nvprof's have none
	basis string
	sum   []analysis.Counter
	// times is in ours, 0 for 1.
	times float64
	why   string // of what PTX cannot know
}

func of(basis string, unit nsight.Unit, sum analysis.Counter, names ...string) metric {
	return metric{names: names, unit: unit, basis: basis, sum: []analysis.Counter{sum}}
}

func never(why string, names ...string) metric {
	return metric{names: names, unit: nsight.Any, basis: notInPTX, why: why}
}

// metrics are those that are put beside ours.
var metrics = []metric{
	of(fromMachine, nsight.Inst, analysis.EstWarpInstructions, "smsp__inst_executed.sum", "sm__inst_executed.sum", "inst_executed"),
	of(fromMachine, nsight.Inst, analysis.EstInstFP32, "smsp__sass_thread_inst_executed_op_fp32_pred_on.sum", "inst_fp_32"),
	of(fromMachine, nsight.Inst, analysis.EstInstFP64, "smsp__sass_thread_inst_executed_op_fp64_pred_on.sum", "inst_fp_64"),
	of(fromMachine, nsight.Inst, analysis.EstInstFP16, "smsp__sass_thread_inst_executed_op_fp16_pred_on.sum", "inst_fp_16"),
	of(fromMachine, nsight.Inst, analysis.EstInstInteger, "smsp__sass_thread_inst_executed_op_integer_pred_on.sum", "inst_integer"),
	of(fromMachine, nsight.Inst, analysis.EstInstControl, "smsp__sass_thread_inst_executed_op_control_pred_on.sum", "inst_control"),
	of(fromMachine, nsight.Inst, analysis.EstInstBitConvert, "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum", "inst_bit_convert"),
	of(fromMachine, nsight.Inst, analysis.EstInstLdSt, "smsp__sass_thread_inst_executed_op_memory_pred_on.sum", "inst_compute_ld_st"),
	of(fromPTX, nsight.Inst, analysis.FlopSPFma, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "flop_count_sp_fma"),
	of(fromPTX, nsight.Inst, analysis.FlopSPAdd, "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "flop_count_sp_add"),
	of(fromPTX, nsight.Inst, analysis.FlopSPMul, "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "flop_count_sp_mul"),
	of(fromPTX, nsight.Inst, analysis.FlopDPFma, "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "flop_count_dp_fma"),
	of(fromPTX, nsight.Inst, analysis.FlopDPAdd, "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", "flop_count_dp_add"),
	of(fromPTX, nsight.Inst, analysis.FlopDPMul, "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", "flop_count_dp_mul"),
	of(fromPTX, nsight.Request, analysis.GlobalLoadRequests, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"),
	of(fromPTX, nsight.Request, analysis.GlobalStoreRequests, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"),
	of(fromPTX, nsight.Sector, analysis.GlobalLoadSectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
	of(fromPTX, nsight.Sector, analysis.GlobalStoreSectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "gst_transactions"),
	of(fromPTX, nsight.Sector, analysis.LocalLoadSectors, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "local_load_transactions"),
	of(fromPTX, nsight.Sector, analysis.LocalStoreSectors, "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "local_store_transactions"),
	of(fromPTX, nsight.Any, analysis.SharedLoadPasses, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "shared_load_transactions"),
	of(fromPTX, nsight.Any, analysis.SharedStorePasses, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "shared_store_transactions"),
	of(fromCaches, nsight.Sector, analysis.L2ReadSectors, "lts__t_sectors_op_read.sum", "l2_read_transactions"),
	of(fromCaches, nsight.Sector, analysis.L2WriteSectors, "lts__t_sectors_op_write.sum", "l2_write_transactions"),
	{names: []string{"dram__sectors_read.sum", "dram_read_transactions"}, unit: nsight.Sector, basis: fromCaches, sum: []analysis.Counter{analysis.DRAMReadBytes}, times: 1. / sectorBytes},
	{names: []string{"dram__sectors_write.sum", "dram_write_transactions"}, unit: nsight.Sector, basis: fromCaches, sum: []analysis.Counter{analysis.DRAMWriteBytes}, times: 1. / sectorBytes},
	of(fromCaches, nsight.Byte, analysis.DRAMReadBytes, "dram__bytes_read.sum"),
	of(fromCaches, nsight.Byte, analysis.DRAMWriteBytes, "dram__bytes_write.sum"),
	{names: []string{"dram__bytes.sum"}, unit: nsight.Byte, basis: fromCaches, sum: []analysis.Counter{analysis.DRAMReadBytes, analysis.DRAMWriteBytes}},

	never("how long a launch takes: hyptx roofline predicts it", "gpu__time_duration.sum", "gpc__cycles_elapsed.max", "sm__cycles_elapsed.max", "sm__cycles_active.avg",
		"smsp__cycles_active.avg.pct_of_peak_sustained_elapsed"),
	never("how busy units are in that time", "sm__throughput.avg.pct_of_peak_sustained_elapsed", "smsp__issue_active.avg.pct_of_peak_sustained_active",
		"smsp__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", "dram__throughput.avg.pct_of_peak_sustained_elapsed", "lts__t_sectors.avg.pct_of_peak_sustained_elapsed", "ipc", "issued_ipc", "executed_ipc"),
	never("how many warps are resident in that time", "sm__warps_active.avg.pct_of_peak_sustained_active", "achieved_occupancy", "eligible_warps_per_cycle"),
	never("which instructions wait, and for what", "issue_slots", "inst_issued", "smsp__inst_issued.sum", "inst_replay_overhead"),
}

// ours returns what we counted; unknown where it was not, or cannot be.
func (m *metric) ours(f *analysis.Facts) number.Real {
	if m.basis == notInPTX {
		return number.Real{}
	}
	x := 0.0
	for _, c := range m.sum {
		if !f.Of(c).Known {
			return number.Real{}
		}
		x += f.X(c)
	}
	if m.times != 0 {
		x *= m.times
	}
	return number.Ratio(x)
}
