package accuracy

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Pair is a measured value and what was predicted of it. Measured ones are above 0.
type Pair struct{ Measured, Predicted float64 }

// ErrorPct is how far off the prediction is, in percent of what was measured.
func (p Pair) ErrorPct() float64 { return 100 * (p.Predicted - p.Measured) / p.Measured }

// Accuracy says how far off predictions are. What cannot be said is NaN.
type Accuracy struct {
	N int
	// MAPEPct is the mean of the errors without their signs, MedianPct their median,
	// BiasPct the mean with signs, WorstPct the largest.
	MAPEPct, MedianPct, BiasPct, WorstPct float64
	// Rank is Spearman's correlation: whether the order is right, whatever the
	// values are; R is Pearson's. NaN where all values of a side are the same.
	Rank, R float64
	// Fastest is the pair with the least prediction; Pick is its measured value over
	// the least one: what it costs to choose by prediction.
	Fastest int
	Pick    float64
}

// Of compares pairs; there must be one.
func Of(pairs []Pair) (a Accuracy) {
	a.N = len(pairs)
	var measured, predicted, off []float64
	least := math.Inf(1)
	for i, p := range pairs {
		measured, predicted = append(measured, p.Measured), append(predicted, p.Predicted)
		off = append(off, math.Abs(p.ErrorPct()))
		a.BiasPct += p.ErrorPct() / float64(a.N)
		least = min(least, p.Measured)
		if p.Predicted < pairs[a.Fastest].Predicted {
			a.Fastest = i
		}
	}
	slices.Sort(off)
	a.MAPEPct, a.MedianPct, a.WorstPct = stat.Mean(off, nil), (off[(a.N-1)/2]+off[a.N/2])/2, off[a.N-1]
	a.Rank, a.R = stat.Correlation(ranks(measured), ranks(predicted), nil), stat.Correlation(measured, predicted, nil)
	a.Pick = pairs[a.Fastest].Measured / least
	return a
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

// BestConstant returns the mean error in percent of the one constant that has the
// least: a median in which each value weighs as much as its error counts, its
// inverse.
func BestConstant(measured []float64) float64 {
	sorted := slices.Sorted(slices.Values(measured))
	total := 0.0
	for _, x := range sorted {
		total += 1 / x
	}
	c, sum := 0.0, 0.0
	for _, x := range sorted {
		if c, sum = x, sum+1/x; sum >= total/2 {
			break
		}
	}
	off := 0.0
	for _, x := range sorted {
		off += math.Abs(c-x) / x
	}
	return 100 * off / float64(len(sorted))
}
