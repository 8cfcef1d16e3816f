package lanes

import (
	"math"

	"hyptx/ir/isa"
)

// Division, reciprocal and roots. To nearest, Go's own operations are
// correctly rounded in f64, and in f32 even by way of double, which has more
// than twice the bits. In a directed rounding the nearest result is corrected
// by one place where the sign of its exact remainder asks for it: in f32 the
// remainder is exact in double (a product of two numbers of 24 bits has 48, and
// a double holds 53), in f64 it is found with wide numbers (float64.go), rarely
// and slowly. A positive remainder of positive numbers says that the quotient
// lies above what was found, so .rp takes the next one up and .rm, .rz keep it.

// Div is div (PTX ISA 9.7.1.9, 9.7.3.8). An integer divided by zero gives all
// ones, as the hardware's sequence does; the manual leaves it open.
func Div(v Variant) Fn {
	switch {
	case v.Type == isa.F32:
		return modifyF32(divF32(v), v)
	case v.Type == isa.F64:
		return divF64(v.Rnd)
	}
	return divInts.at(v.Type)
}

// Rem is rem (PTX ISA 9.7.1.10): the sign of the dividend, and the dividend
// itself for a divisor of zero, so that a = b*div + rem holds.
func Rem(v Variant) Fn { return remInts.at(v.Type) }

// divInts and remInts are the quotient and the remainder in all integer
// types.
var divInts = ints{
	u16: liftShort2(div[uint16]), s16: liftShort2(div[int16]), u32: lift2(div[uint32]), s32: lift2(div[int32]),
	u64: lift2(div[uint64]), s64: lift2(div[int64]),
}

var remInts = ints{
	u16: liftShort2(rem[uint16]), s16: liftShort2(rem[int16]), u32: lift2(rem[uint32]), s32: lift2(rem[int32]),
	u64: lift2(rem[uint64]), s64: lift2(rem[int64]),
}

// Go defines the least value divided by -1 as itself, with remainder 0.
func div[T integer](a, b T) T {
	if b == 0 {
		return ^T(0)
	}
	return a / b
}

// rem is what div leaves; of a division by zero, all of a.
func rem[T integer](a, b T) T {
	if b == 0 {
		return a
	}
	return a % b
}

// divF32 returns the variant: .approx and .full have an error bound and are
// computed as exactly as double allows; the rounded ones are exact.
func divF32(v Variant) Fn {
	switch {
	case v.Approx:
		return lift2(divApproxF32)
	case v.Full:
		return lift2(func(a, b float32) float32 { return canon(float32(float64(a) / float64(b))) })
	case v.Rnd == isa.RN:
		return lift2(func(a, b float32) float32 { return canon(a / b) })
	case v.Rnd == isa.NoRnd:
		return nil
	}
	return lift2(func(a, b float32) float32 { return quotientF32(a, b, v.Rnd) })
}

// canon returns x, with NaNs made canonical.
func canon(x float32) float32 {
	if x != x {
		return math.Float32frombits(0x7fffffff)
	}
	return x
}

// divApproxF32: for |b| above 2^126 the reciprocal is flushed, so that the
// quotient is a zero, or NaN for an infinite a.
func divApproxF32(a, b float32) float32 {
	if m := math.Abs(float64(b)); m > 0x1p126 && m < 0x1p128 {
		return canon(a * float32(math.Copysign(0, float64(b))))
	}
	return canon(float32(float64(a) / float64(b)))
}

// quotientF32 is a/b in a directed rounding: the nearest quotient, corrected
// by the sign of the remainder, which is exact in double.
func quotientF32(a, b float32, rnd isa.Rounding) float32 {
	q := a / b
	if q != q {
		return canon(q)
	}
	if math.IsInf(float64(a), 0) || math.IsInf(float64(b), 0) || a == 0 || b == 0 {
		return q
	}
	diff := -signOf(float64(q)) // of an overflow
	if !math.IsInf(float64(q), 0) {
		diff = signOf(float64(a)-float64(q)*float64(b)) * signOf(float64(b))
	}
	return direct32(q, diff, rnd)
}

// direct32 is direct64 for f32.
func direct32(r float32, diff int, rnd isa.Rounding) float32 {
	switch {
	case diff > 0 && (rnd == isa.RP || rnd == isa.RZ && r < 0):
		return math.Nextafter32(r, float32(math.Inf(1)))
	case diff < 0 && (rnd == isa.RM || rnd == isa.RZ && r > 0):
		return math.Nextafter32(r, float32(math.Inf(-1)))
	}
	return r
}

// divF64 is div.f64, which always has a rounding.
func divF64(rnd isa.Rounding) Fn {
	switch rnd {
	case isa.NoRnd:
		return nil
	case isa.RN:
		return lift2(func(a, b float64) float64 {
			q := a / b
			if q != q {
				return nan64(a, b)
			}
			return q
		})
	}
	return lift2(func(a, b float64) float64 { return quotientF64(a, b, rnd) })
}

