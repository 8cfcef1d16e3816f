package lanes

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"hyptx/emulator/internal/softfloat"
	"hyptx/ir/isa"
)

// floatOp is an operation with its reference.
type floatOp struct {
	name  string
	make  func(Variant) Fn
	arity int
	ref   func(f softfloat.Format, a, b, c uint64, rnd isa.Rounding) uint64
}

var floatOps = []floatOp{
	{"add", Add, 2, func(f softfloat.Format, a, b, _ uint64, r isa.Rounding) uint64 { return f.Add(a, b, r) }},
	{"sub", Sub, 2, func(f softfloat.Format, a, b, _ uint64, r isa.Rounding) uint64 {
		if f.IsNaN(b) {
			return softfloat.Invalid
		}
		return f.Add(a, b^f.SignBit(), r)
	}},
	{"mul", Mul, 2, func(f softfloat.Format, a, b, _ uint64, r isa.Rounding) uint64 { return f.Mul(a, b, r) }},
	{"fma", Fma, 3, func(f softfloat.Format, a, b, c uint64, r isa.Rounding) uint64 { return f.FMA(a, b, c, r) }},
	{"div", Div, 2, func(f softfloat.Format, a, b, _ uint64, r isa.Rounding) uint64 { return f.Div(a, b, r) }},
	{"rcp", Rcp, 1, func(f softfloat.Format, a, _, _ uint64, r isa.Rounding) uint64 {
		return f.Div(uint64(f.Bias())<<f.Man, a, r)
	}},
	{"sqrt", Sqrt, 1, func(f softfloat.Format, a, _, _ uint64, r isa.Rounding) uint64 { return f.Sqrt(a, r) }},
}

var roundings = []isa.Rounding{isa.RN, isa.RZ, isa.RM, isa.RP}

// registers holds up to four operands of up to 64 bits.
type registers [8]Slot

func (r *registers) at(i int) *Slot { return &r[2*i] }

func (r *registers) set(t isa.Type, op, lane int, b uint64) {
	if t.Bits() == 64 {
		Wide(r.at(op))[lane] = b
		return
	}
	r.at(op)[lane] = uint32(b)
}

func (r *registers) get(t isa.Type, op, lane int) uint64 {
	if t.Bits() == 64 {
		return Wide(r.at(op))[lane]
	}
	return uint64(r.at(op)[lane])
}

// rounds is how many warps of operands a test draws.
func rounds(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// TestFloatArithmetic compares every operation, type, rounding and modifier
// with exact rational arithmetic rounded once.
func TestFloatArithmetic(t *testing.T) {
	types := []struct {
		t isa.Type
		f softfloat.Format
	}{{isa.F32, softfloat.F32}, {isa.F64, softfloat.F64}, {isa.F16, softfloat.F16}, {isa.BF16, softfloat.BF16}}
	for _, op := range floatOps {
		for _, ty := range types {
			for _, rnd := range roundings {
				if ty.t.Bits() == 16 && rnd != isa.RN {
					continue
				}
				for mods := range 4 {
					v := Variant{Type: ty.t, Rnd: rnd, FTZ: mods&1 != 0, Sat: mods&2 != 0}
					if ty.t == isa.F64 && mods != 0 || ty.t == isa.BF16 && mods != 0 {
						continue
					}
					if ty.t.Bits() == 16 && op.name != "add" && op.name != "sub" && op.name != "mul" && op.name != "fma" {
						continue
					}
					t.Run(fmt.Sprintf("%s/%v/%v/ftz=%v,sat=%v", op.name, ty.t, rnd, v.FTZ, v.Sat), func(t *testing.T) {
						t.Parallel()
						checkFloat(t, op, v, ty.f)
					})
				}
			}
		}
	}
}

func checkFloat(t *testing.T, op floatOp, v Variant, f softfloat.Format) {
	fn := op.make(v)
	if fn == nil {
		t.Fatal("no such lane function")
	}
	r := rand.New(rand.NewPCG(1, uint64(v.Type)))
	var regs registers
	for range rounds(60) {
		for lane := range Width {
			for i := 1; i <= 3; i++ {
				regs.set(v.Type, i, lane, f.Operand(r))
			}
		}
		args := [3]*Slot{regs.at(1), regs.at(2), regs.at(3)}
		for i := op.arity; i < 3; i++ {
			args[i] = nil
		}
		fn(regs.at(0), args[0], args[1], args[2])
		for lane := range Width {
			a, b, c := regs.get(v.Type, 1, lane), regs.get(v.Type, 2, lane), regs.get(v.Type, 3, lane)
			want := expected(op, v, f, a, b, c)
			if got := regs.get(v.Type, 0, lane); got != want {
				t.Fatalf("%s(%#x, %#x, %#x) = %#x, want %#x", op.name, a, b, c, got, want)
			}
		}
	}
}

// expected is the reference's result with modifiers and the NaN that the
// package documents.
func expected(op floatOp, v Variant, f softfloat.Format, a, b, c uint64) uint64 {
	x, y, z := a, b, c
	if v.FTZ {
		x, y, z = f.Flush(a), f.Flush(b), f.Flush(c)
	}
	want := op.ref(f, x, y, z, v.Rnd)
	if v.FTZ && want != softfloat.Invalid {
		want = f.Flush(want)
	}
	if v.Sat {
		return f.Saturate(want)
	}
	if want != softfloat.Invalid {
		return want
	}
	switch f {
	case softfloat.F32:
		return 0x7fffffff
	case softfloat.F16, softfloat.BF16:
		return 0x7fff
	}
	for _, o := range []uint64{a, b, c}[:op.arity] {
		if f.IsNaN(o) {
			return o | 1<<51
		}
	}
	return 0xfff8000000000000
}
