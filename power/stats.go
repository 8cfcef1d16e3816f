package power

import (
	"math"

	"hyptx/internal/number"

	"gonum.org/v1/gonum/stat"
)

// The paper's measures, so that figures here can be laid beside its own: of 26
// kernels on a GV100, SASS SIM has a mean absolute error of 9.2 +- 3.1 % at a largest
// of 30.0 %, r 0.83. A mean error near 0 with a large absolute one means that errors
// cancel, which is why the bias stands beside it.

// Accuracy says how well modelled powers meet measured ones.
type Accuracy struct {
	N int `csv:"n" json:"n"`
	// MAPEPct is the mean absolute error in percent of the measured values;
	// CI95Pct the half width of its 95 % confidence interval, 1.96 population
	// standard deviations over the root of N; MaxPct the largest error.
	MAPEPct float64 `csv:"mape_pct" json:"mape_pct"`
	CI95Pct float64 `csv:"ci95_pct" json:"ci95_pct"`
	MaxPct  float64 `csv:"max_pct" json:"max_pct"`
	// BiasPct is the mean error with its sign.
	BiasPct float64 `csv:"bias_pct" json:"bias_pct"`
	// PearsonR is the correlation of modelled with measured values; unknown where
	// either are all the same.
	PearsonR number.Real `csv:"pearson_r" json:"pearson_r"`
}

// compare returns the accuracy of modelled values; measured ones must not be 0.
func compare(modelled, measured []float64) Accuracy {
	a := Accuracy{N: len(measured)}
	errs := make([]float64, a.N)
	for i := range measured {
		e := 100 * (modelled[i] - measured[i]) / measured[i]
		a.BiasPct += e / float64(a.N)
		errs[i] = math.Abs(e)
		a.MaxPct = max(a.MaxPct, errs[i])
	}
	a.MAPEPct = stat.Mean(errs, nil)
	a.CI95Pct = 1.96 * stat.PopStdDev(errs, nil) / math.Sqrt(float64(a.N))
	if r := stat.Correlation(modelled, measured, nil); !math.IsNaN(r) {
		a.PearsonR = number.Ratio(r)
	}
	return a
}
