package lanes

import "hyptx/ir/isa"

// The order of floating-point values is that of their bits read as sign and
// magnitude, with -0 below +0, which is how the manual wants zeros ordered: as
// integers, flipping the magnitude of what has a sign makes 0xbf800000 (-1) less
// than 0x80000000 (-0), and that less than 0.
// NaNs are the exception that every variant treats in its own way: without
// .NaN the operand that is a number wins, with .NaN the result is NaN.

// Min and Max choose between integers, packed ones too, or floating-point
// values (PTX ISA 9.7.1.13, 9.7.3.11, 9.7.4.7).
func Min(v Variant) Fn { return extremum(v, true) }

// Max is max; see Min.
func Max(v Variant) Fn { return extremum(v, false) }

// extremum is min or max of any type.
func extremum(v Variant, least bool) Fn {
	t := v.Type
	switch {
	case t == isa.F32:
		return extremumF32(v, least)
	case t == isa.F64:
		return lift2(func(a, b float64) float64 { return chooseF64(a, b, least) })
	case t.IsFloat():
		return extremumHalf(v, least)
	case t.Lanes() > 1:
		return extremumPacked(v, least)
	case v.Relu && t != isa.S32:
		return nil
	case v.Relu && least:
		return lift2(func(a, b int32) int32 { return max(0, min(a, b)) })
	case v.Relu:
		return lift2(func(a, b int32) int32 { return max(0, a, b) })
	case least:
		return plain(&minInts, use.minU32, use.minS32, t)
	}
	return plain(&maxInts, use.maxU32, use.maxS32, t)
}

// plain is the one for a type, of which those of 32 bits have loops of their own.
func plain(all *ints, u32, s32 Fn, t isa.Type) Fn {
	switch t {
	case isa.U32, isa.B32:
		return u32
	case isa.S32:
		return s32
	}
	return all.at(t)
}

// minInts and maxInts are the plain ones in the other integer types.
var minInts = ints{
	u16: liftShort2(least2[uint16]), s16: liftShort2(least2[int16]),
	u64: lift2(least2[uint64]), s64: lift2(least2[int64]),
}

var maxInts = ints{
	u16: liftShort2(most2[uint16]), s16: liftShort2(most2[int16]),
	u64: lift2(most2[uint64]), s64: lift2(most2[int64]),
}

func least2[T integer](a, b T) T { return min(a, b) }
func most2[T integer](a, b T) T  { return max(a, b) }

// extremumPacked is min or max of 16-bit elements, .relu with zero as well.
func extremumPacked(v Variant, least bool) Fn {
	return perElement(v.Type, func(a, b int64) int64 {
		r := max(a, b)
		if least {
			r = min(a, b)
		}
		if v.Relu {
			r = max(r, 0)
		}
		return r
	})
}

// extremumF32 is min or max of f32: the plain ones have loops, those with
// .NaN, .abs or .xorsign go by the bits, and three operands are two steps.
func extremumF32(v Variant, least bool) Fn {
	var f Fn
	switch {
	case !v.NaN && !v.Abs && !v.XorSign && least:
		f = use.minF32
	case !v.NaN && !v.Abs && !v.XorSign:
		f = use.maxF32
	default:
		f = lift2(func(a, b uint32) uint32 { return chooseBits(v, formatF32, a, b, least) })
	}
	two := f
	if v.Three {
		f = func(d, a, b, c *Slot) {
			var t Slot
			two(&t, a, b, nil)
			two(d, &t, c, nil)
		}
	}
	return modifyF32(f, v)
}

// maxF32 and minF32 return the operand that is not NaN, if one is; +0 is
// larger than -0. They compare ordinals, without branches that data decides; a
// NaN that loses is right to lose.

func maxF32(d, a, b, _ *Slot) {
	for i := range d {
		u, v := a[i], b[i]
		r := v ^ (u^v)&-bit(ordinal(u) > ordinal(v))
		if r&0x7fffffff > 0x7f800000 {
			r = numberOf(u, v)
		}
		d[i] = r
	}
}

func minF32(d, a, b, _ *Slot) {
	for i := range d {
		u, v := a[i], b[i]
		r := v ^ (u^v)&-bit(ordinal(u) < ordinal(v))
		if r&0x7fffffff > 0x7f800000 {
			r = numberOf(u, v)
		}
		d[i] = r
	}
}

// ordinal maps the bits of a float to an integer that is ordered like the
// value, -0 below +0.
func ordinal(b uint32) int32 { return int32(b ^ uint32(int32(b)>>31)>>1) }

