package power

import (
	"errors"
	"testing"

	"hyptx/internal/roofline"
)

// chargedIn gives launches an activities' time of their own.
func chargedIn(list []Timed, issueUs, waves float64) []Timed {
	for i := range list {
		list[i].chargePTX(issueUs, waves)
	}
	return list
}

// TestActivityTime: of the terms of the time only the issue is the PTX's own, an
// SM's or the longest warp's; where something else binds, both times are one.
func TestActivityTime(t *testing.T) {
	m := model(t, "gv100", ChipOptions{Variant: PTXSim})
	for _, c := range []struct{ issueUs, waves, longest, us float64 }{
		{2, 1, 24, 1 + 3},            // DRAM binds
		{8, 1, 24, 1 + 8},            // SMs issue for longer
		{0, 1, 24, 1 + 3},            // PTX may have less
		{2, 1, 1447 * 5, 1 + 5},      // a warp issues for longer
		{2, 3, 1447 * 5, 1 + 3*5},    // in each wave
		{2, 3, 1447 * 5 / 6., 1 + 3}, // not for so long
		{20, 3, 1447 * 5, 1 + 20},    // the SMs do for even longer
	} {
		list := vectorAdd(t, m.GPU, PTXSim, Paper)
		list[0].Launch.LongestWarp = c.longest
		chargedIn(list, c.issueUs, c.waves)
		near(t, "the activities' time", list[0].ActivityTime.Us.X, c.us, 1e-9)
		near(t, "the launch's time", list[0].Time.Us.X, 4, 0)
		half, err := list[0].ActivityTime.At(1447. / 2)
		if err != nil || half.Us.X < list[0].ActivityTime.Us.X {
			t.Errorf("%+v at half the clock: %+v, %v", c, half, err)
		}
	}
	list := vectorAdd(t, m.GPU, PTXSim, Paper)
	near(t, "instructions of the longest warp", list[0].Launch.LongestWarp, 22, 0)
}

// TestActivityRates: dynamic power goes with the activities' time, all other
// power and the energies with the launch's; components, instructions and classes
// sum up as before.
func TestActivityRates(t *testing.T) {
	m := model(t, "gv100", ChipOptions{Variant: PTXSim})
	same := m.Report(vectorAdd(t, m.GPU, PTXSim, Paper), 1)
	list := chargedIn(vectorAdd(t, m.GPU, PTXSim, Paper), 7, 1) // 8 us in place of 4
	rows := m.Report(list, 1)
	for i, r := range rows {
		near(t, "time", r.TimeUs.X, 4, 1e-12)
		near(t, "activities' time", r.ActivityTimeUs.X, 8, 1e-12)
		near(t, "power", r.PowerW.X, r.EnergyUJ.X/r.TimeUs.X, 1e-9)
		groups, components := 0.0, r.Const.X+r.Static.X+r.IdleSM.X
		for _, x := range r.GroupEnergy.all() {
			groups += x.X
		}
		for c, x := range r.ComponentEnergy.all() {
			components += x.X
			want := same[i].ComponentEnergy.all()[c].X / 2
			if Component(c) == MCP {
				want += m.Chip.MemControllerW * 4 / 2 // drawn all the time
			}
			near(t, Component(c).String(), x.X, want, 1e-9)
		}
		near(t, "groups", groups, r.EnergyUJ.X, 1e-9)
		near(t, "components", components, r.EnergyUJ.X, 1e-9)
		for _, x := range [][2]float64{{r.Const.X, same[i].Const.X}, {r.Static.X, same[i].Static.X}, {r.IdleSM.X, same[i].IdleSM.X}} {
			near(t, "what is drawn without events", x[0], x[1], 1e-12)
		}
	}
	near(t, "instructions a clock", rows[0].WarpIPC.X, same[0].WarpIPC.X/2, 1e-9)
	hot, classes, err := m.Hottest(t.Context(), list, 1000)
	if err != nil {
		t.Fatal(err)
	}
	instructions, byClass := 0.0, 0.0
	for _, h := range hot {
		instructions += h.EnergyUJ.X
	}
	for _, c := range classes {
		byClass += c.EnergyUJ.X
	}
	dynamicUJ, _, _ := rows[0].dynamic()
	near(t, "instructions", instructions, dynamicUJ, 1e-9)
	near(t, "classes", byClass, instructions, 1e-9)

	sweep, err := m.Sweep(list, []float64{1447})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "energy in a sweep", sweep[0].EnergyUJ.X, rows[1].EnergyUJ.X, 1e-9)
}

// TestMeasure: a measured time keeps the model's ratio where PTX is charged, and
// is the activities' time where it is not; without the ratio there is no figure.
func TestMeasure(t *testing.T) {
	measured := roofline.Measured(10, 1400)
	for _, c := range []struct {
		variant    Variant
		activityUs float64
	}{{PTXSim, 20}, {sassSim, 10}, {hw, 10}} {
		m := model(t, "gv100", ChipOptions{Variant: c.variant})
		list := chargedIn(vectorAdd(t, m.GPU, c.variant, Paper), 7, 1)
		m.Measure(&list[0], measured)
		near(t, string(c.variant)+": the time", list[0].Time.Us.X, 10, 0)
		near(t, string(c.variant)+": the activities' time", list[0].ActivityTime.Us.X, c.activityUs, 1e-12)
		near(t, string(c.variant)+": the clock", list[0].ActivityTime.ClockMHz, 1400, 0)
		list = []Timed{{Launch: list[0].Launch, Err: errors.New("no time")}}
		m.Measure(&list[0], measured)
		if known := list[0].Err == nil; known != (c.variant != PTXSim) {
			t.Errorf("%s, without times of the model: %v", c.variant, list[0].Err)
		}
	}
}

// TestOverrideTime: the cycles of a file are those of its instructions, if it
// has these; else the model's ratio stays.
func TestOverrideTime(t *testing.T) {
	m := model(t, "gv100", ChipOptions{Variant: PTXSim})
	for text, want := range map[string]float64{
		"launch,cycles,clock_mhz\n0,14470,1447\n":               20,
		"launch,TOT_INST,cycles,clock_mhz\n0,1000,14470,1447\n": 10,
		"launch,TOT_INST\n0,1000\n":                             8,
	} {
		list := chargedIn(vectorAdd(t, m.GPU, PTXSim, Paper), 7, 1)
		rows, err := ReadActivities("c.csv", []byte(text), m.Chip.SMs)
		if err != nil {
			t.Fatal(err)
		}
		if err := Override(list, rows, m); err != nil {
			t.Fatal(err)
		}
		near(t, text, list[0].ActivityTime.Us.X, want, 1e-9)
		near(t, text, list[0].Activity.seconds()*micro, want, 1e-9)
	}
}
