package accuracy

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAccuracy by hand: errors of 100, -50 and 0 %.
func TestAccuracy(t *testing.T) {
	a := Of([]Pair{{10, 20}, {40, 20}, {30, 30}})
	if a.N != 3 || a.MAPEPct != 50 || a.MedianPct != 50 || math.Abs(a.BiasPct-50./3) > 1e-12 || a.WorstPct != 100 {
		t.Errorf("%+v", a)
	}
	// Ranks 0, 2, 1 and .5, .5, 2: their covariance is 0.
	if !(math.Abs(a.Rank) <= 1e-12) {
		t.Errorf("rank %v", a.Rank)
	}
	// Of two rows that are predicted to be the fastest the first is taken.
	if a.Pick != 1 {
		t.Errorf("pick %g", a.Pick)
	}
	if a = Of([]Pair{{10, 9}, {5, 10}}); a.Rank != -1 || !(a.R < -0.99) || a.Pick != 2 || a.MedianPct != 55 {
		t.Errorf("%+v", a)
	}
	if a = Of([]Pair{{10, 9}}); !math.IsNaN(a.Rank) || !math.IsNaN(a.R) || a.MAPEPct != 10 {
		t.Errorf("%+v", a)
	}
	if got := ranks([]float64{3, 1, 3, 3, 7}); !slices.Equal(got, []float64{2, 0, 2, 2, 4}) {
		t.Errorf("%v", got)
	}
}

// TestBestConstant: no constant has less error, of those near any of the values.
func TestBestConstant(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		values := make([]float64, 1+random.IntN(9))
		for i := range values {
			values[i] = math.Exp(4 * random.Float64())
		}
		got := BestConstant(values)
		for _, v := range values {
			for _, c := range []float64{v, 0.99 * v, 1.01 * v} {
				off := 0.0
				for _, x := range values {
					off += 100 * math.Abs(c-x) / x / float64(len(values))
				}
				if off < got*(1-1e-12) {
					t.Fatalf("%v: %g %%, and %g has %g %%", values, got, c, off)
				}
			}
		}
	}
}
