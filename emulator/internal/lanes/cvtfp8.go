package lanes

import (
	"math"

	"hyptx/ir/isa"
)

// The 8-bit formats of the tensor cores come in pairs in a 16-bit register.
// e5m2 is the upper byte of a half; e4m3 has no infinities and uses their
// codes for three more numbers, which is why it is not described by a format
// (round.go) but rounded here.

// cvtFP8 is cvt to and from pairs of 8-bit floats: the upper of a pair is made
// of a, or of the upper half (PTX ISA 9.7.10.24).
func cvtFP8(v Variant) Fn {
	relu := func(x float64) float64 {
		if v.Relu && x <= 0 { // -0 too
			return 0
		}
		return x
	}
	if v.Type == isa.F16x2 {
		load := elementLoader(v.From.Elem())
		one := func(w uint32) uint32 {
			x := relu(load(w & 0xff))
			if x != x {
				return 0x7fff
			}
			return f64ToF16(x)
		}
		return lift1(func(a uint32) uint32 { return one(a>>8)<<16 | one(a) })
	}
	store := storeFP8(v.Type.Elem())
	switch {
	case store == nil:
		return nil
	case v.From == isa.F32:
		return lift2(func(a, b float32) uint32 { return store(relu(float64(a)))<<8 | store(relu(float64(b))) })
	case v.From == isa.F16x2:
		return lift1(func(a uint32) uint32 { return store(relu(f16ToF64(a>>16)))<<8 | store(relu(f16ToF64(a))) })
	}
	return nil
}

// storeFP8 rounds to nearest even; beyond the largest number, infinities too,
// .satfinite gives that number. NaN is 0x7f.
func storeFP8(t isa.Type) func(x float64) uint32 {
	mantissa, bias, largest := 3, 7, uint32(0x7e) // e4m3: 448
	switch t {
	case isa.E5M2:
		mantissa, bias, largest = 2, 15, 0x7b // 57344
	case isa.E4M3:
	default:
		return nil
	}
	return func(x float64) uint32 {
		if x != x {
			return 0x7f
		}
		sign := uint32(0)
		if math.Signbit(x) {
			sign, x = 0x80, -x
		}
		if x == 0 {
			return sign
		}
		// In units of the last place: of the value's binade, or the subnormal one.
		_, exp := math.Frexp(x)
		exp = max(exp-1, 1-bias)
		if math.IsInf(x, 0) || exp > bias+1 {
			return sign | largest
		}
		units := uint32(math.RoundToEven(math.Ldexp(x, mantissa-exp)))
		return sign | min(units+uint32(exp+bias-1)<<mantissa, largest)
	}
}
