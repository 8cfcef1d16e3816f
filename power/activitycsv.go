package power

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"hyptx/internal/csvfile"
	"hyptx/internal/nsight"
)

// tableFormat is that of the tables that are read: runs, sweeps, times. A row
// becomes an activity, which takes about a kilobyte.
var tableFormat = csvfile.Format{Comment: '#', MaxRows: 100_000}

// ActivityRow is a row of a file of activities: one launch or run.
type ActivityRow struct {
	// Run names the row: its column run, kernel, label or launch.
	Run string
	// Launch is the column launch, if there is one.
	Launch string
	// Kernel is what Nsight Compute's own CSV says, else "".
	Kernel   string
	Activity Activity
	// MeasuredW is the column measured_w, 0 if there is none.
	MeasuredW float64
	// Given names the state columns that the file has, as "cycles".
	Given map[string]bool
}

// stateColumns are the columns that are no counters, by their name without the
// unit, so that a wrong unit can be told.
var stateColumns = map[string]string{
	"measured": "measured_w", "power": "measured_w", "cycles": "cycles", "time": "time_us", "clock": "clock_mhz",
	"lanes": "lanes", "idle": "idle_sms", "duty": "duty",
}

// nameColumns say which launch or run a row is; the first one found names it.
var nameColumns = []string{"run", "kernel", "label", "launch", "network", "Benchmark", "Kernel"}

// ReadActivities reads a CSV file with a row for each launch or run. Columns:
// run, kernel, label or launch; counters by AccelWattch's names or the short
// names of its hw_perf.csv, or Nsight Compute's metrics (then a second line may
// give their units); cycles or time_us; clock_mhz, lanes, idle_sms, duty,
// measured_w. Or it is Nsight Compute's own CSV (`ncu --csv`, best with --page
// raw, to which such columns can be added). Counters without a column are
// missing. name is for messages.
func ReadActivities(name string, text []byte, sms int) ([]*ActivityRow, error) {
	if nsight.IsNsight(text) {
		return readNsight(text, name, sms)
	}
	t, err := tableFormat.Open(name, text)
	if err != nil {
		return nil, err
	}
	h, err := newHeader(t.Header)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var out []*ActivityRow
	first := true
	for row, err := range t.Rows() {
		switch {
		case err != nil:
		case first && h.isUnits(row.Cells):
			err = h.units(row.Cells)
		default:
			var a *ActivityRow
			a, err = h.read(row.Cells, sms)
			out = append(out, a)
		}
		if err != nil {
			return nil, t.At(row.Line, err)
		}
		first = false
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no rows: a header and a row for each launch are needed", name)
	}
	return out, nil
}

// header says what each column of a file is.
type header struct {
	columns []string // our names
	// scale is what a column's numbers are multiplied with, if not 1.
	scale map[string]float64
}

func newHeader(cells []string) (*header, error) {
	h := &header{scale: map[string]float64{}}
	var errs []error
	for _, c := range cells {
		if full, ok := shortNames[c]; ok {
			c = full
		}
		if slices.Contains(h.columns, c) {
			errs = append(errs, fmt.Errorf("column %q stands twice", c))
		}
		h.columns = append(h.columns, c)
		if err := checkColumn(c); err != nil {
			errs = append(errs, err)
		}
	}
	return h, errors.Join(errs...)
}

// checkColumn checks the name of a column.
func checkColumn(c string) error {
	if _, ok := nsightUnits[c]; ok || slices.Contains(nameColumns, c) || c == chipVoltage {
		return nil
	}
	if counter, err := parseCounter(c); err == nil && counter != Duty {
		return nil
	}
	stem, _, _ := strings.Cut(c, "_")
	right, ok := stateColumns[stem]
	switch {
	case ok && right == c:
		return nil
	case ok:
		return fmt.Errorf("column %q: the unit does not fit: it must be given as %s", c, right)
	}
	return fmt.Errorf("unknown metric %q: columns are counters (TOT_INST, INT, FPMUL, DC_RH, ...), Nsight metrics, and run, cycles, time_us, clock_mhz, lanes, idle_sms, duty, measured_w; hyptx power counters lists them", c)
}

