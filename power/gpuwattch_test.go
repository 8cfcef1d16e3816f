package power

import (
	"strings"
	"testing"

	"hyptx/internal/gpu"
)

// TestGPUWattch: a GTX 480's factors on a GV100, with AccelWattch's energy of tensor cores,
// 10.45 W beside the events whatever is idle, and no other GPU.
func TestGPUWattch(t *testing.T) {
	g, err := gpu.Get("gv100")
	if err != nil {
		t.Fatal(err)
	}
	c, err := ChipOf(g, ChipOptions{Variant: gpuWattch})
	if err != nil {
		t.Fatal(err)
	}
	a := one(16)
	a.IdleSMs = 40
	a.Counts[FPMul], a.Counts[Tensor] = 1e12, 1e12
	e := estimate(t, c, a, Paper, Reference)
	near(t, "besides events", e.Watts[ConstP]+e.Watts[StaticP]+e.Watts[IdleCoreP], 10.45, 1e-12)
	// 8.22051 pJ are PTX SIM's at a factor 2.399 times smaller; the tensor cores' are its own.
	near(t, "product", e.Watts[FPMulP], 8.22051*2.3992, 2e-3)
	near(t, "tensor cores", e.Watts[TensorP], 96.10, 1e-2)
	other, err := gpu.Get("a100")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ChipOf(other, ChipOptions{Variant: gpuWattch}); err == nil || !strings.Contains(err.Error(), "of a GV100, and of no other GPU") {
		t.Errorf("an A100: %v", err)
	}
}
