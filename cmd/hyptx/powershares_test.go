package main

import (
	"math"
	"testing"
)

// TestPowerShares: the shares of a kernel add up to 1 and are those of power.csv's columns; a
// product of half precision is about tensor cores, an increment is not, and what nobody
// takes is named; the picture is the same every time.
func TestPowerShares(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u64 x", increment))
	put(t, "k.json", manifestOf(`"x": {"type": "u32", "bytes": 65536, "init": "zero"}`, `"grid": [8], "block": [64], "args": [{"buffer": "x"}]`))
	hyptx("samples", "write", "benchmarks/wmma-small").must(t, exitDone)
	r := hyptx("power", "k.json", "benchmarks/wmma-small.json", "--gpu", "gv100", "--variant", "sass_sim",
		"-o", "p.csv", "--shares", "s.csv", "--plot-shares", "a.svg").must(t, exitDone)
	match(t, "what nobody takes", r.errOut, `note: no kernel of these takes anything of .*dpup`)
	sums, tensor := map[string]float64{}, map[string]float64{}
	for _, row := range readCSV(t, read(t, "s.csv")) {
		sums[row["bench"]] += column(t, row, "share")
		if row["component"] == "tensorp" {
			tensor[row["bench"]] = column(t, row, "share")
		}
	}
	if len(sums) != 2 || tensor["k: k"] != 0 {
		t.Errorf("%v, tensor cores %v", sums, tensor)
	}
	for bench, sum := range sums {
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("%s: %v", bench, sum)
		}
	}
	for _, row := range readCSV(t, read(t, "p.csv")) {
		if row["kernel"] == "wmmaGemm" && row["kind"] == "launch" {
			dynamic := column(t, row, "energy_uj") - column(t, row, "const_uj") - column(t, row, "static_uj") - column(t, row, "idle_sm_uj")
			const rounded = 5e-5 // of each column, by four digits
			want := column(t, row, "tensorp_uj") / dynamic
			if want == 0 || math.Abs(tensor["wmma-small: wmmaGemm"]-want) > rounded*(1+4*want)/dynamic {
				t.Errorf("tensor cores: %v, want %v", tensor, want)
			}
		}
	}
	hyptx("power", "k.json", "benchmarks/wmma-small.json", "--gpu", "gv100", "--variant", "sass_sim", "-o", "q.csv", "--plot-shares", "b.svg", "--quiet").must(t, exitDone)
	if read(t, "a.svg") != read(t, "b.svg") {
		t.Error("two pictures of one run differ")
	}
	hyptx("power", "k.ptx", "--gpu", "gv100", "--clock", "600:900:300", "--shares", "s.csv").must(t, exitUsage)
}
