package power

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"hyptx/internal/number"
	"hyptx/internal/roofline"
)

// A network at other clocks. A launch that waits for DRAM gains nothing from a faster
// clock and pays for it with V^2; one that issues all the time finishes sooner, and
// then constant power is drawn for a shorter time. Somewhere between lies the clock
// of the least energy, which is what a sweep looks for. For a network whose energy is
// to be weighed against waiting, the least energy-delay product is found as well.

// SweepRow is a network at one clock: a row of --clock. Times follow from the
// terms of the time model, voltage goes with the clock (equation 3: V = k f),
// dynamic power with V^2 f and static power with V (equation 2).
type SweepRow struct {
	Network      string      `csv:"network" json:"network" doc:"which network, where"`
	GPU          string      `csv:"gpu" json:"gpu" doc:"^"`
	EnergyBasis  string      `csv:"energy_basis" json:"energy_basis" doc:"as in power.csv"`
	ClockMHz     number.Real `csv:"clock_mhz" json:"clock_mhz" doc:"SM clock"`
	VoltageRatio number.Real `csv:"voltage_ratio" json:"voltage_ratio" doc:"voltage over that at the reference clock"`
	Voltage      string      `csv:"voltage" json:"voltage" doc:"where the voltage is from: 'measured' on boards of the family, a 'GPU file', 'family not measured' where that of another one stands in, or 'unknown' where it is taken to go with the clock; voltage_ratio is then over the reference clock's, else over the least voltage"`
	TimeUs       number.Real `csv:"time_us" json:"time_us" doc:"of the network at this clock"`
	PowerW       number.Real `csv:"power_w" json:"power_w" doc:"^"`
	EnergyUJ     number.Real `csv:"energy_uj" json:"energy_uj" doc:"^"`
	EDPpJs       number.Real `csv:"edp_pj_s" json:"edp_pj_s" doc:"^"`
	Implausible  string      `csv:"implausible" json:"implausible" doc:"as in power.csv"`
	// Best says of what this clock has the least: energy, edp.
	Best    string `csv:"best" json:"best" doc:"of what this clock has the least"`
	Missing string `csv:"missing" json:"missing" doc:"why there is no figure"`
}

// What a clock can have the least of: SweepRow.Best.
const (
	bestEnergy = "energy"
	bestEDP    = "edp"
)

// Sweep returns the network's rows at the clocks in MHz, which must lie in the
// GPU's range ([Model.CheckClocks]).
func (m *Model) Sweep(launches []Timed, clocks []float64) ([]*SweepRow, error) {
	if err := m.CheckClocks(clocks); err != nil {
		return nil, err
	}
	var rows []*SweepRow
	for _, f := range clocks {
		at := *m
		at.FixedClock = true
		ratio := m.Chip.Law.ratio(f)
		moved := make([]Timed, len(launches))
		for i, t := range launches {
			moved[i] = t
			if t.Err != nil {
				continue
			}
			if m.Chip.Law == nil {
				ratio = f / m.referenceMHz(t.Time)
				at.State.VoltageRatio = ratio
			}
			if t.Activity != nil {
				return nil, errors.New("counters were measured at one clock: option clock needs counts and times of the model")
			}
			var err, activityErr error
			moved[i].Time, err = t.Time.At(f)
			moved[i].ActivityTime, activityErr = t.ActivityTime.At(f)
			moved[i].Err = cmp.Or(err, activityErr)
		}
		sum := at.Report(moved, 1)[len(moved)]
		rows = append(rows, &SweepRow{
			Network: sum.Network, GPU: sum.GPU, EnergyBasis: sum.EnergyBasis, ClockMHz: number.Ratio(f), VoltageRatio: number.Ratio(ratio), Voltage: m.voltageBasis(),
			TimeUs: sum.TimeUs, PowerW: sum.PowerW, EnergyUJ: sum.EnergyUJ, EDPpJs: sum.EDPpJs, Implausible: sum.Implausible, Missing: sum.Missing,
		})
	}
	mark(rows, bestEnergy, func(r *SweepRow) number.Real { return r.EnergyUJ })
	mark(rows, bestEDP, func(r *SweepRow) number.Real { return r.EDPpJs })
	return rows, nil
}

// VoltageUnknown reports whether a row's voltage is taken to go with the clock.
func VoltageUnknown(rows []*SweepRow) bool {
	return slices.ContainsFunc(rows, func(r *SweepRow) bool { return r.Voltage == voltageUnknown })
}

// referenceMHz is the clock of the reference voltage.
func (m *Model) referenceMHz(t roofline.Time) float64 {
	if m.Chip.ClockMHz > 0 {
		return m.Chip.ClockMHz
	}
	return t.ClockMHz
}

// mark names the row with the least of something.
func mark(rows []*SweepRow, what string, of func(*SweepRow) number.Real) {
	best := -1
	for i, r := range rows {
		if x := of(r); x.Known && (best < 0 || x.X < of(rows[best]).X) {
			best = i
		}
	}
	if best < 0 {
		return
	}
	if rows[best].Best != "" {
		what = rows[best].Best + "+" + what
	}
	rows[best].Best = what
}

// Clocks returns the clocks of a:b:step in MHz, both ends included: the last
// step may be shorter.
func Clocks(from, to, step float64) ([]float64, error) {
	const most = 10_000
	switch {
	case !(from > 0) || !(to >= from) || !(step > 0) || to > 1e5 || math.IsInf(step, 0):
		return nil, fmt.Errorf("clocks %g:%g:%g: must be from:to:step in MHz, rising", from, to, step)
	case (to-from)/step > most:
		return nil, fmt.Errorf("clocks %g:%g:%g: more than %d", from, to, step, most)
	}
	var out []float64
	for i := 0; from+float64(i)*step <= to*(1+1e-12); i++ {
		out = append(out, from+float64(i)*step)
	}
	if last := &out[len(out)-1]; *last < to*(1-1e-9) {
		out = append(out, to)
	} else {
		*last = to // without what adding up has rounded
	}
	return out, nil
}
