package lanes

import (
	"math/rand/v2"
	"testing"

	"hyptx/emulator/internal/softfloat"
	"hyptx/ir/isa"
)

// TestHalfModifiers checks packing, .ftz, .sat, .relu and .oob of fma against
// the single halves' exact results.
func TestHalfModifiers(t *testing.T) {
	fma := floatOps[3]
	for packed, ty := range map[isa.Type]isa.Type{isa.F16x2: isa.F16, isa.BF16x2: isa.BF16} {
		f, _ := refOf(ty)
		for mods := range 16 {
			v := Variant{Type: packed, Rnd: isa.RN, FTZ: mods&1 != 0, Sat: mods&2 != 0, Relu: mods&4 != 0, OOB: mods&8 != 0}
			if ty == isa.BF16 && (v.FTZ || v.Sat) || v.Sat && (v.Relu || v.OOB) {
				continue
			}
			r := rand.New(rand.NewPCG(16, uint64(mods)))
			var d, a, b, c Slot
			fn := Fma(v)
			for range rounds(100) {
				for i := range d {
					a[i], b[i], c[i] = halves(r, f), halves(r, f), halves(r, f)
				}
				fn(&d, &a, &b, &c)
				for i := range d {
					var want uint32
					for s := 0; s < 32; s += 16 {
						want |= uint32(halfRef(fma, v, f, a[i]>>s, b[i]>>s, c[i]>>s)) << s
					}
					if d[i] != want {
						t.Fatalf("fma %+v (%#x, %#x, %#x) = %#x, want %#x", v, a[i], b[i], c[i], d[i], want)
					}
				}
			}
		}
	}
}

// halves draws two halves, out-of-bounds NaNs among them.
func halves(r *rand.Rand, f softfloat.Format) uint32 {
	w := uint32(f.Operand(r) | f.Operand(r)<<16)
	if r.IntN(8) == 0 {
		w |= 0x7fff
	}
	return w
}

func halfRef(op floatOp, v Variant, f softfloat.Format, a, b, c uint32) uint64 {
	a, b, c = a&0xffff, b&0xffff, c&0xffff
	if v.OOB && (a == 0x7fff || b == 0x7fff) {
		return 0
	}
	r := expected(op, v, f, uint64(a), uint64(b), uint64(c))
	if v.Relu && f.Negative(r) {
		return 0
	}
	return r
}

// TestMixed adds and multiplies halves in f32 (9.7.5): the exact halves' sum,
// rounded once.
func TestMixed(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 17))
	for _, ty := range []isa.Type{isa.F16, isa.BF16} {
		f, _ := refOf(ty)
		for _, rnd := range roundings {
			v := Variant{Type: isa.F32, From: ty, Rnd: rnd}
			for _, op := range []floatOp{floatOps[0], floatOps[1], floatOps[3]} {
				fn := op.make(v)
				var d, a, b, c Slot
				for range rounds(50) {
					for i := range d {
						a[i], b[i] = uint32(f.Operand(r)), uint32(softfloat.F32.Operand(r))
						if op.arity == 3 {
							b[i], c[i] = uint32(f.Operand(r)), uint32(softfloat.F32.Operand(r))
						}
					}
					fn(&d, &a, &b, &c)
					for i := range d {
						x, y := widened(f, a[i]), uint64(b[i])
						if op.arity == 3 {
							y = widened(f, b[i])
						}
						want := op.ref(softfloat.F32, x, y, uint64(c[i]), rnd)
						if want == softfloat.Invalid {
							want = 0x7fffffff
						}
						if uint64(d[i]) != want {
							t.Fatalf("%s%v (%#x, %#x, %#x) = %#x, want %#x", op.name, ty, a[i], b[i], c[i], d[i], want)
						}
					}
				}
			}
		}
	}
}

// widened returns the f32 of a half.
func widened(f softfloat.Format, h uint32) uint64 {
	b := uint64(h)
	switch {
	case f.IsNaN(b):
		return 0x7fc00000
	case f.IsZero(b):
		return softfloat.F32.Zero(f.Negative(b))
	case f.IsInf(b):
		return softfloat.F32.Inf(f.Negative(b))
	}
	return softfloat.F32.Round(f.Rat(b), isa.RN)
}

// TestF32x2 computes the halves of a 64-bit register apart.
func TestF32x2(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 18))
	for _, rnd := range roundings {
		fn := Fma(Variant{Type: isa.F32x2, Rnd: rnd})
		var regs registers
		for range rounds(50) {
			for lane := range Width {
				for i := 1; i <= 3; i++ {
					regs.set(isa.B64, i, lane, softfloat.F32.Operand(r)|softfloat.F32.Operand(r)<<32)
				}
			}
			fn(regs.at(0), regs.at(1), regs.at(2), regs.at(3))
			for lane := range Width {
				a, b, c := regs.get(isa.B64, 1, lane), regs.get(isa.B64, 2, lane), regs.get(isa.B64, 3, lane)
				for s := 0; s < 64; s += 32 {
					want := softfloat.F32.FMA(a>>s&(1<<32-1), b>>s&(1<<32-1), c>>s&(1<<32-1), rnd)
					if want == softfloat.Invalid {
						want = 0x7fffffff
					}
					if got := regs.get(isa.B64, 0, lane) >> s & (1<<32 - 1); got != want {
						t.Fatalf("fma (%#x, %#x, %#x) = %#x, want %#x", a, b, c, got, want)
					}
				}
			}
		}
	}
}
