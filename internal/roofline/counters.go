package roofline

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"hyptx/analysis"
	"hyptx/internal/nsight"
	"hyptx/internal/number"
	"hyptx/internal/roofline/thesis"
)

// Counts of profilers. The model needs nine counters (the thesis' table 4.1), all sums
// over the invocations of a kernel. nvprof prints their mean, Nsight Compute a line for
// each launch, and its names say the same of another level: a thread's instructions
// with a true guard are inst_*, a warp's are inst_executed, DRAM is counted in sectors
// of 32 bytes or in bytes. Here all become the counters of a profile, so that a
// measured launch and an emulated one are the same from then on.

// counted are the metrics of one kernel, over all invocations: facts as a
// profile has them, and its duration.
type counted struct {
	*nsight.Launch
	facts   analysis.Facts
	seconds float64
	seen    map[string]string // metric: the name by which it came
}

// metrics are those that are read, by nvprof's names (spec.: the thesis' table
// 4.1; nvprof has no name for the duration), and the counters that they are.
// What is counted in sectors times gives in bytes.
var metrics = map[string]struct {
	counter analysis.Counter
	times   float64
}{
	"flop_count_sp_fma":       {analysis.FlopSPFma, 1},
	"flop_count_dp_fma":       {analysis.FlopDPFma, 1},
	"inst_compute_ld_st":      {analysis.InstLdSt, 1},
	"inst_executed":           {analysis.WarpInstructions, 1},
	"inst_fp_32":              {analysis.InstFP32, 1},
	"inst_fp_64":              {analysis.InstFP64, 1},
	"inst_integer":            {analysis.InstInteger, 1},
	"dram_read_transactions":  {analysis.DRAMReadBytes, thesis.SectorBytes},
	"dram_write_transactions": {analysis.DRAMWriteBytes, thesis.SectorBytes},
	"l2_read_transactions":    {analysis.L2ReadSectors, 1},
	"l2_write_transactions":   {analysis.L2WriteSectors, 1},
	duration:                  {},
}

// duration is the time of all invocations, in s.
const duration = "duration"

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
// one, the first counts. Averages over invocations are no whole numbers; their
// sums are.
func newCounted(l *nsight.Launch) *counted {
	c := &counted{Launch: l, seen: map[string]string{}}
	for _, m := range l.Metrics {
		ncu, ok := ncuMetrics[m.Name]
		if !ok {
			ncu = ncuMetric{m.Name, nsight.None, 1}
		}
		if c.seen[ncu.name] != "" {
			continue
		}
		c.seen[ncu.name] = m.Name
		if ncu.name == duration {
			c.seconds = m.Value * ncu.scale
			continue
		}
		to := metrics[ncu.name]
		c.facts.Set(to.counter, uint64(math.Round(min(m.Value*ncu.scale*to.times, mostCounted))))
	}
	return c
}

// mostCounted bounds a counter, so that sums of some of them fit 64 bits.
const mostCounted = 1 << 60

// where names a kernel for errors: nvprof counts it on each GPU.
func (c *counted) where() string {
	if c.Device == "" {
		return c.Kernel
	}
	return c.Kernel + " on " + c.Device
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

func (c *counted) launch(file, launch string) (*Launch, error) {
	var missing []string
	for _, n := range needed {
		if c.seen[n] == "" {
			missing = append(missing, c.called(n))
		}
	}
	if missing != nil {
		return nil, fmt.Errorf("%s: %s lacks %s", file, c.where(), strings.Join(missing, ", "))
	}
	x := c.facts.X
	l, err := NewLaunch(&analysis.Launch{Network: file, Demangled: c.Kernel, Exactness: "measured"}, &c.facts, Counted)
	if err != nil {
		return nil, err
	}
	switch m := l.Metrics; {
	case m.FMA32 > m.FP32 || m.FMA64 > m.FP64:
		return nil, fmt.Errorf("%s: %s has more multiply-adds than floating-point instructions: flop_count_*_fma and inst_fp_* do not fit together", file, c.where())
	case m.FP32+m.FP64+m.Integer+m.LdSt > 32*m.WarpInstructions*(1+1e-9):
		return nil, fmt.Errorf("%s: %s has more thread instructions than 32 for each warp instruction: inst_executed and inst_* do not fit together", file, c.where())
	}
	l.Launch, l.Repetitions, l.CTAs, l.BlockThreads, l.Target = launch, c.Invocations, c.CTAs, c.BlockThreads, ""
	l.Traffic = Traffic{Source: TrafficMeasured, DRAMRead: number.Ratio(x(analysis.DRAMReadBytes)), DRAMWrite: number.Ratio(x(analysis.DRAMWriteBytes))}
	if c.seen["l2_read_transactions"] != "" && c.seen["l2_write_transactions"] != "" {
		l.Traffic.L2 = number.Ratio((x(analysis.L2ReadSectors) + x(analysis.L2WriteSectors)) * thesis.SectorBytes)
	}
	l.Evidence = thesis.Evidence{ReferenceSeconds: c.seconds, Utilization: c.Levels}
	return l, nil
}
