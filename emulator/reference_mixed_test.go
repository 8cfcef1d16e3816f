package emulator

import (
	"math/big"
	"slices"

	"hyptx/emulator/internal/softfloat"
	"hyptx/ir/isa"
)

// Arithmetic on pairs and fours of two formats (PTX ISA 9.7.5, 9.7.6).

// floatOperation is an operation on a format.
type floatOperation func(x *isa.Inst, f *softfloat.Format, a []uint64) uint64

// mixedPairs is an operation on f32x2 of which an operand or the result is a pair of
// halves.
func mixedPairs(op floatOperation) laneReference {
	return func(x *isa.Inst, in []uint64) []outcome {
		to, from := x.Types[0], x.Types[1]
		switch {
		case to == isa.F32x2 && from.Lanes() == 2 && from != to:
			half, d := *formatOf(from.Elem()), uint64(0)
			for k := range 2 {
				a := []uint64{widened(half, softfloat.F32, low(in[0]>>(16*k), 16))}
				for _, v := range in[1:] {
					a = append(a, low(v>>(32*k), 32))
				}
				d |= result(&softfloat.F32, op(x, &softfloat.F32, a)).bits << (32 * k)
			}
			return is(d)
		case from == isa.F32x2 && to != from:
			var codes [2][]uint64
			for k := range codes {
				codes[k] = narrowedResults(x, formatOf(to.Elem()), op, low(in[0]>>(32*k), 32), low(in[1]>>(32*k), 32))
			}
			return pairOutcome(16, codes[0], codes[1])
		}
		return nil
	}
}

// narrowedResults are a sum or product of f32 as a half, toward zero. What .ftz flushes,
// operands, results or both, the manual does not say.
func narrowedResults(x *isa.Inst, half *softfloat.Format, op floatOperation, a, b uint64) (all []uint64) {
	for _, flushed := range []bool{false, x.Has(isa.ModFtz)} {
		p, q := a, b
		if flushed {
			p, q = softfloat.F32.Flush(a), softfloat.F32.Flush(b)
		}
		r := exactlyNarrowed(x, half, op, p, q)
		all = append(all, r)
		if x.Has(isa.ModFtz) {
			all = append(all, half.Flush(r))
		}
	}
	return all
}

// exactlyNarrowed rounds the exact result once; which it is where it is not finite or
// zero the operation on f32 knows.
func exactlyNarrowed(x *isa.Inst, half *softfloat.Format, op floatOperation, a, b uint64) uint64 {
	f := softfloat.F32
	r := op(x, &f, []uint64{a, b})
	switch {
	case r == softfloat.Invalid:
		return 0x7fff
	case f.IsInf(r):
		return half.Inf(f.Negative(r))
	case f.IsInf(a) || f.IsInf(b) || f.IsNaN(a) || f.IsNaN(b):
		panic("an infinity or NaN became finite")
	}
	exact := new(big.Rat)
	switch p, q := f.Rat(a), f.Rat(b); x.Op {
	case isa.OpAdd:
		exact.Add(p, q)
	case isa.OpSub:
		exact.Sub(p, q)
	default:
		exact.Mul(p, q)
	}
	if exact.Sign() == 0 {
		return half.Zero(f.Negative(r))
	}
	return half.Round(exact, isa.RZ)
}

// foursReference is arithmetic on four narrow numbers, exact and rounded once. Too large
// a result without .satfinite may be the largest, infinity or NaN where there is none.
func foursReference(x *isa.Inst, in []uint64) []outcome {
	t := x.Types[0]
	if t != isa.E4M3x4 && t != isa.E5M2x4 {
		return nil
	}
	types := []isa.Type{x.Types[1], t}
	switch x.Op {
	case isa.OpMul:
		types[1] = x.Types[2]
	case isa.OpFma:
		types = []isa.Type{x.Types[1], x.Types[2], t}
	}
	var codes [4][]uint64
	for k := range codes {
		var a []real
		for i, t := range types {
			n := t.Bits() / 4
			a = append(a, narrowFormats[t.Elem()].real(t.Elem(), in[i]>>(k*n)))
		}
		var r real
		switch x.Op {
		case isa.OpAdd:
			r = a[0].plus(a[1])
		case isa.OpSub:
			a[1].neg = !a[1].neg
			r = a[0].plus(a[1])
		case isa.OpMul:
			r = a[0].product(a[1])
		default:
			r = a[0].product(a[1]).plus(a[2])
		}
		codes[k] = narrowFormats[t.Elem()].codes(x, t.Elem(), r)
	}
	return []outcome{{allows: func(got uint64) bool {
		for k, c := range codes {
			if !slices.Contains(c, low(got>>(8*k), 8)) {
				return false
			}
		}
		return got>>32 == 0
	}}}
}

// signedSize is the value of what is finite.
func (r real) signedSize() *big.Rat {
	if r.neg {
		return new(big.Rat).Neg(r.size)
	}
	return r.size
}

// plus and product are the sum and the product of IEEE 754, unrounded.
func (r real) plus(s real) real {
	switch {
	case r.nan || s.nan || r.inf && s.inf && r.neg != s.neg:
		return real{nan: true, size: new(big.Rat)}
	case r.inf:
		return r
	case s.inf:
		return s
	}
	sum := new(big.Rat).Add(r.signedSize(), s.signedSize())
	neg := sum.Sign() < 0 || sum.Sign() == 0 && r.neg && s.neg
	return real{neg: neg, size: sum.Abs(sum)}
}

func (r real) product(s real) real {
	zero := func(r real) bool { return !r.inf && r.size.Sign() == 0 }
	switch {
	case r.nan || s.nan || r.inf && zero(s) || s.inf && zero(r):
		return real{nan: true, size: new(big.Rat)}
	}
	return real{inf: r.inf || s.inf, neg: r.neg != s.neg, size: new(big.Rat).Mul(r.size, s.size)}
}
