package power

import (
	"fmt"

	"hyptx/internal/gpu"
)

// A cubic fit and a voltage in proportion to the clock hold near the clocks that were
// measured. Below the lowest clock the voltage stays, above the highest the chip does
// not run: figures for such clocks would look like all others and mean nothing, so
// they are refused, with the field of the GPU's file that says so.

// clockRange is where a GPU may be clocked, in MHz, and who says so.
type clockRange struct {
	lowMHz, highMHz float64
	source          string
}

// clockRange returns the range of a fit, if the chip has one, else that of the
// GPU's file: from the lowest to the highest known clock, for which the base
// clock and the highest of boost and tuned clock stand where they are unknown.
// The error names the field that is missing.
func (m *Model) clockRange() (clockRange, error) {
	if c := m.Chip; c.HighMHz > 0 {
		return clockRange{c.LowMHz, c.HighMHz, "the range of its fit"}, nil
	}
	c := m.GPU.Clock
	low, lowName := c.MinMHz, "min_mhz"
	if !low.Known() {
		low, lowName = c.BaseMHz, "base_mhz"
	}
	high, highName := c.MaxMHz, "max_mhz"
	if !high.Known() {
		high, highName = c.BoostMHz, "boost_mhz"
		if t := c.TunedMHz; t.Known() && (!high.Known() || t.Value > high.Value) {
			high, highName = t, "tuned_mhz"
		}
	}
	for _, f := range []struct {
		field string
		fact  *gpu.Float
	}{{"clock.min_mhz", low}, {"clock.max_mhz", high}} {
		if _, err := gpu.Need(m.GPU, f.field, f.fact); err != nil {
			return clockRange{}, fmt.Errorf("no range of clocks: %w", err)
		}
	}
	return clockRange{low.Value, high.Value, fmt.Sprintf("clock.%s (%s) to clock.%s (%s)", lowName, low.Source, highName, high.Source)}, nil
}

// CheckClocks returns an error that names the first clock in MHz outside of the
// range in which the GPU may be clocked, the range and its source.
func (m *Model) CheckClocks(clocks []float64) error {
	r, err := m.clockRange()
	if err != nil {
		return err
	}
	for _, f := range clocks {
		if !(f >= r.lowMHz && f <= r.highMHz) {
			return fmt.Errorf("%s: clock %g MHz lies outside %g to %g MHz: %s", m.Chip.Name, f, r.lowMHz, r.highMHz, r.source)
		}
	}
	return nil
}

// CheckMeasuredClock returns an error for a measured clock in MHz that a GPU
// cannot have: outside of clock.min_mhz to clock.max_mhz of its file, as far as
// these are known.
func CheckMeasuredClock(g *gpu.GPU, mhz float64) error {
	low, high := g.Clock.MinMHz, g.Clock.MaxMHz
	switch {
	case low.Known() && mhz < low.Value:
		return fmt.Errorf("clock_mhz is %g: a %s has at least %g MHz (clock.min_mhz: %s)", mhz, g.Label(), low.Value, low.Source)
	case high.Known() && mhz > high.Value:
		return fmt.Errorf("clock_mhz is %g: a %s has at most %g MHz (clock.max_mhz: %s)", mhz, g.Label(), high.Value, high.Source)
	}
	return nil
}
