package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// callText is a kernel of a thread for each of some calls: what they return goes to out.
func callText(declarations, body string) string {
	return ".version 8.0\n.target sm_70\n.address_size 64\n" + declarations + `
.visible .entry k(.param .u64 out)
{
	.reg .b32 %r<20>;
	.reg .b64 %d<20>;
	.reg .f64 %f<4>;
	.reg .pred %p<4>;
	.param .b64 a;
	.param .b64 b;
	.param .b64 c;
	.param .b32 v;
	.param .b32 w;
	.param .b32 x;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %d2, %r1, 8;
	add.s64 %d1, %d1, %d2;
` + body + "\tret;\n}\n"
}

// runText runs such a kernel and returns the words of 64 bits that it left.
func runText(t *testing.T, text string, threads int) (out []uint64, printed string) {
	t.Helper()
	put(t, "k.ptx", text)
	put(t, "k.json", fmt.Sprintf(`{"version": 1, "name": "n", "buffers": {"out": {"bytes": %d, "type": "u64", "init": "zero"}},
 "launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [%d], "args": [{"buffer": "out"}]}], "outputs": ["out"]}`, 8*threads, threads))
	r := hyptx("run", "k.json", "-o", "o.json", "--dump", "out=out.npy").must(t, exitDone)
	dumped := read(t, "out.npy")
	for i := range threads {
		out = append(out, binary.LittleEndian.Uint64([]byte(dumped[len(dumped)-8*threads+8*i:])))
	}
	return out, r.out
}

// TestLibdevice: functions of libdevice that a module leaves undefined, in float and
// double, with results by pointers, and those that are an instruction.
func TestLibdevice(t *testing.T) {
	t.Chdir(t.TempDir())
	text := callText(`.extern .func (.param .b64 r) __nv_exp(.param .b64 x);
.extern .func (.param .b32 r) __nv_powf(.param .b32 x, .param .b32 y);
.extern .func __nv_sincosf(.param .b32 x, .param .b64 s, .param .b64 c);
.extern .func (.param .b32 r) __nv_fadd_rz(.param .b32 x, .param .b32 y);
.extern .func (.param .b64 r) __nv_sqrt(.param .b64 x);
`, `
	.local .align 8 .b8 own[8];
	cvt.rn.f64.u32 %f1, %r1;
	st.param.f64 [a], %f1;
	call (b), __nv_exp, (a);
	ld.param.b64 %d3, [b];
	setp.ne.u32 %p1, %r1, 1;
	@%p1 bra L2;
	st.param.b32 [v], 0f40000000;
	st.param.b32 [w], 0f3F000000;
	call (x), __nv_powf, (v, w);
	ld.param.b32 %r2, [x];
	cvt.u64.u32 %d3, %r2;
L2:	setp.ne.u32 %p1, %r1, 2;
	@%p1 bra L3;
	mov.u64 %d4, own;
	cvta.local.u64 %d4, %d4;
	add.s64 %d5, %d4, 4;
	st.param.b32 [v], 0f3F800000;
	st.param.b64 [a], %d4;
	st.param.b64 [b], %d5;
	call __nv_sincosf, (v, a, b);
	ld.local.u64 %d3, [own];
L3:	setp.ne.u32 %p1, %r1, 3;
	@%p1 bra L4;
	st.param.b32 [v], 0f3F800000;
	st.param.b32 [w], 0f33FFFFFF;
	call (x), __nv_fadd_rz, (v, w);
	ld.param.b32 %r2, [x];
	cvt.u64.u32 %d3, %r2;
L4:	st.global.u64 [%d1], %d3;
`)
	out, _ := runText(t, text, 5)
	sin, cos := math.Sincos(1)
	want := []uint64{math.Float64bits(1), uint64(math.Float32bits(math.Sqrt2)),
		uint64(math.Float32bits(float32(cos)))<<32 | uint64(math.Float32bits(float32(sin))), uint64(math.Float32bits(1)), math.Float64bits(54.598150033144236)}
	for i := range want {
		if out[i] != want[i] {
			t.Errorf("thread %d: %#x, want %#x", i, out[i], want[i])
		}
	}
	for _, mode := range []string{"control", "memory"} {
		res := hyptx("profile", "k.json", "--mode", mode, "--verify", "-o", "-").must(t, exitDone)
		row := readCSV(t, res.out)[0]
		// 34 instructions are written; none of the functions' is counted, though they have some.
		if row["library_calls"] != "4" || row["exactness"] != "assumed" || row["static_instructions"] != "34" || row["inst_misc"] == "" {
			t.Errorf("%s: %s calls, %s, %s instructions", mode, row["library_calls"], row["exactness"], row["static_instructions"])
		}
		if row["assumed_inputs"] != "what functions of CUDA's execute is not counted (library_calls)" {
			t.Errorf("assumed: %q", row["assumed_inputs"])
		}
		if mode == "memory" && (row["global_store_requests"] != "1" || row["local_store_requests"] != "0") {
			t.Errorf("%s stores to global and %s to local memory", row["global_store_requests"], row["local_store_requests"])
		}
	}
}

