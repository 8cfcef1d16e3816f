package vary

import (
	"math"
	"math/bits"

	"hyptx/ir/isa"
)

// Format is a binary floating-point format of IEEE 754's kind.
type Format struct {
	mantissa, exponent uint // bits, the mantissa's without the hidden one
}

// The formats. E4M3's largest exponent holds numbers, not infinities, which does
// not matter here.
var (
	F16  = Format{10, 5}
	BF16 = Format{7, 8}
	F32  = Format{23, 8}
	F64  = Format{52, 11}
	E4M3 = Format{3, 4}
	E5M2 = Format{2, 5}
)

var formats = map[isa.Type]Format{isa.F16: F16, isa.BF16: BF16, isa.F32: F32, isa.TF32: F32, isa.F64: F64, isa.E4M3: E4M3, isa.E5M2: E5M2}

// FormatOf returns the format of a type's elements; ok is false for types that
// have none.
func FormatOf(t isa.Type) (f Format, ok bool) {
	f, ok = formats[t.Elem()]
	return f, ok
}

// Bits returns the format's width.
func (f Format) Bits() uint { return 1 + f.mantissa + f.exponent }

// Roundoff returns the format's unit roundoff, the largest relative error of
// rounding to nearest.
func (f Format) Roundoff() float64 { return math.Ldexp(1, -int(f.mantissa)-1) }

func (f Format) sign() uint64     { return 1 << (f.mantissa + f.exponent) }
func (f Format) infinity() uint64 { return (1<<f.exponent - 1) << f.mantissa }
func (f Format) bias() int        { return 1<<(f.exponent-1) - 1 }

// Value returns the value of bits; higher ones are ignored.
func (f Format) Value(b uint64) float64 {
	switch f {
	case F64:
		return math.Float64frombits(b)
	case F32:
		return float64(math.Float32frombits(uint32(b)))
	}
	magnitude := b & (f.sign() - 1)
	e, m := int(magnitude>>f.mantissa), float64(magnitude&(1<<f.mantissa-1))
	var x float64
	switch {
	case magnitude > f.infinity():
		return math.NaN()
	case magnitude == f.infinity():
		x = math.Inf(1)
	case e == 0:
		x = math.Ldexp(m, 1-f.bias()-int(f.mantissa))
	default:
		x = math.Ldexp(m+math.Ldexp(1, int(f.mantissa)), e-f.bias()-int(f.mantissa))
	}
	if b&f.sign() != 0 {
		return -x
	}
	return x
}

// IsNaN reports whether bits are a NaN's.
func (f Format) IsNaN(b uint64) bool { return b&(f.sign()-1) > f.infinity() }

// OtherNaN returns a quiet NaN whose payload is not the canonical one (PTX ISA
// 9.7.3, 9.7.4: all ones).
func (f Format) OtherNaN() uint64 { return f.infinity() | 1<<(f.mantissa-1) }

// Flush replaces subnormals by zeros of their sign.
func (f Format) Flush(b uint64) uint64 {
	if b&f.infinity() == 0 {
		return b & f.sign()
	}
	return b
}

// order numbers the format's values from -Inf to Inf; both zeros are 0.
func (f Format) order(b uint64) int64 {
	if b&f.sign() != 0 {
		return -int64(b & (f.sign() - 1))
	}
	return int64(b & (f.sign() - 1))
}

// at returns the value of a number that order gives, at most the infinities.
func (f Format) at(n int64) uint64 {
	inf := int64(f.infinity())
	if n < 0 {
		return f.sign() | uint64(-max(n, -inf))
	}
	return uint64(min(n, inf))
}

// Step returns the value n values above b, below it for a negative n. A NaN
// stays what it is.
func (f Format) Step(b uint64, n int) uint64 {
	if n == 0 || f.IsNaN(b) {
		return b
	}
	return f.at(f.order(b) + int64(n))
}

// Distance returns how many values lie between a and b, one of them included:
// their difference in ulp where the exponent is the same. Of NaNs it is 0.
func (f Format) Distance(a, b uint64) uint64 {
	if f.IsNaN(a) || f.IsNaN(b) {
		return 0
	}
	x, y := f.order(a), f.order(b)
	if x < y {
		x, y = y, x
	}
	return uint64(x) - uint64(y)
}

// Below returns the largest value that is not above x, Above the smallest that
// is not below. Those of a NaN are a NaN.
func (f Format) Below(x float64) uint64 {
	b := f.encode(x)
	if f.Value(b) > x {
		return f.Step(b, -1)
	}
	return b
}

// Above is described at Below.
func (f Format) Above(x float64) uint64 {
	b := f.encode(x)
	if f.Value(b) < x {
		return f.Step(b, 1)
	}
	return b
}

// encode returns x rounded towards zero.
func (f Format) encode(x float64) uint64 {
	switch {
	case f == F64:
		return math.Float64bits(x)
	case f == F32 && math.Abs(x) <= math.MaxFloat32:
		b := math.Float32bits(float32(x))
		if math.Abs(float64(float32(x))) > math.Abs(x) {
			b-- // not zero: rounding took it away from there
		}
		return uint64(b)
	}
	var sign uint64
	if math.Signbit(x) {
		sign, x = f.sign(), -x
	}
	switch {
	case x != x:
		return f.OtherNaN()
	case math.IsInf(x, 0):
		return sign | f.infinity()
	}
	_, e := math.Frexp(x) // x is in [2^(e-1), 2^e)
	e = max(e-1, 1-f.bias())
	n := uint64(math.Ldexp(x, int(f.mantissa)-e)) // less than 2^(mantissa+1)
	b := n
	if n>>f.mantissa != 0 {
		b = uint64(e+f.bias())<<f.mantissa + n - 1<<f.mantissa
	}
	return sign | min(b, f.infinity()-1)
}

// NoQuantum is the quantum of zero.
const NoQuantum = math.MaxInt32

// Quantum returns the binary logarithm of the largest power of two of which a
// value is a multiple: NoQuantum for zeros, -NoQuantum for what is not finite.
func (f Format) Quantum(b uint64) int {
	magnitude := b & (f.sign() - 1)
	e, m := int(magnitude>>f.mantissa), magnitude&(1<<f.mantissa-1)
	switch {
	case magnitude == 0:
		return NoQuantum
	case magnitude >= f.infinity():
		return -NoQuantum
	case e == 0:
		e = 1
	default:
		m |= 1 << f.mantissa
	}
	return e - f.bias() - int(f.mantissa) + bits.TrailingZeros64(m)
}

// Exact reports whether every sum of multiples of 2^quantum is a value of the
// format if the absolute values add up to magnitude: then no order of
// additions rounds. Exponents may be as large as they will.
func (f Format) Exact(magnitude float64, quantum int) bool {
	return magnitude <= math.Ldexp(1, quantum+int(f.mantissa)+1)
}
