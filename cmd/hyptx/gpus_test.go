package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestGPUs(t *testing.T) {
	t.Setenv("COLUMNS", "400")
	match(t, "help", hyptx("gpus", "--help").must(t, exitDone).out, `(?s)Usage:.*Examples:\n  hyptx gpus\n`)
	out := hyptx("gpus").must(t, exitDone).out
	match(t, "table", out, `(?m)^name +GPU +architecture +compute +SMs +MHz +GB/s +TDP W +models +also called +measured$`)
	match(t, "gv100", out, `(?m)^gv100 +NVIDIA Quadro GV100 +Volta +7\.0 +80 +1447 +870 +250 +caches time power +qv100, quadro gv100 *$`)
	match(t, "gtx-480", out, `(?m)^gtx-480 .* T_SP T_DP T_int T_add T_ldst B_mem$`)
	match(t, "no idle power", out, `(?m)^a10 .* caches time power +nvidia a10`)
	match(t, "r9-nano", out, `(?m)^r9-nano +AMD Radeon R9 Nano +GCN 3 +64 `)
}

func TestOneGPU(t *testing.T) {
	t.Setenv("COLUMNS", "400")
	out := hyptx("gpus", "QV100").must(t, exitDone).out
	match(t, "name", out, `^gv100: NVIDIA Quadro GV100 \(NVIDIA, Volta\)\nalso: qv100, quadro gv100\n`)
	match(t, "unit and source", out, `(?m)^clock\.boost_mhz +1447 +MHz +Kandiah`)
	match(t, "unknown", out, `(?m)^power\.idle_w +unknown +W *$`)
	match(t, "models", out, `(?m)^model of the caches \(profile --gpu\): all is known\nmodel of the time \(roofline\), .*: all is known$`)
	match(t, "lacking", hyptx("gpus", "jetson-tx1").must(t, exitDone).out, `(?m)^model of the caches .*: unknown are l2\.ways\nmodel of the time .*: by its compute capability, as the file does not say, launch_overhead_us, latency\.fp32_cycles, .*$`)
	match(t, "power", out, `(?m)^model of the power \(power\), calibrated: energies calibrated, static power calibrated, constant power 32\.5 W\n`)
	match(t, "no idle power", hyptx("gpus", "a10").must(t, exitDone).out, `(?m)^model of the power \(power\), calibrated: .*\n.*\n  constant power 39 W is a guess: that of a Quadro RTX 8000 for each GB/s of memory$`)
	match(t, "no time", hyptx("gpus", "gtx-480").must(t, exitDone).out, `(?m)^model of the power \(power\): with measured times alone \(--time FILE\.csv --counts machine\)`)
	match(t, "scaled", hyptx("gpus", "a100").must(t, exitDone).out, `(?m)^model of the power \(power\), calibrated: energies extrapolated, .* 40\.66 W\n  energies and SMs of Volta x 0\.586: no micro-benchmarks of Ampere were measured$`)
	match(t, "rates", out, `(?m)^T_SP +14817\.3 +GFLOPS +datasheet$`)
	match(t, "measured", hyptx("gpus", "gtx-660").must(t, exitDone).out, `(?m)^T_int +359\.04 +GIOPS +measured$`)
}

// TestGPUFile: what --json prints is a file that can be changed and read.
func TestGPUFile(t *testing.T) {
	t.Chdir(t.TempDir())
	text := hyptx("gpus", "a100", "--json").must(t, exitDone).out
	put(t, "my.json", strings.Replace(text, `"name": "a100-sxm-80gb"`, `"name": "mine"`, 1))
	match(t, "my.json", hyptx("gpus", "my.json").must(t, exitDone).out, `^mine: NVIDIA A100`)
	var all []map[string]any
	if err := json.Unmarshal([]byte(hyptx("gpus", "--json").must(t, exitDone).out), &all); err != nil || len(all) < 28 {
		t.Errorf("--json: %d GPUs, %v", len(all), err)
	}
}

