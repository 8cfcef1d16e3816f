package emulator

import (
	"math"
	"math/big"

	"hyptx/emulator/internal/softfloat"
	"hyptx/ir/isa"
)

// canonical NaNs are the results of f32 and half-precision operations (PTX ISA
// 9.7.3, 9.7.4); of f64, nothing is said about the payload.
func result(f *softfloat.Format, b uint64) outcome {
	switch {
	case b != softfloat.Invalid:
		return outcome{bits: b}
	case *f == softfloat.F64:
		return outcome{bits: b, allows: f.IsNaN}
	case *f == softfloat.F32:
		return outcome{bits: 0x7fffffff}
	}
	return outcome{bits: 0x7fff}
}

// floats lifts an operation on one format to the type's packing, with what .ftz,
// .sat, .relu and .oob do to operands and results (9.7.3, 9.7.4.4).
func floats(f func(x *isa.Inst, f *softfloat.Format, a []uint64) uint64) laneReference {
	return func(x *isa.Inst, in []uint64) []outcome {
		t := x.Type()
		format := formatOf(t.Elem())
		if format == nil || x.Types[1] != isa.NoType {
			return nil
		}
		n := format.Bits()
		var whole outcome
		for k := range t.Lanes() {
			args := make([]uint64, len(in))
			for i, v := range in {
				args[i] = low(v>>(k*n), n)
			}
			o := result(format, modified(x, format, args, f))
			if t.Lanes() == 1 {
				return []outcome{o}
			}
			whole.bits |= o.bits << (k * n)
		}
		return []outcome{whole}
	}
}

func modified(x *isa.Inst, f *softfloat.Format, a []uint64, op func(x *isa.Inst, f *softfloat.Format, a []uint64) uint64) uint64 {
	if x.Has(isa.ModOob) && (a[0] == 0x7fff || a[1] == 0x7fff) { // the NaN of copies out of bounds (5.5.1)
		return 0
	}
	if x.Has(isa.ModFtz) {
		for i := range a {
			a[i] = f.Flush(a[i])
		}
	}
	r := op(x, f, a)
	if x.Has(isa.ModFtz) && r != softfloat.Invalid {
		r = f.Flush(r)
	}
	switch {
	case x.Has(isa.ModSat):
		return f.Saturate(r)
	case x.Has(isa.ModRelu) && r != softfloat.Invalid && f.Negative(r):
		return 0
	}
	return r
}

// rounding is the instruction's; .rn is the default (9.7.3.3).
func rounding(x *isa.Inst) isa.Rounding {
	if x.Rnd == isa.NoRnd {
		return isa.RN
	}
	return x.Rnd
}

// sumReference is add and sub, of halves and f32 as well (9.7.5).
func sumReference(sign int) laneReference {
	add := func(x *isa.Inst, f *softfloat.Format, a []uint64) uint64 {
		b := a[1]
		if sign < 0 && !f.IsNaN(b) {
			b ^= f.SignBit()
		}
		return f.Add(a[0], b, rounding(x))
	}
	return either(foursReference, mixedPairs(add), floats(add), mixed(add))
}

// mixed is an operation on f32 whose first operands are halves: all but the last.
func mixed(op func(x *isa.Inst, f *softfloat.Format, a []uint64) uint64) laneReference {
	return func(x *isa.Inst, in []uint64) []outcome {
		from := formatOf(x.Types[1])
		if from == nil || x.Type() != isa.F32 {
			return nil
		}
		a := make([]uint64, len(in))
		for i, v := range in {
			if a[i] = v; i < len(in)-1 {
				a[i] = widened(*from, softfloat.F32, v)
			}
		}
		return []outcome{result(&softfloat.F32, modified(x, &softfloat.F32, a, op))}
	}
}

// widened is the same value in a wider format.
func widened(from, to softfloat.Format, v uint64) uint64 {
	switch {
	case from.IsNaN(v):
		return to.InfBits() + 1
	case from.IsInf(v):
		return to.Inf(from.Negative(v))
	case from.IsZero(v):
		return to.Zero(from.Negative(v))
	}
	return to.Round(from.Rat(v), isa.RN)
}

var (
	factors          = func(x *isa.Inst, f *softfloat.Format, a []uint64) uint64 { return f.Mul(a[0], a[1], rounding(x)) }
	productReference = either(foursReference, mixedPairs(factors), floats(factors))

	fused        = func(x *isa.Inst, f *softfloat.Format, a []uint64) uint64 { return f.FMA(a[0], a[1], a[2], rounding(x)) }
	fmaReference = either(foursReference, mixedPairs(fused), floats(fused), mixed(fused))

	exactQuotient = floats(func(x *isa.Inst, f *softfloat.Format, a []uint64) uint64 { return f.Div(a[0], a[1], rounding(x)) })
)

