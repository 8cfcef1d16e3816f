package silicon

import (
	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/internal/number"
)

// What a model has to beat is what needs none: the one constant that is nearest to
// all measured values (package accuracy; it has seen them), and the roofline as it is
// drawn on a blackboard.

// plainRoofline is the longer of two times in us, over all launches: floating-point
// operations of the PTX at the peak of the data sheet at the GPU's clock (those of
// each width at its own), and each byte that is touched once at the bandwidth of the
// data sheet. It knows no latency, no integers and no launch.
func plainRoofline(of launches, g *gpu.GPU) number.Real {
	us := 0.0
	for _, l := range of.list {
		one := plainLaunch(&l.profile.Facts, g)
		if l.profile.Error != "" || !one.Known {
			return number.Real{}
		}
		us += one.X
	}
	return number.Ratio(us)
}

func plainLaunch(f *analysis.Facts, g *gpu.GPU) number.Real {
	x := f.X
	bandwidth := g.DRAM.BandwidthGBPerS
	bytes := x(analysis.FootprintBytes) * x(analysis.Launches)
	if !f.Of(analysis.FootprintBytes).Known { // what was simulated has no footprint
		bytes = x(analysis.DRAMReadBytes) + x(analysis.DRAMWriteBytes)
	}
	if bytes == 0 && !f.Of(analysis.FootprintBytes).Known && !f.Of(analysis.DRAMReadBytes).Known || !bandwidth.Known() {
		return number.Real{}
	}
	longest := bytes / bandwidth.Value / 1e3
	for _, w := range []struct {
		operations float64
		path       string
		lanes      *gpu.Float
	}{
		{x(analysis.FlopSPAdd) + x(analysis.FlopSPMul) + 2*x(analysis.FlopSPFma), "units.fp32_per_clock", g.Units.FP32PerClock},
		{x(analysis.FlopDPAdd) + x(analysis.FlopDPMul) + 2*x(analysis.FlopDPFma), "units.fp64_per_clock", g.Units.FP64PerClock},
		{x(analysis.FlopHPAdd) + x(analysis.FlopHPMul) + 2*x(analysis.FlopHPFma), "units.fp16_per_clock", g.Units.FP16PerClock},
		{x(analysis.FlopTensor), "units.tensor_per_clock", g.Units.TensorPerClock},
	} {
		if w.operations == 0 {
			continue
		}
		giga, err := g.DataSheetGOPS(w.path, w.lanes) // multiply-adds
		if err != nil || giga == 0 {
			return number.Real{}
		}
		longest = max(longest, w.operations/(2*giga)/1e3)
	}
	return number.Ratio(longest)
}
