package power

import (
	"testing"

	"hyptx/analysis"
	"hyptx/internal/roofline"
)

// TestConcurrent holds acceptance fact 24: two equal launches on disjoint halves of the SMs
// draw constant power once and no idle power; one after the other they draw less on average
// and cost more. Those of one stream wait for each other, and so does what finds no SMs.
func TestConcurrent(t *testing.T) {
	m := model(t, "gv100", ChipOptions{Variant: sassSim})
	launch := func(stream string, idleSMs, us float64) Timed {
		a := &Activity{Cycles: us * 1447, ClockMHz: 1447, Lanes: 32, IdleSMs: idleSMs}
		a.Counts[Int], a.Counts[FP] = 1e9, 1e9
		return Timed{Launch: &Launch{Launch: analysis.Launch{Network: "n", Stream: stream}}, Time: roofline.Measured(us, 1447), ActivityTime: roofline.Measured(us, 1447), Activity: a}
	}
	half := launch("1", 40, 1000)
	_, alone, err := m.estimate(&half)
	if err != nil {
		t.Fatal(err)
	}
	dynamic := alone.TotalW() - alone.Watts[ConstP] - alone.Watts[IdleCoreP] - alone.Watts[StaticP]
	both := *m
	both.Concurrent = true
	rows := both.Report([]Timed{half, launch("2", 40, 1000)}, 1)
	near(t, "both at once", rows[2].PowerW.X, 2*(dynamic+alone.Watts[StaticP])+alone.Watts[ConstP], 1e-9)
	near(t, "time", rows[2].TimeUs.X, 1000, 1e-9)
	near(t, "what each draws for itself", rows[0].PowerW.X, dynamic+alone.Watts[StaticP], 1e-9)
	near(t, "constant energy, once", rows[2].Const.X, 1000*alone.Watts[ConstP], 1e-6)
	serial := m.Report([]Timed{half, launch("2", 40, 1000)}, 1)[2]
	near(t, "one after the other", serial.PowerW.X, alone.TotalW(), 1e-9)
	for _, c := range []struct {
		what     string
		launches []Timed
		makespan float64
		begins   []float64
	}{
		{"one stream", []Timed{half, launch("1", 40, 500)}, 1500, []float64{0, 1000}},
		{"no room", []Timed{half, launch("2", 10, 500)}, 1500, []float64{0, 1000}},
		{"a later one has room", []Timed{half, launch("2", 10, 500), launch("3", 40, 200)}, 1500, []float64{0, 1000, 0}},
		{"room again", []Timed{half, launch("2", 40, 300), launch("3", 40, 200)}, 1000, []float64{0, 0, 300}},
	} {
		rows := both.Report(c.launches, 1)
		for i, us := range c.begins {
			near(t, c.what+": beginning", rows[i].StartUs.X, us, 1e-9)
		}
		sum, energy := rows[len(c.begins)], 0.0
		near(t, c.what, sum.TimeUs.X, c.makespan, 1e-9)
		for _, r := range both.OverTime(c.launches) {
			energy += r.PowerW.X * (r.EndUs.X - r.BeginUs.X)
		}
		near(t, c.what+": energy over time", energy, sum.EnergyUJ.X, 1e-6)
	}
}
