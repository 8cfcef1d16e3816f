package main

import (
	"encoding/json"
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
	match(t, "no idle power", out, `(?m)^a10 .* caches time +nvidia a10`)
	match(t, "r9-nano", out, `(?m)^r9-nano +AMD Radeon R9 Nano +GCN 3 +64 `)
}

func TestOneGPU(t *testing.T) {
	t.Setenv("COLUMNS", "400")
	out := hyptx("gpus", "QV100").must(t, exitDone).out
	match(t, "name", out, `^gv100: NVIDIA Quadro GV100 \(NVIDIA, Volta\)\nalso: qv100, quadro gv100\n`)
	match(t, "unit and source", out, `(?m)^clock\.boost_mhz +1447 +MHz +Kandiah`)
	match(t, "unknown", out, `(?m)^power\.idle_w +unknown +W *$`)
	match(t, "models", out, `(?m)^model of the caches \(profile --gpu\): all is known\nmodel of the time \(roofline\), .*: all is known$`)
	match(t, "lacking", hyptx("gpus", "jetson-tx1").must(t, exitDone).out, `(?m)^model of the caches .*: unknown are l2\.ways\nmodel of the time .*: unknown are launch_overhead_us, latency\.fp32_cycles, .*$`)
	match(t, "power", out, `(?m)^model of the power \(power\), ptx_sim: energies tuned, static power tuned, constant power 32\.5 W$`)
	match(t, "no idle power", hyptx("gpus", "a10").must(t, exitDone).out, `(?m)^model of the power \(power\): unknown are power\.idle_w$`)
	match(t, "no time", hyptx("gpus", "titan-x-pascal").must(t, exitDone).out, `(?m)^model of the power \(power\): with measured times alone \(--time FILE\.csv --counts machine\)`)
	match(t, "scaled", hyptx("gpus", "a100").must(t, exitDone).out, `(?m)^model of the power \(power\), ptx_sim: energies extrapolated, .* 55\.5 W\n  energies of a GV100 x 0\.5859 for 7 nm$`)
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
