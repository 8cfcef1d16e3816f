package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"

	"hyptx/internal/hardware/cuda/cudatest"
)

// expProgram puts a program of one approximate result a thread into the working
// directory, and what a run of it left into gpu.json.
func expProgram(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u64 y, .param .u64 n", "ld.param.u64 %rd1, [y]; ld.param.u64 %rd5, [n]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;\n"+
		"add.u64 %rd5, %rd5, %rd2; st.global.u32 [%rd5], %r1;\ncvt.rn.f32.u32 %f1, %r1; ex2.approx.f32 %f1, %f1; st.global.f32 [%rd1], %f1;"))
	put(t, "m.json", strings.TrimSuffix(manifestOf(`"y": {"bytes": 32, "type": "f32"}, "n": {"bytes": 32, "type": "u32"}`,
		`"grid": [1], "block": [8], "args": [{"buffer": "y"}, {"buffer": "n"}]`), "}")+`, "outputs": ["y", "n"]}`)
	hyptx("run", "m.json", "-o", "gpu.json").must(t, exitDone)
}

// alter changes gpu.json: the bits of an output's element, then whatever change
// does to the document.
func alter(t *testing.T, output string, element int, bits uint32, change func(doc map[string]any)) {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal([]byte(read(t, "gpu.json")), &doc); err != nil {
		t.Fatal(err)
	}
	for _, o := range doc["outputs"].([]any) {
		o := o.(map[string]any)
		if o["name"] != output {
			continue
		}
		data, err := base64.StdEncoding.DecodeString(o["data"].(string))
		if err != nil {
			t.Fatal(err)
		}
		binary.LittleEndian.PutUint32(data[4*element:], bits)
		sum := sha256.Sum256(data)
		o["data"], o["sha256"] = base64.StdEncoding.EncodeToString(data), hex.EncodeToString(sum[:])
	}
	if change != nil {
		change(doc)
	}
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	put(t, "other.json", string(text))
}

// TestCompareSaved: saved outputs, equal and altered.
func TestCompareSaved(t *testing.T) {
	t.Setenv("COLUMNS", "400")
	expProgram(t)
	r := hyptx("compare", "m.json", "--against", "gpu.json", "--quiet").must(t, exitDone)
	match(t, "stdout", r.out, `^net: gpu.json against the emulator\n  y  f32  8  equal\n  n  u32  8  equal\nverdict: equal in every bit\n$`)
	for _, c := range []struct {
		output  string
		element int
		bits    uint32
		code    int
		out     string
	}{
		{"y", 3, 0x41000002, exitDone, `y  f32  8  within its bounds: 1 differ, at most 2 ulp, 1.91e-06 absolute, most \[3\]: 0x41000002 8.000002, emulator 0x41000000 8\n(?s:.*)leaves open:\n    ex2.approx.f32  2 ulp  PTX ISA 9.7.3.21\nverdict: equal within the documented bounds\n$`},
		{"y", 3, 0x41000003, exitInput, `y  f32  8  DIFFERS: 1 of 8, at most 3 ulp, 2.86e-06 absolute, first \[3\]: 0x41000003 8.000003, emulator 0x41000000 8, allowed 7.9999\d* to 8.0000\d*\n(?s:.*)verdict: DIFFERS\n$`},
		{"y", 1, 0x7fffffff, exitInput, `first \[1\]: 0x7fffffff NaN, emulator 0x40000000 2`},
		{"n", 5, 6, exitInput, `n  u32  8  DIFFERS: 1 of 8, first \[5\]: 0x00000006 6, emulator 0x00000005 5\n`},
	} {
		alter(t, c.output, c.element, c.bits, nil)
		r := hyptx("compare", "m.json", "--against", "other.json", "--json", "r.json", "--quiet").must(t, c.code)
		match(t, "stdout", r.out, c.out)
		if c.code == exitInput {
			match(t, "stderr", r.errOut, `^hyptx: m.json: the emulator and other.json differ\n$`)
		}
		var doc struct {
			Against, Network, Verdict string
			Outputs                   []struct{ Name, Verdict string }
			Variations                []struct{ Name string }
		}
		if err := json.Unmarshal([]byte(read(t, "r.json")), &doc); err != nil {
			t.Fatal(err)
		}
		if doc.Against != "other.json" || doc.Network != "net" || len(doc.Outputs) != 2 || len(doc.Variations) != 17 || (doc.Verdict == "within") != (c.code == exitDone) {
			t.Errorf("%s: %+v", c.output, doc)
		}
	}
}

