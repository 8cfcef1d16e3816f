package main

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestPowerTwoVariants: GPUs that are charged by different energies are told apart.
func TestPowerTwoVariants(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u32 n", tail))
	put(t, "ptx.csv", ptxRuns)
	hyptx("power", "tune", "ptx.csv", "--start", "fermi", "-o", "my.json").must(t, exitDone)
	args := []string{"power", "k.ptx", "--gpu", "my.json,a100", "-o", "p.csv"}
	match(t, "note", hyptx(args...).must(t, exitDone).errOut, `is charged by ptx_sim for counts of ptx, \S+ by calibrated for machine`)
	args[3] = "gv100,a100"
	if r := hyptx(args...).must(t, exitDone); strings.Contains(r.errOut, "is charged by") {
		t.Error(r.errOut)
	}
}

func amount(t *testing.T, cell string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestPowerOverTime: what is drawn over time is the energy of the rows, by launch and by
// group, from the first launch's start to the last one's end.
func TestPowerOverTime(t *testing.T) {
	sample, err := filepath.Abs("../../ptx-samples/kernels/gemm_tiled.json")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	r := hyptx("power", sample, "--gpu", "gv100", "--variant", "calibrated", "-o", "p.csv",
		"--over-time", "t.csv", "--plot-over-time", "t.svg").must(t, exitDone)
	match(t, "summary", r.errOut, `gemm_tiled on gv100 draws most for [\d.]+ \S+ at [\d.]+ us: [\d.]+ W, in launch 0 \(gemm_tiled`)
	match(t, "picture", read(t, "t.svg"), `^<\?xml`)
	energy, groups, end := map[string]float64{}, map[string]float64{}, 0.0
	spans := readCSV(t, read(t, "t.csv"))
	for _, row := range spans {
		begin, us := amount(t, row["begin_us"]), amount(t, row["end_us"])-amount(t, row["begin_us"])
		if math.Abs(begin-end) > 1e-3 || us <= 0 {
			t.Errorf("from %g after %g, %g long", begin, end, us)
		}
		end = begin + us
		energy[row["launch"]] += us * amount(t, row["power_w"])
		for name, x := range row {
			if group, ok := strings.CutSuffix(name, "_w"); ok {
				groups[group] += us * amount(t, x)
			}
		}
	}
	if len(spans) < 5 || spans[0]["phase"] != "start" || spans[1]["phase"] != "interval" {
		t.Errorf("%d rows, the first ones %v", len(spans), spans[:2])
	}
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-3*math.Abs(want)+1e-6 {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	for _, row := range readCSV(t, read(t, "p.csv")) {
		if row["kind"] != "launch" {
			near("end", end, amount(t, row["time_us"]))
			for _, group := range []string{"const", "static", "regfile", "fpu_dpu", "l1d_shared", "dram_mc"} {
				near(group, groups[group], amount(t, row[group+"_uj"]))
			}
			continue
		}
		near("launch "+row["launch"], energy[row["launch"]], amount(t, row["energy_uj"]))
	}
}