// TestGPUWithChanges: a GPU with numbers changed, in every command that takes one.
func TestGPUWithChanges(t *testing.T) {
	t.Setenv("COLUMNS", "400")
	match(t, "sms", hyptx("gpus", "gv100:sms=160,clock=1380").must(t, exitDone).out, `(?m)^sms +160 +given: gv100:sms=160,clock=1380$`)
	for _, command := range []string{"roofline", "power"} {
		out := hyptx(command, "../../examples/vector_add.json", "--gpu", "gv100:sms=160,clock=1380,gv100", "-o", "-").must(t, exitDone).out
		match(t, command, out, `(?s)"gv100:sms=160,clock=1380",.*,gv100,`)
	}
	hyptx("profile", "../../examples/vector_add.json", "--mode", "memory", "--gpu", "gv100:l2=12M", "-o", "-").must(t, exitDone)
	match(t, "unknown key", hyptx("power", "../../examples/vector_add.json", "--gpu", "gv100:cores=3").must(t, exitUsage).errOut, `unknown key "cores"; known are sms`)
	match(t, "measured", hyptx("roofline", "../../examples/vector_add.json", "--gpu", "gv100:sms=160", "--measured", "gv100:sms=160=0.1", "-o", "-").must(t, exitDone).out, `gv100:sms=160`)
}

// TestRooflineClock: half the clock takes issue and L2 twice as long; what of a load
// from DRAM, 425 cycles, is behind the L2, 212, takes as long as before.
func TestRooflineClock(t *testing.T) {
	at := func(args ...string) map[string]string {
		t.Helper()
		return readCSV(t, hyptx(append([]string{"roofline", "../../examples/vector_add.json", "--time-model", "extended", "-o", "-"}, args...)...).must(t, exitDone).out)[0]
	}
	full, half := at("--gpu", "v100-pcie"), at("--gpu", "v100-pcie", "--clock", "690")
	ratio := func(column string) float64 { return real64(t, half, column) / real64(t, full, column) }
	if half["gpu"] != "v100-pcie:clock=690" || math.Abs(ratio("t_issue_us")-2) > 0.01 || math.Abs(ratio("t_dram_us")-(2*212+213)/425.) > 0.01 {
		t.Errorf("at 1380 MHz %v, at 690 %v", full, half)
	}
	match(t, "rates alone", hyptx("roofline", "../../examples/vector_add.json", "--gpu", "x.csv", "--clock", "690").must(t, exitUsage).errOut, `--clock: a GPU of the toolkit's CSV`)
	match(t, "negative", hyptx("roofline", "../../examples/vector_add.json", "--gpu", "gv100", "--clock", "-1").must(t, exitUsage).errOut, `clock`)
}

// TestNewGPU: a file made of a GPU that is like it.
func TestNewGPU(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("COLUMNS", "400")
	hyptx("gpus", "new", "--like", "rtx-3090", "--sms", "48", "--mhz", "1560", "--set", "bandwidth=448", "--set", "l2=4M", "-o", "mine.json").must(t, exitDone)
	out := hyptx("gpus", "mine.json").must(t, exitDone).out
	match(t, "name", out, `^mine: like NVIDIA GeForce RTX 3090 \(NVIDIA, Ampere\)\n`)
	match(t, "sms", out, `(?m)^sms +48 +given: like rtx-3090$`)
	match(t, "clock", out, `(?m)^clock\.boost_mhz +1560 +MHz +given: like rtx-3090$`)
	match(t, "l2", out, `(?m)^l2\.bytes +4194304 +bytes +given`)
	match(t, "not measured", out, `(?m)^peak\.fp32_tflops +unknown`)
	match(t, "standard output", hyptx("gpus", "new", "--like", "t4").must(t, exitDone).out, `"name": "t4-like"`)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"gpus", "new"}, `--like says which GPU it is like`},
		{[]string{"gpus", "new", "--like", "t5"}, `no GPU is known by the name "t5"`},
		{[]string{"gpus", "new", "--like", "t4", "--sms", "-3"}, `--sms and --mhz must be positive`},
		{[]string{"gpus", "new", "--like", "t4", "--mhz", "0"}, `--sms and --mhz must be positive`},
		{[]string{"gpus", "new", "--like", "t4", "--mhz", "nan"}, `--sms and --mhz must be positive and finite`},
		{[]string{"gpus", "new", "--like", "t4", "--sms", "inf"}, `--sms and --mhz must be positive and finite`},
		{[]string{"gpus", "new", "--like", "t4", "--set", "cores=5"}, `unknown key "cores"; known are sms`},
		{[]string{"gpus", "new", "--like", "t4", "--set", "sms"}, `"sms" must be KEY=VALUE`},
		{[]string{"gpus", "new", "t4", "--like", "t4"}, `1 argument given; usage: hyptx gpus new`},
	} {
		match(t, strings.Join(c.args, " "), hyptx(c.args...).must(t, exitUsage).errOut, c.want)
	}
}

