package scalemodel

import (
	"strings"
	"testing"

	"hyptx/internal/gpu"
)

// TestGPU: what SMs share is scaled, what they have is not, and the file says from what.
func TestGPU(t *testing.T) {
	g, err := gpu.Get("gv100") // 80 SMs, 6 MiB of L2
	if err != nil {
		t.Fatal(err)
	}
	s, rounded, err := GPU(g, 20)
	if err != nil {
		t.Fatal(err)
	}
	if s.SMs.Value != 20 || s.L2.Bytes.Value*4 != g.L2.Bytes.Value || s.DRAM.Channels.Value*4 != g.DRAM.Channels.Value || s.Name != "gv100-20sm" || rounded != "" {
		t.Errorf("%d SMs, L2 of %d bytes, %d channels, %s, %q", s.SMs.Value, s.L2.Bytes.Value, s.DRAM.Channels.Value, s.Name, rounded)
	}
	near(t, "bandwidth", s.DRAM.BandwidthGBPerS.Value*4, g.DRAM.BandwidthGBPerS.Value, 1e-12)
	if s.L1.Bytes.Value != g.L1.Bytes.Value || s.Latency.L2Cycles.Value != g.Latency.L2Cycles.Value {
		t.Error("what an SM has was scaled")
	}
	before, err1 := g.Timing()
	after, err2 := s.Timing()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	for _, x := range [][2]float64{{after.L2.BytesPerCycle, before.L2.BytesPerCycle}, {after.L2.DRAMBytesPerCycle, before.L2.DRAMBytesPerCycle}, {after.DRAM.BytesPerS, before.DRAM.BytesPerS}, {after.Launch.CTAsPerCycle, before.Launch.CTAsPerCycle}} {
		near(t, "rate", x[0]*4, x[1], 1e-9)
	}
	if !strings.Contains(s.SMs.Source, "scale model: 20 of the 80 SMs of gv100") {
		t.Error(s.SMs.Source)
	}
	if _, rounded, err = GPU(g, 7); err != nil || !strings.Contains(rounded, "DRAM channels") || !strings.Contains(rounded, "L2 slices") {
		t.Errorf("7 SMs: %q, %v", rounded, err)
	}
	if up, _, err := GPU(g, 160); err != nil || up.L2.Bytes.Value != 2*g.L2.Bytes.Value {
		t.Errorf("a larger one: %+v, %v", up, err)
	}
	if _, _, err := GPU(g, 0); err == nil {
		t.Error("no SMs")
	}
}
