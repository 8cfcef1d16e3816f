package st2

import (
	"testing"

	"hyptx/internal/pipe"
)

// TestSlowed: what units take longer is the chosen design's stalls over what they issue, for
// the kernels of the program alone, and all that was issued is what was executed.
func TestSlowed(t *testing.T) {
	s := watched(t, options(), 1, true, sample("gemm_tiled"))
	k := s.Kernels[0]
	g := s.Slowed(k.Network)
	longer, ok := g.Stalls[k.Symbol]
	if !ok || len(g.Stalls) != 1 || g.SMs.Value != s.GPU.SMs.Value {
		t.Fatalf("stalls of %d kernels", len(g.Stalls))
	}
	point, _ := s.chosen()
	c, w, _ := k.sum(point, 0, 8, adding[1].of)
	stalls := longer[pipe.FP32] * (k.issued[pipe.FP32] + k.issued[pipe.FP16])
	if off := stalls/float64(c.Stalled) - 1; off > 1e-9 || off < -1e-9 || c.Stalled == 0 {
		t.Errorf("units take %g cycles longer, %d additions of warps stall", stalls, c.Stalled)
	}
	// Each multiply-add of a warp is an instruction of the machine.
	if k.issued[pipe.FP32] < float64(w.Warps) || k.issued[pipe.FP32] > 1.05*float64(w.Warps) {
		t.Errorf("%g instructions of FP32, %d additions", k.issued[pipe.FP32], w.Warps)
	}
	if s.Slowed("another") != nil {
		t.Error("a program that nobody ran is slowed")
	}
}
