package power

import (
	"hyptx/internal/number"
	"hyptx/internal/roofline"
)

// A board's power limit. A board that would draw more lowers its clock until it does
// not. How long a launch takes and what it draws then depend on each other: a lower
// clock makes it longer, and spreads its energy over that. So the clock is sought at
// which the power that belongs to the time at that clock is the limit. Both fall with
// the clock, so that halving the range finds it.

// clockSteps halve the range of clocks: to less than a thousandth of a MHz.
const clockSteps = 24

// leastShare of the clock is where the search ends if the GPU's file has no least
// clock ([ours]).
const leastShare = 0.2

// limited returns the launch as the board's limit lets it run, with its activity and
// power; limitW is known where the limit holds the clock down. A clock that is given
// stays, and so does one at which the limit cannot be met: the row then is implausible.
func (m *Model) limited(t *Timed) (at *Timed, a *Activity, e *Estimate, limitW number.Real, err error) {
	a, e, err = m.estimate(t)
	limit := m.GPU.Power.TDPW
	if err != nil || m.FixedClock || m.Chip.Law == nil || t.Activity != nil || !limit.Known() || e.TotalW() <= limit.Value {
		return t, a, e, limitW, err
	}
	high := t.Time.ClockMHz
	low := leastShare * high
	if least := m.GPU.Clock.MinMHz; least.Known() && least.Value < high {
		low = least.Value
	}
	try := func(mhz float64) (*Timed, *Activity, *Estimate, bool) {
		moved, ok := t.at(mhz)
		if !ok {
			return nil, nil, nil, false
		}
		a, e, err := m.estimate(moved)
		return moved, a, e, err == nil && e.TotalW() <= limit.Value
	}
	best, bestA, bestE, ok := try(low)
	if !ok {
		return t, a, e, limitW, nil
	}
	for range clockSteps {
		mhz := (low + high) / 2
		if moved, a, e, ok := try(mhz); ok {
			low, best, bestA, bestE = mhz, moved, a, e
		} else {
			high = mhz
		}
	}
	return best, bestA, bestE, number.Ratio(limit.Value), nil
}

// at returns the launch at another clock of the SMs. A measured time stays: the clock
// is then what nobody recorded.
func (t *Timed) at(mhz float64) (*Timed, bool) {
	moved := *t
	for _, of := range []*roofline.Time{&moved.Time, &moved.ActivityTime} {
		if of.IsMeasured() {
			of.ClockMHz = mhz
			continue
		}
		var err error
		if *of, err = of.At(mhz); err != nil {
			return nil, false
		}
	}
	return &moved, true
}
