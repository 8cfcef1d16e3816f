package lanes

import (
	"math"
	"math/bits"

	"hyptx/ir/isa"
)

// A product has twice the bits of its factors: .lo and .hi are its halves,
// .wide is all of it. Signs matter to the upper half only: in four bits, -1 * 3
// is 1111_1101 and 15 * 3, the same bits read without a sign, 0010_1101.

// Mul is mul for integers (.lo, .hi, .wide) and floating point (PTX ISA
// 9.7.1.3, 9.7.3.5, 9.7.4.3).
func Mul(v Variant) Fn {
	switch t := v.Type; {
	case four(v):
		return fours(v, [3]isa.Type{v.From, v.From2, v.Type}, func(a, b, _ float64) float64 { return a * b })
	case v.From == isa.F32x2:
		return narrowedPairs(v, Mul)
	case v.From2 != isa.NoType:
		return mixedHalves(v)
	case t == isa.F32:
		return modifyF32(pick(v.Rnd, use.mulF32, productF32(v.Rnd)), v)
	case t == isa.F64:
		return pick(v.Rnd, mulF64, productF64(v.Rnd))
	case t == isa.F32x2:
		return pairs(Mul, v)
	case t.IsFloat():
		return halfOp(v, mulF16, mulBF16)
	case v.Mul == isa.WIDE:
		return mulWide(t)
	case v.Mul == isa.HI_:
		return mulHiInts.at(t)
	case t == isa.U32 || t == isa.S32:
		return use.mulU32
	case t == isa.U64 || t == isa.S64:
		return use.mulU64
	case t == isa.U16 || t == isa.S16:
		return liftShort2(func(a, b uint16) uint16 { return a * b })
	}
	return nil
}

// mulWide is the whole product, in a register of twice the width.
func mulWide(t isa.Type) Fn {
	switch t {
	case isa.U16:
		return lift2(func(a, b uint32) uint32 { return uint32(uint16(a)) * uint32(uint16(b)) })
	case isa.S16:
		return lift2(func(a, b uint32) uint32 { return uint32(int32(int16(a)) * int32(int16(b))) })
	case isa.U32:
		return use.mulWideU32
	case isa.S32:
		return use.mulWideS32
	}
	return nil
}

// mul and the loop after it are the portable ones of type kernels; the
// low half of a product is the same, signed or not.
func mul[T wholeWord](d, a, b, _ *Slot) {
	x, p, q := view[T](d), view[T](a), view[T](b)
	for i := 0; i < Width; i += 4 {
		x[i] = p[i] * q[i]
		x[i+1] = p[i+1] * q[i+1]
		x[i+2] = p[i+2] * q[i+2]
		x[i+3] = p[i+3] * q[i+3]
	}
}

func wholeProduct[D, T wholeWord](d, a, b, _ *Slot) {
	x, p, q := view[D](d), view[T](a), view[T](b)
	for i := 0; i < Width; i += 4 {
		x[i] = D(p[i]) * D(q[i])
		x[i+1] = D(p[i+1]) * D(q[i+1])
		x[i+2] = D(p[i+2]) * D(q[i+2])
		x[i+3] = D(p[i+3]) * D(q[i+3])
	}
}

// mulHiInts is the upper half of the product.
var mulHiInts = ints{
	u16: liftShort2(mulHiU16), s16: liftShort2(mulHiS16), u32: lift2(mulHiU32), s32: lift2(mulHiS32),
	u64: lift2(mulHiU64), s64: lift2(mulHiS64),
}

// The upper halves of products of one lane.

func mulHiU16(a, b uint16) uint16 { return uint16(uint32(a) * uint32(b) >> 16) }
func mulHiS16(a, b int16) int16   { return int16(int32(a) * int32(b) >> 16) }
func mulHiU32(a, b uint32) uint32 { return uint32(uint64(a) * uint64(b) >> 32) }
func mulHiS32(a, b int32) int32   { return int32(int64(a) * int64(b) >> 32) }

func mulHiU64(a, b uint64) uint64 {
	hi, _ := bits.Mul64(a, b)
	return hi
}

func mulHiS64(a, b int64) int64 {
	// A negative factor counts as 2^64 too much in the unsigned product, which
	// makes the upper half too large by the other factor.
	hi := int64(mulHiU64(uint64(a), uint64(b)))
	return hi - a>>63&b - b>>63&a
}

// mulF32 converts each product on its own: Go may fuse a product into the sum
// that looks for NaNs, which must not change what is stored.
func mulF32(d, a, b, _ *Slot) {
	x, p, q := view[float32](d), view[float32](a), view[float32](b)
	var s0, s1, s2, s3 float32
	for i := 0; i < Width; i += 4 {
		r0, r1 := float32(p[i]*q[i]), float32(p[i+1]*q[i+1])
		r2, r3 := float32(p[i+2]*q[i+2]), float32(p[i+3]*q[i+3])
		x[i], x[i+1], x[i+2], x[i+3] = r0, r1, r2, r3
		s0, s1, s2, s3 = s0+r0, s1+r1, s2+r2, s3+r3
	}
	if s := (s0 + s1) + (s2 + s3); s != s {
		canonF32(d)
	}
}

// productF32 is a*b in any rounding: the product is exact in double.
func productF32(rnd isa.Rounding) Fn {
	return lift2(func(a, b float32) float32 { return toF32(float64(a)*float64(b), rnd) })
}

// mulF64 is mul.rn.f64.
func mulF64(d, a, b, _ *Slot) {
	x, p, q := view[float64](d), view[float64](a), view[float64](b)
	for i := range x {
		r := p[i] * q[i]
		if r != r {
			r = nan64(p[i], q[i])
		}
		x[i] = r
	}
}

// productF64 is a*b in a directed rounding.
func productF64(rnd isa.Rounding) Fn {
	return lift2(func(a, b float64) float64 {
		r := a * b
		switch {
		case r != r:
			return nan64(a, b)
		case !finite64(a) || !finite64(b) || a == 0 || b == 0:
			return r
		case math.Abs(r) > 0x1p-960 && finite64(r):
			return direct64(r, signOf(math.FMA(a, b, -r)), rnd) // TwoProd: exact above the subnormals
		}
		return direct64(r, exactFma(a, b, 0, r), rnd)
	})
}
