package power

import (
	"fmt"
	"slices"
	"strings"

	"hyptx/internal/roofline"
)

// Measured counters beside emulated ones. A profiler cannot count all that the model
// charges (registers, instruction cache), and emulation has no hardware's caches. A
// file of counters therefore replaces what it has, column by column, and what it has
// not stays emulated. Rows go to launches by number, never by the kernel's name alone:
// a network launches the same kernel many times.

// Override puts counters of a file into launches: rows are matched by their
// column launch, or one for one if there is none. A counter that the file has
// replaces ours; state columns do as well.
func Override(launches []Timed, rows []*ActivityRow, m *Model) error {
	byLaunch := map[string]*ActivityRow{}
	for i, r := range rows {
		key := r.Launch
		if key == "" {
			if len(rows) != len(launches) {
				return fmt.Errorf("%d rows of counters for %d launches: a column launch must say which is which", len(rows), len(launches))
			}
			key = launches[i].Launch.Name()
		}
		if byLaunch[key] != nil {
			return fmt.Errorf("launch %s has two rows of counters", key)
		}
		byLaunch[key] = r
	}
	for i := range launches {
		t := &launches[i]
		r := byLaunch[t.Launch.Name()]
		delete(byLaunch, t.Launch.Name())
		if r == nil {
			continue
		}
		if kernel := t.Launch.KernelName; !mayBe(kernel, r.Kernel) {
			return fmt.Errorf("launch %s is of %s, its counters are of %s: they must be of the same launches in the same order, or a column launch must say which is which", t.Launch.Name(), kernel, r.Kernel)
		}
		if err := t.override(r, m); err != nil {
			return fmt.Errorf("launch %s: %w", t.Launch.Name(), err)
		}
	}
	for key := range byLaunch {
		return fmt.Errorf("counters for launch %s, which is not there", key)
	}
	return nil
}

func (t *Timed) override(r *ActivityRow, m *Model) error {
	if r.Given["cycles"] {
		clock := r.Activity.ClockMHz
		if clock == 0 {
			clock = t.Time.ClockMHz
		}
		if clock == 0 {
			return fmt.Errorf("cycles without clock_mhz")
		}
		measured := roofline.Measured(r.Activity.Cycles/clock, clock)
		measured.Source = "measured cycles"
		if r.Activity.Missing.Has(TotInst) {
			m.Measure(t, measured)
		} else { // these are the cycles of the instructions that are charged
			t.Time, t.ActivityTime, t.Err = measured, measured, nil
		}
	}
	if t.Err != nil {
		return nil // the row says why
	}
	a, err := t.Launch.activity(m.GPU, m.Chip.SMs, t.ActivityTime, m.Chip.Law != nil)
	if err != nil {
		return err
	}
	for c := range NumCounters {
		if !r.Activity.Missing.Has(c) && c != Duty {
			a.Counts[c] = r.Activity.Counts[c]
			a.Missing &^= 1 << c
		}
	}
	for _, f := range []struct {
		name     string
		to, from *float64
	}{{"lanes", &a.Lanes, &r.Activity.Lanes}, {"idle_sms", &a.IdleSMs, &r.Activity.IdleSMs}, {"duty", &a.Duty, &r.Activity.Duty}} {
		if r.Given[f.name] {
			*f.to = *f.from
		}
	}
	t.Activity = a
	return nil
}

// Measured makes launches of counters alone: the variants hw and hybrid. Each
// row needs cycles or time_us, clock_mhz, lanes, idle_sms and duty.
func (m *Model) Measured(rows []*ActivityRow) ([]*Row, error) {
	var out []*Row
	for _, r := range rows {
		needed := []string{"cycles", "clock_mhz", "lanes", "idle_sms", "duty"}
		lacking := slices.DeleteFunc(needed, func(c string) bool { return r.Given[c] })
		for i, c := range lacking {
			if metrics := nsightStates[c]; metrics != "" {
				lacking[i] += " (or Nsight Compute's " + metrics + ")"
			}
		}
		if len(lacking) > 0 {
			return nil, fmt.Errorf("column %s is missing: counters alone need it (cycles may be time_us)", strings.Join(lacking, ", "))
		}
		out = append(out, m.measured(r))
	}
	return out, nil
}
