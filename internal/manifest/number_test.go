package manifest

import (
	"math"
	"testing"
)

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
