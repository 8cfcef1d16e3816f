package roofline

import (
	"slices"
	"strings"
	"testing"

	"hyptx/internal/gpu"
)

// TestStandIns: what a GPU's file does not say and its compute capability does is taken of that,
// and named; what the file says is not.
func TestStandIns(t *testing.T) {
	of := func(name string) *Device {
		g, err := gpu.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		d, err := NewDevice(g)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	used := [numKinds]bool{none: true, fp32: true, fp64: true, memory: true}
	d := of("rtx-3090")
	lat := d.latencies(Traffic{})
	if err := lat.need(used); err != nil || *lat.Cycles[fp64] <= *lat.Cycles[fp32] {
		t.Errorf("fp64: %v", err)
	}
	if got := lat.standIns(used); !slices.Equal(got, []string{"latency.fp64_cycles"}) {
		t.Errorf("rtx-3090: %q stand in", got)
	}
	lat = of("gv100").latencies(Traffic{})
	if got := lat.standIns(used); got != nil {
		t.Errorf("gv100: %q stand in", got)
	}
	d = of("gtx-960")
	us, err := d.overheadUs()
	if err != nil || us != d.timing.Launch.StreamUs || us <= 0 {
		t.Errorf("overhead of %v us: %v", us, err)
	}
	if x := extended(t, plainLaunch(), d); !x.Total.Known || !strings.Contains(strings.Join(x.Notes, "\n"), "its file does not say "+overheadPath) {
		t.Errorf("gtx-960: %+v", x)
	}
	if x := extended(t, plainLaunch(), of("gv100")); slices.ContainsFunc(x.Notes, func(n string) bool { return strings.Contains(n, "does not say") }) {
		t.Errorf("gv100: %q", x.Notes)
	}
}
