package scalemodel

import (
	"bytes"
	"testing"

	"hyptx/internal/figure"
	"hyptx/internal/number"
)

// sweptRow is a row by hand: what a launch of 64 CTAs does on a size.
func sweptRow(launch string, size int, scaling, active, warps float64) *SweepRow {
	return &SweepRow{Network: "net", Launch: launch, Kernel: "k" + launch, CTAs: 64, Size: size, Cycles: number.Ratio(100), IPC: number.Ratio(scaling * float64(size)),
		Scaling: number.Ratio(scaling), Class: ClassOf(8, 8, size, scaling*float64(size)), Active: number.Ratio(active), Warps: number.Ratio(warps), Limit: Latency}
}

// TestWaiting: the IPC that is lost is the product of how many SMs are active, of their warps
// and of what a warp does, and the smallest of these is what a launch is said to wait for.
func TestWaiting(t *testing.T) {
	first := sweptRow("0", 8, 1, 100, 32)
	for _, c := range []struct {
		scaling, active, warps float64
		want                   Limit
	}{
		{0.5, 50, 32, Tail},      // half of the SMs are idle, and that is all
		{0.5, 100, 16, FewWarps}, // half of the warps
		{0.5, 100, 32, Latency},  // each warp takes twice as long
		{0.8, 95, 16, FewWarps},  // half of the warps, each faster
		{0.4, 50, 30, Tail},
		{0.4, 80, 24, Latency}, // 0.8 * 0.75 * 0.67
	} {
		if got := sweptRow("0", 16, c.scaling, c.active, c.warps).waiting(first); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestStops: a launch scales to the last size before the first that is sub-linear, also if it
// is faster again on a larger one; what has no figures is left out.
func TestStops(t *testing.T) {
	rows := []*SweepRow{sweptRow("0", 8, 1, 100, 32), sweptRow("1", 8, 1, 100, 16), {Network: "net", Launch: "2", Size: 8, Missing: "it failed"},
		sweptRow("0", 16, 0.95, 100, 32), sweptRow("1", 16, 0.6, 100, 8), {Network: "net", Launch: "2", Size: 16, Missing: "it failed"},
		sweptRow("0", 32, 0.91, 100, 32), sweptRow("1", 32, 0.92, 100, 4), {Network: "net", Launch: "2", Size: 32, Missing: "it failed"}}
	rows[4].Limit, rows[7].Limit, rows[7].Cycles = FewWarps, "L2", number.Ratio(300)
	got := Stops(rows)
	if len(got) != 2 {
		t.Fatalf("%d launches", len(got))
	}
	want := []Stop{{Launch: "0", Kernel: "k0", CTAs: 64, To: 32, Limited: Latency, Scaling: 0.91, Warps: number.Ratio(32), Share: 0.25},
		{Launch: "1", Kernel: "k1", CTAs: 64, To: 8, At: 16, Why: FewWarps, Limited: "L2", Scaling: 0.92, Warps: number.Ratio(16), WarpsThen: number.Ratio(8), Share: 0.75}}
	for i := range want {
		if *got[i] != want[i] {
			t.Errorf("%+v, want %+v", *got[i], want[i])
		}
	}
	look := figure.Look{Format: "svg"}
	once, err := PlotSweep(rows, Strong, look)
	again, _ := PlotSweep(rows, Strong, look)
	if err != nil || !bytes.Equal(once, again) {
		t.Fatal(err)
	}
	for text, shown := range map[string]bool{">60 warps<": true, ">95<": true, ">0 k0<": true, ">2 <": false, ">SMs, with L2 and DRAM in proportion<": true} {
		if bytes.Contains(once, []byte(text)) != shown {
			t.Errorf("%s: want %v", text, shown)
		}
	}
	if _, err := PlotSweep(rows[2:3], Strong, look); err == nil {
		t.Error("a picture of nothing")
	}
	if len(Stops(nil)) != 0 {
		t.Error("stops of nothing")
	}
}
