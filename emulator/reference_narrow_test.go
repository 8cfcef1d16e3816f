package emulator

import (
	"math/big"
	"slices"
	"strings"

	"hyptx/emulator/internal/softfloat"
	"hyptx/ir/isa"
)

// Conversions from and to narrow formats (PTX ISA 9.7.10.24, 5.2.3, 5.2.4): a table of
// all numbers of the format, and between which of them a rational number lies. What the
// manual leaves open, the sign of what has none, what is too large without .satfinite,
// which zero .pzo makes, is a set of codes here.

// narrowFormat has the values of the codes that are no NaN, infinity or negative.
type narrowFormat struct {
	values   []*big.Rat
	inf, nan uint64 // 0: none
	sign     uint64 // 0: unsigned
}

var narrowFormats = func() map[isa.Type]*narrowFormat {
	table := func(largest uint64, value func(code uint64) *big.Rat) (values []*big.Rat) {
		for code := range largest + 1 {
			values = append(values, value(code))
		}
		return values
	}
	return map[isa.Type]*narrowFormat{
		isa.E2M1:  {table(7, softfloat.Format{Exp: 2, Man: 1}.Rat), 0, 0, 8},
		isa.E2M3:  {table(0x1f, softfloat.Format{Exp: 2, Man: 3}.Rat), 0, 0, 0x20},
		isa.E3M2:  {table(0x1f, softfloat.Format{Exp: 3, Man: 2}.Rat), 0, 0, 0x20},
		isa.E4M3:  {table(0x7e, softfloat.Format{Exp: 4, Man: 3}.Rat), 0, 0x7f, 0x80},
		isa.E5M2:  {table(0x7b, softfloat.Format{Exp: 5, Man: 2}.Rat), 0x7c, 0x7d, 0x80},
		isa.UE5M3: {table(0xfe, softfloat.Format{Exp: 5, Man: 3}.Rat), 0, 0xff, 0},
		isa.UE8M0: {table(0xfe, func(code uint64) *big.Rat { return softfloat.Pow2(int(code) - 127) }), 0, 0xff, 0},
		isa.S2F6:  {table(0x7f, func(code uint64) *big.Rat { return big.NewRat(int64(code), 64) }), 0, 0, 0x80},
	}
}()

// real is a number of any format: NaN, an infinity, or a value, with its sign.
type real struct {
	nan, inf, neg bool
	size          *big.Rat // the magnitude
}

func realOf(f softfloat.Format, b uint64) real {
	r := real{nan: f.IsNaN(b), inf: f.IsInf(b), neg: f.Negative(b), size: new(big.Rat)}
	if !r.nan && !r.inf {
		r.size.Abs(f.Rat(b))
	}
	return r
}

// real is the number of a code.
func (f *narrowFormat) real(t isa.Type, b uint64) real {
	b = low(b, t.Bits())
	if t == isa.S2F6 {
		v := big.NewRat(int64(int8(b)), 64)
		return real{neg: v.Sign() < 0, size: v.Abs(v)}
	}
	r := real{neg: b&f.sign != 0, size: new(big.Rat)}
	switch b &^= f.sign; {
	case f.inf != 0 && b == f.inf:
		r.inf = true
	case f.nan != 0 && b >= f.nan:
		r.nan = true
	default:
		r.size.Set(f.values[b])
	}
	return r
}

// times multiplies with 2^(scale-127), or divides.
func (r real) times(scale uint64, divide bool) real {
	if scale == 0xff {
		r.nan = true
	}
	n := int(scale) - 127
	if divide {
		n = -n
	}
	r.size = new(big.Rat).Mul(r.size, softfloat.Pow2(n))
	return r
}

// scaleOf is that of element n, 0 the lower one.
func scaleOf(x *isa.Inst, in []uint64, n int) uint64 {
	switch {
	case modifierIn(x.Opcode, "scaled::n1::ue8m0"):
		return low(in[len(in)-1], 8)
	case modifierIn(x.Opcode, "scaled::n2::ue8m0"):
		return low(in[len(in)-1]>>(8*n), 8)
	}
	return 127
}

// pairOutcome is the outcome of two elements, each of some codes; nil are all.
func pairOutcome(width int, lower, upper []uint64) []outcome {
	fits := func(codes []uint64, got uint64) bool { return codes == nil || slices.Contains(codes, got) }
	o := outcome{allows: func(got uint64) bool {
		return got>>(2*width) == 0 && fits(lower, low(got, width)) && fits(upper, got>>width)
	}}
	if len(lower) > 0 && len(upper) > 0 {
		o.bits = lower[0] | upper[0]<<width
	}
	return []outcome{o}
}

// narrowConvert is cvt where a pair of narrow numbers takes part.
func narrowConvert(x *isa.Inst, in []uint64) []outcome {
	to, from := x.Types[0], x.Types[1]
	if f := narrowFormats[to.Elem()]; f != nil {
		var elements [2]real
		switch {
		case from == isa.F32:
			elements = [2]real{realOf(softfloat.F32, in[1]), realOf(softfloat.F32, in[0])}
		default:
			half := *formatOf(from.Elem())
			elements = [2]real{realOf(half, low(in[0], 16)), realOf(half, in[0]>>16)}
		}
		var codes [2][]uint64
		for i, r := range elements {
			codes[i] = f.codes(x, to.Elem(), r.times(scaleOf(x, in, i), true))
		}
		return pairOutcome(to.Bits()/2, codes[0], codes[1])
	}
	f, half := narrowFormats[from.Elem()], formatOf(to.Elem())
	if f == nil || half == nil {
		return nil
	}
	var codes [2][]uint64
	for i := range codes {
		r := f.real(from.Elem(), in[0]>>(i*from.Bits()/2)).times(scaleOf(x, in, i), false)
		codes[i] = []uint64{halfOf(x, half, r)}
	}
	return pairOutcome(16, codes[0], codes[1])
}

