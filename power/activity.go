package power

import (
	"fmt"
	"math"
)

// An activity is all that the model knows of a launch. Time is kept as cycles at a
// clock, as hardware and AccelWattch count it: T = Cycles / ClockMHz us. Lanes, idle
// SMs and duty are means over that time and cannot be had from the counts: they are
// what static and idle power and the pipelines are charged by. Counting to a 0 and
// not counting at all are different things. A kernel without constant loads costs
// nothing in the constant cache; one whose constant loads nobody counted has no
// power that could be told.

// Activity is what one launch does: events, and the state of the chip over its
// time.
type Activity struct {
	// Counts are the events of the launch. Those in Missing are not known, and
	// what needs them gives no figure. Duty is not among them.
	Counts  counts
	Missing CounterSet
	// Cycles is the elapsed time in cycles of the core clock ClockMHz.
	Cycles, ClockMHz float64
	// Lanes is the mean number of active lanes of warp instructions that
	// execute, 0 if there are none.
	Lanes float64
	// IdleSMs is the mean number of SMs without a CTA; fractional.
	IdleSMs float64
	// Duty is the mean duty cycle of the pipelines, 0 to 1.
	Duty float64
}

// seconds returns the elapsed time in s.
func (a *Activity) seconds() float64 { return a.Cycles / (a.ClockMHz * 1e6) }

// check returns an error that names the field that cannot be.
func (a *Activity) check(sms int) error {
	for _, f := range []struct {
		name      string
		x         float64
		low, high float64
	}{
		{"cycles", a.Cycles, math.SmallestNonzeroFloat64, math.MaxFloat64}, {"clock_mhz", a.ClockMHz, math.SmallestNonzeroFloat64, math.MaxFloat64},
		{"lanes", a.Lanes, 0, 32}, {"idle_sms", a.IdleSMs, 0, float64(sms)}, {"duty", a.Duty, 0, 1},
	} {
		if !(f.x >= f.low && f.x <= f.high) {
			return fmt.Errorf("%s is %g: must be %s", f.name, f.x, span(f.low, f.high))
		}
	}
	if us := micro * a.seconds(); !(us >= minTimeUs && us <= maxTimeUs) {
		return fmt.Errorf("%g cycles at %g MHz are %.4g us: must be from %g to %g", a.Cycles, a.ClockMHz, us, minTimeUs, maxTimeUs)
	}
	for c, n := range a.Counts {
		if !(n >= 0 && n <= math.MaxFloat64) {
			return fmt.Errorf("counter %s is %g: must be a number that is not negative", Counter(c), n)
		}
	}
	return nil
}

func span(low, high float64) string {
	if high == math.MaxFloat64 {
		return "a positive number"
	}
	return fmt.Sprintf("from %g to %g", low, high)
}
