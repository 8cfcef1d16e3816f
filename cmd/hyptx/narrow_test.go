package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// narrowKernel has 32-bit addresses: of a parameter, of a variable of the module.
const narrowKernel = `.version 2.3
.target sm_20
.address_size 32
.global .u32 table[4] = {5, 6, 7, 8};
.entry k(.param .u32 out, .param .u32 n)
{
	.reg .u32 %r<9>;
	.reg .pred %p;
	mov.u32 %r0, %tid.x;
	ld.param.u32 %r1, [n];
	setp.ge.u32 %p, %r0, %r1;
	@%p exit;
	ld.param.u32 %r2, [out];
	mov.u32 %r3, table;
	and.b32 %r4, %r0, 3;
	mad.lo.u32 %r3, %r4, 4, %r3;
	ld.global.u32 %r5, [%r3];
	mad.lo.u32 %r2, %r0, 4, %r2;
	st.global.u32 [%r2], %r5;
	exit;
}
`

// TestNarrow: modules with 32-bit addresses run, from a manifest and bare; without
// .address_size parameters of 64 bits say that addresses have as many.
func TestNarrow(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", narrowKernel)
	put(t, "m.json", `{"version": 1, "name": "m", "buffers": {"x": {"bytes": 64, "type": "u32"}},
"launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [32], "args": [{"buffer": "x"}, {"value": 6}]}], "outputs": ["x"]}`)
	r := hyptx("run", "m.json").must(t, exitDone)
	match(t, "outputs", r.out, `5.*6.*7.*8.*5.*6.*0`)
	hyptx("profile", "m.json", "--verify").must(t, exitDone)
	hyptx("profile", "k.ptx", "--arg", "n=6", "--mode", "full").must(t, exitDone)
	wide := strings.NewReplacer(".address_size 32\n", "", ".param .u32 out", ".param .u64 out", ".reg .u32", ".reg .u64 %d; .reg .u32",
		"ld.param.u32 %r2, [out];", "ld.param.u64 %d, [out];", "st.global.u32 [%r2]", "st.global.u32 [%d]").Replace(narrowKernel)
	put(t, "k.ptx", wide)
	match(t, "summary", hyptx("parse", "k.ptx").must(t, exitDone).out, "64-bit addresses")
	put(t, "k.ptx", strings.Replace(narrowKernel, ".address_size 32\n", "", 1))
	match(t, "summary", hyptx("parse", "k.ptx").must(t, exitDone).out, "32-bit addresses")
}

