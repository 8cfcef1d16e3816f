package devicelib

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"sync"
)

// What is calculated. Functions of float64 that are elementary go through math/big; those
// of float32 are calculated in float64, which leaves them 29 bits for the one rounding.
// The rest are Go's: held against 50 digits at 150 places each, erf was at most 0.8 ulp off,
// erfc 1.6, erfinv 2.8, erfcinv 3.6, tgamma 2.9, Bessel functions below 8 6 ulp, where the
// CUDA C++ Programming Guide allows 2, 5, 5, 6, 10 and 7.

// calculated is a function of the bits of its arguments.
type calculated struct {
	name string
	fn   func(args []uint64) uint64
}

// calculations are numbered, since an instruction has numbers for operands.
var calculations = sync.OnceValue(func() (list []calculated) {
	add := func(name string, fn func([]uint64) uint64) { list = append(list, calculated{name, fn}) }
	for name, f := range unary {
		add(name, func(a []uint64) uint64 { return math.Float64bits(f.wide(math.Float64frombits(a[0]))) })
		add(name+"f", func(a []uint64) uint64 { return narrow(f.narrow(float(a[0]))) })
	}
	for name, f := range binary {
		add(name, func(a []uint64) uint64 {
			return math.Float64bits(f.wide(math.Float64frombits(a[0]), math.Float64frombits(a[1])))
		})
		add(name+"f", func(a []uint64) uint64 { return narrow(f.narrow(float(a[0]), float(a[1]))) })
	}
	for name, f := range norms {
		add(name, func(a []uint64) uint64 { return math.Float64bits(f(doubles(a))) })
		add(name+"f", func(a []uint64) uint64 { return narrow(f(floats(a))) })
	}
	list = append(list, mixed...)
	slices.SortFunc(list, func(a, b calculated) int { return strings.Compare(a.name, b.name) })
	return list
})

// calculation returns the number of a calculation, by the name that libdevice has for it.
func calculation(name string) int {
	name = strings.TrimPrefix(name, "fast_")
	if name == "frsqrt_rn" {
		name = "rsqrtf"
	}
	i, ok := slices.BinarySearchFunc(calculations(), name, func(c calculated, name string) int { return strings.Compare(c.name, name) })
	if !ok {
		panic("BUG: nothing calculates " + name)
	}
	return i
}

// Calculate does the calculation of a number with the bits of its arguments.
func Calculate(number int, args []uint64) uint64 { return calculations()[number].fn(args) }

func float(b uint64) float64  { return float64(math.Float32frombits(uint32(b))) }
func narrow(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }
func doubles(a []uint64) (xs []float64) {
	for _, b := range a {
		xs = append(xs, math.Float64frombits(b))
	}
	return xs
}

func floats(a []uint64) (xs []float64) {
	for _, b := range a {
		xs = append(xs, float(b))
	}
	return xs
}

// either is a function in two precisions.
type either struct{ wide, narrow func(float64) float64 }

// precisely calculates x through math/big where a plain calculation gives a number that is
// neither 0 nor infinite, and x is none of these: what is special is the same in both.
func precisely(plain func(float64) float64, exactly func(*big.Float) *big.Float) either {
	return either{func(x float64) float64 {
		y := plain(x)
		switch size := math.Abs(x); {
		case x == 0 || math.IsInf(x, 0) || math.IsNaN(y):
			return y
		case (y == 0 || math.IsInf(y, 0)) && (size <= 1 || size > 1100): // else the range ends near x
			return y
		}
		return rounded(exactly(number(x)))
	}, plain}
}

// both is a function that is calculated in float64 for either precision.
func both(f func(float64) float64) either { return either{f, f} }

