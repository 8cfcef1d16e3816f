package analysis

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"hyptx/ir/isa"
)

// machineNetworks are compiled by two compilers.
var machineNetworks = []string{"lenet5", "alexnet", "resnet18"}

// TestTwoCompilers holds the two compilations of a network against each other:
// what the machine runs hardly depends on who wrote the PTX.
func TestTwoCompilers(t *testing.T) {
	for _, name := range machineNetworks {
		a, b := profileShared(t, name+"-sm_70"), profileShared(t, name+"-sm_70-clang")
		for i, r := range a.Rows {
			x, y := r.EstWarpInstructions.N, b.Rows[i].EstWarpInstructions.N
			ratio := float64(x) / float64(y)
			t.Logf("%-10s %-40s %11d %11d  %.3f", name, r.Kernel, x, y, ratio)
			if r.Launch == "total" && math.Abs(ratio-1) > 0.15 {
				t.Errorf("%s: %d and %d machine instructions are estimated; at most 15 %% apart is expected", name, x, y)
			}
			u, v := r.EstThreadInstructions.N, b.Rows[i].EstThreadInstructions.N
			if r.Launch == "total" && math.Abs(float64(u)/float64(v)-1) > 0.15 {
				t.Errorf("%s: %d and %d machine instructions of threads are estimated; at most 15 %% apart is expected", name, u, v)
			}
		}
	}
}

// profileShared profiles a network of ../shared/cnn.
func profileShared(t *testing.T, name string) *Profile {
	t.Helper()
	p, err := openTest(t, sharedCNN(t, name), nil).Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestMachineKeeps holds what no compiler changes: loads, stores and barriers
// run as often as the PTX says, and floating-point arithmetic not more often,
// but for what special functions and divisions are made of.
func TestMachineKeeps(t *testing.T) {
	const perSpecial = 9 // of specialSequence, at most
	names, _ := filepath.Glob("../../shared/cnn/*/*.json")
	for _, path := range names {
		p, err := openTest(t, path, nil).Profile(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, lp := range p.Launches {
			r, memory := lp.Row, uint64(0)
			counts := lp.instructionCounts()
			for pc, c := range counts {
				in := lp.Kernel.Module.Instrs[pc].Inst
				if in.Form.Class == isa.ComputeLdSt && in.Space != isa.Param {
					memory += c.PredOn
				}
			}
			if r.EstInstLdSt.N != memory || r.EstInstBarrier != r.InstBarrier || r.EstInstTensor.N != r.InstTensor.N {
				t.Errorf("%s %s: %d loads and stores, %d barriers, %d tensor instructions are estimated; the PTX has %d, %d and %d", path, r.Kernel,
					r.EstInstLdSt.N, r.EstInstBarrier.N, r.EstInstTensor.N, memory, r.InstBarrier.N, r.InstTensor.N)
			}
			if most := r.InstFP32.N + perSpecial*r.InstSpecial.N; r.EstInstFP32.N > most || r.EstInstFP32.N < r.FlopSPFma.N {
				t.Errorf("%s %s: %d fp32 instructions are estimated; the PTX has %d, %d of them fma, and %d special ones",
					path, r.Kernel, r.EstInstFP32.N, r.InstFP32.N, r.FlopSPFma.N, r.InstSpecial.N)
			}
			if r.EstWarpInstructions.N > r.WarpInstructions.N {
				t.Logf("%s %s: %d machine warp instructions of %d of the PTX", path, r.Kernel, r.EstWarpInstructions.N, r.WarpInstructions.N)
			}
		}
	}
}