// quotientReference is div: exact, or near the exact quotient; beyond 2^126 the reciprocal of
// div.approx.f32 is zero (PTX ISA 9.7.3.8).
func quotientReference(x *isa.Inst, in []uint64) []outcome {
	if x.Bound() == nil {
		return exactQuotient(x, in)
	}
	return approximate(x, in, func(a []float64) float64 {
		if b := math.Abs(a[1]); x.Has(isa.ModApprox) && b > 0x1p126 && b < 0x1p128 {
			return a[0] * math.Copysign(0, a[1])
		}
		return a[0] / a[1]
	})
}

// signReference is neg and abs; of a NaN nothing is said but that it is one.
func signReference(x *isa.Inst, in []uint64) []outcome {
	t := x.Type()
	f := formatOf(t.Elem())
	if f == nil {
		return nil
	}
	n := f.Bits()
	return []outcome{{allows: func(got uint64) bool {
		for k := range t.Lanes() {
			a, d := low(in[0]>>(k*n), n), low(got>>(k*n), n)
			want := a &^ f.SignBit()
			if x.Op == isa.OpNeg {
				want = a ^ f.SignBit()
			}
			if x.Has(isa.ModFtz) && !f.IsNaN(a) {
				want = f.Flush(want)
			}
			if f.IsNaN(a) != f.IsNaN(d) || !f.IsNaN(a) && d != want {
				return false
			}
		}
		return true
	}}}
}

// extremumReference is min and max (9.7.3.11, 9.7.4.7): a number before a NaN, -0
// before 0; .NaN lets NaNs through, .abs drops signs, .xorsign sets one anew.
func extremumReference(sign int) laneReference {
	return floats(func(x *isa.Inst, f *softfloat.Format, a []uint64) uint64 {
		flipped := (a[0] ^ a[len(a)-1]) & f.SignBit()
		if x.Has(isa.ModAbs) {
			for i := range a {
				a[i] &^= f.SignBit()
			}
		}
		r := pickExtremum(x, f, sign, a[0], a[1])
		if len(a) == 3 {
			r = pickExtremum(x, f, sign, r, a[2])
		}
		if x.Has(isa.ModXorsign) && r != softfloat.Invalid {
			r = r&^f.SignBit() | flipped
		}
		return r
	})
}

// pickExtremum is the larger of two values by the sign, or the smaller one.
func pickExtremum(x *isa.Inst, f *softfloat.Format, sign int, a, b uint64) uint64 {
	switch {
	case a == softfloat.Invalid || b == softfloat.Invalid || f.IsNaN(a) || f.IsNaN(b):
		nan := x.Has(isa.ModNaN)
		aNaN, bNaN := a == softfloat.Invalid || f.IsNaN(a), b == softfloat.Invalid || f.IsNaN(b)
		if nan || aNaN && bNaN {
			return softfloat.Invalid
		}
		if aNaN {
			return b
		}
		return a
	case f.IsZero(a) && f.IsZero(b):
		if f.Negative(a) == (sign < 0) {
			return a
		}
		return b
	}
	if compareValues(f, a, b) == sign {
		return a
	}
	return b
}

// compareValues compares two numbers that are not NaN; zeros are equal.
func compareValues(f *softfloat.Format, a, b uint64) int {
	value := func(v uint64) *big.Rat {
		if f.IsInf(v) {
			x := softfloat.Pow2(1 << f.Exp)
			if f.Negative(v) {
				x.Neg(x)
			}
			return x
		}
		return f.Rat(v)
	}
	return value(a).Cmp(value(b))
}

