package devicelib

import (
	"math"
	"math/big"
	"sync"
)

// Elementary functions of float64 through math/big, so that the one rounding is the last
// and every machine gives the same bits: Go's own are fused differently here and there.
// Series and reductions of arguments are the textbook's (Muller, Elementary Functions,
// chapters 3 and 9).

// bits is the precision of a calculation. trigBits is that of pi where the largest number,
// of 1024 bits before its point, is reduced by it.
const (
	bits     = 256
	trigBits = 1024 + 2*bits
)

func number(x float64) *big.Float          { return new(big.Float).SetPrec(bits).SetFloat64(x) }
func zero() *big.Float                     { return new(big.Float).SetPrec(bits) }
func add(a, b *big.Float) *big.Float       { return zero().Add(a, b) }
func sub(a, b *big.Float) *big.Float       { return zero().Sub(a, b) }
func mul(a, b *big.Float) *big.Float       { return zero().Mul(a, b) }
func quo(a, b *big.Float) *big.Float       { return zero().Quo(a, b) }
func root(a *big.Float) *big.Float         { return zero().Sqrt(a) }
func scale(a *big.Float, n int) *big.Float { return zero().SetMantExp(a, n) }

// rounded is the nearest float64.
func rounded(a *big.Float) float64 { x, _ := a.Float64(); return x }

// small reports whether a term no longer changes a sum.
func small(term, sum *big.Float) bool {
	return term.Sign() == 0 || sum.Sign() != 0 && term.MantExp(nil) < sum.MantExp(nil)-bits
}

// pi is computed once, by Machin's formula.
var pi = sync.OnceValue(func() *big.Float {
	inverse := func(n int64) *big.Float { // atan(1/n)
		sum, term := new(big.Float).SetPrec(trigBits), new(big.Float).SetPrec(trigBits).Quo(big.NewFloat(1), new(big.Float).SetInt64(n))
		square := new(big.Float).SetInt64(n * n)
		for k := int64(1); term.Sign() != 0 && (sum.Sign() == 0 || term.MantExp(nil) > sum.MantExp(nil)-trigBits); k += 2 {
			part := new(big.Float).SetPrec(trigBits).Quo(term, new(big.Float).SetInt64(k))
			if k%4 == 3 {
				part.Neg(part)
			}
			sum.Add(sum, part)
			term.Quo(term, square)
		}
		return sum
	}
	a, b := inverse(5), inverse(239)
	a.Mul(a, big.NewFloat(16))
	return a.Sub(a, b.Mul(b, big.NewFloat(4)))
})

// ln2 is computed once: 2 atanh(1/3).
var ln2 = sync.OnceValue(func() *big.Float { return scale(atanhSeries(quo(number(1), number(3))), 1) })

// atanhSeries is x + x^3/3 + x^5/5 + ..., for small x.
func atanhSeries(x *big.Float) *big.Float {
	sum, power, square := zero(), zero().Set(x), mul(x, x)
	for k := 1.0; ; k += 2 {
		part := quo(power, number(k))
		if sum.Add(sum, part); small(part, sum) {
			return sum
		}
		power.Mul(power, square)
	}
}

// log is the natural logarithm: of a number m*2^n with m near 1, by 2 atanh((m-1)/(m+1)).
func log(x *big.Float) *big.Float {
	m := zero()
	n := x.MantExp(m)
	if m.Cmp(number(math.Sqrt2/2)) < 0 {
		m, n = scale(m, 1), n-1
	}
	return add(mul(number(float64(n)), ln2()), log1p(sub(m, number(1))))
}

// log1p is log(1+x), for x from -1/3 to 1/2.
func log1p(x *big.Float) *big.Float { return scale(atanhSeries(quo(x, add(x, number(2)))), 1) }

// expm1 is exp(x)-1: by the series of x/2^k, and then by squaring, as (y+1)^2-1 = y(y+2).
func expm1(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return zero()
	}
	k := max(0, x.MantExp(nil)+8)
	r := scale(x, -k)
	sum, term := zero(), zero().Set(r)
	for n := 2.0; ; n++ {
		if sum.Add(sum, term); small(term, sum) {
			break
		}
		term = quo(mul(term, r), number(n))
	}
	for range k {
		sum = mul(sum, add(sum, number(2)))
	}
	return sum
}

// exp is the exponential function: 2^n exp(r) with r at most ln2/2.
func exp(x *big.Float) *big.Float {
	q := quo(x, ln2())
	f, _ := q.Float64()
	n := math.RoundToEven(f)
	r := sub(x, mul(number(n), ln2()))
	return scale(add(expm1(r), number(1)), int(n))
}

// quarter reduces an angle to r, at most pi/4, and the quarter of the circle that it is
// in; of angles of half turns (sinpi) times pi.
func quarter(x *big.Float) (r *big.Float, n int) {
	half := new(big.Float).SetPrec(trigBits).Quo(pi(), big.NewFloat(2))
	q := new(big.Float).SetPrec(trigBits).Quo(x, half)
	q.Add(q, big.NewFloat(math.Copysign(0.5, float64(q.Sign()))))
	whole, _ := q.Int(nil)
	turns := new(big.Float).SetPrec(trigBits).SetInt(whole)
	wide := new(big.Float).SetPrec(trigBits).Sub(x, turns.Mul(turns, half))
	n = int(new(big.Int).And(whole, big.NewInt(3)).Int64())
	return zero().Set(wide), n
}

// sincos is the sine and the cosine of an angle.
func sincos(x *big.Float) (sin, cos *big.Float) {
	r, n := quarter(x)
	s, c := series(r, 1), series(r, 0)
	switch n {
	case 1:
		return c, s.Neg(s)
	case 2:
		return s.Neg(s), c.Neg(c)
	case 3:
		return c.Neg(c), s
	}
	return s, c
}

// series is that of the sine (from the first power on) or the cosine (from 0).
func series(r *big.Float, first int) *big.Float {
	sum, term, square := zero(), number(1), mul(r, r)
	if first == 1 {
		term.Set(r)
	}
	for k := float64(first); ; k += 2 {
		if sum.Add(sum, term); small(term, sum) {
			return sum
		}
		term = quo(mul(term, square), number((k+1)*(k+2)))
		term.Neg(term)
	}
}

// atan is the arc tangent: halved until the series is short.
func atan(x *big.Float) *big.Float {
	negative := x.Sign() < 0
	a, turned := zero().Abs(x), false
	if a.Cmp(number(1)) > 0 {
		a, turned = quo(number(1), a), true
	}
	halved := 0
	for a.Sign() != 0 && a.MantExp(nil) > -6 {
		a = quo(a, add(number(1), root(add(number(1), mul(a, a)))))
		halved++
	}
	sum, power, square := zero(), zero().Set(a), mul(a, a)
	for k := 1.0; ; k += 2 {
		part := quo(power, number(k))
		if sum.Add(sum, part); small(part, sum) {
			break
		}
		power = mul(power, square)
		power.Neg(power)
	}
	sum = scale(sum, halved)
	if turned {
		sum = sub(scale(zero().Set(pi()), -1), sum)
	}
	if negative {
		sum.Neg(sum)
	}
	return sum
}
