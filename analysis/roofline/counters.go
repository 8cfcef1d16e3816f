package roofline

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"hyptx/analysis"
	"hyptx/analysis/roofline/thesis"
)

// metric says where a profiler's metric goes and in which unit it comes.
type metric struct {
	unit string // "inst", "sector", "byte", "second"; nvprof has none for counts
	to   func(*counted) *float64
}

// counted are the metrics of one kernel, over all invocations.
type counted struct {
	name                string
	invocations         float64
	ctas, threads       float64
	m                   thesis.Metrics
	dramRead, dramWrite float64 // sectors
	l2Read, l2Write     float64 // sectors
	seconds             float64
	seen                map[string]string // metric: the name by which it came
	utilization         map[string]int
}

// metrics are those that are read, by nvprof's names (spec.: the thesis' table
// 4.1) and Nsight Compute's (public mapping tables).
var metrics = map[string]metric{
	"flop_count_sp_fma":       {"inst", func(c *counted) *float64 { return &c.m.FMA32 }},
	"flop_count_dp_fma":       {"inst", func(c *counted) *float64 { return &c.m.FMA64 }},
	"inst_compute_ld_st":      {"inst", func(c *counted) *float64 { return &c.m.LdSt }},
	"inst_executed":           {"inst", func(c *counted) *float64 { return &c.m.WarpInstructions }},
	"inst_fp_32":              {"inst", func(c *counted) *float64 { return &c.m.FP32 }},
	"inst_fp_64":              {"inst", func(c *counted) *float64 { return &c.m.FP64 }},
	"inst_integer":            {"inst", func(c *counted) *float64 { return &c.m.Integer }},
	"dram_read_transactions":  {"sector", func(c *counted) *float64 { return &c.dramRead }},
	"dram_write_transactions": {"sector", func(c *counted) *float64 { return &c.dramWrite }},
	"l2_read_transactions":    {"sector", func(c *counted) *float64 { return &c.l2Read }},
	"l2_write_transactions":   {"sector", func(c *counted) *float64 { return &c.l2Write }},
	"duration":                {"second", func(c *counted) *float64 { return &c.seconds }},
}

// needed are the metrics without which there is no prediction.
var needed = []string{"flop_count_sp_fma", "flop_count_dp_fma", "inst_compute_ld_st", "inst_executed", "inst_fp_32", "inst_fp_64",
	"inst_integer", "dram_read_transactions", "dram_write_transactions"}

// nvprofFamilies begin the names of nvprof's other metrics, which are passed
// over.
var nvprofFamilies = []string{"achieved_", "atomic_", "branch_", "cf_", "dram_", "double_", "ecc_", "eligible_", "flop_", "gld_", "global_", "gst_",
	"half_", "inst_", "ipc", "issue", "issued_", "l1_", "l2_", "ldst_", "local_", "nc_", "nvlink_", "not_", "pcie_", "shared_", "single_", "sm_", "special_", "stall_",
	"surface_", "sysmem_", "tensor_", "tex_", "texture_", "unified_", "warp_", "alu_"}

// ReadCounters reads a profiler's CSV: of nvprof (`nvprof --csv --metrics ...`)
// or of Nsight Compute (`ncu --csv --metrics ...`, one metric a line, or with
// `--page raw` one kernel a line). name is the file's, for errors.
func ReadCounters(name string, text []byte) ([]*Launch, error) {
	r := csv.NewReader(bytes.NewReader(withoutChatter(text)))
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	records, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(records) == 0 {
		return nil, fmt.Errorf("%s: there is no table; expected the CSV of nvprof or ncu with a header line", name)
	}
	t := &counterTable{file: name, column: map[string]int{}, byKey: map[string]*counted{}}
	for i, h := range records[0] {
		t.column[strings.TrimSpace(h)] = i
	}
	read, skip := t.nvprof, 1
	switch {
	case t.has("Kernel", "Invocations", "Metric Name", "Avg"):
	case t.has("ID", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value"):
		read = t.ncu
	case t.has("ID", "Kernel Name"):
		if read, err = t.ncuRaw(records); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		skip = 2
	default:
		return nil, fmt.Errorf("%s: its columns are neither nvprof's (Kernel, Invocations, Metric Name, Avg) nor those of ncu with one metric a line (ID, Kernel Name, Metric Name, Metric Unit, Metric Value) or, by --page raw, one kernel a line (ID, Kernel Name, metrics)", name)
	}
	var errs []error
	for i, rec := range records[skip:] {
		if len(rec) < len(records[0]) {
			errs = append(errs, fmt.Errorf("%s: row %d has %d of %d columns", name, i+skip, len(rec), len(records[0])))
		} else if err := read(rec); err != nil {
			errs = append(errs, fmt.Errorf("%s: row %d: %w", name, i+skip, err))
		}
	}
	if err := errors.Join(firstErrors(errs)...); err != nil {
		return nil, err
	}
	return t.launches()
}

// withoutChatter drops what the profilers print around the table.
func withoutChatter(text []byte) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		if !bytes.HasPrefix(line, []byte("==")) && len(bytes.TrimSpace(line)) > 0 {
			out = append(out, line...)
		}
	}
	return out
}

// mostErrors is how many errors of a file are shown.
const mostErrors = 10

func firstErrors(errs []error) []error {
	if len(errs) > mostErrors {
		return append(errs[:mostErrors], fmt.Errorf("and %d more", len(errs)-mostErrors))
	}
	return errs
}