// halfOf is a half with the value of a narrow number.
func halfOf(x *isa.Inst, half *softfloat.Format, r real) uint64 {
	if r.nan {
		return 0x7fff
	}
	b := half.Zero(r.neg)
	switch {
	case r.inf:
		b = half.Inf(r.neg)
	case r.size.Sign() != 0:
		b |= half.Round(r.size, isa.RN)
	}
	return narrowSpecial(x, half, b)
}

// codes are those that the manual allows for a number.
func (f *narrowFormat) codes(x *isa.Inst, t isa.Type, r real) []uint64 {
	largest, finite := uint64(len(f.values)-1), x.Has(isa.ModSatfinite)
	beyond := !r.nan && (r.inf || r.size.Cmp(f.values[largest]) > 0)
	switch {
	case r.nan && f.nan == 0:
		return []uint64{largest}
	case r.nan:
		return []uint64{(f.sign - 1) & 0xff} // all bits but the sign
	case f.sign == 0 && r.neg && r.size.Sign() != 0 && !(beyond && finite), t == isa.UE8M0 && r.size.Sign() == 0 && !r.inf:
		return nil
	case beyond && !finite && r.inf && f.inf != 0:
		return f.signed(x, t, r, f.inf)
	case beyond && !finite:
		if f.inf != 0 {
			return append(f.signed(x, t, r, largest), f.signed(x, t, r, f.inf)[0])
		}
		return append(f.signed(x, t, r, largest), (f.sign-1)&0xff)
	case r.neg && x.Has(isa.ModRelu):
		return []uint64{0}
	case beyond && t == isa.S2F6 && r.neg: // the largest, or the largest that is negative
		return []uint64{0x81, 0x80}
	case beyond:
		return f.signed(x, t, r, largest)
	}
	if r.size.Cmp(f.values[0]) < 0 { // ue8m0, which has no zero
		if x.Rnd == isa.RZ {
			return nil
		}
		return []uint64{0}
	}
	below, _ := slices.BinarySearchFunc(f.values, r.size, (*big.Rat).Cmp)
	if uint64(below) > largest || f.values[below].Cmp(r.size) != 0 {
		below--
	}
	code := uint64(below)
	if code < largest {
		over := new(big.Rat).Sub(r.size, f.values[below])
		under := new(big.Rat).Sub(f.values[below+1], r.size)
		if c := over.Cmp(under); x.Rnd == isa.RP && !r.neg && over.Sign() > 0 || rounding(x) == isa.RN && (c > 0 || c == 0 && code&1 != 0) {
			code++
		}
	}
	return f.signed(x, t, r, code)
}

// signed gives a code its sign. -0 with .pzo may be either zero.
func (f *narrowFormat) signed(x *isa.Inst, t isa.Type, r real, code uint64) []uint64 {
	switch {
	case !r.neg || f.sign == 0:
		return []uint64{code}
	case t == isa.S2F6:
		return []uint64{-code & 0xff}
	case code == 0 && modifierIn(x.Opcode, "pzo"):
		return []uint64{0, f.sign}
	}
	return []uint64{code | f.sign}
}

// randomConvert is cvt.rs to pairs of halves: the number of 13 or 16 random bits is added
// to as many that are cut off. Where more are, or the result is too large, either
// neighbour will do.
func randomConvert(x *isa.Inst, in []uint64) []outcome {
	f, n := softfloat.F16, 13
	if x.Types[0] == isa.BF16x2 {
		f, n = softfloat.BF16, 16
	}
	one := func(b, random uint64) []uint64 {
		r := realOf(softfloat.F32, b)
		switch {
		case r.nan:
			return []uint64{0x7fff}
		case r.inf:
			return []uint64{narrowSpecial(x, &f, f.Inf(r.neg))}
		case r.size.Sign() == 0:
			return []uint64{narrowSpecial(x, &f, f.Zero(r.neg))}
		}
		down := f.Round(r.size, isa.RZ)
		away := func(code uint64) uint64 { return narrowSpecial(x, &f, f.Zero(r.neg)|code) }
		both := []uint64{away(down), away(down + 1)}
		switch normal := down >= 1<<f.Man; {
		case f.Rat(down).Cmp(r.size) == 0:
			return both[:1]
		case !normal || down+1 == f.InfBits():
			return both
		}
		rest := new(big.Rat).Sub(r.size, f.Rat(down))
		rest.Quo(rest, new(big.Rat).Sub(f.Rat(down+1), f.Rat(down)))
		sum := rest.Mul(rest, softfloat.Pow2(n))
		sum.Add(sum, new(big.Rat).SetInt64(int64(low(random, n))))
		if sum.Cmp(softfloat.Pow2(n)) >= 0 {
			return both[1:]
		}
		return both[:1]
	}
	return pairOutcome(16, one(in[1], in[2]), one(in[0], in[2]>>16))
}

// isNarrow reports whether a type is of elements that narrowConvert knows.
func isNarrow(t isa.Type) bool {
	return narrowFormats[t.Elem()] != nil && strings.HasSuffix(t.String(), "x2")
}