// floatReferences are the operations that only floating point has (9.7.3).
var floatReferences = map[isa.Op]laneReference{
	isa.OpFma: fmaReference,
	isa.OpCopysign: func(x *isa.Inst, in []uint64) []outcome {
		s := formatOf(x.Type()).SignBit()
		return is(in[0]&s | in[1]&^s)
	},
	isa.OpTestp: func(x *isa.Inst, in []uint64) []outcome {
		f, a := formatOf(x.Type()), in[0]
		nan, inf := f.IsNaN(a), f.IsInf(a)
		subnormal := a&f.InfBits() == 0 && !f.IsZero(a)
		properties := map[string]bool{"finite": !nan && !inf, "infinite": inf, "number": !nan, "notanumber": nan,
			"normal":    !nan && !inf && !subnormal, // zeros are
			"subnormal": subnormal}
		return is(truth(properties[x.Sub.String()]))
	},
	isa.OpRcp: func(x *isa.Inst, in []uint64) []outcome {
		f := formatOf(x.Type())
		if x.Bound() != nil {
			return approximate(x, in, func(a []float64) float64 { return 1 / a[0] })
		}
		return exactQuotient(x, []uint64{f.One(), in[0]})
	},
	isa.OpSqrt: func(x *isa.Inst, in []uint64) []outcome {
		if x.Bound() != nil {
			return approximate(x, in, func(a []float64) float64 { return math.Sqrt(a[0]) })
		}
		return floats(func(x *isa.Inst, f *softfloat.Format, a []uint64) uint64 { return f.Sqrt(a[0], rounding(x)) })(x, in)
	},
	isa.OpRsqrt: approximation(func(a float64) float64 {
		if a == 0 {
			return math.Copysign(math.Inf(1), a)
		}
		return 1 / math.Sqrt(a)
	}),
	isa.OpSin: approximation(math.Sin), isa.OpCos: approximation(math.Cos), isa.OpTanh: approximation(math.Tanh),
	isa.OpLg2: approximation(math.Log2), isa.OpEx2: approximation(math.Exp2),
}

func approximation(f func(float64) float64) laneReference {
	return func(x *isa.Inst, in []uint64) []outcome {
		return approximate(x, in, func(a []float64) float64 { return f(a[0]) })
	}
}

// approximate allows what the manual's bound does, around the result in double
// precision, whose own error is far below; NaN, infinities and zeros are exact.
func approximate(x *isa.Inst, in []uint64, f func(a []float64) float64) []outcome {
	t, format := x.Type(), formatOf(x.Type().Elem())
	n := format.Bits()
	return []outcome{{allows: func(got uint64) bool {
		for k := range t.Lanes() {
			a := make([]float64, len(in))
			for i, v := range in {
				b := low(v>>(k*n), n)
				if x.Has(isa.ModFtz) || t.Elem() == isa.F64 { // rcp.approx.ftz.f64 is the only form of f64 without
					if x.Has(isa.ModFtz) {
						b = format.Flush(b)
					}
				}
				a[i] = float(format, b)
			}
			if !near(x, format, a, f(a), low(got>>(k*n), n)) {
				return false
			}
		}
		return true
	}}}
}

// float is the number that bits are.
func float(f *softfloat.Format, b uint64) float64 {
	switch {
	case f.IsNaN(b):
		return math.NaN()
	case *f == softfloat.F32:
		return float64(math.Float32frombits(uint32(b)))
	case *f == softfloat.F64:
		return math.Float64frombits(b)
	}
	return math.Float64frombits(widened(*f, softfloat.F64, b))
}

// near reports whether bits are within the bound of an exact result.
func near(x *isa.Inst, f *softfloat.Format, a []float64, want float64, got uint64) bool {
	d := float(f, got)
	if math.IsNaN(want) || math.IsNaN(d) {
		return math.IsNaN(want) && math.IsNaN(d) && (*f == softfloat.F64 || result(f, softfloat.Invalid).bits == got)
	}
	part, ok := x.Bound().Part(a[len(a)-1])
	switch {
	case !ok:
		return *f == softfloat.F64 && grossly(want, d) || *f != softfloat.F64
	case want == 0 || math.IsInf(want, 0):
		return d == want && math.Signbit(d) == math.Signbit(want) || want == 0 && math.Abs(d) <= part.Absolute
	}
	least := math.Ldexp(1, 1-f.Bias())
	most := math.Ldexp(2, f.Bias())
	switch {
	case part == isa.BoundPart{Low: part.Low, High: part.High, Open: part.Open}: // the manual names the result: 0, NaN for infinities
		return d == 0 || math.IsNaN(d)
	case math.Abs(want) < 2*least: // subnormal results may be flushed
		return math.Abs(d-want) <= 2*least
	case math.Abs(want) >= most*(1-1/1024.):
		return math.Abs(d) >= most*(1-1/256.) && math.Signbit(d) == math.Signbit(want)
	}
	ulp := math.Ldexp(1, max(math.Ilogb(want), 1-f.Bias())-f.Man)
	off := math.Abs(d - want)
	return off <= float64(part.ULP+1)*ulp && part.ULP > 0 || off <= part.Relative*math.Abs(want)+ulp/2 && part.Relative > 0 ||
		off <= part.Absolute+ulp/2 && part.Absolute > 0
}

// grossly: the approximations of f64 are those of the upper half, 20 bits.
func grossly(want, d float64) bool {
	if want == 0 || math.IsInf(want, 0) || math.Abs(want) < 0x1p-1021 || math.Abs(want) > 0x1p1022 {
		return true
	}
	return math.Abs(d-want) <= 0x1p-19*math.Abs(want)
}
