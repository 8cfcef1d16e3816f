package adder

import "math/bits"

// What enters the adder of a floating-point unit [ours; the paper says "mantissa
// operations"]: the significand of the larger magnitude, and the other one shifted
// right by the difference of the exponents, truncated, without guard bits. Where the
// magnitudes are subtracted it is the one's complement of the smaller one, and a
// carry-in of 1. A NaN and an infinity go through like numbers with their bits.

// format is a floating-point format, by its kind: bits of the fraction and of the
// exponent.
type format struct{ fraction, exponent uint }

var formats = [Kinds]format{FP16: {10, 5}, FP32: {23, 8}, FP64: {52, 11}}

// significands returns what x+y brings to the adder.
func (f format) significands(x, y uint64) (a, b uint64, carry uint32) {
	sign := f.fraction + f.exponent
	magnitude := uint64(1)<<sign - 1
	differ := uint32((x ^ y) >> sign & 1)
	x, y = x&magnitude, y&magnitude
	if y > x {
		x, y = y, x
	}
	ex, a := f.split(x)
	ey, b := f.split(y)
	b >>= min(ex-ey, 63)
	if differ != 0 {
		b = ^b & (1<<(f.fraction+1) - 1)
	}
	return a, b, differ
}

// split returns the exponent of a magnitude and its significand.
func (f format) split(x uint64) (exponent, significand uint64) {
	exponent, significand = x>>f.fraction, x&(1<<f.fraction-1)
	if exponent == 0 {
		return 1, significand
	}
	return exponent, significand | 1<<f.fraction
}

// Float32 appends x+y, or x-y, of .f32 registers.
func (s *Stream) Float32(at At, mask uint32, x, y *[Lanes]uint32, minus bool) {
	a, b := s.push(at, FP32, mask, 0)
	sign := uint32(0)
	if minus {
		sign = 1 << 31
	}
	s.carries(len(a), use.single(a, b, x, y, sign))
	s.done(FP32)
}

// single is significands of .f32, written out: most additions are of it.
func single(x, y uint32) (a, b, carry uint32) {
	carry = (x ^ y) >> 31
	x, y = x&0x7fffffff, y&0x7fffffff
	x, y = max(x, y), min(x, y)
	ex, ey := x>>23, y>>23
	a, b = x&0x7fffff, y&0x7fffff
	if ex != 0 {
		a |= 1 << 23
	} else {
		ex = 1
	}
	if ey != 0 {
		b |= 1 << 23
	} else {
		ey = 1
	}
	b >>= min(ex-ey, 31)
	return a, b ^ -carry&0xffffff, carry
}

// Float64 appends x+y, or x-y, of .f64 registers.
func (s *Stream) Float64(at At, mask uint32, x, y *[Lanes]uint64, minus bool) {
	a, b := s.push(at, FP64, mask, 0)
	sign := uint64(0)
	if minus {
		sign = 1 << 63
	}
	var carry uint32
	for i := range a {
		var c uint32
		a[i], b[i], c = formats[FP64].significands(x[i], y[i]^sign)
		carry |= c << i
	}
	s.carries(len(a), carry)
	s.done(FP64)
}

// Float16 appends x+y, or x-y, of .f16 numbers that lie at a shift in registers:
// those of .f16x2 are two additions.
func (s *Stream) Float16(at At, mask uint32, x, y *[Lanes]uint32, shift uint, minus bool) {
	a, b := s.push(at, FP16, mask, 0)
	sign := uint64(0)
	if minus {
		sign = 1 << 15
	}
	clear(a)
	clear(b)
	var carry uint32
	for rest := mask; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros32(rest)
		p, q, c := formats[FP16].significands(uint64(x[i]>>shift&0xffff), uint64(y[i]>>shift&0xffff)^sign)
		a[i/2] |= p << (32 * (i & 1))
		b[i/2] |= q << (32 * (i & 1))
		carry |= c << i
	}
	s.carries(len(a), carry)
	s.done(FP16)
}

// carries sets the carry-ins of the addition that was pushed last.
func (s *Stream) carries(words int, carry uint32) {
	s.words[len(s.words)-2*words-1] |= uint64(carry) << 32
}
