package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hyptx/internal/hardware/cuda/cudatest"
)

// addProgram puts a vector add of 5 numbers into the working directory.
func addProgram(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	put(t, "k.ptx", header+`.visible .entry vector_add(.param .u64 sum, .param .u64 a, .param .u64 b, .param .u32 n)
{
	.reg .b64 %rd<8>; .reg .b32 %r<4>; .reg .f32 %f<3>; .reg .pred %p;
	ld.param.u64 %rd0, [sum]; ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r0, [n];
	mov.u32 %r1, %tid.x;
	setp.ge.u32 %p, %r1, %r0;
	@%p ret;
	mul.wide.u32 %rd3, %r1, 4;
	add.u64 %rd0, %rd0, %rd3; add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;
	ld.global.f32 %f0, [%rd1]; ld.global.f32 %f1, [%rd2];
	add.f32 %f2, %f0, %f1;
	st.global.f32 [%rd0], %f2;
	ret;
}
`)
	put(t, "m.json", `{"version": 1, "name": "net", "meta": {"by": "test"}, "buffers": {
"sum": {"bytes": 20, "type": "f32"}, "a": {"bytes": 20, "type": "f32", "init": {"iota": {"start": 0, "step": 1}}},
"b": {"bytes": 20, "type": "f32", "init": {"fill": 0.5}}},
"launches": [{"module": "k.ptx", "label": "add", "kernel": "vector_add", "grid": [1], "block": [32],
 "args": [{"buffer": "sum"}, {"buffer": "a"}, {"buffer": "b"}, {"value": 5}]}],
"outputs": ["sum", {"name": "first", "buffer": "a", "bytes": 4}]}`)
}

// TestRunOnCUDA: the GPU's document is the emulator's with the GPU and the
// times, its dumps are the same.
func TestRunOnCUDA(t *testing.T) {
	d := cudatest.Use(t)
	d.Set("DEVICES", "2")
	addProgram(t)
	hyptx("run", "m.json", "-o", "e.json", "--dump", "sum=e.npy").must(t, exitDone)
	r := hyptx("run", "m.json", "--on", "cuda", "--device", "1", "-o", "g.json", "--dump", "sum=g.npy").must(t, exitDone)
	if r.out != "" || r.errOut != "" {
		t.Errorf("stdout %q, stderr %q; want nothing", r.out, r.errOut)
	}
	if read(t, "e.npy") != read(t, "g.npy") {
		t.Error("the dumps differ")
	}
	var e, g map[string]any
	for name, to := range map[string]*map[string]any{"e.json": &e, "g.json": &g} {
		if err := json.Unmarshal([]byte(read(t, name)), to); err != nil {
			t.Fatal(err)
		}
	}
	device, _ := json.Marshal(g["device"])
	match(t, "device", string(device), `"driver_version":12040.*"name":"Stand-in GPU 1".*"ordinal":1.*"sms":132`)
	launches, _ := json.Marshal(g["launches"])
	if want := `[{"count":1,"kernel":"vector_add","label":"add","launch":0,"local_bytes_per_thread":16,"registers_per_thread":24,"static_shared_bytes":128,"time_ms":0.125}]`; string(launches) != want {
		t.Errorf("launches %s, want %s", launches, want)
	}
	delete(g, "device")
	delete(g, "launches")
	emulated, _ := json.Marshal(e)
	executed, _ := json.Marshal(g)
	if !bytes.Equal(emulated, executed) {
		t.Errorf("the GPU wrote\n%s\nthe emulator\n%s", executed, emulated)
	}
}

// TestRunBareOnCUDA: a bare .ptx file runs where all its memory is given.
func TestRunBareOnCUDA(t *testing.T) {
	cudatest.Use(t)
	addProgram(t)
	hyptx("run", "m.json", "-o", "e.json", "--dump", "sum=v.npy").must(t, exitDone)
	args := []string{"run", "k.ptx", "--on", "cuda", "--grid", "1", "--block", "32", "--arg", "sum=@v.npy", "--arg", "a=@v.npy", "--arg", "n=5"}
	r := hyptx(append(args, "--arg", "b=@v.npy")...).must(t, exitDone)
	match(t, "stdout", r.out, `(?s)"name": "sum".*"values": \[\s+1,\s+3,\s+5,\s+7,\s+9`)
	r = hyptx(args...).must(t, exitInput)
	match(t, "stderr", r.errOut, `on a GPU a pointer needs memory to point to, .* give the argument as a file`)
}

