package main

import (
	"path/filepath"
	"strings"
	"testing"

	"hyptx/internal/hardware/cuda/cudatest"
)

// TestJudgeFlags: what is wrong with the command line or with the folders is
// said before a GPU is asked for.
func TestJudgeFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"--budget 0s", exitUsage, `--budget 0s: must be more than 0`},
		{"--budget soon", exitUsage, `soon`},
		{"--device -1", exitUsage, `--device -1: must not be negative`},
		{"--only output", exitUsage, `--only output: must be of outputs, sass, calibration, power, counters`},
		{"--networks nowhere", exitInput, `--networks: .*nowhere`},
		{"--networks .", exitInput, `no network in it; expected NAME.json or NAME/NAME.json`},
		{"--samples nowhere", exitInput, `the folder of samples must be ptx-samples of the same version`},
		{"extra", exitUsage, `1 argument given`},
	} {
		r := hyptx(append([]string{"judge"}, strings.Fields(c.args)...)...).must(t, c.code)
		match(t, c.args, r.errOut, c.want)
	}
	if r := hyptx("--help"); strings.Contains(r.out, "judge-worker") {
		t.Error("the worker is for judge alone, and help shows it")
	}
}

// TestJudgeWorker runs the process of judge that has the GPU, against the
// stand-in for the driver.
func TestJudgeWorker(t *testing.T) {
	driver := cudatest.Use(t)
	run := func(names ...string) result {
		return hyptxIn(strings.Join(names, "\n")+"\n", "judge-worker", "--samples", samples)
	}
	r := run("features/add_f32", "kernels/sm_80/vector_add").must(t, exitDone)
	lines := strings.Split(strings.TrimSpace(r.out), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines: %s", len(lines), r.out)
	}
	match(t, "hello", lines[0], `"name":"Stand-in GPU 0".*"driver_version":12040`)
	match(t, "a feature", lines[1], `"name":"features/add_f32".*"target":"sm_90a, PTX 8.4".*"outputs":\[{"name":"out"`)
	match(t, "a kernel", lines[2], `"name":"kernels/sm_80/vector_add".*"times_ms":\[0.125\],"outputs":\[{"name":"out"`)

	driver.Set("FAIL", "cuModuleLoadDataEx:218@2") // the first is the probe
	match(t, "refused PTX", run("features/add_f32").must(t, exitDone).out, `"skipped":".*cuModuleLoadDataEx`)
	driver.Set("FAIL", "cuLaunchKernel:700@1")
	r = run("features/add_f32", "features/add_f64").must(t, exitDone)
	match(t, "a fault", r.out, `"failed":".*700.*"broken":true`)
	if strings.Contains(r.out, "add_f64") {
		t.Errorf("the worker went on after a fault: %s", r.out)
	}
	driver.Set("FAIL", "cuInit:999@1")
	match(t, "a broken driver", run().must(t, exitDone).out, `"error":".*999`)
	driver.Set("FAIL", "")
	driver.Set("VERSION", "9000")
	match(t, "an old driver", run().must(t, exitDone).out, `nothing is known of the PTX that CUDA 9.0 compiles`)

	driver.Set("VERSION", "")
	match(t, "no such sample", hyptxIn("features/none\n", "judge-worker", "--samples", filepath.Clean(samples)).must(t, exitInput).errOut, `no sample is called "features/none"`)
}
