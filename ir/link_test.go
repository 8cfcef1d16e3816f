package ir

import (
	"testing"
)

// TestLinkInvariants: a linked module keeps what holds of one that was lowered, whatever
// gives way: loops, switches, aliases, files of the source, kernels that are refused.
func TestLinkInvariants(t *testing.T) {
	texts := []string{`.version 8.0
.target sm_70
.address_size 64
.file 1 "a.cu"
.extern .func (.param .b32 r) f(.param .b32 x);
.weak .global .u32 w = 1;
.common .global .u32 c[2];
.visible .entry a(.param .u32 n)
{
	.reg .b32 %r<4>;
	.reg .pred %p;
	.param .b32 q;
	.param .b32 s;
	ld.param.u32 %r1, [n];
	.loc 1 7 1
L:	st.param.b32 [q], %r1;
	call (s), f, (q);
	ld.param.b32 %r1, [s];
	setp.gt.u32 %p, %r1, 3;
	@%p bra L;
	brx.idx %r1, T;
T:	.branchtargets A, B;
A:	brx.idx %r1, T;
B:	ret;
}
`, `.version 8.1
.target sm_80
.address_size 64
.file 1 "b.cu"
.weak .global .u32 w = 2;
.common .global .u32 c[4];
.global .u64 p = w;
.visible .func (.param .b32 r) g(.param .b32 x)
{
	.reg .b32 %r<4>;
	.local .u32 own;
	.loc 1 3 1
	ld.param.u32 %r1, [x];
	st.param.b32 [r], %r1;
	ret;
}
.visible .func (.param .b32 r) f(.param .b32 x)
{
	.reg .b32 %r<4>;
	ld.param.u32 %r1, [x];
	shr.u32 %r1, %r1, 1;
	st.param.b32 [r], %r1;
	ret;
}
.visible .entry bad() { .reg .b32 %r; frobnicate.u32 %r; ret; }
.visible .entry b() { .reg .b32 %r; ld.global.u32 %r, [c+12]; exit; }
`}
	var mods []*Module
	for _, text := range texts {
		m, err := lowerSource(text)
		if m == nil {
			t.Fatal(err)
		}
		mods = append(mods, m)
	}
	m, err := Link(mods)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.sanity(); err != nil {
		t.Fatal(err)
	}
	if m.PTXVersion != 801 || m.Target.SM != 80 || len(m.Kernels()) != 3 || len(m.Vars) != 3 || m.Func("bad").Refused == nil || len(m.Missing()) != 0 {
		t.Errorf("version %d, target %s, %d kernels, %d variables, missing %v", m.PTXVersion, m.Target, len(m.Kernels()), len(m.Vars), m.Missing())
	}
	for i := range m.Vars {
		if v := m.Vars[i]; v.Name == "c" && v.Bytes != 16 || v.Name == "w" && v.Init[0] != 1 || v.Name == "p" && v.Relocs[0].Var != m.Vars[0] {
			t.Errorf("variable %s: %d bytes, %v", v.Name, v.Bytes, v.Init)
		}
	}
	if file, line := m.Source(m.Func("g").First); file != "b.cu" {
		t.Errorf("g: of file %s, line %d", file, line)
	}
	if call := m.Instrs[m.Func("a").Calls[0]].Call; call.Callee != m.Func("f") {
		t.Error("the call goes elsewhere")
	}
}