const (
	heapDeclarations = ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"
	// heapBody: each thread takes a block of size bytes, writes to its ends, gives it back
	// if its number is odd, and takes another; out is which of them it got.
	heapBody = `
	mov.u64 %d3, SIZE;
	st.param.b64 [a], %d3;
	call (b), malloc, (a);
	ld.param.b64 %d4, [b];
	setp.eq.u64 %p1, %d4, 0;
	@%p1 bra NONE;
	st.u32 [%d4], %r1;
	add.s64 %d5, %d4, SIZE;
	st.u32 [%d5+-4], %r1;
	and.b32 %r2, %r1, 1;
	setp.eq.u32 %p2, %r2, 0;
	@%p2 bra KEEP;
	st.param.b64 [a], %d4;
	call free, (a);
	mov.u64 %d4, 1;
	st.global.u64 [%d1], %d4;
	bra END;
KEEP:	ld.u32 %r3, [%d4];
	ld.u32 %r4, [%d5+-4];
	sub.u32 %r3, %r3, %r1;
	sub.u32 %r4, %r4, %r1;
	or.b32 %r3, %r3, %r4;
	add.u32 %r3, %r3, 2;
	cvt.u64.u32 %d4, %r3;
	st.global.u64 [%d1], %d4;
	bra END;
NONE:	mov.u64 %d4, 3;
	st.global.u64 [%d1], %d4;
END:
`
)

// TestHeap: malloc gives blocks that do not overlap, null where the heap ends, and what is
// free again to the next one.
func TestHeap(t *testing.T) {
	t.Chdir(t.TempDir())
	text := callText(heapDeclarations, strings.ReplaceAll(heapBody, "SIZE", "64"))
	out, _ := runText(t, text, 64)
	for i, n := range out {
		if want := uint64(2 - i%2); n != want {
			t.Errorf("thread %d: %d, want %d", i, n, want)
		}
	}
	for _, mode := range []string{"control", "memory"} {
		row := readCSV(t, hyptx("profile", "k.json", "--mode", mode, "--verify", "-o", "-").must(t, exitDone).out)[0]
		if row["library_calls"] != "4" || row["exactness"] != "assumed" {
			t.Errorf("%s: %s calls, %s", mode, row["library_calls"], row["exactness"])
		}
	}
	large, _ := runText(t, callText(heapDeclarations, strings.ReplaceAll(heapBody, "SIZE", "1000000")), 32)
	got := map[uint64]int{}
	for _, n := range large {
		got[n]++
	}
	if got[3] != 24 { // 8 MB have room for eight of them
		t.Errorf("%v", got)
	}
	put(t, "k.json", strings.Replace(read(t, "k.json"), `"outputs"`, `"limits": {"heapBytes": 100000000}, "outputs"`, 1))
	hyptx("run", "k.json", "-o", "o.json").must(t, exitDone)
	if strings.Contains(read(t, "o.json"), " 3,\n") {
		t.Errorf("a heap of 100 MB ended: %s", read(t, "o.json"))
	}
	// As often as it likes: what comes back is joined to what was free.
	again, _ := runText(t, callText(heapDeclarations, `
	mov.u32 %r5, 0;
LOOP:	mul.wide.u32 %d3, %r5, 1000;
	add.s64 %d3, %d3, 6000000;
	st.param.b64 [a], %d3;
	call (b), malloc, (a);
	ld.param.b64 %d4, [b];
	setp.eq.u64 %p1, %d4, 0;
	@%p1 bra BAD;
	st.param.b64 [a], %d4;
	call free, (a);
	add.u32 %r5, %r5, 1;
	setp.lt.u32 %p1, %r5, 50;
	@%p1 bra LOOP;
BAD:	cvt.u64.u32 %d4, %r5;
	st.global.u64 [%d1], %d4;
`), 1)
	if again[0] != 50 {
		t.Errorf("%d blocks after each other", again[0])
	}
	put(t, "k.ptx", callText(heapDeclarations, "\tst.param.b64 [a], %d1;\n\tcall free, (a);\n"))
	put(t, "k.ptx", callText(heapDeclarations, `	st.param.b64 [a], 64;
	call (b), malloc, (a);
	ld.param.b64 %d4, [b];
	st.param.b64 [a], %d4;
	call free, (a);
	st.param.b64 [a], %d4;
	call free, (a);
`))
	match(t, "free twice", hyptx("run", "k.json").must(t, exitInput).errOut, `call free, \(a\): kernel k, .*or of one that has come back before`)
	put(t, "k.ptx", callText(heapDeclarations, "\tst.param.b64 [a], %d1;\n\tcall free, (a);\n"))
	match(t, "free of a buffer", hyptx("run", "k.json").must(t, exitInput).errOut, `k\.ptx:\d+:\d+: call free, \(a\): kernel k, .*free of a pointer that malloc has not given`)
}

