package analysis

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"hyptx/internal/featuretest"
	"hyptx/internal/observe"
)

// TestDebuggedFeatures: a program that is debugged leaves what it leaves else, whatever its
// instructions are, and each step of a thread that ended is told.
func TestDebuggedFeatures(t *testing.T) {
	for n, s := range featureSamples(t) {
		if s.Fault != "" || n%3 != 0 && os.Getenv("HYPTX_HEAVY") == "" {
			continue
		}
		var text bytes.Buffer
		of := featureSession(t, s)
		r := &observe.Request{FirstNaN: true, Log: observe.NewLog(&text, 1<<20)}
		for _, l := range of.launches[:1] {
			spec, err := observe.ParseThread(l.kernel.Name + ":0:0")
			if err != nil {
				t.Fatal(err)
			}
			r.Threads = append(r.Threads, spec)
		}
		for _, b := range of.Manifest.Buffers {
			if b.Bytes/int64(b.Type.Size()) <= observe.MostWatched {
				r.Elements = append(r.Elements, observe.ElementSpec{Text: b.Name, Name: b.Name, Whole: true})
			}
		}
		of.Options.Debug = r
		if err := of.debug(); err != nil {
			t.Fatal(s.Name, err)
		}
		told := mirror(t, of)
		debugged, err := of.Run(context.Background())
		if err != nil {
			t.Fatal(s.Name, err)
		}
		i := 0
		for _, b := range s.Buffers {
			if b.Out != nil {
				for _, wrong := range featuretest.Differences(s, b, debugged[i].Data) {
					t.Error(wrong)
				}
				i++
			}
		}
		told(s.Name)
		if got := text.String(); !strings.Contains(got, "  ret") && !strings.Contains(got, "  exit") || strings.Contains(got, "not completed") {
			t.Errorf("%s: the thread does not end:\n%.3000s", s.Name, got)
		}
	}
}

// mirror follows the writes that are told: each finds what the one before left, and in the end
// they have made of what was there at the start what is there. What it returns looks.
func mirror(t *testing.T, s *Session) func(name string) {
	t.Helper()
	contents := func(e *watchedElements) []byte {
		data := make([]byte, e.Bytes)
		if err := e.buffer.Read(data, int64(e.Base-e.buffer.Base)); err != nil {
			t.Fatal(err)
		}
		return data
	}
	d, have := s.debugging, map[*watchedElements][]byte{}
	for _, e := range d.ranges {
		have[e] = contents(e)
	}
	wrong, log := 0, d.wrote
	d.wrote = func(at debugPlace, e *watchedElements, w *observe.Write) {
		there := have[e][w.First*e.Elem:][:len(w.Old)]
		if !bytes.Equal(there, w.Old) {
			wrong++
		}
		copy(there, w.New)
		log(at, e, w)
	}
	return func(name string) {
		for e, data := range have {
			if is := contents(e); wrong > 0 || !bytes.Equal(is, data) {
				t.Errorf("%s: %s is %x, by the %d writes that were told %x, of which %d found something else", name, e.name, is, e.writes, data, wrong)
			}
		}
	}
}

