package fp16

import "math"

// NaN is the NaN that PTX's operations return, in f16 and in bf16 alike (PTX
// ISA 9.7.4).
const NaN = 0x7fff

// F16ToF32 is the value of f16 bits. NaNs keep their payload.
func F16ToF32(h uint16) float32 {
	// The bits of a half, moved to those of a float, are a value 2^112 times
	// too small; the multiplication normalises subnormals as well.
	w := uint32(h)
	b := math.Float32bits(math.Float32frombits(w&0x7fff<<13)*0x1p112) | w&0x8000<<16
	if w&0x7c00 == 0x7c00 {
		b |= 0x7f800000
	}
	return math.Float32frombits(b)
}

// BF16ToF32 is the value of bf16 bits.
func BF16ToF32(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// F32ToF16 rounds a float to f16.
func F32ToF16(f float32) uint16 {
	b := math.Float32bits(f)
	sign, b := b>>16&0x8000, b&0x7fffffff
	switch {
	case b > 0x7f800000:
		return NaN
	case b >= 0x47800000: // 65536
		return uint16(sign | 0x7c00)
	case b < 0x38800000: // 2^-14, the least normal half
		// One unit of 0.5 is the unit of a subnormal half: the addition rounds.
		return uint16(sign | (math.Float32bits(math.Float32frombits(b)+0.5) - 0x3f000000))
	}
	b += 0xfff + b>>13&1
	return uint16(sign | (b-0x38000000)>>13)
}

// F32ToBF16 rounds a float to bf16.
func F32ToBF16(f float32) uint16 {
	b := math.Float32bits(f)
	if b&0x7fffffff > 0x7f800000 {
		return NaN
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

// F64ToF16 and F64ToBF16 round a double. The way leads through a float that is
// rounded to odd: its 13 bits more than a half has make the second rounding the
// only one that counts (Boldo and Melquiond, "Emulation of FMA and correctly
// rounded sums: proved algorithms using rounding to odd", 2008).
func F64ToF16(x float64) uint16  { return F32ToF16(oddF32(x)) }
func F64ToBF16(x float64) uint16 { return F32ToBF16(oddF32(x)) }

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
