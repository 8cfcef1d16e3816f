package silicon

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"hyptx/analysis"
)

// pair is a measured value and what was predicted of it.
type pair struct{ measured, predicted float64 }

func (p pair) errorPct() float64 { return 100 * (p.predicted - p.measured) / p.measured }

// accuracy says how far off predictions are, in percent of what was measured.
type accuracy struct {
	n int
	// mape is the mean and median of the errors without their signs, bias the mean
	// with them, worst the largest.
	mape, median, bias, worst float64
	// rank is Spearman's correlation: whether the order is right, whatever the
	// values; r is Pearson's. Unknown where all values of a side are the same.
	rank, r analysis.Real
	// pick is what it costs to choose by prediction: the measured value of the row
	// with the least predicted one, over the least measured.
	pick float64
}

// accuracyOf compares at least one pair.
func accuracyOf(pairs []pair) (a accuracy) {
	a.n = len(pairs)
	var measured, predicted, off []float64
	least, chosen := pairs[0].measured, pairs[0]
	for _, p := range pairs {
		measured, predicted = append(measured, p.measured), append(predicted, p.predicted)
		off = append(off, math.Abs(p.errorPct()))
		a.bias += p.errorPct() / float64(a.n)
		least = min(least, p.measured)
		if p.predicted < chosen.predicted {
			chosen = p
		}
	}
	slices.Sort(off)
	a.mape, a.median, a.worst = stat.Mean(off, nil), middle(off), off[a.n-1]
	a.rank, a.r = correlation(ranks(measured), ranks(predicted)), correlation(measured, predicted)
	a.pick = chosen.measured / least
	return a
}

// middle is the median of sorted values.
func middle(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// correlation is Pearson's of two lists.
func correlation(x, y []float64) analysis.Real {
	if r := stat.Correlation(x, y, nil); len(x) > 1 && !math.IsNaN(r) {
		return analysis.Ratio(r)
	}
	return analysis.Real{}
}

// ranks are the places of values in their order; equal ones share the mean of
// theirs.
func ranks(values []float64) []float64 {
	sorted := slices.Sorted(slices.Values(values))
	out := make([]float64, len(values))
	for i, x := range values {
		first, _ := slices.BinarySearch(sorted, x)
		last := first
		for last < len(sorted) && sorted[last] == x {
			last++
		}
		out[i] = float64(first+last-1) / 2
	}
	return out
}
