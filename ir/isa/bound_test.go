package isa

import (
	"math"
	"strings"
	"testing"
)

// TestEveryApproximation: each form that is called approximate has a bound or
// stands in the table without one, and nothing else has.
func TestEveryApproximation(t *testing.T) {
	for _, f := range Forms() {
		for _, opcode := range f.Spellings() {
			in := decode(t, opcode)
			approximate := in.Has(ModApprox) || in.Has(ModFull)
			if b := in.Bound(); (b != nil) != approximate {
				t.Errorf("%s: bound %v", opcode, b)
			}
		}
	}
}

// TestBounds has numbers of the manual.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		opcode string
		input  float64
		want   BoundPart // what is not zero
		ok     bool
	}{
		{"div.approx.f32", 0x1p126, BoundPart{ULP: 2}, true},
		{"div.approx.f32", 0x1p-127, BoundPart{}, false},
		{"div.approx.f32", -0x1.8p127, BoundPart{}, true},
		{"div.full.ftz.f32", 0x1p127, BoundPart{ULP: 2}, true},
		{"rcp.approx.f32", 3, BoundPart{ULP: 1}, true},
		{"rcp.approx.ftz.f64", 3, BoundPart{}, false},
		{"rsqrt.approx.f64", 3, BoundPart{}, false},
		{"sqrt.approx.ftz.f32", 3, BoundPart{Relative: math.Exp2(-23)}, true},
		{"rsqrt.approx.f32", 3, BoundPart{Relative: math.Exp2(-22.9)}, true},
		{"sin.approx.f32", -6.28, BoundPart{Absolute: math.Exp2(-20.5)}, true},
		{"cos.approx.f32", 6.29, BoundPart{Absolute: math.Exp2(-14.7)}, true},
		{"cos.approx.f32", -314.16, BoundPart{}, false},
		{"lg2.approx.f32", 0.5, BoundPart{Relative: math.Exp2(-22)}, true},
		{"lg2.approx.f32", 0.51, BoundPart{Absolute: math.Exp2(-22)}, true},
		{"ex2.approx.f32", -7, BoundPart{ULP: 2}, true},
		{"ex2.approx.f16x2", 1, BoundPart{Relative: math.Exp2(-9.9)}, true},
		{"ex2.approx.ftz.bf16", 1, BoundPart{Relative: math.Exp2(-7)}, true},
		{"tanh.approx.f32", 1, BoundPart{Relative: math.Exp2(-11)}, true},
		{"tanh.approx.f16", 1, BoundPart{Absolute: math.Exp2(-10.987)}, true},
		{"tanh.approx.bf16x2", 1, BoundPart{Absolute: math.Exp2(-8)}, true},
	} {
		got, ok := decode(t, c.opcode).Bound().Part(c.input)
		same := func(x, y float64) bool { return math.Abs(x-y) <= 1e-15*y }
		if ok != c.ok || got.ULP != c.want.ULP || !same(got.Relative, c.want.Relative) || !same(got.Absolute, c.want.Absolute) {
			t.Errorf("%s of %g: %+v, %v", c.opcode, c.input, got, ok)
		}
	}
}

func TestOpen(t *testing.T) {
	for open, opcodes := range map[OpenResult]string{
		Closed: `add.rn.f32 mul.rz.f64 fma.rn.f32 add.s32 mul.lo.u32 div.rn.f32 sqrt.rn.f64 mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
			atom.global.add.u32 red.global.min.s32 atom.cas.b32 abs.f64 neg.s32 cvt.f32.f16 max.f32 ld.global.f32`,
		Approximate:    `ex2.approx.f32 div.full.f32 rcp.approx.ftz.f64 tanh.approx.bf16x2`,
		Accumulated:    `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64`,
		Reordered:      `red.global.add.f32 atom.shared.add.f64 red.global.add.noftz.f16x2`,
		Contracted:     `mul.f32 add.f32 sub.ftz.f32 mul.f64 add.f16x2`,
		UnspecifiedNaN: `abs.f32 neg.ftz.f32 neg.f16x2 neg.f64 cvt.f32.bf16`,
	} {
		for opcode := range strings.FieldsSeq(opcodes) {
			if got := decode(t, opcode).Open(); got != open {
				t.Errorf("%s: %s, want %s", opcode, got, open)
			}
		}
	}
}

func TestAccumulation(t *testing.T) {
	for opcode, want := range map[string]float64{
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32":   0x1p-23,
		"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16":   0x1p-10,
		"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32":  0x1p-23,
		"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16":     0x1p-23,
		"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64":     0x1p-52,
		"mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e5m2.f16": 0x1p-23,
	} {
		if got, ok := decode(t, opcode).Accumulation(); !ok || got != want {
			t.Errorf("%s: %g, %v", opcode, got, ok)
		}
	}
}