// TestGPUTiming: what a simulation takes of a GPU, and whose it is.
func TestGPUTiming(t *testing.T) {
	t.Setenv("COLUMNS", "400")
	out := hyptx("gpus", "t4").must(t, exitDone).out
	match(t, "own", out, `(?m)^kinds\.fp64\.interval_cycles +16 +cycles +units\.fp64_per_clock: NVIDIA`)
	match(t, "architecture's", out, `(?m)^lsu\.miss_entries +256 +compute capability 7\.5: GPGPU-Sim`)
	match(t, "assumed", out, `(?m)^launch\.first_issue_cycles +300 +cycles +assumed, compute capability 7\.0: \[ours\]`)
	match(t, "count", out, `(?m)^\d+ of \d+ numbers are assumed: `)
	match(t, "none", hyptx("gpus", "gtx-480").must(t, exitDone).out, `(?m)^none: nothing is known of the timing of compute capability 2\.0`)
	match(t, "lacking", hyptx("gpus", "r9-nano").must(t, exitDone).out, `(?m)^none: compute_capability unknown$`)
}

func TestBadGPU(t *testing.T) {
	t.Chdir(t.TempDir())
	text := hyptx("gpus", "a100", "--json").must(t, exitDone).out
	put(t, "negative.json", strings.Replace(text, `"value": 108`, `"value": -108`, 1))
	for _, c := range []struct {
		code int
		args []string
		want string
	}{
		{exitUsage, []string{"gpus", "gv1O0"}, `"gv1O0" \(did you mean gv100\?\)`},
		{exitUsage, []string{"gpus", "tyxan-v"}, `"tyxan-v" \(did you mean titan-v\?\)`},
		{exitUsage, []string{"gpus", "x"}, `^hyptx: no GPU is known by the name "x"; known are`},
		{exitUsage, []string{"gpus", "h10"}, `^hyptx: no GPU is known by the name "h10" \(did you mean h100-pcie or h100-sxm\?\); known are a10, a100-pcie-40gb, .*, or give a file \*\.json\n$`},
		{exitInput, []string{"gpus", "negative.json"}, `^hyptx: negative\.json: sms\.value: must be positive, not -108\n$`},
		{exitInput, []string{"gpus", "none.json"}, `^hyptx: cannot read the GPU's file: none\.json: `},
		{exitInput, []string{"gpus", ".json"}, `^hyptx: cannot read`},
		{exitUsage, []string{"gpus", "a100", "h100"}, `2 arguments given; usage: hyptx gpus`},
		{exitUsage, []string{"gpus", "--json", "--csv"}, `--json and --csv: choose one`},
		{exitUsage, []string{"gpus", "--jsn"}, `unknown flag`},
	} {
		match(t, strings.Join(c.args, " "), hyptx(c.args...).must(t, c.code).errOut, c.want)
	}
}