// numberOf returns the operand that is a number, or the canonical NaN.
func numberOf(u, v uint32) uint32 {
	switch {
	case u&0x7fffffff <= 0x7f800000:
		return u
	case v&0x7fffffff <= 0x7f800000:
		return v
	}
	return 0x7fffffff
}

// chooseF64 is min or max of f64.
func chooseF64(a, b float64, least bool) float64 {
	switch {
	case a != a && b != b:
		return nan64(a, b)
	case a != a:
		return b
	case b != b:
		return a
	case least:
		return min(a, b)
	}
	return max(a, b)
}

// extremumHalf is min or max of f16 and bf16, packed too.
func extremumHalf(v Variant, least bool) Fn {
	form := formatF16
	if v.Type.Elem() == isa.BF16 {
		form = formatBF16
	}
	return halfLoop(v, func(a, b, _ uint32) uint32 { return chooseBits(v, form, a, b, least) })
}

// chooseBits is min or max with its modifiers on the bits of a format: signs
// and magnitudes compare as integers.
func chooseBits(v Variant, f *format, a, b uint32, least bool) uint32 {
	sign, inf := uint32(f.sign()), uint32(f.inf())
	xor := (a ^ b) & sign
	if v.Abs {
		a, b = a&^sign, b&^sign
	}
	aNaN, bNaN := a&^sign > inf, b&^sign > inf
	var r uint32
	switch {
	case aNaN && bNaN || v.NaN && (aNaN || bNaN):
		return uint32(f.nan)
	case aNaN:
		r = b
	case bNaN:
		r = a
	case (rank(a, sign) < rank(b, sign)) == least:
		r = a
	default:
		r = b
	}
	if v.XorSign {
		r = r&^sign | xor
	}
	return r
}

// rank orders the bits of floating-point values, -0 below +0.
func rank(b, sign uint32) int64 {
	if b&sign != 0 {
		return -1 - int64(b&^sign)
	}
	return int64(b)
}

// Abs is abs (PTX ISA 9.7.1.11, 9.7.3.9, 9.7.4.6). NaNs of floating-point
// types lose their sign and keep their payload.
func Abs(v Variant) Fn {
	switch v.Type {
	case isa.F32:
		return modifyF32(lift1(func(a uint32) uint32 { return a &^ (1 << 31) }), v)
	case isa.F64:
		return lift1(func(a uint64) uint64 { return a &^ (1 << 63) })
	case isa.F16, isa.BF16, isa.F16x2, isa.BF16x2:
		return halfLoop(v, func(a, _, _ uint32) uint32 { return a &^ 0x8000 })
	}
	return absInts.at(v.Type)
}

// absInts: the magnitude of the least value is itself, as wrapping gives it.
var absInts = ints{s16: liftShort1(abs[int16]), s32: lift1(abs[int32]), s64: lift1(abs[int64])}

func abs[T int16 | int32 | int64](a T) T { return max(a, -a) }

// Neg is neg (PTX ISA 9.7.1.12, 9.7.3.10, 9.7.4.5); NaNs keep their payload.
func Neg(v Variant) Fn {
	switch v.Type {
	case isa.F32:
		return modifyF32(lift1(func(a uint32) uint32 { return a ^ 1<<31 }), v)
	case isa.F64:
		return lift1(func(a uint64) uint64 { return a ^ 1<<63 })
	case isa.F16, isa.BF16, isa.F16x2, isa.BF16x2:
		return halfLoop(v, func(a, _, _ uint32) uint32 { return a ^ 0x8000 })
	case isa.S8x4:
		return lift1(func(a uint32) (r uint32) {
			for s := 0; s < 32; s += 8 {
				r |= -(a >> s) & 0xff << s
			}
			return r
		})
	}
	return negInts.at(v.Type)
}

var negInts = ints{s16: liftShort1(neg[int16]), s32: lift1(neg[int32]), s64: lift1(neg[int64])}

func neg[T int16 | int32 | int64](a T) T { return -a }

// Copysign is b with a's sign (PTX ISA 9.7.3.2).
func Copysign(v Variant) Fn {
	switch v.Type {
	case isa.F32:
		return lift2(func(a, b uint32) uint32 { return a&(1<<31) | b&^(1<<31) })
	case isa.F64:
		return lift2(func(a, b uint64) uint64 { return a&(1<<63) | b&^(1<<63) })
	}
	return nil
}