// debugText runs a program and returns what is told of it.
func debugText(t *testing.T, p program, r observe.Request) string {
	t.Helper()
	var text bytes.Buffer
	r.Log = observe.NewLog(&text, 1000)
	s := p.session(t, Full)
	s.Options.Debug, s.Options.Jobs = &r, 4
	if err := s.Execute(context.Background()); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// stepsPTX has a loop of two rounds, a predicate, a call, an exchange, a barrier, and an
// atomic. Thread t has x[t] = t + 1.
const stepsPTX = `.version 7.0
.target sm_70
.address_size 64
.func (.reg .f32 %r) half(.reg .f32 %a) {
	mul.f32 %r, %a, 0f3F000000;
	ret;
}
.visible .entry k(.param .u64 px, .param .u64 py) {
	.reg .b64 %rd<4>;
	.reg .b32 %r<9>;
	.reg .f32 %f<4>;
	.reg .pred %p;
	.shared .align 4 .s32 s[4];
	ld.param.u64 %rd1, [px];
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %rd2, %r1, 4, %rd1;
	ld.global.f32 %f1, [%rd2];
	call (%f2), half, (%f1);
	.loc 1 42 3
	neg.s32 %r2, %r1;
L:
	add.s32 %r2, %r2, 3;
	setp.lt.s32 %p, %r2, 5;
	@%p bra L;
	shl.b32 %r3, %r1, 2;
	@!%p st.shared.s32 [%r3], %r2;
	bar.sync 0;
	shfl.sync.bfly.b32 %r4, %r2, 1, 31, -1;
	ld.param.u64 %rd3, [py];
	atom.global.add.u32 %r5, [%rd3+4], %r4;
	ret;
}
.file 1 "src/k.cu"
`

var stepsProgram = program{stepsPTX, `{"version": 1, "buffers": {
	"x": {"bytes": 16, "type": "f32", "init": {"iota": {"start": 1}}},
	"y": {"bytes": 8, "type": "u32", "init": {"fill": 7}}},
	"launches": [
		{"module": "k.ptx", "kernel": "k", "grid": [2], "block": [4], "args": [{"buffer": "x"}, {"buffer": "y"}]},
		{"memset": {"buffer": "y", "offset": 4, "bytes": 4, "type": "u32", "value": 9}},
		{"copy": {"from": {"buffer": "x"}, "to": {"buffer": "y"}, "bytes": 8}}]}`}

// TestTrace: thread 2 of the second CTA, worked out by hand. It has x[2] = 3; -2 becomes 1,
// then 4, then 7, which is no longer less than 5; the others end with 6, 5 and 6. Threads add
// what their neighbours have: 5, 6, 6, 7, which is 24 of a CTA. So y[1] is 7 + 24 after the first
// one, 7 + 24 + 5 + 6 before the thread adds, and 7 + 24 + 24 when its warp has.
func TestTrace(t *testing.T) {
	spec, err := observe.ParseThread("k:1,0,0:2")
	if err != nil {
		t.Fatal(err)
	}
	got := debugText(t, stepsProgram, observe.Request{Threads: []observe.ThreadSpec{spec}})
	want := `launch 0 (k), CTA (1,0,0) thread (2,0,0)
0 pc 2 k.ptx:14 ld.param.u64 %rd1, [px] [px] -> %rd1=0x7f0000000000 (x+0)
1 pc 3 k.ptx:15 mov.u32 %r1, %tid.x -> %r1=2
2 pc 4 k.ptx:16 mad.wide.u32 %rd2, %r1, 4, %rd1 %r1=2 %rd1=0x7f0000000000 (x+0) -> %rd2=0x7f0000000008 (x+8)
3 pc 5 k.ptx:17 ld.global.f32 %f1, [%rd2] [x[2] 0x7f0000000008] -> %f1=3
4 pc 6 k.ptx:18 call (%f2), half, (%f1) %f1=3
5 pc 0 k.ptx:5 mul.f32 %r, %a, 0f3F000000 %a=3 -> %r=1.5
6 pc 1 k.ptx:6 ret
pc 6 k.ptx:18 returned: %f2=1.5
7 pc 7 k.ptx:20 k.cu:42 neg.s32 %r2, %r1 %r1=2 -> %r2=-2
8 pc 8 k.ptx:22 k.cu:42 add.s32 %r2, %r2, 3 %r2=-2 -> %r2=1
9 pc 9 k.ptx:23 k.cu:42 setp.lt.s32 %p, %r2, 5 %r2=1 -> %p=true
10 pc 10 k.ptx:24 k.cu:42 @%p bra L %p=true
11 pc 8 k.ptx:22 k.cu:42 add.s32 %r2, %r2, 3 %r2=1 -> %r2=4
12 pc 9 k.ptx:23 k.cu:42 setp.lt.s32 %p, %r2, 5 %r2=4 -> %p=true
13 pc 10 k.ptx:24 k.cu:42 @%p bra L %p=true
14 pc 8 k.ptx:22 k.cu:42 add.s32 %r2, %r2, 3 %r2=4 -> %r2=7
15 pc 9 k.ptx:23 k.cu:42 setp.lt.s32 %p, %r2, 5 %r2=7 -> %p=false
16 pc 10 k.ptx:24 k.cu:42 @%p bra L %p=false (not taken)
17 pc 11 k.ptx:25 k.cu:42 shl.b32 %r3, %r1, 2 %r1=0x00000002 -> %r3=0x00000008
18 pc 12 k.ptx:26 k.cu:42 @!%p st.shared.s32 [%r3], %r2 %p=false %r2=7 [s[2] 0x8]=7
19 pc 13 k.ptx:27 k.cu:42 bar.sync 0
20 pc 14 k.ptx:28 k.cu:42 shfl.sync.bfly.b32 %r4, %r2, 1, 31, 4294967295 %r2=0x00000007 -> %r4=0x00000006
21 pc 15 k.ptx:29 k.cu:42 ld.param.u64 %rd3, [py] [py] -> %rd3=0x7f0000000200 (y+0)
22 pc 16 k.ptx:30 k.cu:42 atom.global.add.u32 %r5, [%rd3+4], %r4 %r4=6 [y[1] 0x7f0000000204]=55 -> %r5=42
23 pc 17 k.ptx:31 k.cu:42 ret
`
	if got := oneBlank(got); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// oneBlank writes lines with one blank between words.
func oneBlank(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.Join(strings.Fields(line), " ")+"\n")
	}
	return strings.Join(lines, "")
}

