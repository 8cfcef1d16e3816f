package main

import (
	"encoding/binary"
	"strings"
	"testing"
)

// Two modules that need each other: kernel k of main calls functions of lib by name, by
// a table of addresses that lies there, and one that recurs and calls back; both have a
// function helper of their own, a weak one, and one that is weak in lib alone.
const (
	linkMain = `.version 8.0
.target sm_70
.address_size 64
.extern .global .align 8 .u64 table[2];
.extern .global .u32 shift;
.extern .func (.param .b32 r) twice(.param .b32 x);
.extern .func (.reg .b32 r) sum(.reg .b32 n, .reg .pred odd);
.extern .func (.param .b32 r) chosen(.param .b32 x);
.func (.param .b32 r) helper(.param .b32 x)
{
	.reg .b32 %r<3>;
	ld.param.b32 %r1, [x];
	add.s32 %r2, %r1, 100;
	st.param.b32 [r], %r2;
	ret;
}
.visible .func (.param .b32 r) back(.param .b32 x)
{
	.reg .b32 %r<3>;
	ld.param.b32 %r1, [x];
	add.s32 %r2, %r1, 7;
	st.param.b32 [r], %r2;
	ret;
}
.visible .func (.param .b32 r) chosen(.param .b32 x)
{
	.reg .b32 %r<3>;
	ld.param.b32 %r1, [x];
	mul.lo.s32 %r2, %r1, 3;
	st.param.b32 [r], %r2;
	ret;
}
.weak .func (.param .b32 r) either(.param .b32 x)
{
	.reg .b32 %r<3>;
	ld.param.b32 %r1, [x];
	add.s32 %r2, %r1, 1;
	st.param.b32 [r], %r2;
	ret;
}
.visible .entry k(.param .u64 out)
{
	.reg .b32 %r<12>;
	.reg .b64 %d<6>;
	.reg .pred %p<3>;
	ld.param.u64 %d1, [out];
	mov.u32 %r0, %tid.x;
	mul.wide.u32 %d2, %r0, 28;
	add.s64 %d1, %d1, %d2;
	.param .b32 a;
	.param .b32 b;
	st.param.b32 [a], %r0;
	call (b), twice, (a);
	ld.param.b32 %r1, [b];
	st.global.u32 [%d1], %r1;
	call (b), helper, (a);
	ld.param.b32 %r1, [b];
	st.global.u32 [%d1+4], %r1;
	setp.eq.u32 %p1, %r0, 1;
	call (%r2), sum, (%r0, %p1);
	st.global.u32 [%d1+8], %r2;
	call (b), chosen, (a);
	ld.param.b32 %r1, [b];
	st.global.u32 [%d1+12], %r1;
	call (b), either, (a);
	ld.param.b32 %r1, [b];
	st.global.u32 [%d1+16], %r1;
	ld.global.u64 %d3, [table+8];
P:	.callprototype (.param .b32 _) _ (.param .b32 _);
	call (b), %d3, (a), P;
	ld.param.b32 %r1, [b];
	st.global.u32 [%d1+20], %r1;
	ld.global.u32 %r4, [shift];
	st.global.u32 [%d1+24], %r4;
	setp.ge.s32 %p2, %r2, 6;
	@%p2 bra L;
	add.s32 %r5, %r2, 1;
L:	ret;
}
`
	linkLib = `.version 8.2
.target sm_80
.address_size 64
.extern .func (.param .b32 r) back(.param .b32 x);
.func (.param .b32 r) helper(.param .b32 x)
{
	.reg .b32 %r<3>;
	ld.param.b32 %r1, [x];
	shl.b32 %r2, %r1, 1;
	st.param.b32 [r], %r2;
	ret;
}
.visible .global .u32 shift = 5;
.visible .global .align 8 .u64 table[2] = {helper, back};
.visible .func (.param .b32 r) twice(.param .b32 x)
{
	.reg .b32 %r<3>;
	.param .b32 a;
	.param .b32 b;
	ld.param.b32 %r1, [x];
	st.param.b32 [a], %r1;
	call (b), helper, (a);
	ld.param.b32 %r2, [b];
	st.param.b32 [r], %r2;
	ret;
}
.visible .func (.reg .b32 r) sum(.reg .b32 n, .reg .pred odd)
{
	.reg .b32 %r<4>;
	.reg .pred %p;
	.param .b32 a;
	.param .b32 b;
	mov.u32 r, 0;
	setp.eq.u32 %p, n, 0;
	@%p ret;
	sub.u32 %r1, n, 1;
	call (%r2), sum, (%r1, odd);
	add.u32 r, %r2, n;
	@!odd ret;
	st.param.b32 [a], r;
	call (b), back, (a);
	ld.param.b32 r, [b];
	ret;
}
.weak .func (.param .b32 r) chosen(.param .b32 x)
{
	st.param.b32 [r], 1000;
	ret;
}
.weak .func (.param .b32 r) either(.param .b32 x)
{
	st.param.b32 [r], 2000;
	ret;
}
`
	linkManifest = `{"version": 1, "name": "n", "modules": {"m": {"files": ["main.ptx", "lib.ptx"]}},
 "buffers": {"out": {"bytes": 896, "type": "u32", "init": "zero"}},
 "launches": [{"module": "m", "kernel": "k", "grid": [1], "block": [32], "args": [{"buffer": "out"}]}],
 "outputs": ["out"]}`
)

