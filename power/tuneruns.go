package power

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"hyptx/internal/csvfile"
)

// ReadRuns reads the runs to tune to: a file of activities with the columns
// measured_w, clock_mhz, cycles or time_us, lanes, idle_sms and duty. absent are
// the counters without a column.
func ReadRuns(name string, text []byte, sms int) (runs []Run, absent CounterSet, err error) {
	rows, err := ReadActivities(name, text, sms)
	if err != nil {
		return nil, 0, err
	}
	for i, row := range rows {
		needed := []string{"measured_w", "clock_mhz", "cycles", "lanes", "idle_sms", "duty"}
		if lacking := slices.DeleteFunc(needed, func(c string) bool { return row.Given[c] }); len(lacking) > 0 {
			return nil, 0, fmt.Errorf("%s: column %s is missing: tuning needs it (cycles may be time_us)", name, strings.Join(lacking, ", "))
		}
		absent = row.Activity.Missing
		row.Activity.Missing = 0
		if row.Run == "" {
			row.Run = fmt.Sprintf("run %d", i+1)
		}
		runs = append(runs, Run{row.Run, row.Activity, row.MeasuredW})
	}
	return runs, absent, nil
}

// A clockRow is a row of a file of clock sweeps.
type clockRow struct {
	Run       string  `csv:"run"`
	ClockMHz  float64 `csv:"clock_mhz"`
	MeasuredW float64 `csv:"measured_w"`
	Category  string  `csv:"category,omitempty"`
	Lanes     float64 `csv:"lanes,omitempty"`
}

// Sweep is a micro-benchmark at several clocks with its fit.
type Sweep struct {
	Run      string  `json:"run"`
	Category string  `json:"category,omitempty"`
	Lanes    float64 `json:"lanes,omitempty"`
	Fit      *cubic  `json:"fit"`
}

// ReadSweeps reads a file of clock sweeps (run, clock_mhz, measured_w, and for
// static power category and lanes) and fits equation 3 to each run.
func ReadSweeps(name string, text []byte) ([]*Sweep, error) {
	rows, err := csvfile.Into[clockRow](tableFormat, name, text)
	if err != nil {
		return nil, err
	}
	var out []*Sweep
	points := map[string][2][]float64{}
	for _, r := range rows {
		key := fmt.Sprintf("%s %s %g", r.Run, r.Category, r.Lanes)
		p, seen := points[key]
		if !seen {
			out = append(out, &Sweep{Run: r.Run, Category: r.Category, Lanes: r.Lanes})
		}
		points[key] = [2][]float64{append(p[0], r.ClockMHz), append(p[1], r.MeasuredW)}
	}
	for _, s := range out {
		p := points[fmt.Sprintf("%s %s %g", s.Run, s.Category, s.Lanes)]
		fit, err := fitCubic(p[0], p[1])
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, s.Run, err)
		}
		s.Fit = fit
	}
	return out, nil
}

// ReadIdleRuns reads a file of sweeps over active SMs: run, active_sms, measured_w.
func ReadIdleRuns(name string, text []byte) ([]IdleRun, error) {
	return csvfile.Into[IdleRun](tableFormat, name, text)
}

// ConstantPower returns the mean of the fits' intercepts in W: the constant
// power of section 4.2.
func ConstantPower(sweeps []*Sweep) (float64, error) {
	sum := 0.0
	for _, s := range sweeps {
		sum += s.Fit.ConstantW
	}
	w := sum / float64(len(sweeps))
	if !(w > 0) {
		return 0, fmt.Errorf("the cubic fits give a constant power of %.4g W, which cannot be: measure at more clocks", w)
	}
	return w, nil
}

// StaticFromSweeps returns the static coefficients of the categories that the
// sweeps measured with 1 and with 32 active lanes, at a clock in MHz: tau f of
// each fit is the static power (equation 4).
func StaticFromSweeps(sweeps []*Sweep, clockMHz float64) (map[Category]LanePower, error) {
	at := map[Category]map[float64]float64{}
	for _, s := range sweeps {
		if s.Category == "" {
			continue
		}
		c, err := byName[Category]("category", s.Category, categoryNames[:])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Run, err)
		}
		if err := s.Fit.checkClock(clockMHz); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Run, err)
		}
		if at[c] == nil {
			at[c] = map[float64]float64{}
		}
		at[c][s.Lanes] = s.Fit.Tau * clockMHz
	}
	out := map[Category]LanePower{}
	for c, w := range at {
		first, ok1 := w[1]
		all, ok32 := w[32]
		if !ok1 || !ok32 {
			return nil, fmt.Errorf("category %s: sweeps with 1 and with 32 active lanes are needed", c)
		}
		out[c] = LanePower{first, (all - first) / 31}
	}
	return out, nil
}

// CheckClocks returns an error for runs at a clock that no sweep covers.
func CheckClocks(runs []Run, sweeps []*Sweep) error {
	return eachRun(runs, func(r *Run) error {
		for _, s := range sweeps {
			if s.Fit.checkClock(r.Activity.ClockMHz) == nil {
				return nil
			}
		}
		return fmt.Errorf("clock %g MHz lies outside the range of the clock sweeps", r.Activity.ClockMHz)
	})
}

// CheckRunClocks returns an error for runs at a clock that the GPU cannot have.
// known is false if its file does not say which it can have.
func (m *Model) CheckRunClocks(runs []Run) (known bool, err error) {
	if _, err := m.clockRange(); err != nil {
		return false, nil
	}
	return true, eachRun(runs, func(r *Run) error { return m.CheckClocks([]float64{r.Activity.ClockMHz}) })
}

// eachRun returns what is wrong with the first runs with which anything is, by
// row and name.
func eachRun(runs []Run, check func(*Run) error) error {
	var errs []error
	n := 0
	for i := range runs {
		if err := check(&runs[i]); err != nil {
			if n++; n <= mostListed {
				errs = append(errs, fmt.Errorf("row %d (%s): %w", i+1, runs[i].Name, err))
			}
		}
	}
	if n > mostListed {
		errs = append(errs, fmt.Errorf("... %d rows in all", n))
	}
	return errors.Join(errs...)
}

// uncounted are what hardware has no counters for: AccelWattch's variants hw and
// hybrid have no energies for instruction cache and register file (table 1).
var uncounted = CounterSet(0).with(ICacheHit, ICacheMiss, RegRead, RegWrite, NonReg)

// VariantOf returns the variant that runs are of which lack the counters absent:
// hw if they lack all that hardware cannot count, else ptx_sim.
func VariantOf(absent CounterSet) Variant {
	if absent&uncounted == uncounted {
		return hw
	}
	return PTXSim
}

// Names returns the names of the counters in the set.
func (s CounterSet) Names() (names []string) {
	for c := range NumCounters {
		if s.Has(c) {
			names = append(names, c.String())
		}
	}
	return names
}
