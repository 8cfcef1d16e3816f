package roofline

import (
	"slices"
	"strings"

	"hyptx/internal/nsight"
	"hyptx/internal/roofline/thesis"
)

// ncuMetric says what a metric of Nsight Compute is.
type ncuMetric struct {
	name  string // in metrics
	unit  nsight.Unit
	scale float64 // from that unit to the unit of metrics
}

// ncuMetrics are Nsight Compute's metrics by its names.
var ncuMetrics = map[string]ncuMetric{
	"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum":    {"flop_count_sp_fma", nsight.Inst, 1},
	"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum":    {"flop_count_dp_fma", nsight.Inst, 1},
	"smsp__sass_thread_inst_executed_op_memory_pred_on.sum":  {"inst_compute_ld_st", nsight.Inst, 1},
	"smsp__inst_executed.sum":                                {"inst_executed", nsight.Inst, 1},
	"sm__inst_executed.sum":                                  {"inst_executed", nsight.Inst, 1},
	"smsp__sass_thread_inst_executed_op_fp32_pred_on.sum":    {"inst_fp_32", nsight.Inst, 1},
	"smsp__sass_thread_inst_executed_op_fp64_pred_on.sum":    {"inst_fp_64", nsight.Inst, 1},
	"smsp__sass_thread_inst_executed_op_integer_pred_on.sum": {"inst_integer", nsight.Inst, 1},
	"dram__sectors_read.sum":                                 {"dram_read_transactions", nsight.Sector, 1},
	"dram__sectors_write.sum":                                {"dram_write_transactions", nsight.Sector, 1},
	"dram__bytes_read.sum":                                   {"dram_read_transactions", nsight.Byte, 1. / thesis.SectorBytes},
	"dram__bytes_write.sum":                                  {"dram_write_transactions", nsight.Byte, 1. / thesis.SectorBytes},
	"lts__t_sectors_op_read.sum":                             {"l2_read_transactions", nsight.Sector, 1},
	"lts__t_sectors_op_write.sum":                            {"l2_write_transactions", nsight.Sector, 1},
	"gpu__time_duration.sum":                                 {"duration", nsight.Second, 1},
}

// ncuWanted are they for the reader.
func ncuWanted() nsight.Wanted {
	w := nsight.Wanted{Units: map[string]nsight.Unit{}}
	var names []string
	for given, m := range ncuMetrics {
		w.Units[given] = m.unit
		if slices.Contains(needed, m.name) {
			names = append(names, given)
		}
	}
	slices.Sort(names)
	w.Hint = "needed are " + strings.Join(names, ", ")
	return w
}

// ncuNames are Nsight Compute's names of one of metrics, any of which will do.
func ncuNames(metric string) string {
	var names []string
	for given, m := range ncuMetrics {
		if m.name == metric {
			names = append(names, given)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " or ")
}