// counterTable is a profiler's table being read.
type counterTable struct {
	file   string
	column map[string]int
	byKey  map[string]*counted
	order  []*counted
}

func (t *counterTable) has(columns ...string) bool {
	for _, c := range columns {
		if _, ok := t.column[c]; !ok {
			return false
		}
	}
	return true
}

// of returns the kernel of a key, which it makes.
func (t *counterTable) of(key, name string) *counted {
	c := t.byKey[key]
	if c == nil {
		c = &counted{name: name, invocations: 1, seen: map[string]string{}, utilization: map[string]int{}}
		t.byKey[key] = c
		t.order = append(t.order, c)
	}
	return c
}

// set stores a metric's value; given is the profiler's name of it. Where a
// profiler has several names for one, the first counts.
func (c *counted) set(name, given string, value float64) error {
	if c.seen[name] == given {
		return fmt.Errorf("%s stands there twice for %s", given, c.name)
	}
	if !(value >= 0) || math.IsInf(value, 0) {
		return fmt.Errorf("%s is %g: counts are finite and not negative", given, value)
	}
	if c.seen[name] != "" {
		return nil
	}
	c.seen[name] = given
	*metrics[name].to(c) = value
	return nil
}

// nvprof reads a line of nvprof: the total is Avg times Invocations.
func (t *counterTable) nvprof(rec []string) error {
	name := rec[t.column["Metric Name"]]
	kernel := rec[t.column["Kernel"]]
	invocations, err := strconv.ParseFloat(rec[t.column["Invocations"]], 64)
	if err != nil || !(invocations >= 1) {
		return fmt.Errorf("Invocations is %q: must be a number from 1", rec[t.column["Invocations"]])
	}
	cell := strings.TrimSpace(rec[t.column["Avg"]])
	device := ""
	if i, ok := t.column["Device"]; ok {
		device = rec[i]
	}
	c := t.of(device+"\x00"+kernel, kernel)
	c.invocations = invocations
	if u, ok := strings.CutSuffix(name, "_utilization"); ok && u != "issue_slot" {
		level, err := utilizationLevel(cell)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		c.utilization[u] = level
		return nil
	}
	if _, ok := metrics[name]; !ok {
		if slices.ContainsFunc(nvprofFamilies, func(f string) bool { return strings.HasPrefix(name, f) }) {
			return nil
		}
		return fmt.Errorf("unknown metric %q; needed are %s", name, strings.Join(needed, ", "))
	}
	value, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		return fmt.Errorf("%s of %s is %q: must be a number without a unit (counters overflow in long runs; profile fewer invocations)", name, kernel, cell)
	}
	return c.set(name, name, value*invocations)
}

// utilizationLevel reads "High (8)".
func utilizationLevel(cell string) (int, error) {
	_, in, ok := strings.Cut(cell, "(")
	n, err := strconv.Atoi(strings.TrimSuffix(in, ")"))
	if !ok || err != nil || n < 0 || n > 10 {
		return 0, fmt.Errorf("%q: must be a level from Idle (0) to Max (10)", cell)
	}
	return n, nil
}

// launches returns the kernels that were read, in the order of the file.
func (t *counterTable) launches() ([]*Launch, error) {
	var out []*Launch
	var errs []error
	for i, c := range t.order {
		l, err := c.launch(t.file, strconv.Itoa(i))
		out, errs = append(out, l), append(errs, err)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no kernel stands in it", t.file)
	}
	return out, errors.Join(errs...)
}

// called names a metric as the profiler does that the others came from.
func (c *counted) called(name string) string {
	for metric, given := range c.seen {
		if metric != given {
			return ncuName(name)
		}
	}
	return name
}

func (c *counted) launch(file, number string) (*Launch, error) {
	var missing []string
	for _, n := range needed {
		if c.seen[n] == "" {
			missing = append(missing, c.called(n))
		}
	}
	switch {
	case missing != nil:
		return nil, fmt.Errorf("%s: %s lacks %s", file, c.name, strings.Join(missing, ", "))
	case c.m.FMA32 > c.m.FP32 || c.m.FMA64 > c.m.FP64:
		return nil, fmt.Errorf("%s: %s has more multiply-adds than floating-point instructions: flop_count_*_fma and inst_fp_* do not fit together", file, c.name)
	case c.m.FP32+c.m.FP64+c.m.Integer+c.m.LdSt > 32*c.m.WarpInstructions*(1+1e-9):
		return nil, fmt.Errorf("%s: %s has more thread instructions than 32 for each warp instruction: inst_executed and inst_* do not fit together", file, c.name)
	}
	l := &Launch{Network: file, Kernel: c.name, Launch: number, Repetitions: c.invocations, CTAs: c.ctas, BlockThreads: c.threads, Metrics: c.m,
		Counts: "measured", Exactness: "measured", Traffic: Traffic{Source: TrafficMeasured,
			DRAMRead: analysis.Ratio(c.dramRead * thesis.SectorBytes), DRAMWrite: analysis.Ratio(c.dramWrite * thesis.SectorBytes)},
		Evidence: thesis.Evidence{ReferenceSeconds: c.seconds, Utilization: c.utilization}}
	if c.seen["l2_read_transactions"] != "" && c.seen["l2_write_transactions"] != "" {
		l.Traffic.L2 = analysis.Ratio((c.l2Read + c.l2Write) * thesis.SectorBytes)
	}
	return l, nil
}
