package devicelib

import "math"

// Functions of statistics and the modified Bessel functions, which Go lacks or has lost the
// bits of.

// erfcinv is the inverse of erfc, by Newton's method where Go's, of 1-x, has lost the bits
// of a small x.
func erfcinv(x float64) float64 {
	switch {
	case x > 1.5:
		return -erfcinv(2 - x)
	case !(x > 0) || x > 0.25:
		return math.Erfinv(1 - x)
	}
	y := math.Sqrt(-math.Log(x * math.Sqrt(-math.Pi*math.Log(x))))
	for range 20 {
		// erfc'(y) = -2/sqrt(pi) exp(-y^2); both sides are divided by that.
		step := (erfcx(y) - rounded(mul(number(x), exp(mul(number(y), number(y)))))) * math.Sqrt(math.Pi) / 2
		if y += step; math.Abs(step) < 1e-17*y {
			break
		}
	}
	return y
}

// erfcx is exp(x^2) erfc(x).
func erfcx(x float64) float64 {
	switch {
	case x < -27:
		return math.Inf(1)
	case x < 10:
		return rounded(mul(exp(mul(number(x), number(x))), number(math.Erfc(x))))
	}
	sum, term := 1.0, 1.0
	for n := 1.0; n < 30 && math.Abs(term) > 1e-18; n++ { // Abramowitz and Stegun 7.1.23
		term *= -(2*n - 1) / (2 * x * x)
		sum += term
	}
	return sum / (x * math.Sqrt(math.Pi))
}

// normcdf is erfc(-x/sqrt(2))/2, with what the argument lost by rounding.
func normcdf(x float64) float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) || x < -40 {
		return math.Erfc(-x) / 2
	}
	exact := quo(number(-x), root(number(2)))
	a := rounded(exact)
	lost := rounded(sub(exact, number(a)))
	return (math.Erfc(a) - lost*2/math.Sqrt(math.Pi)*math.Exp(-a*a)) / 2
}

// besselI is the modified Bessel function of the first kind, by its series.
func besselI(order int, x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case math.Abs(x) > 714 && order == 0:
		return math.Inf(1)
	case math.Abs(x) > 714:
		return math.Copysign(math.Inf(1), x)
	}
	quarter := scale(mul(number(x), number(x)), -2)
	term := number(1)
	if order == 1 {
		term = scale(number(x), -1)
	}
	sum := zero()
	for k := 1.0; ; k++ {
		if sum.Add(sum, term); small(term, sum) {
			return rounded(sum)
		}
		term = quo(mul(term, quarter), number(k*(k+float64(order))))
	}
}
