package roofline

import (
	"math"
	"strings"
	"testing"

	"hyptx/internal/figure"
	"hyptx/internal/number"
)

// TestLevels: the plot of one GPU has a roof for each level of its memory whose rate is
// known, and points for them; that of two has DRAM's.
func TestLevels(t *testing.T) {
	launches, devices, rows, o := plotted(t)
	spec := devices[0].Spec
	spec.L1.MeasuredBytesPerClock, spec.L2.MeasuredBytesPerClock = fact(128.), fact(1000.)
	for _, l := range launches {
		l.Traffic.L2, l.Traffic.L1 = number.Ratio(2e6), number.Ratio(4e6)
	}
	one, err := PlotRoofline(report(everywhere(launches), devices[:1], o), devices[:1], figure.Look{Format: "svg"})
	if err != nil {
		t.Fatal(err)
	}
	// 128 bytes on 10 SMs, and 1,000, at 1 GHz.
	for _, want := range []string{"round: L1, 1,280 GB/s", "round: L2, 1,000 GB/s", "round: by the bytes of its L2", "round: by the bytes of its L1", "byte of a level"} {
		if !strings.Contains(string(one), want) {
			t.Errorf("the plot does not say %q", want)
		}
	}
	two, err := PlotRoofline(rows, devices, figure.Look{Format: "svg"})
	if err != nil || strings.Contains(string(two), ": L2,") || !strings.Contains(string(two), "byte of DRAM") {
		t.Errorf("of two GPUs: %v", err)
	}
}

// TestTensorRoof: operations of tensor cores count, and have a roof of their own.
func TestTensorRoof(t *testing.T) {
	launches, devices, _, o := plotted(t)
	launches[0].TensorMACs = number.Ratio(1e9)
	rows := report(everywhere(launches[:1]), devices[:1], o)
	r := rows[0]
	ops := float64(r.WComp.N) + 2e9
	if got, want := r.GOPS.X, ops/r.TimeUs.X/1e3; math.Abs(got/want-1) > 1e-9 || r.TensorOps.N != 2e9 {
		t.Errorf("%v Gop/s, want %v; %v operations of tensor cores", got, want, r.TensorOps)
	}
	if got, want := r.IntensityDRAM.X, ops/float64(r.WTraf.N); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("intensity %v, want %v", got, want)
	}
	svg, err := PlotRoofline(rows, devices[:1], figure.Look{Format: "svg"})
	if want := "round: tensor (16 bits), 10,240 Gop/s"; err != nil || !strings.Contains(string(svg), want) {
		t.Errorf("%v: the plot does not say %q", err, want)
	}
}

// TestRadii: areas are shares of the time of a GPU, down to what can be seen.
func TestRadii(t *testing.T) {
	rows := []*Row{{GPU: "a", TimeUs: number.Ratio(100)}, {GPU: "a", TimeUs: number.Ratio(25)}, {GPU: "a", TimeUs: number.Ratio(1e-3)}, {GPU: "b", TimeUs: number.Ratio(7)}}
	got := radii(rows)
	if got[0] != mostRadius || got[1] != mostRadius/2 || got[2] != leastRadius || got[3] != mostRadius {
		t.Error(got)
	}
}
