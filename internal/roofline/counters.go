package roofline

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/nsight"
	"hyptx/internal/roofline/thesis"
)

// counted are the metrics of one kernel, over all invocations.
type counted struct {
	name, device        string // device: nvprof's, "" if the file does not say
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
// 4.1; nvprof has no name for the duration), and where they go: instructions,
// sectors, seconds.
var metrics = map[string]func(*counted) *float64{
	"flop_count_sp_fma":       func(c *counted) *float64 { return &c.m.FMA32 },
	"flop_count_dp_fma":       func(c *counted) *float64 { return &c.m.FMA64 },
	"inst_compute_ld_st":      func(c *counted) *float64 { return &c.m.LdSt },
	"inst_executed":           func(c *counted) *float64 { return &c.m.WarpInstructions },
	"inst_fp_32":              func(c *counted) *float64 { return &c.m.FP32 },
	"inst_fp_64":              func(c *counted) *float64 { return &c.m.FP64 },
	"inst_integer":            func(c *counted) *float64 { return &c.m.Integer },
	"dram_read_transactions":  func(c *counted) *float64 { return &c.dramRead },
	"dram_write_transactions": func(c *counted) *float64 { return &c.dramWrite },
	"l2_read_transactions":    func(c *counted) *float64 { return &c.l2Read },
	"l2_write_transactions":   func(c *counted) *float64 { return &c.l2Write },
	"duration":                func(c *counted) *float64 { return &c.seconds },
}

// needed are the metrics without which there is no prediction.
var needed = []string{"flop_count_sp_fma", "flop_count_dp_fma", "inst_compute_ld_st", "inst_executed", "inst_fp_32", "inst_fp_64",
	"inst_integer", "dram_read_transactions", "dram_write_transactions"}

// ReadCounters reads a profiler's CSV: of nvprof (`nvprof --csv --metrics ...`)
// or of Nsight Compute (`ncu --csv --metrics ...`, one metric a line, or with
// `--page raw` one kernel a line). name is the file's, for errors.
func ReadCounters(name string, text []byte) ([]*Launch, error) {
	read, err := nsight.Read(name, text, ncuWanted(), nvprofWanted())
	if err != nil {
		return nil, err
	}
	var out []*Launch
	var errs []error
	for i, r := range read {
		l, err := newCounted(r).launch(name, strconv.Itoa(i))
		out, errs = append(out, l), append(errs, err)
	}
	return out, errors.Join(errs...)
}

// nvprofWanted are the metrics of nvprof for the reader.
func nvprofWanted() nsight.Wanted {
	w := nsight.Wanted{Units: map[string]nsight.Unit{}, Hint: "needed are " + strings.Join(needed, ", ")}
	for name := range metrics {
		w.Units[name] = nsight.None
	}
	return w
}

// newCounted gives metrics their places. Where a profiler has several names for
// one, the first counts.
func newCounted(l *nsight.Launch) *counted {
	c := &counted{name: l.Kernel, device: l.Device, invocations: l.Invocations, ctas: l.CTAs, threads: l.BlockThreads, seen: map[string]string{}, utilization: l.Levels}
	for _, m := range l.Metrics {
		ncu, ok := ncuMetrics[m.Name]
		if !ok {
			ncu = ncuMetric{m.Name, nsight.None, 1}
		}
		if c.seen[ncu.name] == "" {
			c.seen[ncu.name] = m.Name
			*metrics[ncu.name](c) = m.Value * ncu.scale
		}
	}
	return c
}

// where names a kernel for errors: nvprof counts it on each GPU.
func (c *counted) where() string {
	if c.device == "" {
		return c.name
	}
	return c.name + " on " + c.device
}

// called names a metric as the profiler does that the others came from.
func (c *counted) called(name string) string {
	for metric, given := range c.seen {
		if metric != given {
			return ncuNames(name)
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
		return nil, fmt.Errorf("%s: %s lacks %s", file, c.where(), strings.Join(missing, ", "))
	case c.m.FMA32 > c.m.FP32 || c.m.FMA64 > c.m.FP64:
		return nil, fmt.Errorf("%s: %s has more multiply-adds than floating-point instructions: flop_count_*_fma and inst_fp_* do not fit together", file, c.where())
	case c.m.FP32+c.m.FP64+c.m.Integer+c.m.LdSt > 32*c.m.WarpInstructions*(1+1e-9):
		return nil, fmt.Errorf("%s: %s has more thread instructions than 32 for each warp instruction: inst_executed and inst_* do not fit together", file, c.where())
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
