package roofline

import (
	"errors"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/roofline/thesis"
)

// SimulatedModel is the time of the timing simulator (package sim): cycles of the
// SMs at the GPU's clock, and what starting a launch takes besides.
var SimulatedModel = &Model{
	Name:          "simulated",
	About:         "by a timing simulator",
	ChargesCaches: true,
	Simulates:     true,
	Lacks: func(d *Device) error {
		_, err := d.shape()
		return err
	},
	Predict: predictSimulated,
}

func predictSimulated(l *Launch, k thesis.Kernel, d *Device, o Options) (t Time, err error) {
	s := l.Simulated
	switch {
	case s == nil:
		return t, errors.New("the launch was not simulated")
	case s.Last.Unfit != nil:
		return t, s.Last.Unfit
	}
	overhead, err := gpu.Need(d.Spec, "launch_overhead_us", d.Spec.LaunchOverheadUs)
	if err != nil {
		return t, err
	}
	t.ClockMHz = s.Last.ClockMHz
	t.LaunchUs = analysis.Ratio(s.Repetitions * overhead)
	t.LatencyUs = analysis.Ratio(s.Cycles / s.Last.ClockMHz)
	t.Us = analysis.Ratio(t.LaunchUs.X + t.LatencyUs.X)
	t.Bound = Latency
	return t, nil
}
