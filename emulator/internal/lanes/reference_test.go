package lanes

import (
	"math/big"
	"math/rand/v2"

	"hyptx/ir/isa"
)

// The reference: IEEE 754 arithmetic over math/big rationals, which shares no
// code with the lanes. Values are bits of a format.

// ieee describes a binary format: exponent and stored significand bits.
type ieee struct{ exp, man int }

var (
	ref16   = ieee{5, 10}
	refBF16 = ieee{8, 7}
	refTF32 = ieee{8, 10}
	ref32   = ieee{8, 23}
	ref64   = ieee{11, 52}
)

func (f ieee) bias() int       { return 1<<(f.exp-1) - 1 }
func (f ieee) signBit() uint64 { return 1 << (f.exp + f.man) }
func (f ieee) infBits() uint64 { return (1<<f.exp - 1) << f.man }
func (f ieee) isNaN(b uint64) bool {
	return b&^f.signBit() > f.infBits()
}
func (f ieee) isInf(b uint64) bool  { return b&^f.signBit() == f.infBits() }
func (f ieee) isZero(b uint64) bool { return b&^f.signBit() == 0 }
func (f ieee) neg(b uint64) bool    { return b&f.signBit() != 0 }

func pow2(n int) *big.Rat {
	one := big.NewInt(1)
	if n < 0 {
		return new(big.Rat).SetFrac(one, new(big.Int).Lsh(one, uint(-n)))
	}
	return new(big.Rat).SetInt(new(big.Int).Lsh(one, uint(n)))
}

// rat returns the value of finite bits.
func (f ieee) rat(b uint64) *big.Rat {
	field := int(b &^ f.signBit() >> f.man)
	m := int64(b & (1<<f.man - 1))
	if field == 0 {
		field = 1
	} else {
		m |= 1 << f.man
	}
	r := new(big.Rat).SetInt64(m)
	r.Mul(r, pow2(field-f.bias()-f.man))
	if f.neg(b) {
		r.Neg(r)
	}
	return r
}

// round rounds a value that is not zero, by finding its neighbours on the grid
// of its binade.
func (f ieee) round(x *big.Rat, rnd isa.Rounding) uint64 {
	neg := x.Sign() < 0
	var sign uint64
	if neg {
		sign = f.signBit()
	}
	m := new(big.Rat).Abs(x)
	e := m.Num().BitLen() - m.Denom().BitLen() // within one of floor(log2 m)
	for m.Cmp(pow2(e)) < 0 {
		e--
	}
	for m.Cmp(pow2(e+1)) >= 0 {
		e++
	}
	e = max(e, 1-f.bias())
	units := new(big.Rat).Mul(m, pow2(f.man-e))
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
	if k == 1<<(f.man+1) {
		k, e = k/2, e+1
	}
	if e > f.bias() {
		toward0 := rnd == isa.RZ || rnd == isa.RM && !neg || rnd == isa.RP && neg
		if toward0 {
			return sign | f.infBits() - 1
		}
		return sign | f.infBits()
	}
	if k < 1<<f.man { // subnormal
		return sign | k
	}
	return sign | uint64(e+f.bias())<<f.man | k&(1<<f.man-1)
}

// zero returns the bits of a zero.
func (f ieee) zero(neg bool) uint64 {
	if neg {
		return f.signBit()
	}
	return 0
}

// inf returns the bits of an infinity.
func (f ieee) inf(neg bool) uint64 { return f.zero(neg) | f.infBits() }

const invalid = ^uint64(0) // any NaN

// add returns a+b, as a*1+b.
func (f ieee) add(a, b uint64, rnd isa.Rounding) uint64 {
	return f.fma(a, uint64(f.bias())<<f.man, b, rnd)
}

// mul returns a*b.
func (f ieee) mul(a, b uint64, rnd isa.Rounding) uint64 {
	switch {
	case f.isNaN(a) || f.isNaN(b) || f.isInf(a) && f.isZero(b) || f.isZero(a) && f.isInf(b):
		return invalid
	case f.isInf(a) || f.isInf(b):
		return f.inf(f.neg(a) != f.neg(b))
	case f.isZero(a) || f.isZero(b):
		return f.zero(f.neg(a) != f.neg(b))
	}
	return f.round(new(big.Rat).Mul(f.rat(a), f.rat(b)), rnd)
}