// TestNarrowLibrary: such modules have windows of generic addresses, and CUDA's functions
// with parameters of their size: %p and long have 4 bytes, long long 8.
func TestNarrowLibrary(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", `.version 4.0
.target sm_20
.address_size 32
.extern .func (.param .b32 r) vprintf(.param .b32 format, .param .b32 list);
.extern .func (.param .b32 r) malloc(.param .b32 bytes);
.extern .func free(.param .b32 block);
.extern .func (.param .f32 r) __nv_modff(.param .f32 x, .param .b32 whole);
.global .align 1 .b8 format[24] = {37, 112, 32, 37, 108, 100, 32, 37, 108, 108, 100, 32, 37, 103, 32, 37, 100, 10};
.entry k(.param .u32 out)
{
	.reg .b32 %r<9>;
	.reg .pred %p;
	.local .align 8 .b8 depot[40];
	.shared .align 4 .u32 word;
	.param .b32 a;
	.param .b32 b;
	.param .b32 v;
	st.shared.u32 [word], 7;
	mov.u32 %r1, word;
	cvta.shared.u32 %r1, %r1;
	isspacep.shared %p, %r1;
	selp.b32 %r2, 1, 0, %p;
	ld.u32 %r3, [%r1];
	add.u32 %r2, %r2, %r3;
	mov.u32 %r4, depot;
	cvta.local.u32 %r4, %r4;
	st.u32 [%r4], 0x1234;
	st.u32 [%r4+4], -5;
	st.u64 [%r4+8], -6;
	st.f64 [%r4+16], 0d3FF8000000000000;
	st.u32 [%r4+24], %r2;
	mov.u32 %r5, format;
	cvta.global.u32 %r5, %r5;
	st.param.b32 [a], %r5;
	st.param.b32 [b], %r4;
	call (v), vprintf, (a, b);
	ld.param.b32 %r6, [v];
	st.param.b32 [a], 8;
	call (v), malloc, (a);
	ld.param.b32 %r7, [v];
	st.param.f32 [a], 0f40200000;
	st.param.b32 [b], %r7;
	call (v), __nv_modff, (a, b);
	ld.f32 %r6, [%r7];
	st.param.b32 [a], %r7;
	call free, (a);
	ld.param.u32 %r8, [out];
	st.global.u32 [%r8], %r6;
	exit;
}
`)
	put(t, "m.json", `{"version": 1, "name": "m", "buffers": {"x": {"bytes": 4, "type": "f32"}},
"launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [1], "args": [{"buffer": "x"}]}], "outputs": ["x"]}`)
	r := hyptx("run", "m.json", "-o", "o.json").must(t, exitDone)
	match(t, "what was printed", r.out, `0x1234 -5 -6 1\.5 8\n`)
	match(t, "outputs", read(t, "o.json"), `2`)
}

// TestIndexed: elements of arrays may be numbered by a register (PTX ISA 6.4.2).
func TestIndexed(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", `.version 7.0
.target sm_70
.address_size 64
.global .u32 a[8] = {10, 11, 12, 13, 14, 15, 16, 17};
.entry k(.param .u64 out)
{
	.reg .b32 %r<5>;
	.reg .b64 %d<4>;
	.shared .u32 sh[40];
	mov.u32 %r1, %tid.x;
	ld.global.u32 %r2, a[%r1+1];
	st.shared.u32 sh[%r1], %r2;
	add.u32 %r1, %r1, 1;
	ld.shared.u32 %r3, sh[%r1-1];
	ld.param.u64 %d1, [out];
	mul.wide.u32 %d2, %r1, 4;
	add.u64 %d1, %d1, %d2;
	st.global.u32 [%d1-4], %r3;
	ret;
}
`)
	put(t, "m.json", `{"version": 1, "name": "m", "buffers": {"x": {"bytes": 16, "type": "u32"}},
"launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [4], "args": [{"buffer": "x"}]}], "outputs": ["x"]}`)
	match(t, "outputs", hyptx("run", "m.json").must(t, exitDone).out, `11,\s+12,\s+13,\s+14`)
	hyptx("profile", "m.json", "--verify").must(t, exitDone)
}

// TestNarrowFunctions: an address of 32 bits finds its function in every lane, from a table
// and by name, and is none of the null pointer.
func TestNarrowFunctions(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", `.version 6.5
.target sm_30
.address_size 32
.func (.param .b32 r) f1(.param .b32 a) { .reg .b32 %r1; ld.param.b32 %r1, [a]; add.u32 %r1, %r1, 100; st.param.b32 [r], %r1; ret; }
.func (.param .b32 r) f2(.param .b32 a) { .reg .b32 %r1; ld.param.b32 %r1, [a]; add.u32 %r1, %r1, 200; st.param.b32 [r], %r1; ret; }
.global .u32 tab[2] = {f1, f2};
.entry k(.param .u32 out)
{
	.reg .b32 %r<9>;
	.reg .pred %p;
	.param .b32 pa;
	.param .b32 pr;
	mov.u32 %r2, %tid.x;
	and.b32 %r3, %r2, 1;
	mov.u32 %r5, tab;
	mad.lo.u32 %r5, %r3, 4, %r5;
	ld.global.u32 %r1, [%r5];
	st.param.b32 [pa], %r2;
P:	.callprototype (.param .b32 _) _ (.param .b32 _);
	call (pr), %r1, (pa), P;
	ld.param.b32 %r6, [pr];
	mov.u32 %r1, f1;
	st.param.b32 [pa], %r6;
	call (pr), %r1, (pa), P;
	ld.param.b32 %r6, [pr];
	setp.eq.u32 %p, %r1, 0;
	@%p trap;
	ld.param.u32 %r5, [out];
	mad.lo.u32 %r5, %r2, 4, %r5;
	st.global.u32 [%r5], %r6;
	ret;
}
`)
	put(t, "m.json", `{"version": 1, "name": "m", "buffers": {"x": {"bytes": 160, "type": "u32"}},
"launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [40], "args": [{"buffer": "x"}]}], "outputs": ["x"]}`)
	var out struct {
		Outputs []struct{ Values []int }
	}
	hyptx("run", "m.json", "-o", "out.json").must(t, exitDone)
	if err := json.Unmarshal([]byte(read(t, "out.json")), &out); err != nil || len(out.Outputs) != 1 || len(out.Outputs[0].Values) != 40 {
		t.Fatal(err, read(t, "out.json"))
	}
	for i, v := range out.Outputs[0].Values {
		if want := i + 200 + i%2*100; v != want {
			t.Errorf("thread %d: %d, not %d", i, v, want)
		}
	}
	hyptx("profile", "m.json", "--verify").must(t, exitDone)
}
