package lanes

import (
	"math"
	"math/bits"

	"hyptx/ir/isa"
)

// Rounding is done in one place, from a sign, a 64-bit magnitude and an
// exponent to the bits of any format (pack). A double that has more bits than
// the format serves as the exact value, if it is exact or was rounded to odd:
// then its last bit says that something was cut off, and rounding once more
// gives what rounding the exact value would have given, in every direction.
//
// The second half of the file are the modifiers that surround f32 operations:
// .ftz flushes subnormal operands and results, .sat clamps to [0, 1].
// Subnormals are rare; a scan of the registers decides whether flushing
// copies anything at all.

// format is a binary floating-point format of up to 64 bits with an implicit
// leading bit, subnormals, infinities and NaNs as IEEE 754 has them.
type format struct {
	expBits, manBits int
	nan              uint64 // canonical
}

var (
	formatF16  = &format{5, 10, 0x7fff}
	formatBF16 = &format{8, 7, 0x7fff}
	formatTF32 = &format{8, 10, 0x7fffffff} // kept in the upper bits of a word: see packTF32
	formatF32  = &format{8, 23, 0x7fffffff}
	formatF64  = &format{11, 52, 0xfff8000000000000}
)

// bias is what the exponent field is larger by than the exponent; sign and
// inf are the bits of a sign and of +infinity.
func (f *format) bias() int    { return 1<<(f.expBits-1) - 1 }
func (f *format) sign() uint64 { return 1 << (f.expBits + f.manBits) }
func (f *format) inf() uint64  { return (1<<f.expBits - 1) << f.manBits }

// zero is the zero of a sign.
func (f *format) zero(neg bool) uint64 {
	if neg {
		return f.sign()
	}
	return 0
}

// away says whether rounding a value of the given sign takes the larger of the
// two neighbours' magnitudes. odd is the last bit kept; rest compares what is
// cut off with half a unit (0 nothing, 1 less, 2 equal, 3 more).
func away(rnd isa.Rounding, neg, odd bool, rest int) bool {
	switch rnd {
	case isa.RZ, isa.RZI:
		return false
	case isa.RM, isa.RMI:
		return neg && rest != 0
	case isa.RP, isa.RPI:
		return !neg && rest != 0
	case isa.RNA:
		return rest >= 2
	}
	return rest == 3 || rest == 2 && odd
}

// pack is where every rounding of the package ends. For f16, which keeps 11 bits,
// 4097 * 2^0 is normalised to 1.000000000001 * 2^12: the 11 bits kept are 1.0,
// what is cut off is 01, less than half a unit of the last place (rest 1), and so
// .rn gives 4096 and .rp 4100. A value below the normal range keeps fewer bits,
// one less for each power of two, until none is left; that is all that
// subnormals ask for.

// pack rounds the value (-1)^neg * mant * 2^exp to the format. sticky says
// that a positive amount smaller than one unit of mant was already cut off
// the magnitude; mant must then have more bits than the format keeps.
func (f *format) pack(neg bool, mant uint64, exp int, sticky bool, rnd isa.Rounding) uint64 {
	sign := f.zero(neg)
	if mant == 0 {
		return sign
	}
	lz := bits.LeadingZeros64(mant)
	mant <<= lz
	exp += 63 - lz // value = mant/2^63 * 2^exp
	keep := f.manBits + 1
	field := exp + f.bias()
	if field < 1 {
		keep -= 1 - field
		field = 1
	}
	kept, rest := cut(mant, 64-keep, sticky)
	if away(rnd, neg, kept&1 != 0, rest) {
		kept++
	}
	// kept may have the implicit bit, one bit more (then the exponent field
	// grows by the carry) or, for a subnormal, less.
	out := uint64(field-1)<<f.manBits + kept
	if out >= f.inf() {
		if away(rnd, neg, true, 3) {
			return sign | f.inf()
		}
		return sign | (f.inf() - 1)
	}
	return sign | out
}

// cut drops the low n bits of mant and says how they compare with half a unit
// of what is kept, as away wants it.
func cut(mant uint64, n int, sticky bool) (kept uint64, rest int) {
	if n > 64 {
		return 0, 1
	}
	var low, half uint64
	switch {
	case n == 64:
		low, half = mant, 1<<63
	case n > 0:
		kept, low, half = mant>>n, mant&(1<<n-1), 1<<(n-1)
	default:
		kept = mant
	}
	switch {
	case half == 0 && sticky:
		return kept, 1
	case low == 0 && !sticky:
		return kept, 0
	case half == 0 || low < half:
		return kept, 1
	case low == half && !sticky:
		return kept, 2
	}
	return kept, 3
}

// split takes a finite double apart: |x| = mant * 2^exp.
func split(x float64) (neg bool, mant uint64, exp int) {
	b := math.Float64bits(x)
	mant, exp = b&(1<<52-1), int(b>>52&0x7ff)
	if exp == 0 {
		return b>>63 != 0, mant, -1074
	}
	return b>>63 != 0, mant | 1<<52, exp - 1075
}