// TestCompareRefused: what cannot be compared is an error that says why.
func TestCompareRefused(t *testing.T) {
	expProgram(t)
	for _, c := range []struct {
		name   string
		change func(doc map[string]any)
		want   string
	}{
		{"other inputs", func(d map[string]any) { d["inputs_sha256"] = strings.Repeat("0", 64) }, `other.json is a run of other inputs \(net, inputs_sha256 000000000000..., not [0-9a-f]{12}...\)`},
		{"no hash", func(d map[string]any) { delete(d, "inputs_sha256") }, "not what `hyptx run -o` writes: there is no inputs_sha256"},
		{"an output less", func(d map[string]any) { d["outputs"] = d["outputs"].([]any)[:1] }, `output "n" is missing; there are y`},
		{"no data", func(d map[string]any) { delete(d["outputs"].([]any)[0].(map[string]any), "data") }, `output "y" has no "data"`},
		{"a changed hash", func(d map[string]any) { d["outputs"].([]any)[0].(map[string]any)["sha256"] = "00" }, `output "y": its "data" do not have the hash`},
		{"another type", func(d map[string]any) { d["outputs"].([]any)[0].(map[string]any)["type"] = "f64" }, `output "y" is of type f64, the emulator's of f32`},
		{"an unknown type", func(d map[string]any) { d["outputs"].([]any)[0].(map[string]any)["type"] = "f12" }, `output "y": unknown type "f12"`},
	} {
		alter(t, "", 0, 0, c.change)
		r := hyptx("compare", "m.json", "--against", "other.json").must(t, exitInput)
		match(t, c.name, r.errOut, c.want)
		if strings.Count(r.errOut, "\n") != 1 {
			t.Errorf("%s: %q", c.name, r.errOut)
		}
	}
	for text, want := range map[string]string{
		`[1]`:                                    "other.json: not what `hyptx run -o` writes: must be an object, not a list\n$",
		`{"inputs_sha256": 5}`:                   "other.json: not what `hyptx run -o` writes: inputs_sha256: must be a string, not a number\n$",
		`{"inputs_sha256": "", "outputs": [[]]}`: "other.json: not what `hyptx run -o` writes: outputs: must be an object, not a list\n$",
		`{`:                                      "other.json: not what `hyptx run -o` writes: unexpected end of JSON input\n$",
	} {
		put(t, "other.json", text)
		match(t, text, hyptx("compare", "m.json", "--against", "other.json").must(t, exitInput).errOut, want)
	}
	match(t, "missing", hyptx("compare", "m.json", "--against", "none.json").must(t, exitInput).errOut, `--against none.json: no such file or folder`)
	match(t, "no JSON", hyptx("compare", "m.json", "--against", "k.ptx").must(t, exitInput).errOut, "k.ptx: not what `hyptx run -o` writes")
	match(t, "device", hyptx("compare", "m.json", "--against", "gpu.json", "--device", "1").must(t, exitUsage).errOut, `--device is for a comparison with a GPU`)
	put(t, "bare.ptx", kernel("", ""))
	match(t, "no outputs", hyptx("compare", "bare.ptx", "--against", "gpu.json").must(t, exitInput).errOut, `bare.ptx has no outputs`)
	match(t, "kernel", hyptx("compare", "m.json", "--against", "gpu.json", "--kernel", "k").must(t, exitInput).errOut, `--kernel is for bare .ptx files`)
}