var unary = map[string]either{
	"exp":   precisely(math.Exp, exp),
	"exp2":  precisely(math.Exp2, func(x *big.Float) *big.Float { return exp(mul(x, ln2())) }),
	"exp10": precisely(exp10, func(x *big.Float) *big.Float { return exp(mul(x, log(number(10)))) }),
	"expm1": precisely(math.Expm1, bigExpm1),
	"log":   precisely(math.Log, log),
	"log2":  precisely(math.Log2, func(x *big.Float) *big.Float { return quo(log(x), ln2()) }),
	"log10": precisely(math.Log10, func(x *big.Float) *big.Float { return quo(log(x), log(number(10))) }),
	"log1p": precisely(math.Log1p, bigLog1p),
	"sin":   precisely(math.Sin, func(x *big.Float) *big.Float { s, _ := sincos(x); return s }),
	"cos":   precisely(math.Cos, func(x *big.Float) *big.Float { _, c := sincos(x); return c }),
	"tan":   precisely(math.Tan, func(x *big.Float) *big.Float { s, c := sincos(x); return quo(s, c) }),
	"sinpi": both(func(x float64) float64 { return ofPi(x, 0) }), "cospi": both(func(x float64) float64 { return ofPi(x, 0.5) }),
	"atan": precisely(math.Atan, atan),
	"asin": precisely(math.Asin, func(x *big.Float) *big.Float { return halfTurn(x, atanOf(x, root(sub(number(1), mul(x, x))))) }),
	"acos": precisely(math.Acos, func(x *big.Float) *big.Float {
		return scale(atanOf(root(sub(number(1), x)), root(add(number(1), x))), 1)
	}),
	"sinh": precisely(math.Sinh, func(x *big.Float) *big.Float {
		e := expm1(zero().Abs(x))
		y := scale(add(e, quo(e, add(e, number(1)))), -1)
		return y.Mul(y, number(float64(x.Sign())))
	}),
	"cosh": precisely(math.Cosh, func(x *big.Float) *big.Float { e := exp(x); return scale(add(e, quo(number(1), e)), -1) }),
	"tanh": precisely(math.Tanh, func(x *big.Float) *big.Float {
		if x.MantExp(nil) > 6 {
			return number(float64(x.Sign()))
		}
		e := expm1(scale(x, 1))
		return quo(e, add(e, number(2)))
	}),
	"asinh": precisely(math.Asinh, func(x *big.Float) *big.Float {
		a, square := zero().Abs(x), mul(x, x)
		y := bigLog1p(add(a, quo(square, add(number(1), root(add(number(1), square))))))
		return y.Mul(y, number(float64(x.Sign())))
	}),
	"acosh": precisely(math.Acosh, func(x *big.Float) *big.Float { return log(add(x, root(sub(mul(x, x), number(1))))) }),
	"atanh": precisely(math.Atanh, func(x *big.Float) *big.Float {
		return scale(bigLog1p(quo(scale(x, 1), sub(number(1), x))), -1)
	}),
	"cbrt":  precisely(math.Cbrt, cubeRoot),
	"rcbrt": precisely(func(x float64) float64 { return 1 / math.Cbrt(x) }, func(x *big.Float) *big.Float { return quo(number(1), cubeRoot(x)) }),
	"rsqrt": precisely(func(x float64) float64 { return 1 / math.Sqrt(x) }, func(x *big.Float) *big.Float { return quo(number(1), root(x)) }),
	"erf":   both(math.Erf), "erfc": both(math.Erfc), "erfinv": both(math.Erfinv), "erfcinv": both(erfcinv), "erfcx": both(erfcx),
	"normcdf": both(normcdf), "normcdfinv": both(func(p float64) float64 { return -math.Sqrt2 * erfcinv(2*p) }),
	"lgamma": {lgamma, func(x float64) float64 { y, _ := math.Lgamma(x); return y }}, "tgamma": both(math.Gamma),
	"j0": both(math.J0), "j1": both(math.J1), "y0": both(math.Y0), "y1": both(math.Y1),
	"cyl_bessel_i0": both(func(x float64) float64 { return besselI(0, x) }), "cyl_bessel_i1": both(func(x float64) float64 { return besselI(1, x) }),
	"logb": both(math.Logb), "round": both(math.Round),
	"remainderofone": both(func(x float64) float64 {
		if math.IsInf(x, 0) {
			return math.Copysign(0, x)
		}
		return math.Copysign(x-math.Trunc(x), x)
	}),
	"fraction": both(func(x float64) float64 { f, _ := math.Frexp(x); return f }),
}

