// Package softfloat is IEEE 754 arithmetic in software, for tests only: the
// lanes, and the emulator with every spelling of the instruction table, are
// held against it. Both need it, and tests cannot import tests, so it is a
// package; nothing else imports it.
//
// It computes over rational numbers and rounds once, by the definition: the
// exact result lies between two neighbours on the grid of its binade, and the
// rounding mode says which of them it becomes. That is slow, but has no case
// that is special because hardware has it, and it shares no code with the
// lanes. Values are bits of a format in a uint64, so that all formats take the
// same functions.
package softfloat

import (
	"math/big"
	"math/rand/v2"

	"hyptx/ir/isa"
)

// Format describes a binary format: exponent and stored significand bits. F32 has
// 8 and 23: with the sign 32, and a significand of 24 bits of which the first is
// not stored.
type Format struct{ Exp, Man int }

// The formats of PTX; TF32 without the 13 bits below it in its register.
var (
	F16  = Format{5, 10}
	BF16 = Format{8, 7}
	TF32 = Format{8, 10}
	F32  = Format{8, 23}
	F64  = Format{11, 52}
)

// Bits returns the width, Bias what is added to exponents.
func (f Format) Bits() int { return 1 + f.Exp + f.Man }
func (f Format) Bias() int { return 1<<(f.Exp-1) - 1 }

// SignBit, InfBits and One are the bits of -0, infinity and 1.
func (f Format) SignBit() uint64 { return 1 << (f.Exp + f.Man) }
func (f Format) InfBits() uint64 { return (1<<f.Exp - 1) << f.Man }
func (f Format) One() uint64     { return uint64(f.Bias()) << f.Man }

// IsNaN, IsInf, IsZero and Negative say what bits are.
func (f Format) IsNaN(b uint64) bool    { return b&^f.SignBit() > f.InfBits() }
func (f Format) IsInf(b uint64) bool    { return b&^f.SignBit() == f.InfBits() }
func (f Format) IsZero(b uint64) bool   { return b&^f.SignBit() == 0 }
func (f Format) Negative(b uint64) bool { return b&f.SignBit() != 0 }

// Pow2 returns 2^n.
func Pow2(n int) *big.Rat {
	x := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(n, -n))))
	if n < 0 {
		x.Inv(x)
	}
	return x
}

// Rat returns the value of finite bits.
func (f Format) Rat(b uint64) *big.Rat {
	field := int(b &^ f.SignBit() >> f.Man)
	m := int64(b & (1<<f.Man - 1))
	if field == 0 {
		field = 1
	} else {
		m |= 1 << f.Man
	}
	r := new(big.Rat).SetInt64(m)
	r.Mul(r, Pow2(field-f.Bias()-f.Man))
	if f.Negative(b) {
		r.Neg(r)
	}
	return r
}

// Round rounds a value that is not zero, by finding its neighbours on the grid
// of its binade: in F16, 4097 lies between 2^12 and 2^13, where the grid's steps
// are 2^(12-10) = 4, so that 4096 and 4100 are the neighbours, and a quarter of a
// step is left over. Below the least normal number the grid of the lowest binade
// goes on to zero, which makes subnormals no case of their own.
func (f Format) Round(x *big.Rat, rnd isa.Rounding) uint64 {
	neg := x.Sign() < 0
	sign := f.Zero(neg)
	m := new(big.Rat).Abs(x)
	e := m.Num().BitLen() - m.Denom().BitLen() // within one of floor(log2 m)
	for m.Cmp(Pow2(e)) < 0 {
		e--
	}
	for m.Cmp(Pow2(e+1)) >= 0 {
		e++
	}
	e = max(e, 1-f.Bias())
	units := new(big.Rat).Mul(m, Pow2(f.Man-e))
	floor := new(big.Int).Quo(units.Num(), units.Denom())
	frac := new(big.Rat).Sub(units, new(big.Rat).SetInt(floor))
	half := frac.Cmp(big.NewRat(1, 2))
	up := false
	switch rnd {
	case isa.RZ:
	case isa.RM:
		up = neg && frac.Sign() > 0
	case isa.RP:
		up = !neg && frac.Sign() > 0
	case isa.RNA:
		up = half >= 0
	default:
		up = half > 0 || half == 0 && floor.Bit(0) == 1
	}
	k := floor.Uint64()
	if up {
		k++
	}
	// k units of 2^(e-man), k <= 2^(man+1)
	if k == 1<<(f.Man+1) {
		k, e = k/2, e+1
	}
	if e > f.Bias() {
		if rnd == isa.RZ || rnd == isa.RM && !neg || rnd == isa.RP && neg { // toward 0
			return sign | f.InfBits() - 1
		}
		return sign | f.InfBits()
	}
	if k < 1<<f.Man { // subnormal
		return sign | k
	}
	return sign | uint64(e+f.Bias())<<f.Man | k&(1<<f.Man-1)
}

// Zero returns the bits of a zero.
func (f Format) Zero(neg bool) uint64 {
	if neg {
		return f.SignBit()
	}
	return 0
}

// Inf returns the bits of an infinity.
func (f Format) Inf(neg bool) uint64 { return f.Zero(neg) | f.InfBits() }

// Invalid stands for any NaN: which one a machine gives is a question of PTX, not
// of IEEE 754, and the tests answer it.
const Invalid = ^uint64(0)

