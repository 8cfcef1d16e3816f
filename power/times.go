package power

import (
	"fmt"

	"hyptx/internal/csvfile"
	"hyptx/internal/roofline"
)

// timeRow is a row of a file of measured times.
type timeRow struct {
	Launch   string  `csv:"launch"`
	TimeUs   float64 `csv:"time_us"`
	ClockMHz float64 `csv:"clock_mhz,omitempty"`
}

// Bounds of measured times and clocks: a picosecond, some thirty years, a
// terahertz.
const (
	minTimeUs   = 1e-6
	maxTimeUs   = 1e15
	maxClockMHz = 1e6
)

// ReadTimes reads measured times by launch: columns launch (its number or label), time_us
// (all its repetitions) and clock_mhz, which may be left out.
func ReadTimes(name string, text []byte) (map[string]roofline.Time, error) {
	rows, err := csvfile.Into[timeRow](tableFormat, name, text)
	if err != nil {
		return nil, err
	}
	out := map[string]roofline.Time{}
	for _, r := range rows {
		if !(r.TimeUs >= minTimeUs && r.TimeUs <= maxTimeUs) {
			return nil, fmt.Errorf("%s: launch %s: time_us is %g: must be from %g to %g", name, r.Launch, r.TimeUs, minTimeUs, maxTimeUs)
		}
		if !(r.ClockMHz >= 0 && r.ClockMHz <= maxClockMHz) {
			return nil, fmt.Errorf("%s: launch %s: clock_mhz is %g: must be positive, and at most %g", name, r.Launch, r.ClockMHz, float64(maxClockMHz))
		}
		if _, twice := out[r.Launch]; twice {
			return nil, fmt.Errorf("%s: launch %s stands twice", name, r.Launch)
		}
		out[r.Launch] = roofline.Measured(r.TimeUs, r.ClockMHz)
	}
	return out, nil
}
