package manifest

import (
	"math"
	"math/big"
	"math/rand/v2"
	"sort"
	"testing"
)

// format lists the finite values of a 16-bit format, by their bits: the
// definition of the format (IEEE 754-2019, 3.4), which knows no rounding.
type format struct {
	values []*big.Rat // of bits 0, 1, 2, ...; the last is what infinity stands for
	inf    uint16
}

func newFormat(fraction, low int, inf uint16) *format {
	f := &format{inf: inf}
	for bits := 0; bits <= int(inf); bits++ {
		e, m := bits>>fraction, bits&(1<<fraction-1)
		if e > 0 {
			m |= 1 << fraction
		} else {
			e = 1
		}
		exponent := e - 1 + low - fraction
		v := new(big.Rat).SetInt64(int64(m))
		scale := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(exponent, -exponent))))
		if exponent < 0 {
			scale.Inv(scale)
		}
		f.values = append(f.values, v.Mul(v, scale))
	}
	return f
}

// round finds the nearest value by comparing exact distances.
func (f *format) round(x *big.Rat, negative bool) uint16 {
	var sign uint16
	if negative {
		sign = 0x8000
	}
	a := new(big.Rat).Abs(x)
	i := sort.Search(len(f.values), func(i int) bool { return f.values[i].Cmp(a) >= 0 })
	if i == len(f.values) {
		return sign | f.inf
	}
	if i == 0 || f.values[i].Cmp(a) == 0 {
		return sign | uint16(i)
	}
	up := new(big.Rat).Sub(f.values[i], a)
	down := new(big.Rat).Sub(a, f.values[i-1])
	switch c := up.Cmp(down); {
	case c < 0, c == 0 && i%2 == 0:
		return sign | uint16(i)
	}
	return sign | uint16(i-1)
}

var formats = map[Type]*format{F16: newFormat(10, -14, 0x7c00), BF16: newFormat(7, -126, 0x7f80)}

func TestHalfRounding(t *testing.T) {
	round := map[Type]func(float64) uint16{F16: F16Bits, BF16: BF16Bits}
	for typ, f := range formats {
		check := func(x float64) {
			t.Helper()
			want := f.round(new(big.Rat).SetFloat64(x), math.Signbit(x))
			if got := round[typ](x); got != want {
				t.Errorf("%s of %g (%#x) = %#04x, want %#04x", typ, x, math.Float64bits(x), got, want)
			}
		}
		// Every value, every tie and its neighbours.
		for i := range int(f.inf) {
			v, _ := f.values[i].Float64()
			w, _ := f.values[i+1].Float64()
			tie := v + (w-v)/2
			for _, x := range []float64{v, tie, math.Nextafter(tie, 0), math.Nextafter(tie, math.Inf(1)), -v, -tie} {
				check(x)
			}
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for range 20000 {
			check(math.Ldexp(rng.Float64()*2-1, rng.IntN(300)-160))
		}
		for _, x := range []float64{0, math.Copysign(0, -1), 5e-324, -5e-324, math.MaxFloat64, 65519.99, 65520} {
			check(x)
		}
		if got := round[typ](math.Inf(-1)); got != f.inf|0x8000 {
			t.Errorf("%s of -inf = %#x", typ, got)
		}
		if got := round[typ](math.NaN()); got&f.inf != f.inf || got&^(f.inf|0x8000) == 0 {
			t.Errorf("%s of NaN = %#x is none", typ, got)
		}
	}
}

func TestNumberBits(t *testing.T) {
	for _, c := range []struct {
		text string
		typ  Type
		want uint64
		err  string
	}{
		{"-1", S8, 0xff, ""},
		{"-128", S8, 0x80, ""},
		{"128", S8, 0, "128 does not fit s8"},
		{"0xff", S8, 0xff, ""},
		{"0x100", S8, 0, "0x100 does not fit s8"},
		{"255", U8, 255, ""},
		{"-1", U8, 0, "-1 does not fit u8"},
		{"-1", B8, 255, ""},
		{"255", B8, 255, ""},
		{"256", B8, 0, "256 does not fit b8"},
		{"-129", B8, 0, "-129 does not fit b8"},
		{"1e3", U16, 1000, ""},
		{"1.5e1", S32, 15, ""},
		{"1.5", S32, 0, "1.5 is no whole number that fits s32"},
		{"1e9999", S64, 0, "1e9999 is no whole number that fits s64"},
		{"nan", U32, 0, "nan is no whole number that fits u32"},
		{"18446744073709551615", U64, math.MaxUint64, ""},
		{"18446744073709551616", U64, 0, "18446744073709551616 does not fit u64"},
		{"0xffffffffffffffff", S64, math.MaxUint64, ""},
		{"-9223372036854775808", S64, 1 << 63, ""},
		{"0x3f800000", B32, 0x3f800000, ""},
		{"0x3f800000", F32, 0, "hexadecimal 0x3f800000 is ambiguous for f32; give the bits with type b32"},
		{"1", F32, 0x3f800000, ""},
		{"-0", F32, 0x80000000, ""},
		{"nan", F32, 0x7fc00000, ""},
		{"nan", F16, 0x7e00, ""},
		{"nan", BF16, 0x7fc0, ""},
		{"nan", F64, 0x7ff8000000000000, ""},
		{"inf", F16, 0x7c00, ""},
		{"-inf", BF16, 0xff80, ""},
		{"+inf", F64, 0x7ff0000000000000, ""},
		{"1e39", F32, 0, `1e39 is too large for f32; write "inf" if that is meant`},
		{"65519", F16, 0x7bff, ""},
		{"65520", F16, 0, `65520 is too large for f16; write "inf" if that is meant`},
		{"1e-9999", F64, 0, ""},
		{"1e9999", F64, 0, `1e9999 is too large for f64; write "inf" if that is meant`},
		// 1 + 2^-24 is a tie of f32; just above it the double is the tie.
		{"1.000000059604644775390625", F32, 0x3f800000, ""},
		{"1.00000005960464477539062500000000001", F32, 0x3f800001, ""},
		// 1 + 2^-11 is a tie of f16, 1 + 2^-8 of bf16.
		{"1.00048828125", F16, 0x3c00, ""},
		{"1.00048828125000000000000000000000001", F16, 0x3c01, ""},
		{"1.00048828124999999999999999999999999", F16, 0x3c00, ""},
		{"1.00146484375", F16, 0x3c02, ""}, // 1 + 3*2^-11, to even
		{"1.00146484374999999999999999999999999", F16, 0x3c01, ""},
		{"1.00390625000000000000000000000000001", BF16, 0x3f81, ""},
		{"3", NoType, 0, "3 needs a type"},
	} {
		n, err := ParseNumber(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		got, err := n.Bits(c.typ)
		if message(err) != c.err || err == nil && got != c.want {
			t.Errorf("%s as %s = %#x, %q, want %#x, %q", c.text, c.typ, got, message(err), c.want, c.err)
		}
	}
	for _, bad := range []string{"", "x", "0x", "1_000", "0x1p3", "1e99999", "--1", "Inf", "infinity", " 1", "-nan", string(make([]byte, 200))} {
		if n, err := ParseNumber(bad); err == nil {
			t.Errorf("%q reads as %s", bad, n)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
