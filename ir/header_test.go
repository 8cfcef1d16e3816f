package ir

import (
	"testing"

	"hyptx/ir/isa"
)

// TestParameterBlock: offsets by natural alignment or .align, worked out by
// hand.
func TestParameterBlock(t *testing.T) {
	m := lowerText(t, `.entry k (.param .u8 a, .param .u64 b, .param .u16 c, .param .align 16 .b8 d[20], .param .f32 e,
		.param .u64 .ptr .global .align 16 f, .param .v4 .f32 g) .reqntid 32, 2 { }`)
	k := m.Func("k")
	want := []int{0, 8, 16, 32, 52, 56, 64}
	for i, p := range k.Params {
		if p.Var.Offset != want[i] || p.Var.Space != isa.ParamEntry || p.Var.Func != k {
			t.Errorf("parameter %s at %d, want %d", p.Var.Name, p.Var.Offset, want[i])
		}
	}
	if k.ParamBytes != 80 {
		t.Errorf("parameter block of %d bytes, want 80", k.ParamBytes)
	}
	if f := k.Params[5].Var; !f.Pointer || f.PtrSpace != isa.Global {
		t.Errorf("f is no pointer to .global")
	}
	if k.ReqNTID != [3]int{32, 2, 1} {
		t.Errorf(".reqntid %v", k.ReqNTID)
	}
}

// TestPointerOfFunction: .ptr may stand at a device function's parameter, too, where it says
// nothing.
func TestPointerOfFunction(t *testing.T) {
	m := lowerText(t, `.func f (.param .u64 .ptr .global .align 4 p); .func f (.param .u64 .ptr .align 1 p) { ret; }`)
	if p := m.Func("f").Params[0].Var; p.Pointer || p.PtrSpace != isa.Generic {
		t.Errorf("f's parameter is a pointer that a launch gives: %+v", p)
	}
}

// TestDeclarations: prototypes and .extern declarations merge with the
// definition, before or after it.
func TestDeclarations(t *testing.T) {
	m := lowerText(t, `.extern .global .u32 g; .func f (.param .u32 a); .func f (.param .u32 a);
.global .u32 g = 7; .func f (.param .u32 x) { ret; } .func f (.param .u32 a); .extern .func puts (.param .u64 s);
.extern .shared .b8 dyn[]; .weak .global .u32 w;`)
	if len(m.Vars) != 3 || len(m.Funcs) != 2 {
		t.Fatalf("%d variables, %d functions; want 3, 2", len(m.Vars), len(m.Funcs))
	}
	if g := m.Vars[0]; g.Extern || g.Init[0] != 7 {
		t.Errorf("g is not the defined one: %+v", g)
	}
	if f := m.Func("f"); !f.Defined || f.Params[0].Var.Name != "x" || m.Func("puts").Defined {
		t.Errorf("f is not the defined one")
	}
	if dyn := m.Vars[1]; !dyn.Extern || dyn.Bytes != 0 {
		t.Errorf("dyn: %+v", dyn)
	}
}
