package lanes

import (
	"math"

	"hyptx/ir/isa"
)

// The manual bounds the error of the fast approximations and leaves their
// bits to the machine. Double precision, rounded once, is within every bound
// and is the value that the bound is measured from; results of a GPU that
// differ in the last place are no error (analysis tells where a program's
// output rests on them).

// Sin and Cos (PTX ISA 9.7.3.18, .19), Lg2, Ex2 (.20, .21) and Tanh (.22; of
// halves 9.7.4.9, .10) are computed in double and rounded once. The special
// values of the manual's tables are those of package math.
func Sin(v Variant) Fn { return approxF32(v, math.Sin) }

// Cos is cos; see Sin.
func Cos(v Variant) Fn { return approxF32(v, math.Cos) }

// Lg2 is lg2; see Sin.
func Lg2(v Variant) Fn {
	return approxF32(v, func(x float64) float64 { return math.Log(x) * math.Log2E })
}

// Ex2 is ex2; see Sin.
func Ex2(v Variant) Fn {
	if v.Type != isa.F32 {
		return approxHalf(v, math.Exp2)
	}
	return approxF32(v, math.Exp2)
}

// Tanh is tanh; see Sin.
func Tanh(v Variant) Fn {
	if v.Type != isa.F32 {
		return approxHalf(v, math.Tanh)
	}
	return approxF32(v, math.Tanh)
}

// approxF32 lifts a function of doubles to f32 with .ftz and .sat.
func approxF32(v Variant, f func(float64) float64) Fn {
	if v.Type != isa.F32 {
		return nil
	}
	return modifyF32(lift1(func(a float32) float32 { return canon(float32(f(float64(a)))) }), v)
}

// approxHalf: .ftz occurs with bf16 only and flushes its subnormals.
func approxHalf(v Variant, f func(float64) float64) Fn {
	v.Sat, v.Relu, v.OOB = false, false, false
	ftz := v.FTZ
	v.FTZ = false
	switch v.Type.Elem() {
	case isa.F16:
		return halfLoop(v, func(a, _, _ uint32) uint32 { return f64ToF16(f(f16ToF64(a))) })
	case isa.BF16:
		return halfLoop(v, func(a, _, _ uint32) uint32 {
			if ftz {
				a = flushBF16(a)
			}
			r := f64ToBF16(f(bf16ToF64(a)))
			if ftz {
				r = flushBF16(r)
			}
			return r
		})
	}
	return nil
}

// flushBF16 replaces a subnormal bf16 by a zero of its sign.
func flushBF16(h uint32) uint32 {
	if h&0x7f80 == 0 {
		return h & 0x8000
	}
	return h
}
