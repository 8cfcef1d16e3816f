package lanes

import (
	"math"
	"math/big"

	"hyptx/ir/isa"
)

// What f64 needs beyond Go's operators: NaNs with the right payload, and
// directed roundings. There is no wider hardware type to compute the exact
// result in, as double is for f32; instead the nearest result is computed
// first and then moved to its neighbour if the exact value, whose side is
// found with package big, lies beyond it.

// nan64 is the NaN of an f64 operation: the first operand that is one, made
// quiet, or the NaN of an invalid operation.
func nan64(ops ...float64) float64 {
	for _, x := range ops {
		if x != x {
			return math.Float64frombits(math.Float64bits(x) | 1<<51)
		}
	}
	return math.Float64frombits(formatF64.nan)
}

// signOf returns -1, 0 or 1.
func signOf(x float64) int {
	switch {
	case x < 0:
		return -1
	case x > 0:
		return 1
	}
	return 0
}

// direct64 turns r, the nearest double to an exact value, into the one that
// rnd asks for; diff is the sign of the exact value minus r. A zero r keeps
// its sign.
func direct64(r float64, diff int, rnd isa.Rounding) float64 {
	switch {
	case diff > 0 && (rnd == isa.RP || rnd == isa.RZ && r < 0):
		return math.Nextafter(r, math.Inf(1))
	case diff < 0 && (rnd == isa.RM || rnd == isa.RZ && r > 0):
		return math.Nextafter(r, math.Inf(-1))
	}
	return r
}

// exactFma returns the sign of a*b+c-r; r may be infinite.
func exactFma(a, b, c, r float64) int {
	x := wideFloat(a)
	x.Mul(x, wideFloat(b))
	return x.Add(x, wideFloat(c)).Cmp(wideFloat(r))
}

// wideFloat returns x with a precision in which sums and products of doubles
// are exact: their bits lie between 2^-2148 and 2^2048.
func wideFloat(x float64) *big.Float {
	return new(big.Float).SetPrec(4400).SetFloat64(x)
}

// finite64 reports that x is neither infinite nor NaN.
func finite64(x float64) bool { return x-x == 0 }
