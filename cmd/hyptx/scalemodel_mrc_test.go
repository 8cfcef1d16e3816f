package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// curveOf runs mrc and returns the rows.
func curveOf(t *testing.T, args ...string) []map[string]string {
	t.Helper()
	return readCSV(t, hyptx(append([]string{"scalemodel", "mrc", "--quiet", "-o", "-"}, args...)...).must(t, exitDone).out)
}

// column is a number of a row.
func column(t *testing.T, row map[string]string, name string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(row[name], 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return x
}

// increment adds to the elements of x in place, one each thread.
const increment = "ld.param.u64 %rd1, [x];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmad.lo.u32 %r1, %r2, %r3, %r1;\n" +
	"mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nld.global.u32 %r2, [%rd3];\nadd.u32 %r2, %r2, 7;\nst.global.u32 [%rd3], %r2;"

// TestMissCurves: fact 15 of the specification: what streams misses its sectors in any
// cache, and a product of matrices those of the matrices where they fit.
func TestMissCurves(t *testing.T) {
	slowToRace(t)
	t.Chdir(t.TempDir())
	kernels := filepath.Join(samples, "kernels", "sm_70")
	put(t, "va.json", fmt.Sprintf(`{"version": 1, "name": "va", "buffers": {"a": {"bytes": 262144, "type": "f32"}, "b": {"bytes": 262144, "type": "f32"}, "c": {"bytes": 262144, "type": "f32"}},
 "launches": [{"module": %q, "kernel": "vector_add", "grid": [256], "block": [256], "args": [{"buffer": "c"}, {"buffer": "a"}, {"buffer": "b"}, {"value": 65536}]}]}`, filepath.Join(kernels, "vector_add.ptx")))
	profile := readCSV(t, hyptx("profile", "va.json", "-o", "-").must(t, exitDone).out)[0]
	perThread := column(t, profile, "thread_instructions_pred_on") / 65536
	for _, row := range curveOf(t, "va.json", "--gpu", "gv100", "--sms", "8,16,80") {
		if row["misses"] != "24576" || math.Abs(column(t, row, "mpki")-375/perThread) > 1e-9 { // 12 sectors for each of 2048 warps
			t.Errorf("vector add: %v, want 24576 misses, MPKI %v", row, 375/perThread)
		}
	}
	put(t, "k.ptx", kernel(".param .u64 x", increment))
	put(t, "in.json", manifestOf(`"x": {"type": "u32", "bytes": 65536, "init": "zero"}`, `"grid": [64], "block": [256], "count": 1, "args": [{"buffer": "x"}]`))
	profile = readCSV(t, hyptx("profile", "in.json", "-o", "-").must(t, exitDone).out)[0]
	perThread = column(t, profile, "thread_instructions_pred_on") / (64 * 256)
	for _, row := range curveOf(t, "in.json", "--gpu", "gv100") {
		if row["misses"] != "2048" || math.Abs(column(t, row, "mpki")-125/perThread) > 1e-9 { // 4 sectors for each of 512 warps
			t.Errorf("in place: %v, want 2048 misses, MPKI %v", row, 125/perThread)
		}
	}
	put(t, "again.json", strings.Replace(read(t, "in.json"), `"count": 1`, `"count": 3`, 1))
	rows := curveOf(t, "again.json", "--gpu", "gv100", "--llc", "32768,65536")
	// All 64 CTAs run side by side: in half of 64 KiB a line has left when it is stored to.
	if rows[0]["misses"] != "12288" || rows[1]["misses"] != "2048" || rows[0]["cold"] != "2048" {
		t.Errorf("three times over 64 KiB: %v", rows)
	}
	put(t, "gemm.json", fmt.Sprintf(`{"version": 1, "name": "gemm", "buffers": {"a": {"bytes": 4194304, "type": "f32"}, "b": {"bytes": 4194304, "type": "f32"}, "c": {"bytes": 4194304, "type": "f32", "init": "zero"}},
 "launches": [{"module": %q, "kernel": "gemm_tiled", "grid": [16, 16], "block": [16, 16], "args": [{"buffer": "c"}, {"buffer": "a"}, {"buffer": "b"}, {"value": 1024}, {"value": 1024}, {"value": 1024}]}]}`, filepath.Join(kernels, "gemm_tiled.ptx")))
	rows = curveOf(t, "gemm.json", "--gpu", "gv100", "--llc", "1048576,12582912,25165824", "--plot", "gemm.svg")
	if column(t, rows[0], "misses") <= 393216 || rows[1]["misses"] != "393216" || rows[2]["misses"] != "393216" {
		t.Errorf("gemm: %v", rows)
	}
	match(t, "picture", read(t, "gemm.svg"), `^<\?xml`)
	estimate := curveOf(t, "gemm.json", "--gpu", "gv100", "--llc", "1048576,12582912", "--every", "32")
	if e := column(t, estimate[0], "error_pct"); e <= 0 || math.Abs(column(t, estimate[0], "misses")/column(t, rows[0], "misses")-1) > 4*e/100 {
		t.Errorf("a sample: %v, all: %v", estimate[0], rows[0])
	}
}

// TestMissCurveMethods: the methods agree on a stream, and what they cannot do is said.
func TestMissCurveMethods(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u64 x", increment))
	put(t, "in.json", manifestOf(`"x": {"type": "u32", "bytes": 65536, "init": "zero"}`, `"grid": [64], "block": [256], "args": [{"buffer": "x"}]`))
	for _, method := range []string{"exact", "statstack", "exact --ways 64"} {
		args := append([]string{"in.json", "--gpu", "gv100", "--method"}, strings.Fields(method)...)
		for _, row := range curveOf(t, append(args, "--llc", "65536,131072")...) {
			if column(t, row, "misses") != 2048 || row["accesses"] != "4096" {
				t.Errorf("%s: %v", method, row)
			}
		}
	}
	for _, method := range []string{"statcache", "nugteren"} { // neither has all hits: lines leave at random, or come late
		if m := column(t, curveOf(t, "in.json", "--gpu", "gv100", "--llc", "131072", "--method", method)[0], "misses"); m < 2048 || m > 4096 {
			t.Errorf("%s: %v misses", method, m)
		}
	}
	for want, args := range map[string]string{
		"--gpu says whose":         "in.json",
		"choose one":               "in.json --gpu gv100 --sms 8 --llc 1",
		"for the methods without":  "in.json --gpu gv100 --ways 4 --every 3",
		"knows no sets":            "in.json --gpu gv100 --ways 4 --method statstack",
		"must be positive and":     "in.json --gpu gv100 --llc 4096,128",
		"a picture is of one":      "in.json in.json --gpu gv100 --plot x.svg",
		"is unknown":               "in.json --gpu r9-nano",
		"must be exact, nugteren,": "in.json --gpu gv100 --method lru",
	} {
		if r := hyptx(append([]string{"scalemodel", "mrc"}, strings.Fields(args)...)...); r.code == exitDone || !strings.Contains(r.errOut, want) {
			t.Errorf("%s: %d, %s", args, r.code, r.errOut)
		}
	}
}

// TestChiplets: what streams lies where it runs if CTAs are distributed and pages belong
// to who touches them first; what all read does not; and each launch has its row.
func TestChiplets(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u64 x", increment))
	put(t, "in.json", manifestOf(`"x": {"type": "u32", "bytes": 1048576, "init": "zero"}`, `"grid": [1024], "block": [256], "args": [{"buffer": "x"}]`))
	rows := func(args ...string) []map[string]string {
		return readCSV(t, hyptx(append([]string{"scalemodel", "chiplets", "in.json", "--gpu", "gv100", "-o", "-"}, args...)...).must(t, exitDone).out)
	}
	// 16 pages of 64 KiB; load and store of 32,768 sectors.
	for i, row := range rows() {
		if row["chiplets"] != []string{"4", "8", "16"}[i] || row["local_sectors"] != "65536" || row["remote_sectors"] != "0" || row["pages_max"] != []string{"4", "2", "1"}[i] || row["limit"] != "crossbar" {
			t.Errorf("distributed, first touch: %v", row)
		}
	}
	if row := rows("--page-policy", "line")[0]; row["remote_sectors"] != "49152" || row["pages_max"] != "0" { // 3 of 4
		t.Errorf("lines in turn: %v", row)
	}
	if row := rows("--cta-policy", "round_robin", "--chiplets", "2", "--link-rate", "1")[0]; row["remote_sectors"] != "32768" || row["limit"] != "link" || row["link_max_bytes"] != "1048576" {
		t.Errorf("round robin: %v", row)
	}
	for want, args := range map[string]string{
		"--gpu says whose":       "in.json",
		"0 chiplets: must be":    "in.json --gpu gv100 --chiplets 0",
		"must be a power of two": "in.json --gpu gv100 --page 100",
	} {
		if r := hyptx(append([]string{"scalemodel", "chiplets"}, strings.Fields(args)...)...); r.code != exitUsage || !strings.Contains(r.errOut, want) {
			t.Errorf("%s: %d, %s", args, r.code, r.errOut)
		}
	}
}

// TestEmptySample: a sample that saw nothing says nothing.
func TestEmptySample(t *testing.T) {
	for _, method := range []string{"exact", "statstack", "statcache"} {
		r := hyptx("scalemodel", "mrc", filepath.Join(samples, "kernels", "relu.json"), "--gpu", "gv100", "--llc", "65536", "--every", "1000", "--method", method, "-o", "-").must(t, exitInput)
		match(t, method, r.errOut, `relu: the sample saw none of 18 accesses`)
	}
}

// BenchmarkMissCurve counts the miss-rate curve of a large launch: sectors that its L1s leave
// to the last-level cache, each second.
func BenchmarkMissCurve(b *testing.B) {
	program, sectors := filepath.Join(samples, "benchmarks", "lbm.json"), 0.0
	for b.Loop() {
		r := hyptx("scalemodel", "mrc", program, "--gpu", "gv100", "--llc", "6291456", "-o", "-", "--quiet")
		if r.code != exitDone {
			b.Fatal(r.errOut)
		}
		sectors = 0
		for _, line := range strings.Split(strings.TrimSpace(r.out), "\n")[1:] {
			n, err := strconv.ParseFloat(strings.Split(line, ",")[3], 64)
			if err != nil {
				b.Fatal(err)
			}
			sectors += n
		}
	}
	b.ReportMetric(sectors*float64(b.N)/b.Elapsed().Seconds()/1e6, "M-sectors/s")
}
