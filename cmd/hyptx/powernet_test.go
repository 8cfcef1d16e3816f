package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"hyptx/power"
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

// TestL1Energy: the L1 is charged for each sector of 32 bytes that a request
// touches, as GPGPU-Sim counts accesses from compute capability 4 on: not for
// each line, nor for each request. Every warp loads the same words twice.
func TestL1Energy(t *testing.T) {
	t.Chdir(t.TempDir())
	const ctas = 8000
	e := power.PTXSim.Energies()
	for _, c := range []struct {
		stride  int
		sectors float64
	}{{0, 1}, {4, 4}, {8, 8}, {32, 32}, {64, 32}} {
		put(t, "k.ptx", kernel(".param .u64 p", fmt.Sprintf(".reg .u32 %%a<4>; .reg .u64 %%q<4>; .reg .f32 %%g<3>; ld.param.u64 %%q1, [p]; mov.u32 %%a1, %%tid.x; mul.lo.u32 %%a1, %%a1, %d; "+
			"mov.u32 %%a2, %%ctaid.x; mad.lo.u32 %%a1, %%a2, 4096, %%a1; cvt.u64.u32 %%q2, %%a1; add.u64 %%q1, %%q1, %%q2; ld.global.f32 %%g1, [%%q1]; ld.global.f32 %%g2, [%%q1];", c.stride)))
		row := table(t, hyptx("power", "k.ptx", "--grid", fmt.Sprint(ctas), "--block", "32", "--gpu", "gv100", "-o", "-", "--quiet").must(t, exitDone).out)[0]
		want := 1e-6 * ctas * c.sectors * (e.InComponentPJ(power.L1ReadMiss, power.DCP) + e.InComponentPJ(power.L1ReadHit, power.DCP))
		if got := real64(t, row, "dcp_uj"); math.Abs(got-want) > 1e-3*want {
			t.Errorf("stride %d: %g uJ in the L1, want %g", c.stride, got, want)
		}
	}
}