// TestRunOnCUDAErrors: one clear line each, and the exit code.
func TestRunOnCUDAErrors(t *testing.T) {
	d := cudatest.Use(t)
	addProgram(t)
	for _, test := range []struct {
		args, fail, devices string
		code                int
		want                string
	}{
		{"--on gpu", "", "1", exitUsage, `^hyptx: --on gpu: must be emulator or cuda\n$`},
		{"--device 1", "", "1", exitUsage, `^hyptx: --device is for --on cuda\n$`},
		{"--on cuda --device -1", "", "1", exitUsage, `^hyptx: --device -1: must not be negative\n$`},
		{"--on cuda --max-memory 1GiB", "", "1", exitUsage, `^hyptx: --max-memory is for --on emulator\n$`},
		{"--on cuda --max-instructions 10", "", "1", exitUsage, `^hyptx: --max-instructions is for --on emulator\n$`},
		{"--on cuda --device 1", "", "1", exitInput, `^hyptx: m.json: there is no GPU 1; the driver has 1, numbered from 0\n$`},
		{"--on cuda", "", "0", exitInput, `^hyptx: no CUDA GPU: the driver \(CUDA 12.4\) sees none: cuInit: CUDA_ERROR_NO_DEVICE \(100\): no CUDA-capable device is detected\n$`},
		{"--on cuda", "cuLaunchKernel:719", "1", exitInput, `^hyptx: m.json: launches\[0\]: launch 0 \(add, kernel vector_add\): cuLaunchKernel: CUDA_ERROR_LAUNCH_FAILED \(719\): unspecified launch failure\n$`},
		{"--on cuda", "cuMemAlloc_v2:2@2", "1", exitInput, `^hyptx: m.json: buffers.a: 20 bytes: cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY \(2\): out of memory; the buffers take 60 bytes`},
		{"--on cuda", "cuDevicePrimaryCtxRetain:101", "1", exitInput, `^hyptx: m.json: cuDevicePrimaryCtxRetain: `},
	} {
		d.Set("FAIL", test.fail)
		d.Set("DEVICES", test.devices)
		r := hyptx(append([]string{"run", "m.json"}, strings.Fields(test.args)...)...)
		if r.code != test.code || r.out != "" {
			t.Errorf("%s %s: exit code %d, stdout %q; want %d and nothing", test.args, test.fail, r.code, r.out, test.code)
		}
		match(t, "stderr", r.errOut, test.want)
	}
	d.Set("FAIL", "")
	d.Set("DEVICES", "1")
	t.Setenv("HYPTX_LIBCUDA", filepath.Join(t.TempDir(), "none.so"))
	r := hyptx("run", "m.json", "--on", "cuda").must(t, exitInput)
	match(t, "stderr", r.errOut, `^hyptx: no CUDA driver: .*none.so: .*\n$`)
}

// TestRunOnCUDAKept: the outputs that were read before one could not be are
// written, and the exit code is 1.
func TestRunOnCUDAKept(t *testing.T) {
	d := cudatest.Use(t)
	addProgram(t)
	d.Set("FAIL", "cuMemcpyDtoH_v2:700@2")
	r := hyptx("run", "m.json", "--on", "cuda", "-o", "g.json", "--dump", "sum=g.npy", "--dump", "first=f.npy").must(t, exitInput)
	match(t, "stderr", r.errOut, `^hyptx: m.json: outputs\[1\]: cuMemcpyDtoH_v2: CUDA_ERROR_ILLEGAL_ADDRESS \(700\)`)
	match(t, "g.json", read(t, "g.json"), `(?s)"time_ms": 0.125.*"name": "sum"`)
	if strings.Contains(read(t, "g.json"), `"first"`) || read(t, "g.npy") == "" {
		t.Error("the second output was not read, the first one was")
	}
}

// TestRunOnCUDAHangs: a driver that does not come back costs the time limit and a
// moment, not the ten minutes that the stand-in hangs: after these the message would
// not say that it does not come back.
func TestRunOnCUDAHangs(t *testing.T) {
	d := cudatest.Use(t)
	addProgram(t)
	for call, want := range map[string]string{
		"cuInit":             `^hyptx: more than LIMIT needed; the limit can be raised with --timeout: the driver does not come back from a call\n$`,
		"cuModuleLoadDataEx": `^hyptx: m.json: more than LIMIT needed; the limit can be raised with --timeout: the driver does not come back from a call\n$`,
	} {
		d.Set("HANG", call)
		patient(t, want, "run", "m.json", "--on", "cuda", "--timeout", "LIMIT")
	}
}

// TestRunOnCUDACleanup: what fails after the outputs were read does not cost them.
func TestRunOnCUDACleanup(t *testing.T) {
	d := cudatest.Use(t)
	addProgram(t)
	for _, call := range []string{"cuMemFree_v2", "cuModuleUnload", "cuEventDestroy_v2", "cuDevicePrimaryCtxRelease_v2"} {
		d.Set("FAIL", call+":1")
		r := hyptx("run", "m.json", "--on", "cuda", "-o", "g.json").must(t, exitInput)
		match(t, call, r.errOut, `^hyptx: m.json: the outputs are whole, but giving back the GPU's memory failed: `+call+`: [^\n]*\n$`)
		match(t, call, read(t, "g.json"), `(?s)"name": "sum".*"name": "first"`)
		os.Remove("g.json")
	}
}
