package lanes

import "hyptx/ir/isa"

// Packed conversions make one register of two sources, or of one that has
// several elements. Each element is converted as cvt.go would do it alone.

// cvtPacked is cvt from f32 to f16x2, bf16x2 (two sources, a to the upper
// half) and tf32, and with pairs of narrow numbers.
func cvtPacked(v Variant) Fn {
	switch {
	case v.Type.Elem().Bits() <= 8 || v.From.Elem().Bits() <= 8:
		return cvtNarrow(v)
	case v.Rnd == isa.RS:
		return cvtRandom(v)
	case v.From != isa.F32:
		return nil
	}
	to := formatTF32
	switch v.Type {
	case isa.F16x2:
		to = formatF16
	case isa.BF16x2:
		to = formatBF16
	case isa.TF32:
	default:
		return nil
	}
	v.Sat = false
	one := floatToFloat(v, formatF32, to)
	if v.Type == isa.TF32 {
		return lift1(func(a uint32) uint32 { return tf32Word(one(uint64(a))) })
	}
	return lift2(func(a, b uint32) uint32 {
		return uint32(one(uint64(a)))<<16 | uint32(one(uint64(b)))
	})
}

// tf32Word places the 19 bits of a tf32 in a word: they are the upper bits of
// an f32, the lower ones zero (PTX ISA 5.2.3 leaves them unspecified).
func tf32Word(b uint64) uint32 {
	if b == formatTF32.nan {
		return uint32(b)
	}
	return uint32(b << 13)
}

// CvtPack clamps two s32 to a narrower type and packs them, b lowest; of types
// below 16 bits the rest is c's low bits (PTX ISA 9.7.10.25). bits is the
// width of the narrow type, which isa.Type does not have for all.
func CvtPack(bits int, signed bool) Fn {
	var lo, hi int32 = 0, 1<<bits - 1
	if signed {
		lo, hi = -1<<(bits-1), 1<<(bits-1)-1
	}
	mask := uint32(1)<<bits - 1
	pack := func(a, b uint32) uint32 {
		x, y := max(lo, min(hi, int32(a))), max(lo, min(hi, int32(b)))
		return uint32(x)&mask<<bits | uint32(y)&mask
	}
	if bits == 16 {
		return lift2(pack)
	}
	return lift3(func(a, b, c uint32) uint32 { return c<<(2*bits) | pack(a, b) })
}
