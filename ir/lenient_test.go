package ir

import (
	"slices"
	"strings"
	"testing"

	"hyptx/ir/isa"
	"hyptx/parser"
)

// lowerWith lowers a text with options.
func lowerWith(t *testing.T, text string, options ...Option) (*Module, error) {
	t.Helper()
	src, err := parser.Parse("test.ptx", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return Lower(src, options...)
}

// TestLenient: what --lenient lets pass is an error without it, in the same words, and
// what has no meaning stays one.
func TestLenient(t *testing.T) {
	kernel := func(head, body string) string {
		return head + "\n.entry k(.param .u64 p) { .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>; .reg .b16 %h<9>; .reg .u32 %u; " + body + " ret; }\n"
	}
	const old, today = ".version 6.0 .target sm_60 .address_size 64", ".version 9.0 .target sm_90 .address_size 64"
	for _, c := range []struct{ text, said string }{
		{kernel(old, "redux.sync.add.u32 %r1, %r2, -1;"), "redux.sync.add.u32 needs PTX 7.0 and target sm_80, the module has 6.0 and sm_60"},
		{kernel(today, "tcgen05.wait::ld.sync.aligned;"), "needs target sm_100f"},
		{kernel(today, "shfl.up.b32 %r1, %r2, 1, 0;"), "PTX 6.4 dropped this form"},
		{kernel(today, "fma.rz.bf16 %h1, %h2, %h3, %h4;"), "is not in PTX ISA 9.4, though ptxas 13.0 takes it"},
		{kernel(today, "mov.v8.b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8};"), "is not in PTX ISA 9.4"},
		{kernel(today, "mov.f32 %f1, 1;"), "integer constant 1 where .f32 is expected"},
		{kernel(today, ".global .u32 g[2] = {1, 2}; mov.u64 %d1, g;"), "a .global variable cannot be declared in a function"},
		{kernel(today, "ld.const[2].b32 %r1, [%d1];"), "PTX 2.2 dropped banks"},
		{kernel(today, "div.f32 %f1, %f2, %f3;"), "needs a modifier since PTX 1.4"},
		{kernel(today, "cvt.rn.bf16x2.f32 %u, %f1, %f2;"), "operand d of cvt.rn.bf16x2.f32 is of type .bf16x2, register %u is .u32"},
		{kernel(today+" .global .f32 f[2] = {1, 2.5};", ""), "integer constant 1 where .f32 is expected"},
		{kernel(today+" .reg .u32 x;", "mov.u32 x, 1;"), "cannot be declared at module scope since PTX 3.0"},
		{kernel(".version 7.7 .target sm_80 .address_size 64 .entry j() .maxclusterrank 8 { ret; }", ""), ".maxclusterrank needs PTX 7.8 and target sm_90, the module has 7.7 and sm_80 (PTX ISA 11.7.3)"},
		{kernel(".version 6.2 .target sm_70 .func f() { ret; } .alias g, f;", ""), ".alias needs PTX 6.3"},
		{kernel(".version 6.3 .target sm_70 .extern .func f() .noreturn;", ""), ".noreturn needs PTX 6.4"},
		{kernel(".version 4.3 .target sm_30 .common .global .u32 x;", ""), ".common needs PTX 5.0"},
		{kernel(".version 3.0 .target sm_30 .weak .func f() { ret; }", ""), ".weak needs PTX 3.1"},
		{kernel(".version 3.2 .target sm_30 .global .attribute(.managed) .u32 x;", ""), ".managed needs PTX 4.0"},
		{kernel(".version 8.2 .target sm_70 .func f() { .reg .b128 x; ret; }", ""), ".b128 needs PTX 8.3"},
		{kernel(".version 2.1 .target sm_20 .entry j(.param .u32 .ptr.global q) { ret; }", ""), ".ptr needs PTX 2.2"},
		{kernel(".version 2.2 .target sm_20 .address_size 64", ""), ".address_size needs PTX 2.3"},
		{kernel(".version 2.0 .target sm_20 .func f() { ret; }", "T: .calltargets f;"), ".calltargets needs PTX 2.1"},
		{kernel(".version 1.4 .target sm_13", `.pragma "nounroll";`), ".pragma needs PTX 2.0"},
		{kernel(today+" .extern .func (.param .b32 r) f() .noreturn;", ""), "f is .noreturn, which is of functions without return values"},
		{kernel(today+" .entry j() .noreturn { ret; }", ""), "j is .noreturn"},
		{kernel(today+" .extern .func f() { ret; }", ""), "f is .extern and has a body"},
		{kernel(today+" .entry j() .maxclusterrank 8 .reqnctapercluster 2 { ret; }", ""), "j has both .maxclusterrank and .reqnctapercluster"},
		{kernel(today+" .shared .attribute(.managed) .u32 x;", ""), "x is .managed, which is of .global variables"},
		{kernel(today, "ld.param.u32 %r1, [p+8];"), "ld.param.u32 of 4 bytes at byte 8 of p, which has 8"},
		{kernel(today, "ld.param.v2.u32 {%r1, %r2}, [p+4];"), "ld.param.v2.u32 of 8 bytes at byte 4 of p, which has 8"},
		{kernel(today, "ld.param.u32 %r1, [p-4];"), "at byte -4 of p"},
		{kernel(today, "ld.param.u32 %r1, [4];"), "the name of a parameter is missing"},
		{kernel(today, ".param .b32 z; st.param.b64 [z], %d1;"), "st.param.b64 of 8 bytes at byte 0 of z, which has 4"},
		{kernel(".version 7.0 .target sm_90", ""), ".target sm_90 needs PTX 7.8, the module has 7.0"},
		{kernel(".version 7.0 .target sm_22", ""), `unknown target "sm_22"`},
		{kernel(".version 7.0 .target debug", ""), "no architecture is named"},
	} {
		if _, err := lowerWith(t, c.text); err == nil || !strings.Contains(err.Error(), c.said) {
			t.Errorf("%s\nis refused for %v, want %q", c.text, err, c.said)
		} else if strings.Contains(c.said, "target") && !strings.Contains(err.Error(), "option lenient makes this a warning") {
			t.Errorf("%s\nis refused for %v, which names no option", c.text, err)
		}
		m, err := lowerWith(t, c.text, Lenient)
		if err != nil || len(m.Warnings) != 1 || !strings.Contains(m.Warnings[0].Error(), c.said) || m.Warnings[0].Pos.Line == 0 {
			t.Errorf("%s\ngives the error %v and the warnings %v, want %q", c.text, err, m.Warnings, c.said)
			continue
		}
		if err := m.sanity(); err != nil {
			t.Errorf("%s\n%v", c.text, err)
		}
	}
	m, err := lowerWith(t, kernel(today, "call (%r1), _rt_size, (%r2, 5); call (%r3), _rt_size, (%r1, 7); .param .b64 x[2]; call _rt_put, (x);"), Lenient)
	if err != nil || len(m.Warnings) != 2 || !strings.Contains(m.Warnings.Error(), "unknown function _rt_put") {
		t.Fatalf("calls of functions that are declared nowhere: %v, %v", err, m)
	}
	if err := m.sanity(); err != nil {
		t.Error(err)
	}
	if f := m.Func("_rt_size"); f.Defined || len(f.Params) != 2 || len(f.Returns) != 1 {
		t.Errorf("_rt_size has %d parameters", len(f.Params))
	}
	for _, body := range []string{"frob.u32 %r1, %r2;", "mul.u32 %r1, %r2, %r3;", "add.f32 %r1, %r2, %nosuch;"} {
		if _, err := lowerWith(t, kernel(today, body), Lenient); err == nil {
			t.Errorf("%s is let pass", body)
		}
	}
}

// TestModuleRegisters: a register that cannot stand at module scope is one error, not one for each
// function that names it.
func TestModuleRegisters(t *testing.T) {
	const text = ".version 7.0 .target sm_70 .reg .b32 a, %r<4>; .entry k() { mov.b32 a, %r3; ret; } .entry j() { mov.b32 %r1, a; mov.b32 %r2, b; ret; }"
	_, err := lowerWith(t, text)
	if err == nil || strings.Count(err.Error(), "\n") != 1 || !strings.Contains(err.Error(), "undeclared register or variable b") {
		t.Errorf("%v", err)
	}
}

// TestRangeWithoutNumber: a range of registers whose number is wrong is one error.
func TestRangeWithoutNumber(t *testing.T) {
	_, err := lowerWith(t, ".version 7.0 .target sm_70 .entry k() { .reg .b32 %r<x>, %s<4>; add.s32 %r1, %r2, %r3; mov.b32 %r1, %q1; ret; }")
	if err == nil || strings.Count(err.Error(), "\n") != 1 || !strings.Contains(err.Error(), "undeclared register or variable %q1") {
		t.Errorf("%v", err)
	}
}

// TestLenientOffset: a register plus a constant as an operand is an addition before it.
func TestLenientOffset(t *testing.T) {
	const text = `.version 7.0 .target sm_70 .address_size 64
.entry k() { .reg .u32 %r<9>; add.u32 %r1, %r2+1, %r3-4; mov.u32 %r4, %r2+1; mov.u32 %r1+1, %r2; ret; }`
	if _, err := lowerWith(t, text); err == nil || !strings.Contains(err.Error(), "an offset can be added to a register only within [ ]") {
		t.Errorf("error %v", err)
	}
	if _, err := lowerWith(t, text, Lenient); err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "only within [ ]") {
		t.Errorf("of an offset to what is written: %v", err)
	}
	m, err := lowerWith(t, strings.Replace(text, "%r1+1, %r2;", "%r1, %r2;", 1), Lenient)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range m.Instrs {
		got = append(got, m.Func("k").Text(PC(i)))
	}
	want := []string{"add.u32 %r2+1, %r2, 1", "add.u32 %r3+-4, %r3, 4294967292", "add.u32 %r1, %r2+1, %r3+-4",
		"add.u32 %r2+1, %r2, 1", "mov.u32 %r4, %r2+1", "mov.u32 %r1, %r2", "ret"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestLegacySpellings: opcodes that PTX 1.0 had with fewer modifiers mean what the
// manual says they defaulted to, and are told as written.
func TestLegacySpellings(t *testing.T) {
	m, err := lowerWith(t, `.version 1.3 .target sm_13
.entry k { .reg .f32 %f<9>; .reg .f64 %d<9>; div.f32 %f1, %f2, %f3; rsqrt.f64 %d1, %d2; mad.f64 %d1, %d2, %d3, %d4; exit; }`)
	if err != nil {
		t.Fatal(err)
	}
	div, root, mad := m.Instrs[0].Inst, m.Instrs[1].Inst, m.Instrs[2].Inst
	if !div.Has(isa.ModApprox) || !div.Has(isa.ModFtz) || div.String() != "div.f32" {
		t.Errorf("div.f32 is %s of %s", div, div.Form.Syntax)
	}
	if !root.Has(isa.ModApprox) || root.Has(isa.ModFtz) || mad.Rnd != isa.RN {
		t.Errorf("rsqrt.f64 is of %s, mad.f64 rounds by %d", root.Form.Syntax, mad.Rnd)
	}
}

// TestNarrowSpecial: before PTX 2.0 special registers had 16 bits.
func TestNarrowSpecial(t *testing.T) {
	const text = ".version 1.4 .target sm_10 .entry k { .reg .u32 %r<3>; .reg .u16 %h; mul.wide.u16 %r1, %ctaid.x, %ntid.x; add.u16 %h, %tid.x, %h; exit; }"
	if _, err := lowerWith(t, text); err != nil {
		t.Error(err)
	}
	if _, err := lowerWith(t, strings.Replace(text, "1.4 .target sm_10", "2.0 .target sm_20", 1)); err == nil {
		t.Error("PTX 2.0 has special registers of 16 bits")
	}
}

// TestPrivate: registers and locals at module scope, as PTX had them before 3.0.
func TestPrivate(t *testing.T) {
	const head = ".version 1.4 .target sm_13\n.reg .u32 x, y<3>; .local .u32 l[4];\n"
	m, err := lowerWith(t, head+`.entry a { mov.u32 x, y2; st.local.u32 [l+4], x; exit; }
.entry b { .reg .f32 x; mov.f32 x, 0f00000000; ld.local.u32 y1, [l]; exit; }
.func alone { mov.u32 y0, 1; ret; }`)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.sanity(); err != nil {
		t.Error(err)
	}
	if f := m.Func("b"); f.Regs[f.Instrs()[0].Ops()[0].Reg].Type != isa.F32 {
		t.Error("a register of the function does not hide that of the module")
	}
	m, err = lowerWith(t, head+".func shares { mov.u32 x, 1; ret; }\n.entry k { call shares; mov.u32 y0, x; exit; }\n.entry other { exit; }")
	if m == nil || err == nil || !strings.Contains(err.Error(), "x stands at module scope, and other functions name it, too") {
		t.Fatalf("error %v", err)
	}
	if m.Func("k").Refused == nil || m.Func("other").Refused != nil {
		t.Errorf("k is refused for %v, other for %v", m.Func("k").Refused, m.Func("other").Refused)
	}
}

// TestVectorParameters: a parameter that is a vector register is its components.
func TestVectorParameters(t *testing.T) {
	m, err := lowerWith(t, `.version 7.0 .target sm_70 .address_size 64
.func (.reg .v2 .u32 r) f(.reg .v4 .f32 a, .reg .u32 b) { mov.v2.u32 r, {b, b}; add.f32 a.x, a.y, a.w; ret; }
.entry k() { .reg .v4 .f32 v; .reg .v2 .u32 w; .reg .u32 n; call (w), f, (v, n); ret; }`)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.sanity(); err != nil {
		t.Error(err)
	}
	c := m.Func("k").Instrs()[0].Call
	if len(c.Args) != 5 || len(c.Returns) != 2 || len(m.Func("f").Params) != 5 {
		t.Errorf("%d arguments, %d results", len(c.Args), len(c.Returns))
	}
	if _, err := lowerWith(t, `.version 7.0 .target sm_70 .address_size 64
.func f(.reg .v4 .f32 a) { ret; } .entry k() { .reg .v2 .f32 w; call f, (w); ret; }`); err == nil || !strings.Contains(err.Error(), "f has 4 arguments, the call gives 2") {
		t.Errorf("error %v", err)
	}
}

// TestOldTextures: coordinates of older PTX have four elements, and need no brackets.
func TestOldTextures(t *testing.T) {
	const text = `.version 1.4 .target sm_13
.tex .u32 t;
.entry k { .reg .f32 %f<9>; .reg .u32 %r<9>;
tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, {%r1,%r2,%r3,%r4}];
tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, t, {%f1,%f2};
exit; }`
	m, err := lowerWith(t, text)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.sanity(); err != nil {
		t.Error(err)
	}
	if _, err := lowerWith(t, strings.Replace(text, "%r1,%r2,%r3,%r4", "%r1,%r2,%r3", 1)); err == nil {
		t.Error("three coordinates of a line are taken")
	}
}
