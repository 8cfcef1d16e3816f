package lanes

import (
	"math"

	"hyptx/ir/isa"
)

// The formats of 4, 6 and 8 bits go by a rule (PTX ISA 5.2.3): an exponent, a mantissa,
// subnormals below, and then a few codes at the top for infinity and NaN, or none. Which
// codes is all that keeps them from being formats of IEEE 754, and so is what narrow
// adds to a format (round.go). f16 and bf16 are written in it, too, for conversions
// between the two sides. A double holds every value exactly, also divided or multiplied
// by a scale, which is a power of two.

// narrow is a format of up to 16 bits.
type narrow struct {
	bits, man, bias int
	// unsigned: no sign, and what is converted loses its own: the manual says only that
	// numbers too large for ue8m0 become the largest one, whatever their sign.
	unsigned bool
	largest  uint32
	// inf is the code of infinity, nan the least one of a NaN; 0 where there is none.
	inf, nan uint32
	// canonical is the NaN that conversions make.
	canonical uint32
	// table has the values of all codes, nil for 16 bits.
	table []float64
}

var narrows = map[isa.Type]*narrow{
	isa.F16:   {bits: 16, man: 10, bias: 15, largest: 0x7bff, inf: 0x7c00, nan: 0x7c01, canonical: 0x7fff},
	isa.BF16:  {bits: 16, man: 7, bias: 127, largest: 0x7f7f, inf: 0x7f80, nan: 0x7f81, canonical: 0x7fff},
	isa.E5M2:  {bits: 8, man: 2, bias: 15, largest: 0x7b, inf: 0x7c, nan: 0x7d, canonical: 0x7f},
	isa.E4M3:  {bits: 8, man: 3, bias: 7, largest: 0x7e, nan: 0x7f, canonical: 0x7f},
	isa.E3M2:  {bits: 6, man: 2, bias: 3, largest: 0x1f},
	isa.E2M3:  {bits: 6, man: 3, bias: 1, largest: 0x1f},
	isa.E2M1:  {bits: 4, man: 1, bias: 1, largest: 7},
	isa.UE5M3: {bits: 8, man: 3, bias: 15, unsigned: true, largest: 0xfe, nan: 0xff, canonical: 0xff},
	isa.UE8M0: {bits: 8, man: 0, bias: 127, unsigned: true, largest: 0xfe, nan: 0xff, canonical: 0xff},
	isa.S2F6:  {bits: 8, largest: 0x7f}, // an integer, see value and code
}

func init() {
	for _, f := range narrows {
		if f.bits > 8 {
			continue
		}
		var table []float64
		for w := range uint32(1) << f.bits {
			table = append(table, f.value(w))
		}
		f.table = table
	}
}

// fixed reports whether it is s2f6, a signed number of 64ths.
func (f *narrow) fixed() bool { return f.bias == 0 }

// value returns what a code means; bits above it are ignored.
func (f *narrow) value(w uint32) float64 {
	w &= 1<<f.bits - 1
	switch {
	case f.table != nil:
		return f.table[w]
	case f.fixed():
		return float64(int8(w)) / 64
	}
	m, sign := w, 1.0
	if !f.unsigned && w>>(f.bits-1) != 0 {
		m, sign = w&^(1<<(f.bits-1)), -1
	}
	field, man := int(m>>f.man), float64(m&(1<<f.man-1))
	switch {
	case f.nan != 0 && m >= f.nan:
		return math.NaN()
	case f.inf != 0 && m == f.inf:
		return math.Inf(int(sign))
	case f.man == 0: // all exponents alike: neither zero nor subnormals
		return math.Ldexp(1, field-f.bias)
	case field == 0:
		return sign * math.Ldexp(man, 1-f.bias-f.man)
	}
	return sign * math.Ldexp(man+float64(int(1)<<f.man), field-f.bias-f.man)
}

// direction is how a number is rounded: in a direction, or, with .rs, by a random
// number of so many bits.
type direction struct {
	rnd    isa.Rounding
	random uint32
	bits   int
}

// up reports whether the larger of two magnitudes is taken, of which the smaller is odd
// or not and rest of the step from it to the larger is left. Of what is cut off .rs adds
// the random number to the uppermost bits, as many as it has itself; a carry rounds away
// from zero. The manual (PTX ISA 9.7.10.24) does not say which bits meet where more are
// cut off: below the normal range, and of formats of 8 bits and fewer.
func (r direction) up(neg, odd bool, rest float64) bool {
	if r.rnd == isa.RS {
		return uint32(rest*float64(uint32(1)<<r.bits))+r.random >= 1<<r.bits
	}
	half := 0
	switch {
	case rest > 0.5:
		half = 3
	case rest == 0.5:
		half = 2
	case rest > 0:
		half = 1
	}
	return away(r.rnd, neg, odd, half)
}

// code rounds a number to the format. What is too large becomes the largest number with
// .satfinite, and where rounding is toward zero; else infinity, or NaN where there is
// none. A NaN stays one, but where there is none it becomes the largest number, which
// is positive, as .satfinite asks; these formats have no conversion without it.
func (f *narrow) code(v *Variant, x float64, r direction) uint32 {
	if x != x {
		if f.nan == 0 {
			return f.largest
		}
		return f.canonical
	}
	neg := math.Signbit(x)
	m := f.magnitude(math.Abs(x), neg, r)
	if f.fixed() {
		return f.clampFixed(m, neg, v.Relu)
	}
	switch {
	case m <= f.largest:
	case v.SatFinite || r.rnd == isa.RZ && !math.IsInf(x, 0):
		m = f.largest
	case f.inf != 0:
		m = f.inf
	default:
		return f.canonical
	}
	switch {
	case !neg || f.unsigned:
		return m
	case v.Relu || v.PZO && m == 0:
		return 0
	}
	return m | 1<<(f.bits-1)
}

// magnitude returns the code of a number that is not negative, larger than any that the
// format has where it is too large.
func (f *narrow) magnitude(x float64, neg bool, r direction) uint32 {
	const beyond = 1 << 20
	least, man := 1-f.bias, f.man // of the exponents
	switch {
	case f.fixed():
		least, man = 0, 6
		x = min(x, 4) // too large, and far from the exponents of what is not
	case f.man == 0:
		least = -f.bias
	}
	e := max(int(math.Float64bits(x)>>52)-1023, least) // no double here is subnormal but 0
	if f.fixed() {
		e = least
	}
	if math.IsInf(x, 0) || e+f.bias > 1<<10 {
		return beyond
	}
	scaled := x * math.Float64frombits(uint64(man-e+1023)<<52) // exact, as 2^(man-e) is
	units := uint32(scaled)
	if r.up(neg, units&1 != 0, scaled-float64(units)) {
		units++
	}
	switch {
	case f.fixed():
		return units
	case f.man == 0:
		return uint32(max(0, e+f.bias+int(units)-1))
	}
	return units + uint32(e+f.bias-1)<<man
}

// clampFixed gives 64ths their sign, from -128 to 127 of them: the largest negative
// number, which the manual names in 5.2.4, is one further from zero than the positive.
func (f *narrow) clampFixed(m uint32, neg, relu bool) uint32 {
	switch {
	case neg && relu:
		return 0
	case neg:
		return -min(m, 128) & 0xff
	}
	return min(m, 127)
}
