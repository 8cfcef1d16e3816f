package emulator

import (
	"math/big"

	"hyptx/emulator/internal/softfloat"
	"hyptx/ir/isa"
)

// moveReferences are moves and conversions (PTX ISA 9.7.10).
var moveReferences = map[isa.Op]laneReference{
	isa.OpMov: func(_ *isa.Inst, in []uint64) (out []outcome) {
		for _, v := range in {
			out = append(out, outcome{bits: v})
		}
		return out
	},
	isa.OpCvt:     convert,
	isa.OpCvtPack: packClamped,
}

// convert is cvt (9.7.10.24).
func convert(x *isa.Inst, in []uint64) []outcome {
	to, from := x.Types[0], x.Types[1]
	switch {
	case isNarrow(to) || isNarrow(from):
		return narrowConvert(x, in)
	case x.Rnd == isa.RS:
		return randomConvert(x, in)
	case to == isa.F16x2 || to == isa.BF16x2:
		f := formatOf(to.Elem())
		return is(narrowed(x, f, in[0])<<16 | narrowed(x, f, in[1]))
	case to == isa.TF32:
		return is(narrowed(x, &softfloat.TF32, in[0]))
	case formatOf(from) == nil && formatOf(to) == nil:
		if from.IsFloat() || to.IsFloat() {
			return nil
		}
		v := number(from, in[0])
		if x.Has(isa.ModSat) {
			v = clamped(to, v)
		}
		return extended(to, number(to, cut(v, to.Bits())))
	case formatOf(from) == nil:
		return fromInteger(x, to, from, in[0])
	case formatOf(to) == nil:
		return toInteger(x, to, from, in[0])
	}
	return betweenFloats(x, in[0])
}

// extended: an integer in a register wider than its type has its sign (9.4.1).
func extended(t isa.Type, v *big.Int) []outcome {
	return []outcome{{bits: cut(v, 64), allows: func(got uint64) bool {
		for _, n := range []int{16, 32, 64} { // the register's width
			if n >= t.Bits() && got == cut(v, n) {
				return true
			}
		}
		return false
	}}}
}

func fromInteger(x *isa.Inst, to, from isa.Type, b uint64) []outcome {
	f, v := formatOf(to), number(from, b)
	if v.Sign() == 0 {
		return is(0)
	}
	r := f.Round(new(big.Rat).SetInt(v), rounding(x))
	if x.Has(isa.ModSat) {
		r = f.Saturate(r)
	}
	return is(r)
}

// toInteger rounds to an integer and clamps; NaN is 0, but 2^(n-1) where f64 or
// 64 bits take part.
func toInteger(x *isa.Inst, to, from isa.Type, b uint64) []outcome {
	f := formatOf(from)
	if x.Has(isa.ModFtz) {
		b = f.Flush(b)
	}
	far := softfloat.Pow2(70)
	var v *big.Int
	switch {
	case f.IsNaN(b) && (from == isa.F64 || to.Bits() == 64):
		return extended(to, number(to, 1<<(to.Bits()-1)))
	case f.IsNaN(b):
		return extended(to, new(big.Int))
	case f.IsInf(b) && f.Negative(b):
		v = new(big.Int).Neg(far.Num())
	case f.IsInf(b):
		v = far.Num()
	default:
		v = integral(f.Rat(b), x.Rnd)
	}
	return extended(to, clamped(to, v))
}

// integral rounds a number to an integer.
func integral(v *big.Rat, rnd isa.Rounding) *big.Int {
	down := new(big.Int).Div(v.Num(), v.Denom())
	rest := new(big.Rat).Sub(v, new(big.Rat).SetInt(down))
	half := rest.Cmp(big.NewRat(1, 2))
	up := false
	switch rnd {
	case isa.RNI:
		up = half > 0 || half == 0 && down.Bit(0) == 1
	case isa.RZI:
		up = v.Sign() < 0 && rest.Sign() > 0
	case isa.RPI:
		up = rest.Sign() > 0
	}
	if up {
		down.Add(down, big.NewInt(1))
	}
	return down
}

func betweenFloats(x *isa.Inst, b uint64) []outcome {
	to, from := formatOf(x.Types[0]), formatOf(x.Types[1])
	if x.Has(isa.ModFtz) && *from == softfloat.F32 {
		b = from.Flush(b)
	}
	neg := from.Negative(b)
	r := to.Zero(neg)
	switch {
	case from.IsNaN(b):
		r = softfloat.Invalid
	case from.IsInf(b):
		r = to.Inf(neg)
	case from.IsZero(b):
	default:
		v := from.Rat(b)
		rnd := rounding(x)
		if rnd >= isa.RNI {
			v, rnd = new(big.Rat).SetInt(integral(v, rnd)), isa.RN
		}
		if v.Sign() != 0 {
			r = to.Round(v, rnd)
		}
	}
	if x.Has(isa.ModFtz) && *to == softfloat.F32 && r != softfloat.Invalid {
		r = to.Flush(r)
	}
	switch {
	case x.Has(isa.ModSat):
		return is(to.Saturate(r))
	case r == softfloat.Invalid && x.Types[0] == isa.F32 && x.Types[1] == isa.BF16, r == softfloat.Invalid && x.Types[0] == x.Types[1]:
		return []outcome{{allows: to.IsNaN}}
	case r == softfloat.Invalid:
		return []outcome{result(to, narrowSpecial(x, to, r))}
	}
	return is(narrowSpecial(x, to, r))
}

// narrowSpecial applies .satfinite and .relu, which conversions to halves have.
func narrowSpecial(x *isa.Inst, f *softfloat.Format, r uint64) uint64 {
	if r == softfloat.Invalid {
		return r
	}
	if x.Has(isa.ModSatfinite) && f.IsInf(r) {
		r--
	}
	if x.Has(isa.ModRelu) && f.Negative(r) {
		return 0
	}
	return r
}

// narrowed rounds an f32 to half precision or to tf32, which fills the upper
// bits of its register.
func narrowed(x *isa.Inst, f *softfloat.Format, b uint64) uint64 {
	from := softfloat.F32
	r := f.Zero(from.Negative(b))
	switch {
	case from.IsNaN(b) && *f == softfloat.TF32:
		return 0x7fffffff
	case from.IsNaN(b):
		return 0x7fff
	case from.IsInf(b):
		r = f.Inf(from.Negative(b))
	case !from.IsZero(b):
		r = f.Round(from.Rat(b), rounding(x))
	}
	r = narrowSpecial(x, f, r)
	if *f == softfloat.TF32 {
		return r << 13
	}
	return r
}

// packClamped is cvt.pack (9.7.10.25): a clamped to the left of b, and c's lower
// bits to the left of both.
func packClamped(x *isa.Inst, in []uint64) []outcome {
	t := x.Types[0]
	n := t.Bits()
	half := func(b uint64) uint64 { return cut(clamped(t, number(isa.S32, b)), n) }
	d := half(in[1]) | half(in[0])<<n
	if len(in) == 3 {
		d |= in[2] << (2 * n)
	}
	return is(low(d, 32))
}

// byteFormat describes e4m3, which has no infinities and one NaN, and e5m2.
func byteFormat(t isa.Type) (f softfloat.Format, largest uint64) {
	if t.Elem() == isa.E4M3 {
		return softfloat.Format{Exp: 4, Man: 3}, 0x7e
	}
	return softfloat.Format{Exp: 5, Man: 2}, 0x7b
}
