package lanes

import (
	"math/rand/v2"
	"testing"

	"hyptx/ir/isa"
)

// TestPackedIntegers computes each element by itself, over wide integers.
func TestPackedIntegers(t *testing.T) {
	add := func(a, b int64) int64 { return a + b }
	sub := func(a, b int64) int64 { return a - b }
	least := func(a, b int64) int64 { return min(a, b) }
	most := func(a, b int64) int64 { return max(a, b) }
	ops := []struct {
		name string
		make func(Variant) Fn
		v    Variant
		ref  func(a, b int64) int64
	}{
		{"add", Add, Variant{}, add}, {"sub", Sub, Variant{}, sub},
		{"add.sat", Add, Variant{Sat: true}, add}, {"sub.sat", Sub, Variant{Sat: true}, sub},
		{"min", Min, Variant{}, least}, {"max", Max, Variant{}, most},
		{"min.relu", Min, Variant{Relu: true}, least}, {"max.relu", Max, Variant{Relu: true}, most},
		{"neg", Neg, Variant{}, func(a, _ int64) int64 { return -a }},
	}
	r := rand.New(rand.NewPCG(20, 20))
	for _, op := range ops {
		for _, ty := range []isa.Type{isa.U16x2, isa.S16x2, isa.U8x4, isa.S8x4} {
			v := op.v
			v.Type = ty
			if op.name == "neg" && ty != isa.S8x4 {
				continue
			}
			fn := op.make(v)
			n := ty.Elem().Bits()
			lo, hi := int64(0), int64(1)<<n-1
			if ty.IsSigned() {
				lo, hi = -1<<(n-1), 1<<(n-1)-1
			}
			var d, a, b Slot
			for range rounds(100) {
				for i := range d {
					a[i], b[i] = r.Uint32()|uint32(intOperand(r, n)), r.Uint32()&uint32(0xffffff00|intOperand(r, 8))
				}
				fn(&d, &a, &b, nil)
				for i := range d {
					var want uint32
					for s := 0; s < 32; s += n {
						e := op.ref(ext(ty, uint64(a[i]>>s), n), ext(ty, uint64(b[i]>>s), n))
						if v.Sat {
							e = max(lo, min(hi, e))
						}
						if v.Relu {
							e = max(e, 0)
						}
						want |= uint32(e) & (1<<n - 1) << s
					}
					if d[i] != want {
						t.Fatalf("%s%v(%#x, %#x) = %#x, want %#x", op.name, ty, a[i], b[i], d[i], want)
					}
				}
			}
		}
	}
}

// TestMul24: .lo is bits 0 to 31 of the 48-bit product, .hi bits 16 to 47
// (9.7.1.5).
func TestMul24(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 21))
	for _, ty := range []isa.Type{isa.U32, isa.S32} {
		for shift, mode := range map[int]isa.MulMode{0: isa.LO_, 16: isa.HI_} {
			mul, mad := Mul24(Variant{Type: ty, Mul: mode}), Mad24(Variant{Type: ty, Mul: mode})
			sat := Mad24(Variant{Type: ty, Mul: mode, Sat: true})
			var d, e, f, a, b, c Slot
			for range rounds(100) {
				for i := range d {
					a[i], b[i], c[i] = uint32(intOperand(r, 32)), uint32(intOperand(r, 32)), uint32(intOperand(r, 32))
				}
				mul(&d, &a, &b, nil)
				mad(&e, &a, &b, &c)
				sat(&f, &a, &b, &c)
				for i := range d {
					p := uint32(ext(ty, uint64(a[i]), 24) * ext(ty, uint64(b[i]), 24) >> shift)
					clamped := uint32(max(-1<<31, min(1<<31-1, int64(int32(p))+int64(int32(c[i])))))
					if d[i] != p || e[i] != p+c[i] || ty == isa.S32 && f[i] != clamped {
						t.Fatalf("%v >> %d (%#x, %#x, %#x) = %#x, %#x, %#x", ty, shift, a[i], b[i], c[i], d[i], e[i], f[i])
					}
				}
			}
		}
	}
}

// TestLogic goes bit by bit.
func TestLogic(t *testing.T) {
	ops := map[string]struct {
		make func(Variant) Fn
		lut  uint64 // by a<<1 | b
	}{"and": {And, 0b1000}, "or": {Or, 0b1110}, "xor": {Xor, 0b0110}, "not": {Not, 0b0011}}
	r := rand.New(rand.NewPCG(22, 22))
	for name, op := range ops {
		for _, ty := range []isa.Type{isa.B16, isa.B32, isa.B64} {
			var regs registers
			for lane := range Width {
				regs.set(ty, 1, lane, intOperand(r, ty.Bits()))
				regs.set(ty, 2, lane, intOperand(r, ty.Bits()))
			}
			op.make(Variant{Type: ty})(regs.at(0), regs.at(1), regs.at(2), nil)
			for lane := range Width {
				var want uint64
				for i := range ty.Bits() {
					want |= bitAt(op.lut, int(bitAt(regs.get(ty, 1, lane), i)<<1|bitAt(regs.get(ty, 2, lane), i))) << i
				}
				if got := regs.get(ty, 0, lane); got != want {
					t.Errorf("%s%v: %#x, want %#x", name, ty, got, want)
				}
			}
		}
	}
	var d, a Slot
	a[1], a[2] = 1, 0x8000
	Cnot(Variant{Type: isa.B32})(&d, &a, nil, nil)
	if d[0] != 1 || d[1] != 0 || d[2] != 0 {
		t.Errorf("cnot: %v", d[:3])
	}
}
