package power

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// What a fit is worth. A solution exists for any measurements, even for powers of
// another GPU: bounds see to that. So its residuals are looked at, and a fit that
// predicts the runs worse than their mean does is refused. Weaker signs are doubts,
// which the user is told: static power that leaves nothing for the events, energies
// that stand at the ends of their range.

// sensorPct is by how much a board's own reading of its power may be wrong:
// 5 % (nvidia-smi's manual, power.draw). Fits within it are not judged.
const sensorPct = 5

// halfExplained is the share of the runs' differences below which a fit is
// doubted: less than half of them come from the energies.
const halfExplained = 0.5

// explained returns the share of the variance of the measured powers that the
// tuned model accounts for (R squared): 1 is all of it, 0 what their mean alone
// would, and less than that is farther from the measurements than their mean.
func (t *Tuned) explained() float64 { return 1 - t.squaredError()/t.spread() }

// spread returns the squared distance of the measured powers from their mean.
func (t *Tuned) spread() float64 {
	measured := make([]float64, len(t.Residuals))
	for i, r := range t.Residuals {
		measured[i] = r.MeasuredW
	}
	return stat.PopVariance(measured, nil) * float64(len(measured))
}

// Check returns an error if the fit is no result: if the tuned model misses the
// measured powers by more than their mean does, and by more than a board's
// reading may.
func (t *Tuned) Check() error {
	if t.explained() > 0 || t.Accuracy.MaxPct <= sensorPct {
		return nil
	}
	rms := func(squares float64) float64 { return math.Sqrt(squares / float64(len(t.Residuals))) }
	return fmt.Errorf("the fit explains nothing: the model misses the measured powers by %.3g W (root mean square), their mean alone by %.3g W", rms(t.squaredError()), rms(t.spread()))
}

// Doubts returns in words what speaks against the fit: fixed power beyond what
// was measured, energies at their bounds, powers that it does not explain.
func (t *Tuned) Doubts() (doubts []string) {
	var beyond []string
	for _, r := range t.Residuals {
		if r.FixedW > r.MeasuredW {
			beyond = append(beyond, fmt.Sprintf("%s (%.4g of %.4g W)", r.Run, r.FixedW, r.MeasuredW))
		}
	}
	if n := len(beyond); n > 0 {
		doubts = append(doubts, fmt.Sprintf("in %d of %d runs constant, static and idle power alone are more than what was measured: %s; those of this GPU can be given", n, len(t.Residuals), some(beyond)))
	}
	if b := t.bounded(); len(b) > 0 {
		doubts = append(doubts, fmt.Sprintf("%d of %d energies end at a bound, beyond which the runs would have them: %s", len(b), t.Exercised, strings.Join(b, ", ")))
	}
	if x := t.explained(); x < halfExplained && t.Accuracy.MaxPct > sensorPct {
		doubts = append(doubts, fmt.Sprintf("the model explains %.0f %% of what the runs differ by", 100*max(x, 0)))
	}
	return doubts
}

// some joins the first names of a list.
func some(list []string) string {
	if len(list) > mostListed {
		list = append(slices.Clone(list[:mostListed]), "...")
	}
	return strings.Join(list, ", ")
}

// bounded returns the exercised columns whose corrections ended at a bound.
func (t *Tuned) bounded() (names []string) {
	for _, c := range t.Columns() {
		for _, bound := range []string{lowerBound, upperBound} {
			if slices.Contains(t.Equalities, c+bound) {
				names = append(names, c)
			}
		}
	}
	return names
}

// fixedStatic is static power that tuning took as given.
type fixedStatic struct {
	Category Category
	// OneLaneW and AllLanesW are of all SMs of the chip with 1 and with 32 active
	// lanes a warp, in W.
	OneLaneW, AllLanesW float64
}

// FixedStatic returns the static power of the categories that the runs are of.
func (c *Chip) FixedStatic(runs []Run) (out []fixedStatic) {
	for _, r := range runs {
		k := categoryOf(&r.Activity.Counts, Release)
		if slices.ContainsFunc(out, func(f fixedStatic) bool { return f.Category == k }) {
			continue
		}
		p := c.Static[k]
		out = append(out, fixedStatic{k, p.FirstW, p.FirstW + 31*p.AddW})
	}
	return out
}

// FixedRange returns the least and the largest power of a run in W that is not
// dynamic.
func (t *Tuned) FixedRange() (low, high float64) {
	low = math.Inf(1)
	for _, r := range t.Residuals {
		low, high = min(low, r.FixedW), max(high, r.FixedW)
	}
	return low, high
}
