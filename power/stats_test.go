package power

import "testing"

// TestCompareSame: powers that are all the same correlate with nothing.
func TestCompareSame(t *testing.T) {
	for _, c := range []struct{ modelled, measured []float64 }{
		{[]float64{50, 50, 50}, []float64{40, 50, 60}}, {[]float64{40, 50, 60}, []float64{50, 50, 50}}, {[]float64{50}, []float64{50}},
	} {
		if a := compare(c.modelled, c.measured); a.PearsonR.Known || a.N != len(c.measured) {
			t.Errorf("%v, %v: %+v", c.modelled, c.measured, a)
		}
	}
	a := compare([]float64{1, 2, 3}, []float64{2, 4, 6})
	near(t, "r", a.PearsonR.X, 1, 1e-12)
	near(t, "error", a.MAPEPct, 50, 1e-12)
}
