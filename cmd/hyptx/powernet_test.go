package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TestTwoCompilationsPower: with the caches' traffic, too, two compilations of
// a network differ by less than 15 % in time and energy, and every launch has
// a figure.
func TestTwoCompilationsPower(t *testing.T) {
	names := []string{"lenet5-sm_70"}
	if !testing.Short() {
		names = append(names, "alexnet-sm_70", "resnet18-sm_70")
	}
	for _, name := range names {
		var totals [2]map[string]string
		for i, variant := range []string{name, name + "-clang"} {
			path := filepath.Join(filepath.Dir(filepath.Dir(samples)), "shared", "cnn", variant, variant+".json")
			if _, err := os.Stat(path); err != nil {
				t.Skip("../shared/cnn is absent")
			}
			for _, row := range table(t, hyptx("--quiet", "power", path, "--gpu", "gv100", "-o", "-").must(t, exitDone).out) {
				if row["missing"] != "" || row["energy_uj"] == "" {
					t.Errorf("%s, launch %s: no figure: %s", variant, row["launch"], row["missing"])
				}
				totals[i] = row // the last one
			}
		}
		for _, column := range []string{"time_us", "energy_uj"} {
			if x, y := real64(t, totals[0], column), real64(t, totals[1], column); math.Abs(x-y) > 0.15*min(x, y) {
				t.Errorf("%s: %s %g and %g", name, column, x, y)
			}
		}
	}
}
