package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"hyptx/internal/hardware/cuda"
	"hyptx/internal/hardware/cuda/cudatest"
	"hyptx/internal/hardware/nvml/nvmltest"
)

// TestCalibrate runs the whole command on the stand-ins for the driver and the
// management library, and then goes on where it ended.
func TestCalibrate(t *testing.T) {
	cudatest.Use(t)
	nvmltest.Use(t)
	t.Chdir(t.TempDir())
	args := []string{"calibrate", "-o", "my.json", "--power", "2", "--seconds", "1", "--repeats", "1", "--pause", "0s", "--temperature", "0", "--only", "int_add,idle,launch,dp_fma"}
	r := hyptx(args...).must(t, exitDone)
	match(t, "progress", r.errOut, `\[1/5\] rate dp_fma: [\d.]+ ms, 1980 MHz, none\n(.*\n)*\[5/5\] power int_add: 123.5 W`)
	match(t, "result", r.out, `measured.t_add_giops\s+[\d.]+ GIOPS`)
	var g struct {
		Measured map[string]*struct {
			Value  float64
			Source string
		}
	}
	if err := json.Unmarshal([]byte(read(t, "my.json")), &g); err != nil {
		t.Fatal(err)
	}
	if g.Measured["t_sp_gflops"] != nil || g.Measured["t_dp_gflops"] == nil {
		t.Errorf("measured %+v", g.Measured)
	}
	match(t, "runs", read(t, "my.runs.csv"), `(?m)^run,measured_w,clock_mhz,time_us,.*TOT_INST.*\nint_add,123.456,1980,`)
	hyptx("gpus", "my.json").must(t, exitDone)

	before := read(t, "my.log.jsonl")
	if r = hyptx(args...).must(t, exitDone); strings.Contains(r.errOut, "] rate") || read(t, "my.log.jsonl") != before {
		t.Errorf("measured again: %s", r.errOut)
	}
	hyptx("calibrate", "-o", "again.json", "--from", "my.log.jsonl", "--quiet").must(t, exitDone)
	if strings.ReplaceAll(read(t, "again.json"), `"again"`, `"my"`) != read(t, "my.json") {
		t.Error("the log alone gives another file")
	}
}

// TestCalibrateNetwork measures a network in a loop, and ends at its budget:
// shorter than the second that a network takes, so that its point is never
// among those that were measured, however slow the machine.
func TestCalibrateNetwork(t *testing.T) {
	cudatest.Use(t)
	nvmltest.Use(t)
	t.Chdir(t.TempDir())
	// The stand-in comes back from every call: on a loaded machine late, which is no hang.
	defer func(was time.Duration) { cuda.GraceTime = was }(cuda.GraceTime)
	cuda.GraceTime = 5 * time.Minute
	hyptx("calibrate", "--emit", ".", "--only", "int_add").must(t, exitDone)
	args := []string{"calibrate", "-o", "my.json", "--power", "0", "--seconds", "1", "--temperature", "0", "--only", "launch", "--loop", "int_add.json"}
	r := hyptx(append(args, "--budget", "900ms")...).must(t, exitDone)
	match(t, "note", r.errOut, `note: the time budget ended with [01] of 2 points measured`)
	hyptx(args...).must(t, exitDone)
	match(t, "networks", read(t, "my.networks.csv"), `(?m)^network,time_us,.*\nint_add,[\d.]+,123.456,0,`)
}

