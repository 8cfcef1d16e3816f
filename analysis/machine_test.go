package analysis

import (
	"context"
	"math"
	"testing"
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