// round rounds a double to the format: once if x is exact, correctly too if x
// was rounded to odd from the exact value (see sumOdd).
func (f *format) round(x float64, rnd isa.Rounding) uint64 {
	if x != x {
		return f.nan
	}
	neg, mant, exp := split(x)
	if exp == 0x7ff-1075 {
		return f.zero(neg) | f.inf()
	}
	return f.pack(neg, mant, exp, false, rnd)
}

// toF32 rounds a double to f32 in the given direction.
func toF32(x float64, rnd isa.Rounding) float32 {
	return math.Float32frombits(uint32(formatF32.round(x, rnd)))
}

// sumOdd returns x+y rounded to odd (Boldo and Melquiond, "Emulation of FMA
// and correctly rounded sums", 2008): the exact sum, or if there is no such
// double, the neighbour with the odd last bit. Rounding that to a format of at
// most 51 bits, in any direction, equals rounding the exact sum. x and y must
// be far from overflow, as products and values of f32 are.
func sumOdd(x, y float64) float64 {
	s := x + y
	t := s - x
	e := (x - (s - t)) + (y - t) // Knuth's TwoSum: s + e = x + y exactly
	if e == 0 || s-s != 0 {
		return s // exact, or not finite
	}
	b := math.Float64bits(s)
	if (e < 0) != (s < 0) {
		b-- // toward zero, the error lies on that side
	}
	return math.Float64frombits(b | 1)
}

// The rounding to odd is what makes one double enough. Say the exact sum lies a
// little above a tie of f32: rounding it to double may cut the little off, and
// what is left looks like the tie itself, which .rn then rounds down. With the
// last bit set it still looks like more than the tie, as it should.

// zeroSign gives an exact zero sum of x and y its sign: IEEE 754 6.3 has +0
// unless rounding down, or both terms are -0.
func zeroSign(s, x, y float64, rnd isa.Rounding) float64 {
	if s == 0 && rnd == isa.RM && !(x == 0 && y == 0 && !math.Signbit(x) && !math.Signbit(y)) {
		return math.Copysign(0, -1)
	}
	return s
}

// canonF32 replaces NaNs by the canonical one. Callers come here only if they
// saw a NaN, or something like it.
func canonF32(d *Slot) {
	for i, b := range d {
		if b&0x7fffffff > 0x7f800000 {
			d[i] = 0x7fffffff
		}
	}
}

// flushF32 copies a to d with subnormals replaced by zeros of their sign.
func flushF32(d, a *Slot) {
	for i, b := range a {
		if b&0x7f800000 == 0 {
			b &= 0x80000000
		}
		d[i] = b
	}
}

// saturateF32 clamps to [0, 1]; NaN and -0 give +0.
func saturateF32(d *Slot) {
	x := view[float32](d)
	for i, v := range x {
		switch {
		case !(v > 0):
			x[i] = 0
		case v > 1:
			x[i] = 1
		}
	}
}

// modifyF32 wraps an f32 operation of up to three operands in .ftz and .sat.
func modifyF32(f Fn, v Variant) Fn {
	if v.FTZ {
		g := f
		f = func(d, a, b, c *Slot) { flushed(g, d, a, b, c) }
	}
	if v.Sat {
		g := f
		f = func(d, a, b, c *Slot) {
			g(d, a, b, c)
			saturateF32(d)
		}
	}
	return f
}

// flushed runs f with operands and result flushed.
func flushed(f Fn, d, a, b, c *Slot) {
	if hasSubnormal(a) || b != nil && hasSubnormal(b) || c != nil && hasSubnormal(c) {
		flushedOperands(f, d, a, b, c)
	} else {
		f(d, a, b, c)
	}
	if hasSubnormal(d) {
		flushF32(d, d)
	}
}

// hasSubnormal reports whether some word is a subnormal f32: its magnitude m is
// between 1 and 2^23-1. A kernel compiled with -ftz=true asks this of every
// register that it adds or multiplies, and hardly ever hears yes, so the test is
// made of subtractions whose borrows collect in one word, without a branch.
func hasSubnormal(a *Slot) bool {
	var found uint32
	for i := 0; i < Width; i += 2 {
		m0, m1 := a[i]&0x7fffffff-1, a[i+1]&0x7fffffff-1
		// The top bit: m < 2^23-1, and m has not wrapped from zero.
		found |= (m0-0x7fffff)&^m0 | (m1-0x7fffff)&^m1
	}
	return found>>31 != 0
}

// flushedOperands runs f on flushed copies of its operands.
func flushedOperands(f Fn, d, a, b, c *Slot) {
	var t [3]Slot
	var p [3]*Slot
	for i, s := range [3]*Slot{a, b, c} {
		if s != nil {
			flushF32(&t[i], s)
			p[i] = &t[i]
		}
	}
	f(d, p[0], p[1], p[2])
}
