package lanes

import (
	"hyptx/internal/fp16"
	"hyptx/ir/isa"
)

// Halves are computed in double precision, where their products are exact and
// their sums are, too, or can be rounded to odd; one rounding to the half
// follows. A half is the low 16 bits of a word. The bits of two f16 lie between
// 2^-24 and 2^15, so that a double holds their sum; those of two bf16 lie between
// 2^-133 and 2^127, and those of a product go further down: there only rounding
// to odd helps.

// The conversions are those of package fp16, on words.

func f16ToF32(h uint32) float32  { return fp16.F16ToF32(uint16(h)) }
func bf16ToF32(h uint32) float32 { return fp16.BF16ToF32(uint16(h)) }
func f16ToF64(h uint32) float64  { return float64(f16ToF32(h)) }
func bf16ToF64(h uint32) float64 { return float64(bf16ToF32(h)) }
func f32ToF16(f float32) uint32  { return uint32(fp16.F32ToF16(f)) }
func f64ToF16(x float64) uint32  { return uint32(fp16.F64ToF16(x)) }
func f64ToBF16(x float64) uint32 { return uint32(fp16.F64ToBF16(x)) }

// halfLoop lifts an operation on halves, given and returned as 16 bits, to the
// type's packing, with its modifiers.
func halfLoop(v Variant, f func(a, b, c uint32) uint32) Fn {
	f = modifyHalf(v, f)
	switch v.Type {
	case isa.F16, isa.BF16:
		return func(d, a, b, c *Slot) {
			b, c = orSame(b, a), orSame(c, a)
			for i := range d {
				d[i] = f(a[i]&0xffff, b[i]&0xffff, c[i]&0xffff)
			}
		}
	case isa.F16x2, isa.BF16x2:
		return func(d, a, b, c *Slot) {
			b, c = orSame(b, a), orSame(c, a)
			for i := range d {
				x, y, z := a[i], b[i], c[i]
				d[i] = f(x&0xffff, y&0xffff, z&0xffff) | f(x>>16, y>>16, z>>16)<<16
			}
		}
	}
	return nil
}

// orSame returns s, or for an operand that the operation lacks any slot.
func orSame(s, any *Slot) *Slot {
	if s == nil {
		return any
	}
	return s
}

// modifyHalf wraps f in .ftz, .sat, .relu and .oob.
func modifyHalf(v Variant, f func(a, b, c uint32) uint32) func(a, b, c uint32) uint32 {
	if v.FTZ {
		g := f
		f = func(a, b, c uint32) uint32 { return flushF16(g(flushF16(a), flushF16(b), flushF16(c))) }
	}
	switch {
	case v.Sat:
		g, one := f, uint32(0x3c00)
		if v.Type.Elem() == isa.BF16 {
			one = 0x3f80
		}
		f = func(a, b, c uint32) uint32 {
			r := g(a, b, c)
			switch {
			case r > 0x7f80 || one == 0x3c00 && r > 0x7c00: // NaN, or the sign
				return 0
			case r > one:
				return one
			}
			return r
		}
	case v.Relu:
		g := f
		f = func(a, b, c uint32) uint32 { return reluHalf(g(a, b, c)) }
	}
	if v.OOB {
		g := f
		f = func(a, b, c uint32) uint32 {
			if a == oobNaN || b == oobNaN {
				return 0
			}
			return g(a, b, c)
		}
	}
	return f
}

// oobNaN is what the tensor copies write out of bounds (PTX ISA 5.5.1).
const oobNaN = 0x7fff

// reluHalf clamps negative values and -0; results that are NaN are canonical
// already.
func reluHalf(r uint32) uint32 {
	if r&0x8000 != 0 {
		return 0
	}
	return r
}

// flushF16 replaces a subnormal f16 by a zero of its sign.
func flushF16(h uint32) uint32 {
	if h&0x7c00 == 0 {
		return h & 0x8000
	}
	return h
}

// halfOp chooses the operation of a format; halfLoop takes care of packed
// registers and modifiers.
func halfOp(v Variant, f16, bf16 func(a, b, c uint32) uint32) Fn {
	switch v.Type.Elem() {
	case isa.F16:
		return halfLoop(v, f16)
	case isa.BF16:
		return halfLoop(v, bf16)
	}
	return nil
}

// Sums and products of f16 fit f32: the sum rounds to 24 bits, which are twice
// the half's 11 and two more, so that rounding twice is harmless (Figueroa,
// "When is double rounding innocuous?", 1995); the product is exact.

func addF16(a, b, _ uint32) uint32 { return f32ToF16(f16ToF32(a) + f16ToF32(b)) }
func subF16(a, b, _ uint32) uint32 { return f32ToF16(f16ToF32(a) - f16ToF32(b)) }
func mulF16(a, b, _ uint32) uint32 { return f32ToF16(float32(f16ToF32(a) * f16ToF32(b))) }

func fmaF16(a, b, c uint32) uint32 {
	return f64ToF16(sumOdd(f16ToF64(a)*f16ToF64(b), f16ToF64(c)))
}

func addBF16(a, b, _ uint32) uint32 { return f64ToBF16(sumOdd(bf16ToF64(a), bf16ToF64(b))) }
func subBF16(a, b, _ uint32) uint32 { return f64ToBF16(sumOdd(bf16ToF64(a), -bf16ToF64(b))) }
func mulBF16(a, b, _ uint32) uint32 { return f64ToBF16(bf16ToF64(a) * bf16ToF64(b)) }