// isUnits reports whether a row has units instead of numbers, as the second
// line of Nsight's raw page does.
func (h *header) isUnits(cells []string) bool {
	for i, c := range h.columns {
		if slices.Contains(nameColumns, c) || strings.TrimSpace(cells[i]) == "" {
			continue
		}
		if _, err := nsight.Number(cells[i]); err == nil {
			return false
		}
	}
	return true
}

// units reads a row of units; those that are not given are the base units.
func (h *header) units(cells []string) error {
	for i, c := range h.columns {
		want, ok := nsightUnits[c]
		unit := strings.TrimSpace(cells[i])
		if !ok || unit == "" {
			continue
		}
		scale, err := nsight.Scale(unit, want)
		if err != nil {
			return fmt.Errorf("column %q is in %q: the unit does not fit, it must be %q", c, unit, want)
		}
		h.scale[c] = scale
	}
	return nil
}

// read reads one row. The activity's state is checked where it is used.
func (h *header) read(cells []string, sms int) (*ActivityRow, error) {
	row := &ActivityRow{}
	value := map[string]float64{}
	for i, c := range h.columns {
		if slices.Contains(nameColumns, c) {
			continue
		}
		x, err := nsight.Number(cells[i])
		if err != nil || !(x >= 0) || x > 1e300 {
			return nil, fmt.Errorf("%s: %q must be a number that is not negative", c, cells[i])
		}
		if scale, ok := h.scale[c]; ok {
			x *= scale
		}
		value[c] = x
	}
	for _, n := range nameColumns {
		if i := slices.Index(h.columns, n); i >= 0 && row.Run == "" {
			row.Run = cells[i]
		}
	}
	if i := slices.Index(h.columns, "launch"); i >= 0 {
		row.Launch = strings.TrimSpace(cells[i])
	}
	return row, row.put(value, sms)
}

// put takes the values of a row's columns, by our names or Nsight Compute's.
func (row *ActivityRow) put(v map[string]float64, sms int) error {
	if x, ok := v[chipVoltage]; ok && x != 1 {
		return fmt.Errorf("%s is %g: must be 1; the voltage is given for all rows (option voltage)", chipVoltage, x)
	}
	for bytes, sectors := range nsightInstead {
		x, ok := v[bytes]
		if _, own := v[sectors]; ok && !own {
			v[sectors] = x / burstBytes
		}
	}
	row.Given = map[string]bool{}
	for c := range v {
		row.Given[c] = true
	}
	for c := range Duty { // which is a state, not a count
		x, ok, err := c.sum(v)
		switch {
		case err != nil:
			return err
		case ok:
			row.Activity.Counts[c] = x
		default:
			row.Activity.Missing |= 1 << c
		}
	}
	return row.state(v, sms)
}

// state fills what is no count.
func (row *ActivityRow) state(v map[string]float64, sms int) error {
	a := &row.Activity
	row.MeasuredW, a.ClockMHz, a.Cycles = v["measured_w"], v["clock_mhz"], v["cycles"]
	a.Lanes, a.IdleSMs, a.Duty = v["lanes"], v["idle_sms"], v["duty"]
	var errs []error
	derive := func(column string, to *float64, x float64, from string) {
		if row.Given[column] {
			errs = append(errs, fmt.Errorf("both %s and %s are given: one is enough", column, from))
		}
		*to, row.Given[column] = x, true
	}
	if total, ok := v[nsightCycles]; ok {
		derive("cycles", &a.Cycles, total/float64(sms), nsightCycles)
		pipes, all := 0.0, true
		for _, p := range nsightPipes {
			all = all && row.Given[p]
			pipes += v[p]
		}
		if all && total > 0 {
			derive("duty", &a.Duty, pipes/total/float64(len(nsightPipes)), nsightPipes[0])
		}
	}
	if pct, ok := v[nsightActive]; ok {
		derive("idle_sms", &a.IdleSMs, (1-pct/100)*float64(sms), nsightActive)
	}
	if hertz, ok := v[nsightClock]; ok {
		derive("clock_mhz", &a.ClockMHz, hertz/1e6, nsightClock)
	}
	if us, ok := v["time_us"]; ok {
		if row.Given["cycles"] {
			errs = append(errs, errors.New("both cycles and time_us are given: one is enough"))
		}
		a.Cycles = us * a.ClockMHz
		row.Given["cycles"] = row.Given["clock_mhz"]
	}
	return errors.Join(errs...)
}
