package power

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
)

// The power of an SM without a CTA is what is left of a GPU that runs on a part of
// its SMs, after all else is taken away: with all N active a benchmark tells what
// an active SM takes,
//
//	P_active = (P_N - P_const) / N                               (equation 6)
//	P_idle = (P_k - P_const - k P_active) / (N - k)              (equation 7)
//
// and the geometric mean over benchmarks and k is the result (equation 8). If 80
// active SMs draw 120 W and 40 of them 90 W, with 32.5 W constant, an active SM
// takes 1.09 W and the other 40 together 13.75 W: 0.34 W each.

// IdleRun is a micro-benchmark measured with some SMs active.
type IdleRun struct {
	Name      string  `csv:"run"`
	ActiveSMs int     `csv:"active_sms"`
	PowerW    float64 `csv:"measured_w"`
}

// IdleSMPower returns the power of an idle SM in W by equations 6 to 8: each
// benchmark's power with all SMs active gives what an active SM takes; what is
// left of the others is idle power; the result is the geometric mean over all.
func IdleSMPower(runs []IdleRun, sms int, constantW float64) (float64, error) {
	full := map[string]float64{}
	for _, r := range runs {
		if r.ActiveSMs < 1 || r.ActiveSMs > sms || !(r.PowerW > constantW) || math.IsInf(r.PowerW, 0) {
			return 0, fmt.Errorf("%s: %g W with %d of %d SMs active: the SMs must be from 1 to %d, the power above the constant %g W", r.Name, r.PowerW, r.ActiveSMs, sms, sms, constantW)
		}
		if r.ActiveSMs == sms {
			full[r.Name] = r.PowerW
		}
	}
	var idle []float64
	for _, r := range runs {
		if r.ActiveSMs == sms {
			continue
		}
		all, ok := full[r.Name]
		if !ok {
			return 0, fmt.Errorf("%s: no run with all %d SMs active, which says what an active SM takes", r.Name, sms)
		}
		perActive := (all - constantW) / float64(sms)
		w := (r.PowerW - constantW - perActive*float64(r.ActiveSMs)) / float64(sms-r.ActiveSMs)
		if !(w > 0) {
			return 0, fmt.Errorf("%s with %d SMs active: %.4g W for each idle SM; a geometric mean needs positive values", r.Name, r.ActiveSMs, w)
		}
		idle = append(idle, w)
	}
	if len(idle) == 0 {
		return 0, fmt.Errorf("no run with idle SMs")
	}
	return stat.GeometricMean(idle, nil), nil
}