// TestPrintf: what threads print comes in order, CTA by CTA, with arguments of all sizes;
// what prints is not executed where only control flow is asked for.
func TestPrintf(t *testing.T) {
	t.Chdir(t.TempDir())
	text := callText(`.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);
.global .align 1 .b8 format[30] = {37, 100, 32, 37, 115, 32, 37, 103, 32, 37, 108, 108, 117, 10, 0};
.global .align 1 .b8 word[3] = {104, 105, 0};
`, `
	.local .align 8 .b8 depot[32];
	mov.u32 %r2, %ctaid.x;
	mad.lo.u32 %r3, %r2, 100, %r1;
	st.local.u32 [depot], %r3;
	mov.u64 %d3, word;
	cvta.global.u64 %d3, %d3;
	st.local.u64 [depot+8], %d3;
	st.local.f64 [depot+16], 0d3FF8000000000000;
	mov.u64 %d4, -1;
	st.local.u64 [depot+24], %d4;
	mov.u64 %d5, format;
	cvta.global.u64 %d5, %d5;
	mov.u64 %d6, depot;
	cvta.local.u64 %d6, %d6;
	st.param.b64 [a], %d5;
	st.param.b64 [b], %d6;
	call (v), vprintf, (a, b);
	ld.param.b32 %r4, [v];
`)
	_, printed := runText(t, text, 2)
	if want := "0 hi 1.5 18446744073709551615\n1 hi 1.5 18446744073709551615\n"; printed != want {
		t.Errorf("%q", printed)
	}
	grid := strings.Replace(read(t, "k.json"), `"grid": [1]`, `"grid": [40]`, 1)
	put(t, "k.json", grid)
	lines := strings.Split(hyptx("run", "k.json", "-o", "o.json").must(t, exitDone).out, "\n")
	for i, line := range lines[:len(lines)-1] {
		if want := fmt.Sprintf("%d hi 1.5 18446744073709551615", i/2*100+i%2); line != want {
			t.Fatalf("line %d: %q, want %q", i, line, want)
		}
	}
	if len(lines) != 81 {
		t.Errorf("%d lines", len(lines))
	}
	put(t, "k.json", strings.Replace(grid, `"outputs"`, `"limits": {"printfBytes": 100}, "outputs"`, 1))
	match(t, "a limit", hyptx("run", "k.json", "-o", "o.json").must(t, exitDone).out, `more was printed than 100 bytes: limits\.printfBytes`)
	row := readCSV(t, hyptx("profile", "k.json", "-o", "-").must(t, exitDone).out)[0]
	if row["library_calls"] != "40" || row["slice_instructions"] != "0" {
		t.Errorf("%s calls, %s instructions of the slice", row["library_calls"], row["slice_instructions"])
	}
}