// eitherOf is a function of two arguments in two precisions.
type eitherOf struct{ wide, narrow func(x, y float64) float64 }

var binary = map[string]eitherOf{
	"pow": {powPrecisely, math.Pow}, "atan2": {atan2, math.Atan2},
	"hypot":     {func(x, y float64) float64 { return norm([]float64{x, y}) }, func(x, y float64) float64 { return norm([]float64{x, y}) }},
	"rhypot":    {func(x, y float64) float64 { return rnorm([]float64{x, y}) }, func(x, y float64) float64 { return rnorm([]float64{x, y}) }},
	"fmod":      {math.Mod, math.Mod},
	"remainder": {math.Remainder, math.Remainder},
	"fdim":      {dim, dim},
	"nextafter": {math.Nextafter, func(x, y float64) float64 { return float64(math.Nextafter32(float32(x), float32(y))) }},
}

// norms are functions of a vector's components.
var norms = map[string]func([]float64) float64{"norm3d": norm, "norm4d": norm, "rnorm3d": rnorm, "rnorm4d": rnorm}

// mixed are those with arguments or results that are integers.
var mixed = []calculated{
	{"ilogb", func(a []uint64) uint64 { return ilogb(math.Float64frombits(a[0])) }},
	{"ilogbf", func(a []uint64) uint64 { return ilogb(float(a[0])) }},
	{"exponent", func(a []uint64) uint64 { _, e := math.Frexp(math.Float64frombits(a[0])); return uint64(uint32(e)) }},
	{"exponentf", func(a []uint64) uint64 { _, e := math.Frexp(float(a[0])); return uint64(uint32(e)) }},
	{"quotient", func(a []uint64) uint64 { return quotient(math.Float64frombits(a[0]), math.Float64frombits(a[1])) }},
	{"quotientf", func(a []uint64) uint64 { return quotient(float(a[0]), float(a[1])) }},
	{"ldexp", func(a []uint64) uint64 { return math.Float64bits(ldexp(math.Float64frombits(a[0]), int32(a[1]))) }},
	{"ldexpf", func(a []uint64) uint64 { return narrow(ldexp(float(a[0]), int32(a[1]))) }},
	{"powi", func(a []uint64) uint64 {
		return math.Float64bits(powPrecisely(math.Float64frombits(a[0]), float64(int32(a[1]))))
	}},
	{"powif", func(a []uint64) uint64 { return narrow(math.Pow(float(a[0]), float64(int32(a[1])))) }},
	{"jn", func(a []uint64) uint64 {
		return math.Float64bits(math.Jn(int(int32(a[0])), math.Float64frombits(a[1])))
	}},
	{"jnf", func(a []uint64) uint64 { return narrow(math.Jn(int(int32(a[0])), float(a[1]))) }},
	{"yn", func(a []uint64) uint64 {
		return math.Float64bits(math.Yn(int(int32(a[0])), math.Float64frombits(a[1])))
	}},
	{"ynf", func(a []uint64) uint64 { return narrow(math.Yn(int(int32(a[0])), float(a[1]))) }},
}

func exp10(x float64) float64 { return math.Pow(10, x) }

func bigExpm1(x *big.Float) *big.Float {
	if x.MantExp(nil) > 7 { // beyond 64
		return sub(exp(x), number(1))
	}
	return expm1(x)
}

func bigLog1p(x *big.Float) *big.Float {
	if x.Cmp(number(-1.0/4)) > 0 && x.Cmp(number(1.0/2)) < 0 {
		return log1p(x)
	}
	return log(add(number(1), x))
}

