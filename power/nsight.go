package power

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"hyptx/internal/nsight"
)

// metric is what one of Nsight Compute's metrics adds to an activity.
type metric struct {
	counter Counter
	weight  float64
	unit    nsight.Unit
}

// nsightMetrics are the Nsight Compute metrics of the HW variant
// (accel-sim-framework, gen_hw_perf_csv.py) that are events.
var nsightMetrics = map[string]metric{
	"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum":  {L1ReadHit, 1, nsight.Sector},
	"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum": {L1ReadMiss, 1, nsight.Sector},
	"l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum":  {L1WriteHit, 1, nsight.Sector},
	"l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_miss.sum": {L1WriteMiss, 1, nsight.Sector},
	"idc__requests.sum":                                   {ConstHit, 1, nsight.Request},
	"sm__sass_inst_executed_op_shared_ld.sum":             {SharedPass, 1, nsight.Inst},
	"sm__sass_inst_executed_op_shared_st.sum":             {SharedPass, 1, nsight.Inst},
	"dram__sectors_read.sum":                              {DRAMRead, 1, nsight.Sector},
	"dram__sectors_write.sum":                             {DRAMWrite, 1, nsight.Sector},
	"lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum":   {L2ReadHit, 1, nsight.Sector},
	"lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum":  {L2ReadMiss, 1, nsight.Sector},
	"lts__t_sectors_srcunit_tex_op_write_lookup_hit.sum":  {L2WriteHit, 1, nsight.Sector},
	"lts__t_sectors_srcunit_tex_op_write_lookup_miss.sum": {L2WriteMiss, 1, nsight.Sector},
	"lts__t_sectors_srcunit_tex_op_read.sum":              {Flit, 2, nsight.Sector},
	"lts__t_sectors_srcunit_tex_op_write.sum":             {Flit, 2, nsight.Sector},
}

// nsightPipes are the pipes whose active cycles, over all cycles and their
// number, make the duty cycle.
var nsightPipes = []string{"sm__pipe_alu_cycles_active.sum", "sm__pipe_fma_cycles_active.sum", "sm__pipe_fp64_cycles_active.sum", "sm__pipe_shared_cycles_active.sum", "sm__pipe_tensor_cycles_active.sum"}

// The other metrics: elapsed cycles summed over SMs, how active they are, and
// their clock.
const (
	nsightCycles = "sm__cycles_elapsed.sum"
	nsightActive = "smsp__cycles_active.avg.pct_of_peak_sustained_elapsed"
	nsightClock  = "sm__cycles_elapsed.avg.per_second"
)

// nsightStates are the metrics that stand for columns that are no counters.
// Lanes have none: AccelWattch takes them from traces of the machine code.
var nsightStates = map[string]string{
	"cycles": nsightCycles, "clock_mhz": nsightClock, "idle_sms": nsightActive, "duty": strings.Join(nsightPipes, ", ") + ", " + nsightCycles,
}

// nsightInstead are metrics from which others follow, where only they were
// collected: bytes of DRAM, which is read and written in bursts of 32.
var nsightInstead = map[string]string{
	"dram__bytes_read.sum": "dram__sectors_read.sum", "dram__bytes_write.sum": "dram__sectors_write.sum",
}

// nsightUnits are the units of all these metrics.
var nsightUnits = func() map[string]nsight.Unit {
	units := map[string]nsight.Unit{nsightCycles: nsight.Cycle, nsightActive: nsight.Percent, nsightClock: nsight.Hertz}
	for name, m := range nsightMetrics {
		units[name] = m.unit
	}
	for _, name := range nsightPipes {
		units[name] = nsight.Cycle
	}
	for name := range nsightInstead {
		units[name] = nsight.Byte
	}
	return units
}()

// nsightSums are the metrics by the counters that they make up.
var nsightSums = func() (sums [NumCounters][]string) {
	for _, name := range slices.Sorted(maps.Keys(nsightMetrics)) {
		c := nsightMetrics[name].counter
		sums[c] = append(sums[c], name)
	}
	return sums
}()

