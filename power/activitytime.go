package power

import (
	"errors"
	"fmt"

	"hyptx/analysis"
	"hyptx/internal/number"
	"hyptx/internal/roofline"
)

// ChargesPTX reports whether a launch is charged for its PTX as written. The
// energies of PTX were fitted to rates: events over the cycles in which
// GPGPU-Sim executes that same PTX (spec sections 2 and 3, T = cycles/f). So
// its events happen in [Timed.ActivityTime], the time of the PTX, and not in
// the time of the machine code. Hardware's counters are of the machine's time.
func (m *Model) ChargesPTX(l *Launch) bool {
	return l.Counts == CountsPTX && !m.Chip.Variant.FromHardware()
}

// Predict gives a launch the time that a time model gives its machine code, and
// its activities that of what is charged. Of the PTX only the issue is another
// one: DRAM, caches and the latency of dependences are those of the machine
// code, as PTX moves the same bytes and needs the same results. machine is the
// launch with the counts of its machine code.
func (t *Timed) Predict(m *Model, machine *roofline.Launch, d *roofline.Device, o roofline.Options) {
	if t.Time, t.Err = o.Time(machine, d); t.Err != nil {
		t.Err = fmt.Errorf("no time: %s", roofline.Explain(t.Err))
		return
	}
	if t.Time.ClockMHz == 0 { // the model knows rates alone: power is of a clock
		if t.Time.ClockMHz, t.Err = m.GPU.ClockMHz(); t.Err != nil {
			return
		}
	}
	if t.ActivityTime = t.Time; !m.ChargesPTX(t.Launch) {
		return
	}
	ptx, err := roofline.NewLaunch(&t.Launch.Launch, &t.Launch.Facts, roofline.PTX)
	if err != nil {
		t.Err = err
		return
	}
	// Without a chain the launch has no time, but all that is issued. Nobody simulates
	// PTX as it is written.
	if o.ModelOf(machine).Simulates {
		o.Model = roofline.Extended
	}
	of, err := o.Time(ptx, d)
	if err == nil && !of.IssueUs.Known {
		err = fmt.Errorf("model %s does not say how long issuing takes", o.ModelOf(ptx).Name)
	}
	if !of.IssueUs.Known {
		t.Err = fmt.Errorf("no time of the PTX: %s", roofline.Explain(err))
		return
	}
	t.chargePTX(of.IssueUs.X, t.Time.Waves.X)
}

// chargePTX gives the activities the time of the PTX. issueUs is the model's
// t_issue with counts of the PTX in us, all repetitions, waves how many there are
// in each. A warp issues no more than one instruction a clock (GPGPU-Sim's
// gpgpu_max_insn_issue_per_warp), which for long warps on few SMs takes longer
// than t_issue.
func (t *Timed) chargePTX(issueUs, waves float64) {
	terms := t.Time.Terms
	warpUs := t.Launch.Facts.X(analysis.Launches) * waves * t.Launch.LongestWarp / t.Time.ClockMHz
	terms.IssueUs = number.Ratio(max(issueUs, warpUs))
	t.ActivityTime = t.Time.Of(terms)
}

// Measure puts a measured time in the place of the model's. It is the machine
// code's; what of it the model does not know would hold up the PTX as well, so
// that the activities' time keeps the model's ratio to it. Where the model has
// no times, the launch has no figure.
func (m *Model) Measure(t *Timed, measured roofline.Time) {
	switch {
	case !m.ChargesPTX(t.Launch):
		t.Time, t.ActivityTime, t.Err = measured, measured, nil
	case t.ActivityTime.Us.X > 0:
		activity := measured
		activity.Us.X *= t.ActivityTime.Us.X / t.Time.Us.X
		t.Time, t.ActivityTime, t.Err = measured, activity, nil
	default:
		t.Err = errors.Join(errors.New("how long the PTX takes against its machine code is unknown (counts of the machine go without)"), t.Err)
	}
}

// stretch returns by how much the energies of a launch's events are multiplied:
// their power is of the activities' time, and is drawn in the launch's.
func stretch(a *Activity, e *Estimate) float64 { return e.Seconds / a.seconds() }