// ofPi is sin(pi*(x+phase)), which is reduced without an error.
func ofPi(x, phase float64) float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return math.NaN()
	}
	r := math.Mod(x, 2)
	switch y := r + phase; {
	case y == math.Trunc(y) && phase == 0:
		return math.Copysign(0, x)
	case y == math.Trunc(y) && math.Abs(r) != 0: // a zero of the cosine
		return 0
	}
	s, c := sincos(mul(number(r), zero().Set(pi())))
	if phase != 0 {
		return rounded(c)
	}
	return rounded(s)
}

// atanOf is atan(y/x) for x that is not negative.
func atanOf(y, x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return scale(zero().Set(pi()), -1)
	}
	return atan(quo(y, x))
}

// halfTurn gives a quarter of a turn the sign of x.
func halfTurn(x, angle *big.Float) *big.Float {
	if x.Sign() < 0 && angle.Sign() > 0 {
		return angle.Neg(angle)
	}
	return angle
}

func cubeRoot(x *big.Float) *big.Float {
	y := exp(quo(log(zero().Abs(x)), number(3)))
	return y.Mul(y, number(float64(x.Sign())))
}

// powPrecisely is pow: what is special is Go's, which is C's.
func powPrecisely(x, y float64) float64 {
	plain := math.Pow(x, y)
	if x == 0 || y == 0 || x == 1 || math.IsInf(x, 0) || math.IsInf(y, 0) || math.IsNaN(plain) {
		return plain
	}
	power := mul(number(y), log(zero().Abs(number(x))))
	if f, _ := power.Float64(); math.Abs(f) > 800 {
		return plain
	}
	return math.Copysign(rounded(exp(power)), plain)
}

// atan2 is the angle of a point.
func atan2(y, x float64) float64 {
	plain := math.Atan2(y, x)
	if x == 0 || y == 0 || math.IsInf(x, 0) || math.IsInf(y, 0) || math.IsNaN(plain) {
		return plain
	}
	angle := atan(quo(number(y), number(x)))
	if x < 0 {
		turn := zero().Set(pi())
		if y < 0 {
			turn.Neg(turn)
		}
		angle = add(angle, turn)
	}
	return rounded(angle)
}

// length is the square of a vector's length; special is what stands for it where a
// component is infinite or no number.
func length(xs []float64) (square *big.Float, special float64, ok bool) {
	square = zero()
	for _, x := range xs {
		switch {
		case math.IsInf(x, 0):
			return nil, math.Inf(1), false
		case math.IsNaN(x):
			special = x
		default:
			square = add(square, mul(number(x), number(x)))
		}
	}
	return square, special, !math.IsNaN(special)
}

func norm(xs []float64) float64 {
	square, special, ok := length(xs)
	if !ok {
		return special
	}
	return rounded(root(square))
}

func rnorm(xs []float64) float64 {
	square, special, ok := length(xs)
	switch {
	case !ok:
		return 1 / special
	case square.Sign() == 0:
		return math.Inf(1)
	}
	return rounded(quo(number(1), root(square)))
}

func dim(x, y float64) float64 {
	if x <= y {
		return 0
	}
	return x - y
}

// ilogb is that of CUDA: INT_MIN of 0 and of what is no number, INT_MAX of infinity.
func ilogb(x float64) uint64 {
	switch {
	case x == 0 || math.IsNaN(x):
		return 1 << 31
	case math.IsInf(x, 0):
		return math.MaxInt32
	}
	return uint64(uint32(math.Ilogb(x)))
}

// quotient are the low bits of the quotient that remquo rounds, with its sign.
func quotient(x, y float64) uint64 {
	if y == 0 || math.IsInf(x, 0) || math.IsInf(y, 0) || math.IsNaN(x) || math.IsNaN(y) {
		return 0
	}
	q := quo(sub(number(x), number(math.Remainder(x, y))), number(y))
	n, _ := q.Add(q, number(math.Copysign(0.5, float64(q.Sign())))).Int(nil)
	low := int32(new(big.Int).And(new(big.Int).Abs(n), big.NewInt(7)).Int64())
	if n.Sign() < 0 {
		low = -low
	}
	return uint64(uint32(low))
}

func ldexp(x float64, n int32) float64 { return math.Ldexp(x, int(max(min(n, 5000), -5000))) }