// full is a stream that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// TestPrintfLost: what a program prints and nobody takes is an error.
func TestPrintfLost(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "p.ptx", callText(".global .align 1 .b8 text[3] = {65, 10, 0};\n.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n",
		"\t.param .b32 r;\n\tmov.u64 %d3, text;\n\tcvta.global.u64 %d3, %d3;\n\tst.param.b64 [a], %d3;\n\tmov.u64 %d4, 0;\n\tst.param.b64 [b], %d4;\n\tcall (r), vprintf, (a, b);\n"))
	var errOut strings.Builder
	code := runContext(context.Background(), []string{"run", "p.ptx", "--block", "1", "--grid", "1", "-o", "o.json"}, strings.NewReader(""), full{}, &errOut)
	if code != exitInput {
		t.Errorf("exit code %d", code)
	}
	match(t, "error", errOut.String(), `what the program printed cannot be written: no space left`)
}

// TestAssert: an assertion that fails ends the launch in every mode that runs it, with its
// text, its place, and the place of the call; one that holds does not.
func TestAssert(t *testing.T) {
	t.Chdir(t.TempDir())
	text := callText(`.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
.global .align 1 .b8 message[6] = {120, 32, 62, 32, 48, 0};
.global .align 1 .b8 file[5] = {97, 46, 99, 117, 0};
`, `
	setp.ne.u32 %p1, %r1, LAST;
	@%p1 bra OK;
	mov.u64 %d3, message;
	cvta.global.u64 %d3, %d3;
	mov.u64 %d4, file;
	cvta.global.u64 %d4, %d4;
	.param .b64 d;
	st.param.b64 [a], %d3;
	st.param.b64 [b], %d4;
	st.param.b32 [v], 42;
	st.param.b64 [c], %d4;
	st.param.b64 [d], 1;
	call __assertfail, (a, b, v, c, d);
OK:
`)
	runText(t, strings.Replace(text, "LAST", "1000", 1), 32)
	put(t, "k.ptx", strings.Replace(text, "LAST", "7", 1))
	for _, command := range []string{"run k.json", "profile k.json", "profile k.json --mode memory", "profile k.json --mode full"} {
		match(t, command, hyptx(strings.Fields(command)...).must(t, exitInput).errOut,
			"k\\.ptx:\\d+:\\d+: call __assertfail, \\(a, b, v, c, d\\): kernel k, CTA \\(0,0,0\\), thread \\(7,0,0\\): a\\.cu:42: a\\.cu: assertion `x > 0` failed")
	}
}

// TestUndefinedFunctions: what nobody knows is an error where it is called, and costs no other
// kernel; dynamic parallelism is refused by name.
func TestUndefinedFunctions(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, want := range map[string]string{
		"frobnicate": "frobnicate is defined nowhere", "__nv_frobnicate": "__nv_frobnicate: libdevice has no such function",
		"cudaLaunchDeviceV2": `cudaLaunchDeviceV2: .*dynamic parallelism`,
	} {
		text := callText(".extern .func (.param .b32 r) "+name+"(.param .b64 x);\n", "\tst.param.b64 [a], 0;\n\tcall (v), "+name+", (a);\n")
		put(t, "k.ptx", text+".visible .entry other() { ret; }\n")
		res := hyptx("profile", "k.ptx", "-o", "-").must(t, exitInput)
		match(t, name, res.errOut, `k\.ptx:23:2: call \(v\), `+name+`, \(a\): .*`+want)
		if rows := readCSV(t, res.out); rows[1]["kernel"] != "other" || rows[1]["warp_instructions"] != "8" {
			t.Errorf("the other kernel has %v", rows[1]["warp_instructions"])
		}
	}
	put(t, "k.ptx", callText(".extern .func (.param .b64 r) __nv_expf(.param .b64 x);\n", "\tst.param.b64 [a], 0;\n\tcall (b), __nv_expf, (a);\n"))
	match(t, "another declaration", hyptx("profile", "k.ptx").must(t, exitInput).errOut, `k\.ptx: __nv_expf is declared with parameters of \[8\] bytes`)
}
