package manifest

import "math"

// The quiet NaN that "nan" means, and infinity, in each format.
const (
	nanF16, nanBF16 = 0x7e00, 0x7fc0
	nanF32          = 0x7fc00000
	nanF64          = 0x7ff8000000000000
)

// F16Bits rounds x to f16, nearest even.
func F16Bits(x float64) uint16 { return narrow(x, 10, -14, 0x7c00, nanF16) }

// BF16Bits rounds x to bf16, nearest even.
func BF16Bits(x float64) uint16 { return narrow(x, 7, -126, 0x7f80, nanBF16) }

// narrow rounds x, nearest even, to a 16-bit format with fraction bits after
// the leading one and smallest normal exponent low. It rounds once, from the
// double: going through float32 would round twice.
func narrow(x float64, fraction, low int, inf, nan uint16) uint16 {
	b := math.Float64bits(x)
	sign := uint16(b >> 63 << 15)
	exponent := int(b>>52&0x7ff) - 1023
	if exponent == 1024 {
		if b<<12 != 0 {
			return sign | nan
		}
		return sign | inf
	}
	significand := b&(1<<52-1) | 1<<52
	shift := 52 - fraction
	base := uint64(exponent - low) // + the leading one, which adds 1
	if exponent < low {
		shift += low - exponent
		base = 0
	}
	if shift > 53 { // less than half of the smallest subnormal
		return sign
	}
	// Just under half, and a hair more if the result would be odd: no branch,
	// which random data would mispredict.
	odd := significand >> shift & 1
	q := (significand + (1<<(shift-1) - 1) + odd) >> shift
	// A carry out of the fraction goes into the exponent, as it should.
	return sign | uint16(min(base<<fraction+q, uint64(inf)))
}

// BF16Float returns the value of bf16 bits.
func BF16Float(bits uint16) float32 { return math.Float32frombits(uint32(bits) << 16) }
