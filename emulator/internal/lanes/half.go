package lanes

import (
	"math"

	"hyptx/ir/isa"
)

// Halves are computed in double precision, where their products are exact and
// their sums are, too, or can be rounded to odd; one rounding to the half
// follows. A half is the low 16 bits of a word.

// f16ToF32 converts exactly; NaNs keep their payload.
func f16ToF32(h uint32) float32 {
	// The bits of a half, moved to those of a float, are a value 2^112 times
	// too small; the multiplication normalises subnormals as well.
	f := math.Float32frombits(h&0x7fff<<13) * 0x1p112
	b := math.Float32bits(f) | h&0x8000<<16
	if h&0x7c00 == 0x7c00 {
		b |= 0x7f800000
	}
	return math.Float32frombits(b)
}

// f32ToF16 rounds to nearest even.
func f32ToF16(f float32) uint32 {
	b := math.Float32bits(f)
	sign, b := b>>16&0x8000, b&0x7fffffff
	switch {
	case b > 0x7f800000:
		return 0x7fff
	case b >= 0x47800000: // 65536
		return sign | 0x7c00
	case b < 0x38800000: // 2^-14, the least normal half
		// One unit of 0.5 is the unit of a subnormal half: the addition rounds.
		return sign | (math.Float32bits(math.Float32frombits(b)+0.5) - 0x3f000000)
	}
	b += 0xfff + b>>13&1
	return sign | (b-0x38000000)>>13
}

func bf16ToF32(h uint32) float32 { return math.Float32frombits(h << 16) }

// f32ToBF16 rounds to nearest even.
func f32ToBF16(f float32) uint32 {
	b := math.Float32bits(f)
	if b&0x7fffffff > 0x7f800000 {
		return 0x7fff
	}
	return (b + 0x7fff + b>>16&1) >> 16
}

func f16ToF64(h uint32) float64  { return float64(f16ToF32(h & 0xffff)) }
func bf16ToF64(h uint32) float64 { return float64(bf16ToF32(h & 0xffff)) }

// f64ToF16 and f64ToBF16 round a double to nearest even, by way of a float
// rounded to odd: its 13 bits more than a half's make the second rounding the
// only one that counts (see sumOdd).
func f64ToF16(x float64) uint32  { return f32ToF16(oddF32(x)) }
func f64ToBF16(x float64) uint32 { return f32ToBF16(oddF32(x)) }

// oddF32 rounds a double to odd. What overflows becomes the largest float,
// which is odd, and rounds to an infinite half.
func oddF32(x float64) float32 {
	f := float32(x)
	y := float64(f)
	if y == x || x != x {
		return f
	}
	b := math.Float32bits(f)
	if (y < x) == (x < 0) {
		b-- // f is the larger in magnitude
	}
	return math.Float32frombits(b | 1)
}

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

func flushF16(h uint32) uint32 {
	if h&0x7c00 == 0 {
		return h & 0x8000
	}
	return h
}

func halfAdd(v Variant) Fn {
	switch v.Type.Elem() {
	case isa.F16:
		return halfLoop(v, addF16)
	case isa.BF16:
		return halfLoop(v, addBF16)
	}
	return nil
}

func halfSub(v Variant) Fn {
	switch v.Type.Elem() {
	case isa.F16:
		return halfLoop(v, subF16)
	case isa.BF16:
		return halfLoop(v, subBF16)
	}
	return nil
}

func halfMul(v Variant) Fn {
	switch v.Type.Elem() {
	case isa.F16:
		return halfLoop(v, mulF16)
	case isa.BF16:
		return halfLoop(v, mulBF16)
	}
	return nil
}

func halfFma(v Variant) Fn {
	switch v.Type.Elem() {
	case isa.F16:
		return halfLoop(v, fmaF16)
	case isa.BF16:
		return halfLoop(v, func(a, b, c uint32) uint32 {
			s := sumOdd(bf16ToF64(a)*bf16ToF64(b), bf16ToF64(c))
			return uint32(formatBF16.round(s, v.Rnd))
		})
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
