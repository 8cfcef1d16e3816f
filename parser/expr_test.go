package parser

import (
	"math"
	"strings"
	"testing"
)

// parseExpr reads an expression as the size of an array, through the tokens of
// a directive, and as an operand, from text; both must agree.
func parseExpr(tb testing.TB, text string) *Expr {
	tb.Helper()
	v := item[*Variable](tb, ".global .b8 a["+text+"];")
	in := one[*Instruction](tb, "st.b8 [x], {"+text+"};")
	fromTokens := v.Names[0].Dims[0]
	fromText := in.Operands[1].Elems[0]
	if got := showOperand(fromText); !fromText.Not && !fromText.Neg && got != show(fromTokens) {
		tb.Errorf("%s is %s as an array size and %s as an operand", text, show(fromTokens), got)
	}
	return fromTokens
}

func TestExpressions(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"1+2*3", "(1 + (2 * 3))"},
		{"(1+2)*3", "((1 + 2) * 3)"},
		{"1-2-3", "((1 - 2) - 3)"},
		{"1-(2-3)", "(1 - (2 - 3))"},
		{"16%4", "(16 % 4)"},
		{"(16)%4", "(16 % 4)"},
		{"16 / 4 % 3", "((16 / 4) % 3)"},
		{"1<<2+3", "(1 << (2 + 3))"},
		{"1<2<<3", "(1 < (2 << 3))"},
		{"1<=2==3>=4", "((1 <= 2) == (3 >= 4))"},
		{"1>2!=3", "((1 > 2) != 3)"},
		{"1&2==3", "(1 & (2 == 3))"},
		{"1^2&3", "(1 ^ (2 & 3))"},
		{"1|2^3", "(1 | (2 ^ 3))"},
		{"1&&2|3", "(1 && (2 | 3))"},
		{"1||2&&3", "(1 || (2 && 3))"},
		{"1||2?3:4?5:6", "((1 || 2) ? 3 : (4 ? 5 : 6))"},
		{"1?2?3:4:5", "(1 ? (2 ? 3 : 4) : 5)"},
		{"(1?2:3)?4:5", "((1 ? 2 : 3) ? 4 : 5)"},
		{"(1?2:3)+4", "((1 ? 2 : 3) + 4)"},
		{"- -1", "(- (- 1))"},
		{"--1", "(- (- 1))"},
		{"!~+-1", "(! (~ (+ (- 1))))"},
		{"-1*2", "((- 1) * 2)"},
		{"-(1*2)", "(- (1 * 2))"},
		{"(.s64)1+2", "(((.s64) 1) + 2)"},
		{"(.u64)-1", "((.u64) (- 1))"},
		{"( .s64 )(1+2)", "((.s64) (1 + 2))"},
		{"WARP_SZ*2", "(WARP_SZ * 2)"},
		{"1--1", "(1 - (- 1))"},
		{"1>>2>>3", "((1 >> 2) >> 3)"},
		{"1 // one\n + /* two */ 2", "(1 + 2)"},
	} {
		if got := show(parseExpr(t, c.text)); got != c.want {
			t.Errorf("%s is %s, want %s", c.text, got, c.want)
		}
	}
}

func TestIntegerLiterals(t *testing.T) {
	for _, c := range []struct {
		text     string
		bits     uint64
		unsigned bool
	}{
		{"0", 0, false}, {"00", 0, false}, {"0210", 136, false}, {"42", 42, false},
		{"0x2a", 42, false}, {"0X2A", 42, false}, {"0x2AU", 42, true}, {"16U", 16, true},
		{"0b101", 5, false}, {"0B101U", 5, true}, {"017U", 15, true}, {"0U", 0, true},
		{"9223372036854775807", math.MaxInt64, false},
		{"9223372036854775808", 1 << 63, true},
		{"18446744073709551615", math.MaxUint64, true},
		{"0x7fffffffffffffff", math.MaxInt64, false},
		{"0xffffffffffffffff", math.MaxUint64, true},
		{"01777777777777777777777", math.MaxUint64, true},
		{"000000000000000000000000017", 15, false},
		{"999999999999999999", 999999999999999999, false},
		{"1000000000000000000", 1000000000000000000, false},
	} {
		e := parseExpr(t, c.text)
		if e.Kind != ExprInt || e.Bits != c.bits || e.Unsigned != c.unsigned || e.Text != c.text {
			t.Errorf("%s: kind %d, bits %d, unsigned %v, text %q", c.text, e.Kind, e.Bits, e.Unsigned, e.Text)
		}
	}
}

func TestFloatLiterals(t *testing.T) {
	f64 := math.Float64bits
	for _, c := range []struct {
		text string
		kind exprKind
		bits uint64
	}{
		{"0f3F800000", ExprF32, 0x3F800000}, {"0F3f800000", ExprF32, 0x3F800000},
		{"0fFF800000", ExprF32, 0xFF800000}, {"0f7FFFFFFF", ExprF32, 0x7FFFFFFF},
		{"0f7F800001", ExprF32, 0x7F800001}, {"0f00000001", ExprF32, 1},
		{"0d3FF0000000000000", ExprF64, 0x3FF0000000000000},
		{"0D7FF0000000000001", ExprF64, 0x7FF0000000000001},
		{"1.", ExprF64, f64(1)}, {".5", ExprF64, f64(0.5)}, {"1e3", ExprF64, f64(1000)},
		{"1E+3", ExprF64, f64(1000)}, {"1.5e-3", ExprF64, f64(0.0015)}, {"1.e2", ExprF64, f64(100)},
		{"0.1", ExprF64, f64(0.1)}, {"00.5", ExprF64, f64(0.5)}, {"4.9e-324", ExprF64, 1},
	} {
		e := parseExpr(t, c.text)
		if e.Kind != c.kind || e.Bits != c.bits || e.Text != c.text {
			t.Errorf("%s: kind %d, bits %X, text %q", c.text, e.Kind, e.Bits, e.Text)
		}
	}
}

func TestBadLiterals(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"0f3F80000", "exactly 8 hexadecimal digits"},
		{"0f3F8000000", "exactly 8 hexadecimal digits"},
		{"0f3F80000G", "exactly 8 hexadecimal digits"},
		{"0d3FF", "exactly 16 hexadecimal digits"},
		{"0x", "digits 0 to 9, a to f"},
		{"0xG", "digits 0 to 9, a to f"},
		{"0b12", "digits 0 and 1"},
		{"08", "a leading 0 makes it octal"},
		{"12abc", "digits 0 to 9"},
		{"18446744073709551616", "does not fit into 64 bits"},
		{"1e999", "out of the range of f64"},
		{"1.5.5", "unexpected .5"},
		{"1.5x", "expected a form such as 1.5"},
		{"12u", "suffix U"},
		{"1_000", "digits 0 to 9"},
	} {
		for _, src := range []string{".version 8.0\n.global .b8 a[" + c.text + "];", string(body("mov.u32 a, " + c.text + ";"))} {
			_, err := Parse("bad.ptx", []byte(src))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", src, err, c.want)
			}
		}
	}
}