// TestLink: a program of two modules runs as one, linked by the manifest or by --link;
// counts of all modes agree, and messages name the file in which something stands.
func TestLink(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "main.ptx", linkMain)
	put(t, "lib.ptx", linkLib)
	put(t, "net.json", linkManifest)
	hyptx("run", "net.json", "-o", "o.json", "--dump", "out=out.npy").must(t, exitDone)
	got := make([]uint32, 224)
	dumped := read(t, "out.npy")
	for i := range got {
		got[i] = binary.LittleEndian.Uint32([]byte(dumped[len(dumped)-896+4*i:]))
	}
	for i := range uint32(32) {
		sum := i * (i + 1) / 2
		if i == 1 {
			sum += 7 // back, once: the inner call returns at n = 0
		}
		want := []uint32{2 * i, i + 100, sum, 3 * i, i + 1, i + 7, 5}
		for k, w := range want {
			if got[7*int(i)+k] != w {
				t.Errorf("thread %d, number %d: %d, want %d", i, k, got[7*int(i)+k], w)
			}
		}
	}
	for _, mode := range []string{"control", "memory"} {
		hyptx("profile", "net.json", "--mode", mode, "--verify").must(t, exitDone)
	}
	hyptx("profile", "net.json", "--per-instruction", "i.csv").must(t, exitDone)
	files := map[string]bool{}
	for _, row := range readCSV(t, read(t, "i.csv")) {
		files[row["ptx_file"]] = true
	}
	if len(files) != 2 || !files["lib.ptx"] || !files["main.ptx"] {
		t.Errorf("instructions of files %v", files)
	}
	bare := hyptx("profile", "main.ptx", "--link", "lib.ptx", "--block", "32", "-o", "-").must(t, exitDone)
	if rows := readCSV(t, bare.out); rows[0]["warp_instructions"] != readCSV(t, hyptx("profile", "net.json", "-o", "-").must(t, exitDone).out)[0]["warp_instructions"] {
		t.Errorf("a bare file and a manifest differ: %s", rows[0]["warp_instructions"])
	}
	alone := hyptx("profile", "main.ptx", "--block", "32").must(t, exitInput)
	match(t, "without its library", alone.errOut, `main\.ptx:\d+:\d+: call \(b\), twice, \(a\): .*twice is defined nowhere`)
	put(t, "lib.ptx", strings.Replace(linkLib, "shl.b32 %r2, %r1, 1;", "shl.b32 %r2, %r1, 1; trap;", 1))
	trapped := hyptx("profile", "net.json").must(t, exitInput)
	match(t, "a trap in the library", trapped.errOut, `lib\.ptx:9:\d+: trap: kernel k`)
}

// TestLinkErrors: what is defined twice, or otherwise than it is declared, is an error
// with both places.
func TestLinkErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "net.json", linkManifest)
	put(t, "main.ptx", linkMain)
	for _, c := range []struct{ from, to, want string }{
		{".weak .func (.param .b32 r) chosen", ".visible .func (.param .b32 r) chosen", `lib\.ptx:45:\d+: chosen is defined twice: .*main\.ptx:25:\d+, too`},
		{".visible .func (.param .b32 r) twice(.param .b32 x)", ".visible .func (.param .b32 r) twice(.param .b32 x, .param .b32 y)",
			`main\.ptx:6:\d+: twice is declared otherwise than it is defined: .*lib\.ptx:15`},
		{".visible .global .u32 shift = 5;", ".visible .global .u32 shift[2];", `main\.ptx:5:\d+: variable shift is declared otherwise than it is defined`},
		{".address_size 64", ".address_size 32", `addresses of 64 bits.*of 32`},
	} {
		text := strings.Replace(linkLib, c.from, c.to, 1)
		if c.to == ".address_size 32" {
			text = ".version 8.2\n.target sm_80\n.address_size 32\n"
		}
		put(t, "lib.ptx", text)
		match(t, c.to, hyptx("profile", "net.json").must(t, exitInput).errOut, c.want)
	}
}