// Add returns a+b, as a*1+b.
func (f Format) Add(a, b uint64, rnd isa.Rounding) uint64 {
	return f.FMA(a, f.One(), b, rnd)
}

// Mul returns a*b.
func (f Format) Mul(a, b uint64, rnd isa.Rounding) uint64 {
	switch {
	case f.IsNaN(a) || f.IsNaN(b) || f.IsInf(a) && f.IsZero(b) || f.IsZero(a) && f.IsInf(b):
		return Invalid
	case f.IsInf(a) || f.IsInf(b):
		return f.Inf(f.Negative(a) != f.Negative(b))
	case f.IsZero(a) || f.IsZero(b):
		return f.Zero(f.Negative(a) != f.Negative(b))
	}
	return f.Round(new(big.Rat).Mul(f.Rat(a), f.Rat(b)), rnd)
}

// FMA returns a*b+c.
func (f Format) FMA(a, b, c uint64, rnd isa.Rounding) uint64 {
	pneg := f.Negative(a) != f.Negative(b)
	switch {
	case f.IsNaN(a) || f.IsNaN(b) || f.IsNaN(c) || f.IsInf(a) && f.IsZero(b) || f.IsZero(a) && f.IsInf(b):
		return Invalid
	case f.IsInf(a) || f.IsInf(b):
		if f.IsInf(c) && f.Negative(c) != pneg {
			return Invalid
		}
		return f.Inf(pneg)
	case f.IsInf(c):
		return c
	}
	sum := new(big.Rat).Mul(f.Rat(a), f.Rat(b))
	sum.Add(sum, f.Rat(c))
	if sum.Sign() != 0 {
		return f.Round(sum, rnd)
	}
	if (f.IsZero(a) || f.IsZero(b)) && f.IsZero(c) && pneg == f.Negative(c) {
		return f.Zero(pneg)
	}
	return f.Zero(rnd == isa.RM)
}

// Div returns a/b.
func (f Format) Div(a, b uint64, rnd isa.Rounding) uint64 {
	neg := f.Negative(a) != f.Negative(b)
	switch {
	case f.IsNaN(a) || f.IsNaN(b) || f.IsInf(a) && f.IsInf(b) || f.IsZero(a) && f.IsZero(b):
		return Invalid
	case f.IsInf(a) || f.IsZero(b):
		return f.Inf(neg)
	case f.IsZero(a) || f.IsInf(b):
		return f.Zero(neg)
	}
	return f.Round(new(big.Rat).Quo(f.Rat(a), f.Rat(b)), rnd)
}

// Sqrt returns the root of a, found bit by bit: the largest k with k*k <= a,
// in units four bits below the last place, and whether something is left.
func (f Format) Sqrt(a uint64, rnd isa.Rounding) uint64 {
	switch {
	case f.IsNaN(a) || f.Negative(a) && !f.IsZero(a):
		return Invalid
	case f.IsZero(a) || f.IsInf(a):
		return a
	}
	x := f.Rat(a)
	shift := 2 * (f.Bias() + 2*f.Man)
	scaled := new(big.Rat).Mul(x, Pow2(shift))
	n := new(big.Int).Quo(scaled.Num(), scaled.Denom()) // exact: x is a multiple of 2^-shift
	k := new(big.Int).Sqrt(n)
	r := new(big.Rat).SetInt(k)
	if new(big.Int).Mul(k, k).Cmp(n) != 0 {
		r.Add(r, big.NewRat(1, 2)) // strictly between two grid points finer than any format's
	}
	return f.Round(r.Mul(r, Pow2(-shift/2)), rnd)
}

// Flush replaces subnormals by zero.
func (f Format) Flush(b uint64) uint64 {
	if b&f.InfBits() == 0 {
		return b & f.SignBit()
	}
	return b
}

// Saturate clamps to [0, 1].
func (f Format) Saturate(b uint64) uint64 {
	if b == Invalid || f.IsNaN(b) || f.Negative(b) {
		return 0
	}
	return min(b, f.One())
}

// Operand draws bits of a format: special values, values around powers of
// two, and random ones, half of them close to each other in exponent.
func (f Format) Operand(r *rand.Rand) uint64 {
	sign := r.Uint64() & f.SignBit()
	man := uint64(1)<<f.Man - 1
	switch r.IntN(8) {
	case 0:
		special := []uint64{0, 1, man, man + 1, man + 2, f.InfBits() - 1, f.InfBits(),
			f.InfBits() + 1, f.InfBits() | 1<<(f.Man-1), f.SignBit() - 1, f.One()}
		return sign | special[r.IntN(len(special))]
	case 1: // around a power of two
		p := uint64(r.IntN(1<<f.Exp-1)) << f.Man
		return sign | (p+uint64(r.IntN(5))-2)&(f.SignBit()-1)
	case 2, 3, 4: // near one, few bits set: ties
		e := uint64(f.Bias() + r.IntN(2*f.Man+6) - f.Man - 3)
		if e >= 1<<f.Exp-1 {
			e = uint64(f.Bias())
		}
		return sign | e<<f.Man | r.Uint64()&r.Uint64()&r.Uint64()&man
	case 5: // small exponents: results that are subnormal
		return sign | uint64(r.IntN(1<<(f.Exp-1)))<<f.Man | r.Uint64()&man
	}
	return sign | r.Uint64()&(f.SignBit()-1)
}
