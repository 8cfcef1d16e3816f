package power

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Constant and static power cannot be switched off one by one, but they answer
// differently to the clock. Voltage follows the clock nearly in proportion, V = k f,
// which turns equation 2 into
//
//	P = beta C f^3 + tau f + P_const                             (equation 3)
//
// a cubic without a quadratic term: switching goes with V^2 f, leakage with V, and
// what is left at f = 0 is drawn always. So one benchmark, measured at a handful of
// locked clocks, is taken apart by a linear least-squares fit in f^3, f and 1. The
// paper has 32.5 W for a GV100's constant power from five such curves.

// cubic is equation 3: P = Beta f^3 + Tau f + ConstantW, with f in MHz. It holds
// from LowMHz to HighMHz, between the clocks that were measured.
type cubic struct {
	Beta      float64 `json:"beta_w_per_mhz3"`
	Tau       float64 `json:"tau_w_per_mhz"`
	ConstantW float64 `json:"constant_w"`
	LowMHz    float64 `json:"low_mhz"`
	HighMHz   float64 `json:"high_mhz"`
	// PearsonR is the correlation of the fit with the measurements.
	PearsonR float64 `json:"pearson_r"`
}

// fitCubic fits equation 3 to powers in W measured at clocks in MHz by least
// squares. It needs three different clocks.
func fitCubic(clockMHz, powerW []float64) (*cubic, error) {
	different := map[float64]bool{}
	c := &cubic{LowMHz: math.Inf(1)}
	for i, f := range clockMHz {
		if !(f > 0) || math.IsInf(f, 0) || !(powerW[i] > 0) || math.IsInf(powerW[i], 0) {
			return nil, fmt.Errorf("%g W at %g MHz: both must be positive", powerW[i], f)
		}
		different[f] = true
		c.LowMHz, c.HighMHz = min(c.LowMHz, f), max(c.HighMHz, f)
	}
	if len(different) < 3 {
		return nil, fmt.Errorf("%d different clocks: a cubic fit (P = beta f^3 + tau f + constant) needs at least 3", len(different))
	}
	a := mat.NewDense(len(clockMHz), 3, nil) // clocks over the highest, for condition
	for i, f := range clockMHz {
		g := f / c.HighMHz
		a.SetRow(i, []float64{g * g * g, g, 1})
	}
	var x mat.VecDense
	if err := x.SolveVec(a, mat.NewVecDense(len(powerW), powerW)); err != nil {
		return nil, fmt.Errorf("the clocks lie too close together for a cubic fit: %w", err)
	}
	c.Beta, c.Tau, c.ConstantW = x.AtVec(0)/math.Pow(c.HighMHz, 3), x.AtVec(1)/c.HighMHz, x.AtVec(2)
	fitted := make([]float64, len(clockMHz))
	for i, f := range clockMHz {
		fitted[i] = c.at(f)
	}
	if c.PearsonR = stat.Correlation(fitted, powerW, nil); math.IsNaN(c.PearsonR) {
		c.PearsonR = 0 // equal powers correlate with nothing
	}
	return c, nil
}

func (c *cubic) at(f float64) float64 { return c.Beta*f*f*f + c.Tau*f + c.ConstantW }

// checkClock returns an error for a clock in MHz outside of the range that was
// measured: a cubic through few points says nothing beyond them.
func (c *cubic) checkClock(mhz float64) error {
	if !(mhz >= c.LowMHz && mhz <= c.HighMHz) {
		return fmt.Errorf("clock %g MHz lies outside the fitted range, %g to %g MHz", mhz, c.LowMHz, c.HighMHz)
	}
	return nil
}
