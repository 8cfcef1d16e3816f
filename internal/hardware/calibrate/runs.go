package calibrate

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/roofline"
	"hyptx/internal/table"
	"hyptx/power"
)

// Runs. Tuning needs, for each measured power, the events that caused it and the
// time in which they happened. Events are counted for one launch and scaled to
// the turns that were run; time and power are means over equal points. Points at
// a locked clock and with fewer active SMs are files of their own: from them
// come constant and static power, not energies (AccelWattch, sections 4.3 to
// 4.5).

// Runs are a log's measurements of power as `hyptx power tune` reads them.
type Runs struct {
	// Rows are runs at the board's own clock, by name.
	Rows []power.Run
	// Clocks and Idle are the sweeps over clocks and active SMs.
	Clocks []ClockRow
	Idle   []power.IdleRun
	// Missing are the counters that nobody could count.
	Missing power.CounterSet
}

// ClockRow is a row of a file of clock sweeps.
type ClockRow struct {
	Run       string
	ClockMHz  float64
	MeasuredW float64
	Category  string
	Lanes     int
}

// CollectRuns works out the runs of a log: equal points are averaged. g is the
// GPU's file, which the rules for duty need.
func CollectRuns(ctx context.Context, l *Log, g *gpu.GPU, c *Counter) (*Runs, error) {
	out := &Runs{}
	of := slices.DeleteFunc(slices.Clone(l.Measurements), func(m *Measurement) bool { // idle is no run, and networks are not for tuning
		return m.Kind != Power || m.Power == nil || m.Setup == nil
	})
	for _, list := range table.Groups(of, (*Measurement).Name) {
		m := list[0]
		watts := mean(list, func(m *Measurement) float64 { return m.Power.MeanW })
		if m.ActiveSMs > 0 {
			out.Idle = append(out.Idle, power.IdleRun{Name: m.Benchmark, ActiveSMs: m.UsedSMs, PowerW: watts})
		}
		if b, err := Lookup(m.Benchmark); err == nil && m.ClockMHz > 0 {
			out.Clocks = append(out.Clocks, ClockRow{m.Benchmark, mean(list, func(m *Measurement) float64 { return m.Power.SMClockMHz }), watts, b.Category, m.lanes()})
			continue
		}
		run, err := newRun(ctx, list, watts, g, c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name(), err)
		}
		out.Rows = append(out.Rows, *run)
		out.Missing |= run.Activity.Missing
	}
	return out, nil
}

func mean(list []*Measurement, f func(*Measurement) float64) (sum float64) {
	for _, m := range list {
		sum += f(m)
	}
	return sum / float64(len(list))
}

// newRun counts what a run does in the time that one turn took on average.
func newRun(ctx context.Context, list []*Measurement, watts float64, g *gpu.GPU, c *Counter) (*power.Run, error) {
	m := list[0]
	turn := mean(list, func(m *Measurement) float64 { return m.MS / float64(m.Setup.Iterations) })
	clock := mean(list, func(m *Measurement) float64 { return m.Power.SMClockMHz })
	if !(clock > 0) || !(turn > 0) {
		return nil, errors.New("the log has no SM clock or no time for it")
	}
	n, err := c.Count(ctx, *m.Setup)
	if err != nil {
		return nil, err
	}
	sms, err := gpu.Need(g, "sms", g.SMs)
	if err != nil {
		return nil, err
	}
	f := &n.Launch.Facts
	if m.Registers > 0 {
		f.Set(analysis.RegistersPerThread, uint64(m.Registers))
	}
	o, err := g.Occupy(gpu.CTA{Threads: m.Setup.Block, RegistersPerThread: int(f.X(analysis.RegistersPerThread)), SharedBytes: int(f.X(analysis.StaticSharedBytes))})
	if err != nil {
		return nil, err
	}
	// The counted launch runs on a few SMs, the measured one ran on many: the
	// model is told how many were busy.
	f.Set(analysis.CTAs, uint64(m.UsedSMs*o.CTAsPerSM)) // as many SMs have CTAs
	t := roofline.Measured(1e3*turn*float64(m.Setup.Iterations), clock)
	a, err := n.Launch.Activity(g, sms, t)
	if err != nil {
		return nil, err
	}
	return &power.Run{Name: m.Name(), Activity: *a, MeasuredW: watts}, nil
}

// WriteRuns writes the runs' CSV; comment stands before it.
func (r *Runs) WriteRuns(w io.Writer, comment string) error {
	head := []string{"run", "measured_w", "clock_mhz", "time_us", "lanes", "idle_sms", "duty"}
	var counters []power.Counter
	for c := range power.NumCounters {
		if c != power.Duty && !r.Missing.Has(c) {
			counters = append(counters, c)
			head = append(head, c.String())
		}
	}
	rows := [][]string{head}
	for _, run := range r.Rows {
		a := run.Activity
		row := []string{run.Name}
		for _, x := range []float64{run.MeasuredW, a.ClockMHz, a.Cycles / a.ClockMHz, a.Lanes, a.IdleSMs, a.Duty} {
			row = append(row, text64(x))
		}
		for _, c := range counters {
			row = append(row, text64(a.Counts[c]))
		}
		rows = append(rows, row)
	}
	return writeCSV(w, comment, rows)
}

// WriteClocks writes the sweeps over clocks.
func (r *Runs) WriteClocks(w io.Writer) error {
	rows := [][]string{{"run", "clock_mhz", "measured_w", "category", "lanes"}}
	for _, c := range r.Clocks {
		rows = append(rows, []string{c.Run, text64(c.ClockMHz), text64(c.MeasuredW), c.Category, strconv.Itoa(c.Lanes)})
	}
	return writeCSV(w, "", rows)
}

// WriteIdle writes the sweeps over active SMs that have a run with all of them.
func (r *Runs) WriteIdle(w io.Writer, sms int) error {
	rows := [][]string{{"run", "active_sms", "measured_w"}}
	for _, i := range r.Idle {
		if slices.ContainsFunc(r.Idle, func(o power.IdleRun) bool { return o.Name == i.Name && o.ActiveSMs == sms }) {
			rows = append(rows, []string{i.Name, strconv.Itoa(i.ActiveSMs), text64(i.PowerW)})
		}
	}
	return writeCSV(w, "", rows)
}

func text64(x float64) string { return strconv.FormatFloat(x, 'g', 10, 64) }

func writeCSV(w io.Writer, comment string, rows [][]string) error {
	if comment != "" {
		if _, err := fmt.Fprintf(w, "# %s\n", comment); err != nil {
			return err
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}
