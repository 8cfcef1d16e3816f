package lanes

import "hyptx/ir/isa"

// Multiply and add: the addition wraps in the width of the result, or of .sat
// clamps. Address arithmetic is made of mad.lo and mad.wide, which is why
// those have loops, and vector kernels, of their own.

// Mad is mad (PTX ISA 9.7.1.4; 9.7.3.7 for floating point).
func Mad(v Variant) Fn {
	switch t := v.Type; {
	case t.Kind() == isa.Float:
		return Fma(v)
	case v.Mul == isa.WIDE:
		return madWide(t)
	case v.Mul == isa.HI_ && v.Sat:
		if t != isa.S32 {
			return nil
		}
		return lift3(func(a, b, c int32) int32 { return clampS32(int64(mulHiS32(a, b)) + int64(c)) })
	case v.Mul == isa.HI_:
		return madHiInts.at(t)
	case t == isa.U32 || t == isa.S32:
		return use.madU32
	case t == isa.U64 || t == isa.S64:
		return use.madU64
	case t == isa.U16 || t == isa.S16:
		return liftShort3(func(a, b, c uint16) uint16 { return a*b + c })
	}
	return nil
}

// madWide adds to a product of twice the operands' width.
func madWide(t isa.Type) Fn {
	switch t {
	case isa.U16:
		return lift3(func(a, b, c uint32) uint32 { return uint32(uint16(a))*uint32(uint16(b)) + c })
	case isa.S16:
		return lift3(func(a, b, c uint32) uint32 { return uint32(int32(int16(a))*int32(int16(b))) + c })
	case isa.U32:
		return use.madWideU32
	case isa.S32:
		return use.madWideS32
	}
	return nil
}

// mad is mad.lo: the low half of a product is the same, signed or not.
func mad[T wholeWord](d, a, b, c *Slot) {
	x, p, q, r := view[T](d), view[T](a), view[T](b), view[T](c)
	for i := 0; i < Width; i += 4 {
		x[i] = p[i]*q[i] + r[i]
		x[i+1] = p[i+1]*q[i+1] + r[i+1]
		x[i+2] = p[i+2]*q[i+2] + r[i+2]
		x[i+3] = p[i+3]*q[i+3] + r[i+3]
	}
}

func wholeMad[D, T wholeWord](d, a, b, c *Slot) {
	x, p, q, r := view[D](d), view[T](a), view[T](b), view[D](c)
	for i := 0; i < Width; i += 4 {
		x[i] = D(p[i])*D(q[i]) + r[i]
		x[i+1] = D(p[i+1])*D(q[i+1]) + r[i+1]
		x[i+2] = D(p[i+2])*D(q[i+2]) + r[i+2]
		x[i+3] = D(p[i+3])*D(q[i+3]) + r[i+3]
	}
}

// madHiInts adds to the upper half of the product.
var madHiInts = ints{
	u16: liftShort3(func(a, b, c uint16) uint16 { return mulHiU16(a, b) + c }),
	s16: liftShort3(func(a, b, c int16) int16 { return mulHiS16(a, b) + c }),
	u32: lift3(func(a, b, c uint32) uint32 { return mulHiU32(a, b) + c }),
	s32: lift3(func(a, b, c int32) int32 { return mulHiS32(a, b) + c }),
	u64: lift3(func(a, b, c uint64) uint64 { return mulHiU64(a, b) + c }),
	s64: lift3(func(a, b, c int64) int64 { return mulHiS64(a, b) + c }),
}

// clampS32 saturates to 32 bits.
func clampS32(x int64) int32 { return int32(max(-1<<31, min(1<<31-1, x))) }

// Mul24 and Mad24 multiply the low 24 bits, extended by type; .hi is bits 16
// to 47 of the product (PTX ISA 9.7.1.6, 9.7.1.7).
func Mul24(v Variant) Fn {
	f := product24(v)
	return lift2(func(a, b uint32) uint32 { return f(a, b) })
}

// Mad24 is mad24; see Mul24.
func Mad24(v Variant) Fn {
	f := product24(v)
	if v.Sat {
		return lift3(func(a, b, c uint32) uint32 {
			return uint32(clampS32(int64(int32(f(a, b))) + int64(int32(c))))
		})
	}
	return lift3(func(a, b, c uint32) uint32 { return f(a, b) + c })
}

// product24 is the product of the low 24 bits of two words: all of it has 48
// bits, .lo the lowest 32 of them.
func product24(v Variant) func(a, b uint32) uint32 {
	shift := 0
	if v.Mul == isa.HI_ {
		shift = 16
	}
	if v.Type.IsSigned() {
		return func(a, b uint32) uint32 {
			return uint32(int64(int32(a<<8)>>8) * int64(int32(b<<8)>>8) >> shift)
		}
	}
	return func(a, b uint32) uint32 { return uint32(uint64(a<<8>>8) * uint64(b<<8>>8) >> shift) }
}

// Sad is c + |a-b| (PTX ISA 9.7.1.8).
func Sad(v Variant) Fn { return sadInts.at(v.Type) }

// sadInts is sad in all integer types.
var sadInts = ints{
	u16: liftShort3(sad[uint16]), s16: liftShort3(sad[int16]), u32: lift3(sad[uint32]), s32: lift3(sad[int32]),
	u64: lift3(sad[uint64]), s64: lift3(sad[int64]),
}

// sad subtracts the smaller from the larger, which never wraps in an unsigned
// type.
func sad[T integer](a, b, c T) T {
	if a < b {
		return c + (b - a)
	}
	return c + (a - b)
}