// TestCompareByOrder: an append through an atomic's value may come in any order.
func TestCompareByOrder(t *testing.T) {
	t.Setenv("COLUMNS", "400")
	expProgram(t)
	put(t, "k.ptx", kernel(".param .u64 y", "ld.param.u64 %rd1, [y]; mov.u32 %r1, %tid.x; atom.global.add.u32 %r2, [%rd1], 1; mul.wide.u32 %rd2, %r2, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1+4], %r1;"))
	put(t, "m.json", strings.TrimSuffix(manifestOf(`"y": {"bytes": 36, "type": "u32"}`, `"grid": [1], "block": [8], "args": [{"buffer": "y"}]`), "}")+`, "outputs": ["y"]}`)
	hyptx("run", "m.json", "-o", "gpu.json").must(t, exitDone)
	alter(t, "y", 2, 5, nil)
	r := hyptx("compare", "m.json", "--against", "other.json", "--quiet").must(t, exitInput)
	match(t, "stdout", r.out, `^net: other.json against the emulator\n  y  u32  9  NOT DECIDED: 1 undecided \(1 may depend on the order of threads\), first \[2\]: 0x00000005 5, emulator 0x00000001 1\n`+
		`verdict: not decided: what differs may depend on the order of threads, which the PTX manual leaves open\n$`)
	match(t, "stderr", r.errOut, `^hyptx: m.json: whether the emulator and other.json agree is not decided\n$`)
}

// TestCompareFullDisk: a report that could not be written is no success.
func TestCompareFullDisk(t *testing.T) {
	expProgram(t)
	var errOut strings.Builder
	code := run([]string{"compare", "m.json", "--against", "gpu.json", "--quiet"}, strings.NewReader(""), fullDisk{}, &errOut)
	if code != exitInput || !strings.Contains(errOut.String(), "no space left") {
		t.Errorf("exit code %d, %q", code, errOut.String())
	}
}

// fullDisk is a device that takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestCompareFolder: a folder with a .npy file of each output.
func TestCompareFolder(t *testing.T) {
	expProgram(t)
	if err := os.Mkdir("gpu", 0o755); err != nil {
		t.Fatal(err)
	}
	hyptx("run", "m.json", "-o", "x.json", "--dump", "y=gpu/y.npy").must(t, exitDone)
	match(t, "stderr", hyptx("compare", "m.json", "--against", "gpu").must(t, exitInput).errOut, `output "n": gpu/n.npy: `)
	hyptx("run", "m.json", "-o", "x.json", "--dump", "n=gpu/n.npy").must(t, exitDone)
	match(t, "stdout", hyptx("compare", "m.json", "--against", "gpu").must(t, exitDone).out, `verdict: equal in every bit`)
	hyptx("run", "m.json", "-o", "x.json", "--dump", "n=gpu/y.npy").must(t, exitDone)
	match(t, "stderr", hyptx("compare", "m.json", "--against", "gpu").must(t, exitInput).errOut, `output "y": gpu/y.npy holds <u4, not f32`)
}

