package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TestTwoCompilations: the PTX of a network from two compilers differs twofold
// in instructions; its time does not, by more than 15 %. Every launch has one.
func TestTwoCompilations(t *testing.T) {
	slowToRace(t)
	for _, name := range []string{"lenet5-sm_70", "alexnet-sm_70"} {
		var us [2][]float64
		for i, variant := range []string{name, name + "-clang"} {
			path := filepath.Join(filepath.Dir(filepath.Dir(samples)), "shared", "cnn", variant, variant+".json")
			if _, err := os.Stat(path); err != nil {
				t.Skip("../shared/cnn is absent")
			}
			r := hyptx("--quiet", "roofline", path, "--gpu", "gv100,h100-sxm", "--time-model", "analytic", "--traffic", "footprint", "-o", "-").must(t, exitDone)
			for _, row := range readCSV(t, r.out) {
				if row["missing"] != "" || row["chain_warp"] == "mean" {
					t.Errorf("%s, launch %s on %s: chain of the %s warp; missing: %s", variant, row["launch"], row["gpu"], row["chain_warp"], row["missing"])
				}
				if row["launch"] == "total" {
					us[i] = append(us[i], real64(t, row, "time_us"))
				}
			}
		}
		for g, x := range us[0] {
			if y := us[1][g]; math.Abs(x-y) > 0.15*min(x, y) {
				t.Errorf("%s on GPU %d: %.1f us and %.1f us", name, g, x, y)
			}
		}
	}
}