// chipVoltage is a column of AccelWattch's hw_perf.csv: the voltage over the
// reference. Here it is a setting of the whole run, so that it must be 1.
const chipVoltage = "Chip Voltage"

// shortNames are the columns of AccelWattch's hw_perf.csv and of its activity
// tables by our names.
var shortNames = map[string]string{
	"L1_RH": "DC_RH", "L1_RM": "DC_RM", "L1_WH": "DC_WH", "L1_WM": "DC_WM", "CC_ACC": "CC_H", "SHRD_ACC": "SHRD", "DRAM_Rd": "MEM_RD", "DRAM_Wr": "MEM_WR",
	"SCHED_INST": "INT_INST", "Pipeline_Duty": "duty", "Num_Idle_SMs": "idle_sms", "Elapsed_Cycles": "cycles",
}

// sum returns a counter from a row's values, its own or those of Nsight
// Compute's metrics; false if there are none. A part of a sum is an error.
func (c Counter) sum(v map[string]float64) (x float64, ok bool, err error) {
	x, own := v[c.String()]
	given, lacking := "", ""
	for _, name := range nsightSums[c] {
		if y, ok := v[name]; ok {
			x += nsightMetrics[name].weight * y
			given = name
		} else {
			lacking = name
		}
	}
	switch {
	case given == "":
		return x, own, nil
	case own:
		return 0, false, fmt.Errorf("%s stands twice: as such and as %s", c, given)
	case lacking != "":
		return 0, false, fmt.Errorf("%s lacks %s: it is the sum of that and %s", c, lacking, given)
	}
	return x, true, nil
}

// readNsight reads activities from Nsight Compute's own CSV, either form. To the
// one with a launch a line (--page raw) columns by our names may be added, which
// have no unit: what it does not count, as lanes and TOT_INST, and launch.
func readNsight(text []byte, name string, sms int) ([]*ActivityRow, error) {
	launches, err := nsight.Read(name, text, nsightWanted(), nsight.Wanted{})
	if err != nil {
		return nil, err
	}
	var out []*ActivityRow
	for _, l := range launches {
		row := &ActivityRow{Run: l.Kernel, Kernel: l.Kernel}
		value := map[string]float64{}
		for _, m := range l.Metrics {
			column := m.Name
			if full, ok := shortNames[column]; ok {
				column = full
			}
			if column == "launch" {
				row.Launch = strconv.FormatFloat(m.Value, 'f', -1, 64)
				continue
			}
			if _, twice := value[column]; twice {
				return nil, fmt.Errorf("%s: line %d: column %q stands twice", name, l.Line, column)
			}
			value[column] = m.Value
		}
		if err := row.put(value, sms); err != nil {
			return nil, fmt.Errorf("%s: line %d: %s: %w", name, l.Line, l.Kernel, err)
		}
		out = append(out, row)
	}
	return out, nil
}

// nsightWanted are the columns that are read beside Nsight Compute's others.
func nsightWanted() nsight.Wanted {
	w := nsight.Wanted{Units: maps.Clone(nsightUnits), Hint: "read are " + strings.Join(slices.Sorted(maps.Keys(nsightUnits)), ", ")}
	for c := range NumCounters {
		if c != Duty {
			w.Units[c.String()] = nsight.None
		}
	}
	for short := range shortNames {
		w.Units[short] = nsight.None
	}
	for _, column := range stateColumns {
		w.Units[column] = nsight.None
	}
	w.Units["launch"], w.Units[chipVoltage] = nsight.None, nsight.None
	return w
}

// mayBe reports whether a kernel of PTX can be what Nsight Compute gives a name:
// the same, or "void a::b<int>(float *)", whose b is in the mangled name. What
// it does not know (an unnamed namespace) may be.
func mayBe(kernel, given string) bool {
	if end := strings.IndexAny(given, "(<"); end >= 0 {
		given = given[:end]
	}
	given = given[strings.LastIndexAny(given, " :")+1:]
	return strings.Contains(kernel, given)
}