// TestWatch: y[0:2] and s[3], worked out by hand: the atomics (TestTrace), and the host, whose
// copy leaves the bits of 1 and 2 of floating point. Nobody stores into s[3] but thread 3 of
// each CTA, which has 6.
func TestWatch(t *testing.T) {
	var r observe.Request
	for _, text := range []string{"y[0:2]", "s[3]", "x[1]"} {
		e, err := observe.ParseElements(text)
		if err != nil {
			t.Fatal(err)
		}
		r.Elements = append(r.Elements, e)
	}
	got := oneBlank(debugText(t, stepsProgram, r))
	want := `watching y[0:2] (u32), at the start 7, 7
watching s[3] (s32) in the shared memory of each CTA
watching x[1] (f32), at the start 2
`
	at := "k.ptx:30 k.cu:42 atom.global.add.u32 %r5, [%rd3+4], %r4"
	old := 7
	for cta := range 2 {
		want += fmt.Sprintf("s[3]: 0 -> 6 launch 0 (k) CTA (%d,0,0) thread (3,0,0) k.ptx:26 k.cu:42 @!%%p st.shared.s32 [%%r3], %%r2\n", cta)
		for thread, add := range []int{5, 6, 6, 7} {
			want += fmt.Sprintf("y[1]: %d -> %d launch 0 (k) CTA (%d,0,0) thread (%d,0,0) %s\n", old, old+add, cta, thread, at)
			old += add
		}
	}
	want += `y[1]: 55 -> 9 the host's memset (launches[1])
y[0]: 7 -> 1065353216 the host's copy (launches[2])
y[1]: 9 -> 1073741824 the host's copy (launches[2])
y[0:2] was written 11 times
s[3] was written 2 times
x[1] was written by nobody
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// nanProgram has a kernel with a body, run twice by a CTA of 32 threads, the second time with
// the buffers exchanged. x is 0, 1, 2, ...
func nanProgram(body, init string) program {
	return program{`.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 px, .param .u64 py) {
	.reg .b64 %rd<9>;
	.reg .b32 %r<9>;
	.reg .f32 %f<9>;
	.reg .f64 %fd<9>;
	.reg .b16 %h<9>;
	ld.param.u64 %rd1, [px];
	ld.param.u64 %rd2, [py];
	mov.u32 %r1, %tid.x;
	mad.wide.u32 %rd3, %r1, 4, %rd1;
	mad.wide.u32 %rd4, %r1, 4, %rd2;
	ld.global.f32 %f1, [%rd3];
` + body + `
	ret;
}
`, `{"version": 1, "buffers": {
	"x": {"bytes": 128, "type": "f32", "init": ` + init + `},
	"y": {"bytes": 128, "type": "f32"}},
	"launches": [
		{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [32], "args": [{"buffer": "x"}, {"buffer": "y"}]},
		{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [32], "args": [{"buffer": "y"}, {"buffer": "x"}]}]}`}
}

// TestFirstNaN: where it comes from, by all the ways.
func TestFirstNaN(t *testing.T) {
	const iota = `{"iota": {}}`
	for _, c := range []struct {
		name, body, init string
		want             []string // in this order; of a line what matters
	}{
		{"0 * inf", "mul.f32 %f2, %f1, 0f7F800000;", iota, []string{
			"first NaN that is made: launch 0 (k), CTA (0,0,0) thread (0,0,0)", "%f1=0 -> %f2=NaN", "made by 0 * inf", "%f1=0 k.ptx:15 ld.global.f32 %f1, [%rd3] loaded from x[0], as it was given at the start"}},
		{"square root", "sub.f32 %f2, 0f40400000, %f1;\nsqrt.rn.f32 %f2, %f2;", iota, []string{
			"first NaN that is made: launch 0 (k), CTA (0,0,0) thread (4,0,0)", "%f2=-1 -> %f2=NaN", "made by the square root of a negative number, -1", "%f2=-1 k.ptx:16 sub.f32", "%f1=4 -> %f2=-1", "%f1=4", "loaded from x[4]"}},
		{"fused", "fma.rn.f32 %f2, %f1, 0f7F000000, 0fFF800000;", iota, []string{
			"first infinity that is passed on by an operand: launch 0 (k), CTA (0,0,0) thread (0,0,0)", "no instruction makes a NaN"}},
		{"loaded", "add.f32 %f2, %f1, %f1;", `{"fill": "nan"}`, []string{
			"first NaN that is loaded: launch 0 (k), CTA (0,0,0) thread (0,0,0)", "loaded from x[0], as it was given at the start", "no instruction makes a NaN of operands that are numbers"}},
		{"division by zero", "div.rn.f32 %f2, 0f3F800000, %f1;", iota, []string{
			"first infinity that is made: launch 0 (k), CTA (0,0,0) thread (0,0,0)", "made by 1 / 0"}},
		{"f16", "mov.b16 %h1, 0x7bff;\nadd.f16 %h2, %h1, %h1;\nsub.f16 %h3, %h2, %h2;", iota, []string{
			"first infinity that is made", "%h1=65504 -> %h2=+inf", "made by 65504 + 65504 is too large", "first NaN that is made", "made by inf - inf", "%h2=+inf k.ptx:17 add.f16"}},
		{"f64", "cvt.f64.f32 %fd1, %f1;\nneg.f64 %fd1, %fd1;\nlg2.approx.f32 %f3, %f1;\nsqrt.rn.f64 %fd2, %fd1;", iota, []string{
			"first infinity that is made", "made by the logarithm of 0", "first NaN that is made: launch 0 (k), CTA (0,0,0) thread (1,0,0)", "made by the square root of a negative number, -1"}},
		{"matrices", "mov.b32 %r2, 0x7c007c00;\nmov.b32 %r3, 0;\nmov.f32 %f2, 0f00000000;\nmma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f2,%f3,%f4,%f5}, {%r2,%r2}, {%r3}, {%f2,%f2,%f2,%f2};", iota, []string{
			"first NaN that is made: launch 0 (k), CTA (0,0,0) thread (0,0,0)", "mma.sync", "%r2={+inf, +inf}", "%f2=NaN", "%r2={+inf, +inf} k.ptx:16 mov.b32"}},
		{"e5m2", "mov.b32 %r2, 0x7c7c7c7c;\nmov.b32 %r3, 0;\nmov.f32 %f2, 0f00000000;\nmma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32 {%f2,%f3,%f4,%f5}, {%r2,%r2,%r2,%r2}, {%r3,%r3}, {%f2,%f2,%f2,%f2};", iota, []string{
			"first NaN that is made: launch 0 (k), CTA (0,0,0) thread (0,0,0)", "mma.sync", "%r2={+inf, +inf, +inf, +inf}", "%f2=NaN"}},
		{"bf16", "mov.b32 %r2, 0x7f80;\nmov.b32 %r3, 0x3f80;\nmov.f32 %f2, 0f00000000;\nmma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f2,%f3,%f4,%f5}, {%r2,%r2}, {%r3}, {%f2,%f2,%f2,%f2};", iota, []string{
			"first infinity that is passed on by an operand", "%r2={+inf, 0}", "no instruction makes a NaN"}},
		{"e4m3", "mov.b16 %h1, 0x387f;\ncvt.rn.f16x2.e4m3x2 %r2, %h1;\nmov.f32 %f2, 0f7F800000;\nmul.f32 %f2, %f2, 0f00000000;\ncvt.rn.satfinite.e4m3x2.f32 %h2, %f2, %f1;", iota, []string{
			"first NaN that is passed on by an operand", "%h1={NaN (0x7f), 1} -> %r2={NaN", "first NaN that is made", "made by 0 * inf"}},
		{"reduction", "mov.b32 %r2, 0x7f800000;\nmov.b32 %f2, %r2;\nand.b32 %r3, %r1, 1;\nshl.b32 %r3, %r3, 31;\nor.b32 %r3, %r3, %r2;\nmov.b32 %f3, %r3;\nred.global.add.f32 [%rd2], %f3;", iota, []string{
			"first infinity that is bits of a register", "first NaN that is made: launch 0 (k), CTA (0,0,0) thread (1,0,0)", "red.global.add.f32 [%rd2], %f3", "loaded from y[0], stored by launch 0 (k) CTA (0,0,0) thread (0,0,0) k.ptx:22 red.global.add.f32"}},
		{"stored by another launch", "sub.f32 %f2, %f1, 0f40C00000;\nst.global.f32 [%rd4], %f2;\nrsqrt.approx.f32 %f3, %f1;", iota, []string{
			"first infinity that is made: launch 0 (k), CTA (0,0,0) thread (0,0,0)", "made by the inverse square root of 0", "first NaN that is made: launch 1 (k), CTA (0,0,0) thread (0,0,0)", "negative number, -6",
			"loaded from y[0], stored by launch 0 (k) CTA (0,0,0) thread (0,0,0) k.ptx:17 st.global.f32 [%rd4], %f2"}},
		{"bits", "mov.b32 %r2, 0x7fc00000;\nmov.b32 %f2, %r2;\nadd.f32 %f3, %f2, %f1;", iota, []string{
			"first NaN that is bits of a register", "k.ptx:17 mov.b32 %f2, %r2", "%r2=0x7fc00000 k.ptx:16 mov.b32", "no instruction makes a NaN"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := nanProgram(c.body, c.init)
			p.ptx = strings.Replace(p.ptx, "7.8\n.target sm_80", "8.4\n.target sm_89", 1)
			tellsInOrder(t, oneBlank(debugText(t, p, observe.Request{FirstNaN: true})), c.want)
		})
	}
}

// tellsInOrder fails a test whose text lacks one of some words, or has them in another order.
func tellsInOrder(t *testing.T, got string, want []string) {
	t.Helper()
	rest := got
	for _, w := range want {
		_, after, ok := strings.Cut(rest, w)
		if !ok {
			t.Fatalf("lacks %q here or later:\n%s", w, got)
		}
		rest = after
	}
}

// TestElementsNamed: a variable of a C++ kernel is meant by its PTX name, or by that of the
// source if only one has it; two kernels that share a PTX name are both meant.
func TestElementsNamed(t *testing.T) {
	var all []foundElements
	for _, name := range []string{"x", "_ZZ9transposePfPKfiE4tile", "_ZZ1aPfE1s", "_ZZ1bPfE1s", "sum", "sum", "_ZZ1cPfE1x"} {
		all = append(all, foundElements{watchedElements: &watchedElements{name: name}})
	}
	for want, name := range map[string]string{
		"x": "x", "tile": "_ZZ9transposePfPKfiE4tile", "_ZZ9transposePfPKfiE4tile": "_ZZ9transposePfPKfiE4tile", "_ZZ1bPfE1s": "_ZZ1bPfE1s", "sum": "sum",
	} {
		if got, err := elementsNamed(want, all); err != nil || got != name {
			t.Errorf("%s means %s, want %s (%v)", want, got, name, err)
		}
	}
	for want, message := range map[string]string{"s": "s may be _ZZ1aPfE1s, _ZZ1bPfE1s; give the PTX name", "til": "there is no buffer or variable til; there are s, sum, tile, x"} {
		if _, err := elementsNamed(want, all); err == nil || err.Error() != message {
			t.Errorf("%s: %v, want %s", want, err, message)
		}
	}
}
