package roofline

import (
	"math"
	"testing"

	"hyptx/internal/gpu"
	"hyptx/internal/number"
)

// TestAtL2: atomics take the slices longer than their bytes do, and those of one line are of one slice.
func TestAtL2(t *testing.T) {
	of := &gpu.Timing{}
	of.L2 = gpu.L2Timing{Slices: 4, AtomicsDistinct: 4, AtomicsSameAddress: 0.5} // a sector in 2 cycles, 1 by its bytes
	for _, c := range []struct {
		name string
		is   Traffic
		want float64
	}{
		{"no atomics", Traffic{L2: number.Ratio(32 * 1000)}, 250},
		{"half are", Traffic{L2: number.Ratio(32 * 1000), Atomics: 500}, 375},
		{"all of one line", Traffic{L2: number.Ratio(32 * 1000), Atomics: 500, LineSectors: 500, LineLanes: 10}, 1000},
		{"which wait for a word", Traffic{L2: number.Ratio(32 * 1000), Atomics: 500, LineSectors: 500, LineLanes: 5000}, 10000},
	} {
		if got := atL2(&c.is, 128, of); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v cycles, want %v", c.name, got, c.want)
		}
	}
	if got := atL2(&Traffic{L2: number.Ratio(1280), LineLanes: 1e6}, 128, nil); got != 10 {
		t.Errorf("of a GPU whose units nobody knows: %v cycles, want 10", got)
	}
}
