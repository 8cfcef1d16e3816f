package roofline

import (
	"math"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/number"
	"hyptx/internal/roofline/thesis"
	"hyptx/internal/sim"
)

// TestSimulatedAtClock: of a simulated time what DRAM takes stays at another clock, all else
// goes with it, and both overlap.
func TestSimulatedAtClock(t *testing.T) {
	at := func(dram, way, mhz float64) float64 {
		x := Time{Us: number.Ratio(105), ClockMHz: 1000, Source: "model simulated"}
		x.LaunchUs, x.LatencyUs = number.Ratio(5), number.Ratio(100)
		x.busy(&sim.Busy{DRAM: dram, Way: way})
		x.SMCycles, x.whole = number.Ratio(1e5), true
		moved, err := x.At(mhz)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := moved.At(1000); err != nil || math.Abs(back.Us.X-105) > 1e-9 {
			t.Errorf("there and back: %v, %v", back.Us, err)
		}
		return moved.Us.X
	}
	for _, c := range []struct{ dram, way, mhz, least, most float64 }{
		{0, 0, 500, 205, 205},     // nothing of DRAM: twice as long
		{1, 0, 500, 105, 105},     // nothing else
		{1, 0, 2000, 105, 105},    // nor faster
		{0.5, 0, 500, 190, 205},   // hidden behind the rest
		{0.9, 0, 500, 125, 195},   // half and half
		{0.9, 0, 2000, 95, 104},   // DRAM remains
		{1, 0.8, 500, 165, 165},   // its way goes with the clock
		{1, 0.8, 2000, 105, 105},  // but is not what it waits for at a high one
		{1, 1.25, 2000, 85, 85},   // any more
		{0.5, 0.4, 500, 190, 205}, // nor at a low one
		{0.9, 0.8, 500, 152, 199}, // half and half
	} {
		if us := at(c.dram, c.way, c.mhz); us < c.least-1e-9 || us > c.most+1e-9 {
			t.Errorf("DRAM %v, its way %v at %v MHz: %v us, want %v to %v", c.dram, c.way, c.mhz, us, c.least, c.most)
		}
	}
}

// TestSimulatedBound: what was busiest is what a launch waits for, if it was busy.
func TestSimulatedBound(t *testing.T) {
	for _, c := range []struct {
		busy  sim.Busy
		bound string
	}{
		{sim.Busy{Issue: 0.3, DRAM: 0.5}, "Latency"},
		{sim.Busy{Issue: 0.3, DRAM: 0.7}, "Memory"},
		{sim.Busy{Issue: 0.9, L1: 0.7}, "Compute"},
		{sim.Busy{Issue: 0.3, NoC: 0.7}, "Memory"},
	} {
		var x Time
		x.LatencyUs = number.Ratio(100)
		if x.busy(&c.busy); string(x.Bound) != c.bound {
			t.Errorf("%+v: %s", c.busy, x.Bound)
		}
	}
}

// TestTimers: who times a launch adds its overhead to one and the same time.
func TestTimers(t *testing.T) {
	devices, err := Devices([]string{"v100-sxm2"})
	if err != nil {
		t.Fatal(err)
	}
	d := devices[0]
	l := &Launch{Simulated: &analysis.Simulated{Estimate: &sim.Estimate{ClockMHz: 1000}, Cycles: 5000, Repetitions: 2, Uncertainty: 0.1}}
	before := -1.0
	for _, d.Timer = range []Timer{GPUTimer, StreamTimer, EventTimer, HostTimer} {
		x, err := predictSimulated(l, thesis.Kernel{}, d, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if launch := x.Us.X - 5; launch <= before || x.LaunchUs.X != launch || math.Abs(x.ErrorPct.X*x.Us.X-10*5) > 1e-9 {
			t.Errorf("%s: %v us, %v of them of the launch, off by %v %%", d.Timer, x.Us.X, x.LaunchUs.X, x.ErrorPct.X)
		} else {
			before = launch
		}
	}
	if before != 20 {
		t.Errorf("by the host's clock two launches take %v us beside what they do, want 20", before)
	}
}
