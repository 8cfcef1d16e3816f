package power

import (
	"strings"
	"testing"
)

// TestClockTrace: a trace that never changes is a run at that clock (acceptance fact 23);
// with a step in the middle of a launch half of it is done at each clock, at half of its
// energy there; what power over time sums up to is the launch's energy.
func TestClockTrace(t *testing.T) {
	m := model(t, "gv100", ChipOptions{Variant: PTXSim})
	list := vectorAdd(t, m.GPU, PTXSim, Paper)[:1]
	list = append(list, list[0])
	same := *m
	same.Trace = ClockTrace{{MHz: 1447}, {FromUs: 5, MHz: 1447}}
	for i, want := range m.Report(list, 1) {
		got := same.Report(list, 1)[i]
		near(t, "energy at one clock", got.EnergyUJ.X, want.EnergyUJ.X, 1e-9)
		near(t, "time at one clock", got.TimeUs.X, want.TimeUs.X, 1e-9)
		near(t, "beginning", got.StartUs.X, want.StartUs.X, 1e-9)
	}
	halves, err := m.Sweep(list[:1], []float64{1447. / 2, 1447})
	if err != nil {
		t.Fatal(err)
	}
	slow, fast := halves[0], halves[1]
	step := *m
	step.Trace = ClockTrace{{MHz: 1447}, {FromUs: fast.TimeUs.X / 2, MHz: 1447. / 2}}
	rows := step.Report(list, 1)
	near(t, "time in halves", rows[0].TimeUs.X, (fast.TimeUs.X+slow.TimeUs.X)/2, 1e-9)
	near(t, "energy in halves", rows[0].EnergyUJ.X, (fast.EnergyUJ.X+slow.EnergyUJ.X)/2, 1e-9)
	near(t, "the launch behind it", rows[1].EnergyUJ.X, slow.EnergyUJ.X, 1e-9)
	if rows[0].ClockMHz.Known || rows[1].ClockMHz.X != 1447./2 {
		t.Errorf("clocks %v, %v", rows[0].ClockMHz, rows[1].ClockMHz)
	}
	sum, end := 0.0, 0.0
	for _, r := range step.OverTime(list) {
		near(t, "beginning of a span", r.BeginUs.X, end, 1e-9)
		end = r.EndUs.X
		sum += (end - r.BeginUs.X) * r.PowerW.X
	}
	near(t, "energy over time", sum, rows[2].EnergyUJ.X, 1e-9)
	near(t, "end", end, rows[2].TimeUs.X, 1e-9)
}

// TestReadClockTrace: what a trace must be, and what a model can follow.
func TestReadClockTrace(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"time_us,clock_mhz\n0,1000\n5,1200\n", ""},
		{"time_us,clock_mhz,v_rel\n0,1000,0.9\n", ""},
		{"time_us,clock_mhz\n", "no row"},
		{"time_us,clock_mhz\n1,1000\n", "must be 0"},
		{"time_us,clock_mhz\n0,1000\n0,1200\n", "must rise"},
		{"time_us,clock_mhz\n0,0\n", "above 0"},
		{"time_us,clock_mhz,v_rel\n0,1000,11\n", "v_rel is 11"},
		{"time_us\n0\n", "clock_mhz"},
	} {
		_, err := ReadClockTrace("t.csv", []byte(c.text))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
	m := model(t, "gv100", ChipOptions{Variant: PTXSim})
	m.Trace = ClockTrace{{MHz: 9000}}
	if err := m.CheckTrace(); err == nil || !strings.Contains(err.Error(), "9000 MHz lies outside") {
		t.Error(err)
	}
}