// TestCalibrateWithoutGPU: what needs no GPU works, the rest is one sentence.
func TestCalibrateWithoutGPU(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("HYPTX_LIBCUDA", "/nowhere/libcuda.so")
	t.Setenv("COLUMNS", "200")
	match(t, "list", hyptx("calibrate", "--list").must(t, exitDone).out, `(?m)^fp_fma +32-bit floating-point multiply-adds +fp_fma 256$`)
	hyptx("calibrate", "--emit", "b", "--only", "copy16,tensor").must(t, exitDone)
	if files, err := os.ReadDir("b"); err != nil || len(files) != 4 {
		t.Errorf("%v %v", files, err)
	}
	hyptx("profile", "b/copy16.json", "-o", "p.csv").must(t, exitDone)
	r := hyptx("calibrate", "-o", "my.json").must(t, exitInput)
	match(t, "error", r.errOut, `^hyptx: no CUDA driver: [^\n]+\n$`)
	for _, x := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{}, exitUsage, "-o is missing"},
		{[]string{"-o", "my.csv"}, exitUsage, "must end in .json"},
		{[]string{"-o", "my.json", "--seconds", "0"}, exitUsage, "--seconds 0: must be from 1"},
		{[]string{"-o", "my.json", "--repeats", "0"}, exitUsage, "--repeats 0"},
		{[]string{"-o", "my.json", "--power", "-2"}, exitUsage, "--power -2"},
		{[]string{"-o", "my.json", "--temperature", "200"}, exitUsage, "--temperature 200"},
		{[]string{"-o", "my.json", "--clocks", "0"}, exitUsage, "--clocks"},
		{[]string{"-o", "my.json", "--from", "none.jsonl"}, exitInput, "none.jsonl"},
		{[]string{"--emit", "b", "--only", "nope"}, exitUsage, `no benchmark is called "nope"`},
		{[]string{"-o", "my.json", "--gpu", "nope"}, exitUsage, `"nope"`},
		{[]string{"-o", "my.json", "--from", "my.log.jsonl", "--only", "idle"}, exitUsage, "--only has no use with --from"},
		{[]string{"--list", "--emit", "b"}, exitUsage, "--emit has no use with --list"},
		{[]string{"-o", "my.json", "--only", "fp_fma", "--clocks", "1000"}, exitUsage, "--clocks has no use with --only fp_fma: it sweeps "},
		{[]string{"-o", "my.json", "--clocks", "x"}, exitUsage, "--clocks x: must be whole numbers"},
		{[]string{"-o", "my.json", "extra"}, exitUsage, "1 argument given"},
	} {
		r := hyptx(append([]string{"calibrate"}, x.args...)...).must(t, x.code)
		if !strings.Contains(r.errOut, x.want) {
			t.Errorf("%v: %s", x.args, r.errOut)
		}
	}
}

// TestCalibrateHangs: a driver that does not come back ends with the budget, and
// what the log has is written.
func TestCalibrateHangs(t *testing.T) {
	d := cudatest.Use(t)
	nvmltest.Use(t)
	t.Chdir(t.TempDir())
	args := []string{"calibrate", "-o", "my.json", "--power", "0", "--only", "launch,int_add"}
	hyptx("calibrate", "-o", "my.json", "--power", "0", "--only", "launch").must(t, exitDone)
	d.Set("HANG", "cuModuleLoadDataEx")
	os.Remove("my.json")
	// A budget that ends before the driver is asked ends the run as budgets do.
	r := result{code: exitDone}
	for budget := 300 * time.Millisecond; r.code == exitDone && budget < time.Minute; budget *= 3 {
		r = hyptx(append(args, "--budget", budget.String())...)
	}
	r.must(t, exitInput)
	match(t, "stderr", r.errOut, `(?m)^hyptx: the time budget is used up: the driver does not come back from a call$`)
	match(t, "my.json", read(t, "my.json"), `launch`)
	// The first one still has the log: it only ends with this process.
	d.Set("HANG", "")
	r = hyptx(args...).must(t, exitInput)
	match(t, "stderr", r.errOut, `my.log.jsonl: another calibrate is writing this log: two would disturb each other`)
}

// TestCalibrateWithoutPower: the library's own words say why there is none.
func TestCalibrateWithoutPower(t *testing.T) {
	cudatest.Use(t)
	nvmltest.Use(t)
	t.Chdir(t.TempDir())
	t.Setenv("NVML_FAIL", "nvmlDeviceGetPowerUsage")
	t.Setenv("NVML_FAIL_CODE", "3")
	r := hyptx("calibrate", "-o", "my.json", "--power", "1", "--only", "idle", "--seconds", "1", "--temperature", "0", "--repeats", "1").must(t, exitInput)
	match(t, "stderr", r.errOut, `(?m)^hyptx: .*idle.*: no power readings: nvmlDeviceGetPowerUsage: Not Supported`)
}