// fma returns a*b+c.
func (f ieee) fma(a, b, c uint64, rnd isa.Rounding) uint64 {
	pneg := f.neg(a) != f.neg(b)
	switch {
	case f.isNaN(a) || f.isNaN(b) || f.isNaN(c) || f.isInf(a) && f.isZero(b) || f.isZero(a) && f.isInf(b):
		return invalid
	case f.isInf(a) || f.isInf(b):
		if f.isInf(c) && f.neg(c) != pneg {
			return invalid
		}
		return f.inf(pneg)
	case f.isInf(c):
		return c
	}
	sum := new(big.Rat).Mul(f.rat(a), f.rat(b))
	sum.Add(sum, f.rat(c))
	if sum.Sign() != 0 {
		return f.round(sum, rnd)
	}
	if (f.isZero(a) || f.isZero(b)) && f.isZero(c) && pneg == f.neg(c) {
		return f.zero(pneg)
	}
	return f.zero(rnd == isa.RM)
}

// div returns a/b.
func (f ieee) div(a, b uint64, rnd isa.Rounding) uint64 {
	neg := f.neg(a) != f.neg(b)
	switch {
	case f.isNaN(a) || f.isNaN(b) || f.isInf(a) && f.isInf(b) || f.isZero(a) && f.isZero(b):
		return invalid
	case f.isInf(a) || f.isZero(b):
		return f.inf(neg)
	case f.isZero(a) || f.isInf(b):
		return f.zero(neg)
	}
	return f.round(new(big.Rat).Quo(f.rat(a), f.rat(b)), rnd)
}

// sqrt returns the root of a, found bit by bit: the largest k with k*k <= a,
// in units four bits below the last place, and whether something is left.
func (f ieee) sqrt(a uint64, rnd isa.Rounding) uint64 {
	switch {
	case f.isNaN(a) || f.neg(a) && !f.isZero(a):
		return invalid
	case f.isZero(a) || f.isInf(a):
		return a
	}
	x := f.rat(a)
	shift := 2 * (f.bias() + 2*f.man)
	scaled := new(big.Rat).Mul(x, pow2(shift))
	n := new(big.Int).Quo(scaled.Num(), scaled.Denom()) // exact: x is a multiple of 2^-shift
	k := new(big.Int).Sqrt(n)
	r := new(big.Rat).SetInt(k)
	if new(big.Int).Mul(k, k).Cmp(n) != 0 {
		r.Add(r, big.NewRat(1, 2)) // strictly between two grid points finer than any format's
	}
	return f.round(r.Mul(r, pow2(-shift/2)), rnd)
}

// flush replaces subnormals by zero.
func (f ieee) flush(b uint64) uint64 {
	if b&f.infBits() == 0 {
		return b & f.signBit()
	}
	return b
}

// saturate clamps to [0, 1].
func (f ieee) saturate(b uint64) uint64 {
	one := uint64(f.bias()) << f.man
	switch {
	case b == invalid || f.isNaN(b) || f.neg(b):
		return 0
	case b > one:
		return one
	}
	return b
}

// operands draws bits of a format: special values, values around powers of
// two, and random ones, half of them close to each other in exponent.
func (f ieee) operand(r *rand.Rand) uint64 {
	sign := r.Uint64() & f.signBit()
	man := uint64(1)<<f.man - 1
	switch r.IntN(8) {
	case 0:
		special := []uint64{0, 1, man, man + 1, man + 2, f.infBits() - 1, f.infBits(),
			f.infBits() + 1, f.infBits() | 1<<(f.man-1), f.signBit() - 1, uint64(f.bias()) << f.man}
		return sign | special[r.IntN(len(special))]
	case 1: // around a power of two
		p := uint64(r.IntN(1<<f.exp-1)) << f.man
		return sign | (p+uint64(r.IntN(5))-2)&(f.signBit()-1)
	case 2, 3, 4: // near one, few bits set: ties
		e := uint64(f.bias() + r.IntN(2*f.man+6) - f.man - 3)
		if e >= 1<<f.exp-1 {
			e = uint64(f.bias())
		}
		return sign | e<<f.man | r.Uint64()&r.Uint64()&r.Uint64()&man
	case 5: // small exponents: results that are subnormal
		return sign | uint64(r.IntN(1<<(f.exp-1)))<<f.man | r.Uint64()&man
	}
	return sign | r.Uint64()&(f.signBit()-1)
}