// TestCompareEveryLaunch: the stand-in adds vectors whatever the PTX says; this
// one adds 1 more where n is 4, as the second launch of three has it.
func TestCompareEveryLaunch(t *testing.T) {
	t.Setenv("COLUMNS", "400")
	cudatest.Use(t)
	addProgram(t)
	put(t, "k.ptx", strings.Replace(read(t, "k.ptx"), "st.global.f32", "setp.eq.u32 %p, %r0, 4;\n@%p add.f32 %f2, %f2, 0f3F800000;\nst.global.f32", 1))
	good := hyptx("compare", "m.json", "--every-launch").must(t, exitDone)
	match(t, "stdout", good.out, `^net: .+ against the emulator\n  all buffers are equal after 1 of the 1 launches compared\nverdict: equal in every bit\n$`)
	one := `{"module": "k.ptx", "label": "LABEL", "kernel": "vector_add", "grid": [1], "block": [32], "args": [{"buffer": "sum"}, {"buffer": "a"}, {"buffer": "b"}, {"value": N}]}`
	text := read(t, "m.json")
	launches := strings.NewReplacer("LABEL", "one", "N}", "5}").Replace(one) + "," + strings.NewReplacer("LABEL", "two", "N}", "4}").Replace(one) + "," + strings.NewReplacer("LABEL", "three", "N}", "5}").Replace(one)
	from, to := strings.Index(text, `"launches": [`), strings.Index(text, `"outputs"`)
	put(t, "m.json", text[:from]+`"launches": [`+launches+"],\n"+text[to:])
	hyptx("compare", "m.json").must(t, exitDone) // the third launch covers it up
	r := hyptx("compare", "m.json", "--every-launch", "--json", "r.json").must(t, exitInput)
	match(t, "stdout", r.out, `  launch 1 \(two, vector_add\) is the first that differs; the buffers that are not equal after it:\n`+
		`    sum  f32  5  DIFFERS: 4 of 5, at most \d+ ulp, 1 absolute, first \[0\]: 0x3f000000 0.5, emulator 0x3fc00000 1.5\n`+
		`  all buffers are equal after 1 of the 2 launches compared\nverdict: DIFFERS\n$`)
	match(t, "JSON", read(t, "r.json"), `"launches": \[\n  \{\n   "launch": 0,\n   "label": "one",\n   "kernel": "vector_add",\n   "verdict": "equal",\n   "buffers": \[\]`)
	match(t, "stderr", hyptx("compare", "m.json", "--every-launch", "--against", "r.json").must(t, exitUsage).errOut, `--every-launch needs a GPU`)
}

// TestCompareCleanup: what fails when all has been compared takes nothing from
// that, and says where it failed and in which program.
func TestCompareCleanup(t *testing.T) {
	d := cudatest.Use(t)
	addProgram(t)
	for _, call := range []string{"cuMemFree_v2", "cuModuleUnload", "cuEventDestroy_v2"} {
		d.Set("FAIL", call+":1")
		r := hyptx("compare", "m.json", "--every-launch").must(t, exitInput)
		match(t, call, r.out, `verdict: equal in every bit\n$`)
		match(t, call, r.errOut, `^hyptx: on the GPU: [^\n]+: .*`+call)
	}
	d.Set("FAIL", "cuLaunchKernel:700@1")
	match(t, "launch", hyptx("compare", "m.json", "--every-launch").must(t, exitInput).errOut, `^hyptx: on the GPU: m.json: launches\[0\]: `)
}

// TestCompareGPU: with the stand-in for a driver, which adds vectors; and
// without any driver.
func TestCompareGPU(t *testing.T) {
	d := cudatest.Use(t)
	addProgram(t)
	r := hyptx("compare", "m.json", "--json", "r.json").must(t, exitDone)
	match(t, "stdout", r.out, `^net: .+ against the emulator\n  sum +f32  5  equal\n  first +f32  1  equal\nverdict: equal in every bit\n$`)
	match(t, "JSON", read(t, "r.json"), `"against": "cuda",\n "device": \{\n(?s:.*)"name": "`)
	d.Set("FAIL", "cuLaunchKernel:700@1")
	match(t, "stderr", hyptx("compare", "m.json").must(t, exitInput).errOut, `^hyptx: on the GPU: m.json: launches\[0\]: `)
	t.Setenv("HYPTX_LIBCUDA", "/none/libcuda.so")
	match(t, "stderr", hyptx("compare", "m.json").must(t, exitInput).errOut, `--against compares with outputs that another machine saved\n$`)
}

// TestCompareHangs: a driver that does not come back costs the time limit and a
// moment.
func TestCompareHangs(t *testing.T) {
	d := cudatest.Use(t)
	addProgram(t)
	d.Set("HANG", "cuModuleLoadDataEx")
	for _, more := range [][]string{nil, {"--every-launch"}} {
		patient(t, `^hyptx: .*more than LIMIT needed; the limit can be raised with --timeout: the driver does not come back from a call\n$`,
			append([]string{"compare", "m.json", "--timeout", "LIMIT"}, more...)...)
	}
}
