package silicon

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/gpu"
)

// TestAccuracy by hand: errors of 100, -50 and 0 %.
func TestAccuracy(t *testing.T) {
	a := accuracyOf([]pair{{10, 20}, {40, 20}, {30, 30}})
	if a.n != 3 || a.mape != 50 || a.median != 50 || math.Abs(a.bias-50./3) > 1e-12 || a.worst != 100 {
		t.Errorf("%+v", a)
	}
	// Ranks 0, 2, 1 and .5, .5, 2: their covariance is 0.
	if !a.rank.Known || math.Abs(a.rank.X) > 1e-12 {
		t.Errorf("rank %v", a.rank)
	}
	// Of two rows that are predicted to be the fastest the first is taken.
	if a.pick != 1 {
		t.Errorf("pick %g", a.pick)
	}
	if a = accuracyOf([]pair{{10, 9}, {5, 10}}); a.rank.X != -1 || a.r.X > -0.99 || a.pick != 2 || a.median != 55 {
		t.Errorf("%+v", a)
	}
	if a = accuracyOf([]pair{{10, 9}}); a.rank.Known || a.r.Known || a.mape != 10 {
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
		got := bestConstant(values)
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

// TestPlainRoofline by hand: 1e6 multiply-adds of 32 bits on 10 SMs of 64 lanes at
// 1000 MHz take 1.5625 us, 1e6 bytes at 100 GB/s take 10 us.
func TestPlainRoofline(t *testing.T) {
	number := func(x float64) *gpu.Float { return &gpu.Float{Value: x} }
	g := &gpu.GPU{SMs: &gpu.Int{Value: 10}, Clock: gpu.Clock{BoostMHz: number(1000)}, DRAM: gpu.DRAM{BandwidthGBPerS: number(100)},
		Units: gpu.Units{FP32PerClock: number(64), FP64PerClock: number(2)}}
	for _, c := range []struct {
		sp, dp, tensor, bytes, times uint64
		us                           float64
	}{
		{1e6, 0, 0, 1e6, 1, 10}, {1e7, 0, 0, 1e6, 1, 15.625}, {1e6, 1e6, 0, 1e6, 1, 50}, {0, 0, 0, 1e6, 3, 30}, {0, 0, 5, 1e6, 1, math.NaN()},
	} {
		var f analysis.Facts
		for counter, n := range map[analysis.Counter]uint64{analysis.FlopSPFma: c.sp, analysis.FlopDPFma: c.dp, analysis.FlopTensor: c.tensor,
			analysis.FootprintBytes: c.bytes, analysis.Launches: c.times} {
			f.Set(counter, n)
		}
		got := plainLaunch(&f, g)
		if got.Known == math.IsNaN(c.us) || got.Known && math.Abs(got.X-c.us) > 1e-9 {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if got := plainLaunch(&analysis.Facts{}, g); got.Known {
		t.Error(got)
	}
}
