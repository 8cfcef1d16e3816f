package roofline

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hyptx/analysis/roofline/thesis"
)

// ncuNames are Nsight Compute's names of the metrics.
var ncuNames = map[string]string{
	"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum":    "flop_count_sp_fma",
	"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum":    "flop_count_dp_fma",
	"smsp__sass_thread_inst_executed_op_memory_pred_on.sum":  "inst_compute_ld_st",
	"smsp__inst_executed.sum":                                "inst_executed",
	"sm__inst_executed.sum":                                  "inst_executed",
	"smsp__sass_thread_inst_executed_op_fp32_pred_on.sum":    "inst_fp_32",
	"smsp__sass_thread_inst_executed_op_fp64_pred_on.sum":    "inst_fp_64",
	"smsp__sass_thread_inst_executed_op_integer_pred_on.sum": "inst_integer",
	"dram__sectors_read.sum":                                 "dram_read_transactions",
	"dram__sectors_write.sum":                                "dram_write_transactions",
	"dram__bytes_read.sum":                                   "dram_read_transactions",
	"dram__bytes_write.sum":                                  "dram_write_transactions",
	"lts__t_sectors_op_read.sum":                             "l2_read_transactions",
	"lts__t_sectors_op_write.sum":                            "l2_write_transactions",
	"gpu__time_duration.sum":                                 "duration",
}

// ncu reads a line of Nsight Compute that holds one metric; each ID is a launch.
func (t *counterTable) ncu(rec []string) error {
	c, err := t.ncuLaunch(rec)
	if err != nil {
		return err
	}
	return c.ncuMetric(strings.TrimSpace(rec[t.column["Metric Name"]]), rec[t.column["Metric Unit"]], rec[t.column["Metric Value"]])
}

// ncuRaw prepares to read the form that --page raw gives: metrics in columns,
// below the header a row of units, then a row for each launch.
func (t *counterTable) ncuRaw(records [][]string) (read func(rec []string) error, err error) {
	header := records[0]
	known := 0
	for i, h := range header {
		header[i] = strings.TrimSpace(h)
		if ncuNames[header[i]] != "" {
			known++
		} else if err := ncuPassedOver(header[i]); err != nil {
			return nil, err
		}
	}
	if known == 0 {
		return nil, fmt.Errorf("none of its columns is a metric that is read; needed are %s", strings.Join(ncuNeeded(), ", "))
	}
	if len(records) < 2 || len(records[1]) < len(header) || strings.TrimSpace(records[1][t.column["ID"]]) != "" {
		return nil, errors.New("the row below the header is no row of units, as `ncu --csv --page raw` writes one (its ID is empty)")
	}
	units := records[1]
	return func(rec []string) error {
		c, err := t.ncuLaunch(rec)
		if err != nil {
			return err
		}
		for i, h := range header {
			if ncuNames[h] == "" {
				continue
			}
			if err := c.ncuMetric(h, units[i], rec[i]); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// ncuLaunch returns the launch that a line is of.
func (t *counterTable) ncuLaunch(rec []string) (*counted, error) {
	c := t.of(rec[t.column["ID"]], rec[t.column["Kernel Name"]])
	for column, to := range map[string]*float64{"Grid Size": &c.ctas, "Block Size": &c.threads} {
		if i, ok := t.column[column]; ok {
			n, err := product(rec[i])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", column, err)
			}
			*to = n
		}
	}
	return c, nil
}

// ncuMetric stores a metric of Nsight Compute, or passes it over.
func (c *counted) ncuMetric(given, unit, cell string) error {
	name, ok := ncuNames[given]
	if !ok {
		return ncuPassedOver(given)
	}
	value, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(cell), ",", ""), 64)
	if err != nil {
		return fmt.Errorf("%s of %s is %q: must be a number", given, c.name, cell)
	}
	want := metrics[name].unit
	if strings.Contains(given, "bytes") {
		want = "byte"
	}
	scale, err := unitScale(strings.TrimSpace(unit), want)
	if err != nil {
		return fmt.Errorf("%s: %w", given, err)
	}
	if want == "byte" {
		scale /= thesis.SectorBytes
	}
	return c.set(name, given, value*scale)
}

// ncuPassedOver tells a metric that is not read from a name that is none: those
// of Nsight Compute have two underscores (unit__counter.sum); what has neither
// these nor a dot is a column or a row of a section.
func ncuPassedOver(given string) error {
	if strings.Contains(given, "__") || !strings.Contains(given, ".") {
		return nil
	}
	return fmt.Errorf("unknown metric %q; needed are %s", given, strings.Join(ncuNeeded(), ", "))
}

// ncuName is the name of one of nvprof's metrics, the first of several.
func ncuName(metric string) string {
	var names []string
	for given, m := range ncuNames {
		if m == metric {
			names = append(names, given)
		}
	}
	slices.Sort(names)
	return names[0]
}

func ncuNeeded() []string {
	var names []string
	for n, m := range ncuNames {
		if slices.Contains(needed, m) {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return names
}

// prefixes of ncu's units, which are decimal, and its words for seconds.
var prefixes = map[string]float64{"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
var seconds = map[string]float64{"s": 1, "second": 1, "ms": 1e-3, "msecond": 1e-3, "us": 1e-6, "usecond": 1e-6, "ns": 1e-9, "nsecond": 1e-9}

// unitScale returns what a value of a unit is to be multiplied with.
func unitScale(unit, want string) (float64, error) {
	if want == "second" {
		if s, ok := seconds[unit]; ok {
			return s, nil
		}
	} else if prefix, ok := strings.CutSuffix(unit, want); ok {
		if s, ok := prefixes[prefix]; ok {
			return s, nil
		}
	} else if unit == "" && want == "inst" {
		return 1, nil
	}
	return 0, fmt.Errorf("its unit is %q, which does not fit: must be %s", unit, want)
}

// product reads "(16, 4, 1)".
func product(cell string) (float64, error) {
	n := 1.0
	for part := range strings.SplitSeq(strings.Trim(strings.TrimSpace(cell), "()"), ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || !(x >= 1) {
			return 0, fmt.Errorf("%q: must be numbers from 1, as (16, 1, 1)", cell)
		}
		n *= x
	}
	return n, nil
}
