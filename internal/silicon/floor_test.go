package silicon

import (
	"math"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/gpu"
)

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
