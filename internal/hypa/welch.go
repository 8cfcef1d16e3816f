package hypa

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Comparison is Welch's test of whether two lists of times have the same mean, two-sided,
// their variances unequal (Welch 1947); the paper compares its times with nvprof's so.
type Comparison struct {
	MeanA, MeanB float64
	T, DF, P     float64
}

// Welch compares two lists of at least two numbers.
func Welch(a, b []float64) (Comparison, error) {
	if len(a) < 2 || len(b) < 2 {
		return Comparison{}, errors.New("a list of fewer than two numbers has no variance")
	}
	meanA, varianceA := stat.MeanVariance(a, nil)
	meanB, varianceB := stat.MeanVariance(b, nil)
	ofA, ofB := varianceA/float64(len(a)), varianceB/float64(len(b)) // of the means
	if ofA+ofB == 0 {
		return Comparison{}, errors.New("no number differs from its list's mean: the test says nothing")
	}
	c := Comparison{MeanA: meanA, MeanB: meanB, T: (meanA - meanB) / math.Sqrt(ofA+ofB)}
	c.DF = (ofA + ofB) * (ofA + ofB) / (ofA*ofA/float64(len(a)-1) + ofB*ofB/float64(len(b)-1))
	c.P = 2 * distuv.StudentsT{Sigma: 1, Nu: c.DF}.Survival(math.Abs(c.T))
	return c, nil
}

// Significant: at the level that the paper takes.
func (c Comparison) Significant() bool { return c.P < 0.05 }