// quotientF64 is a/b in a directed rounding.
func quotientF64(a, b float64, rnd isa.Rounding) float64 {
	q := a / b
	switch {
	case q != q:
		return nan64(a, b)
	case !finite64(a) || !finite64(b) || a == 0 || b == 0:
		return q
	case math.IsInf(q, 0):
		return direct64(q, -signOf(q), rnd)
	}
	// The sign of a/b - q is that of a - q*b, times b's.
	return direct64(q, exactFma(-q, b, a, 0)*signOf(b), rnd)
}

// Rcp is rcp (PTX ISA 9.7.3.13 and, .approx.ftz.f64, 9.7.3.14).
func Rcp(v Variant) Fn {
	switch {
	case v.Type == isa.F64 && v.Approx:
		return lift1(func(a uint64) uint64 { return grossF64(a, func(x float64) float64 { return 1 / x }) })
	case v.Type == isa.F64 && v.Rnd != isa.NoRnd:
		return lift1(func(a float64) float64 {
			if a != a {
				return nan64(a)
			}
			return quotientF64(1, a, v.Rnd)
		})
	case v.Type != isa.F32:
		return nil
	case v.Approx:
		return modifyF32(lift1(func(a float32) float32 { return canon(float32(1 / float64(a))) }), v)
	case v.Rnd == isa.RN:
		return modifyF32(lift1(func(a float32) float32 { return canon(1 / a) }), v)
	case v.Rnd != isa.NoRnd:
		return modifyF32(lift1(func(a float32) float32 { return quotientF32(1, a, v.Rnd) }), v)
	}
	return nil
}

// grossF64 computes f from the upper word of a double and keeps the upper word
// of the result, with subnormals flushed (PTX ISA 9.7.3.14).
func grossF64(a uint64, f func(float64) float64) uint64 {
	flush := func(b uint64) uint64 {
		if b&(0x7ff<<52) == 0 {
			return b & (1 << 63)
		}
		return b &^ 0xffffffff
	}
	if a<<1 > 0x7ff<<53 {
		return 0x7fffffff00000000
	}
	r := f(math.Float64frombits(flush(a)))
	if r != r {
		return 0x7fffffff00000000
	}
	return flush(math.Float64bits(r))
}

// Sqrt is sqrt (PTX ISA 9.7.3.15).
func Sqrt(v Variant) Fn {
	switch {
	case v.Type == isa.F64 && v.Rnd != isa.NoRnd:
		return lift1(func(a float64) float64 { return rootF64(a, v.Rnd) })
	case v.Type == isa.F32 && (v.Approx || v.Rnd == isa.RN):
		return modifyF32(lift1(func(a float32) float32 { return canon(float32(math.Sqrt(float64(a)))) }), v)
	case v.Type == isa.F32 && v.Rnd != isa.NoRnd:
		return modifyF32(lift1(func(a float32) float32 { return rootF32(a, v.Rnd) }), v)
	}
	return nil
}

// rootF32 is the root in a directed rounding; the square of the nearest root
// is exact in double, so that the sign of the error is.
func rootF32(a float32, rnd isa.Rounding) float32 {
	x := float64(a)
	r := float32(math.Sqrt(x))
	if r != r || math.IsInf(x, 0) || x == 0 {
		return canon(r)
	}
	return direct32(r, signOf(x-float64(r)*float64(r)), rnd)
}

// rootF64 is the root in any rounding.
func rootF64(a float64, rnd isa.Rounding) float64 {
	r := math.Sqrt(a)
	switch {
	case r != r:
		return nan64(a)
	case rnd == isa.RN || math.IsInf(a, 0) || a == 0:
		return r
	}
	return direct64(r, exactFma(-r, r, a, 0), rnd)
}

// Rsqrt is rsqrt (PTX ISA 9.7.3.16 and, .approx.ftz.f64, 9.7.3.17).
func Rsqrt(v Variant) Fn {
	switch {
	case v.Type == isa.F64 && v.FTZ:
		return lift1(func(a uint64) uint64 { return grossF64(a, rsqrt) })
	case v.Type == isa.F64:
		return lift1(func(a float64) float64 {
			if a != a {
				return nan64(a)
			}
			if r := rsqrt(a); r == r {
				return r
			}
			return nan64()
		})
	case v.Type == isa.F32:
		return modifyF32(lift1(func(a float32) float32 { return canon(float32(rsqrt(float64(a)))) }), v)
	}
	return nil
}

// rsqrt returns 1/sqrt(x); that of -0 is -Inf.
func rsqrt(x float64) float64 { return 1 / math.Sqrt(x) }
