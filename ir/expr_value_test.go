package ir

import (
	"math"
	"strings"
	"testing"

	"hyptx/ir/isa"
	"hyptx/parser"
)

// Builders of expressions, so that these tests do not depend on the parser.
func lit(v int64) *parser.Expr   { return &parser.Expr{Kind: parser.ExprInt, Bits: uint64(v)} }
func ulit(v uint64) *parser.Expr { return &parser.Expr{Kind: parser.ExprInt, Bits: v, Unsigned: true} }
func f64lit(v float64) *parser.Expr {
	return &parser.Expr{Kind: parser.ExprF64, Bits: math.Float64bits(v)}
}
func f32lit(bits uint32) *parser.Expr { return &parser.Expr{Kind: parser.ExprF32, Bits: uint64(bits)} }
func name(s string) *parser.Expr      { return &parser.Expr{Kind: parser.ExprName, Text: s} }
func un(op string, x *parser.Expr) *parser.Expr {
	return &parser.Expr{Kind: parser.ExprUnary, Text: op, X: x}
}
func bin(x *parser.Expr, op string, y *parser.Expr) *parser.Expr {
	return &parser.Expr{Kind: parser.ExprBinary, Text: op, X: x, Y: y}
}
func cond(x, y, z *parser.Expr) *parser.Expr {
	return &parser.Expr{Kind: parser.ExprCond, Text: "?", X: x, Y: y, Z: z}
}

// TestConstantExpressions: the values follow PTX ISA 4.5 (64-bit integers,
// usual conversions, table 5).
func TestConstantExpressions(t *testing.T) {
	tests := []struct {
		expr *parser.Expr
		want exprValue
	}{
		{bin(lit(32), "*", lit(4)), intConstant(128)},
		{bin(lit(math.MaxInt64), "+", lit(1)), intConstant(math.MinInt64)},
		{un("-", lit(12)), intConstant(-12)},
		{un("~", lit(0)), exprValue{bits: math.MaxUint64, unsigned: true}},
		{un("!", lit(5)), intConstant(0)},
		{un("(.u64)", un("-", lit(1))), exprValue{bits: math.MaxUint64, unsigned: true}},
		{bin(un("-", lit(7)), "/", lit(2)), intConstant(-3)},
		{bin(un("-", lit(7)), "/", ulit(2)), exprValue{bits: (1<<64 - 7) / 2, unsigned: true}},
		{bin(un("-", lit(1)), "%", lit(10)), intConstant(5)}, // 2^64-1 mod 10: % is unsigned
		{bin(lit(math.MinInt64), "/", un("-", lit(1))), intConstant(math.MinInt64)},
		{bin(un("-", lit(8)), ">>", lit(1)), intConstant(-4)},
		{bin(un("(.u64)", un("-", lit(8))), ">>", lit(1)), exprValue{bits: 1<<63 - 4, unsigned: true}},
		{bin(lit(1), "<<", lit(64)), intConstant(0)},
		{bin(un("-", lit(1)), ">>", lit(99)), intConstant(-1)},
		{bin(un("-", lit(1)), "<", lit(0)), intConstant(1)},
		{bin(un("-", lit(1)), "<", ulit(0)), intConstant(0)}, // 2^64-1 < 0
		{bin(lit(6), "&", lit(3)), exprValue{bits: 2, unsigned: true}},
		{cond(lit(1), lit(2), lit(3)), intConstant(2)},
		{cond(lit(0), lit(2), lit(3)), intConstant(3)},
		{bin(f64lit(1.5), "*", f64lit(2)), floatConstant(3)},
		{bin(f64lit(1), "<", f64lit(2)), intConstant(1)},
		{bin(name("WARP_SZ"), "*", lit(2)), intConstant(64)},
	}
	for i, test := range tests {
		got, err := evalConstant(test.expr)
		if err != nil || got != test.want {
			t.Errorf("expression %d: got %+v, %v, want %+v", i, got, err, test.want)
		}
	}
}

// evalText evaluates the text of a constant expression.
func evalText(tb testing.TB, text string) (exprValue, error) {
	tb.Helper()
	m, err := parser.Parse("c.ptx", []byte(".version 8.0\n.global .b64 x = "+text+";"))
	if err != nil {
		tb.Fatal(err)
	}
	return evalConstant(m.Items[0].(*parser.Variable).Names[0].Init.Value)
}

// TestConstantTexts: the values follow from PTX ISA 4.5.6, table 5, by hand.
func TestConstantTexts(t *testing.T) {
	const minus1 = math.MaxUint64
	for _, c := range []struct {
		text     string
		bits     uint64
		unsigned bool
	}{
		// What the manual leaves open: & | ^ are unsigned, as table 5 has it.
		{"(-1 & -1) < 0", 0, false}, {"(-1 | 0) < 0", 0, false}, {"(-1 ^ 0) < 0", 0, false},
		{"(-8|0)>>1", 1<<63 - 4, true}, {"(.s64)(-8|0)>>1", minus1 - 3, false},
		{"12&10", 8, true}, {"12^10U", 6, true}, {"12|10", 14, true},
		{"7%4", 3, false}, {"7U%4", 3, false}, {"-5%3", 2, false}, // 2^64-5 = 3 * 6148914691236517203 + 2

		{"42", 42, false}, {"42U", 42, true}, {"0xffffffffffffffff", minus1, true},
		{"+5", 5, false}, {"-5", minus1 - 4, false}, {"-5U", minus1 - 4, true},
		{"!5", 0, false}, {"!0U", 1, false}, {"~0", minus1, true},
		{"(.u64)-1", minus1, true}, {"(.s64)0xffffffffffffffff", minus1, false},
		{"2+3", 5, false}, {"2+3U", 5, true}, {"2-3", minus1, false}, {"2U-3", minus1, true},
		{"0x7fffffffffffffff+1", 1 << 63, false},
		{"6*7", 42, false}, {"0x4000000000000000*4", 0, false},
		{"-7/2", minus1 - 2, false}, {"-7/2U", (minus1 - 6) / 2, true}, {"7U/2", 3, true},
		{"(-0x7fffffffffffffff-1)/-1", 1 << 63, false},
		{"1<<4", 16, false}, {"1U<<4", 16, true}, {"1<<63", 1 << 63, false}, {"1<<64", 0, false}, {"1<<-1", 0, false},
		{"-8>>1", minus1 - 3, false}, {"-8>>1U", minus1 - 3, false}, {"-1>>64", minus1, false},
		{"0xffffffffffffffff>>60", 15, true}, {"0xffffffffffffffff>>64", 0, true},
		{"-1<0", 1, false}, {"-1<0U", 0, false}, {"-1>0U", 1, false}, {"2<=2", 1, false}, {"2>=3", 0, false},
		{"1==1U", 1, false}, {"1!=1", 0, false}, {"-1==0xffffffffffffffff", 1, false},
		{"1&&2", 1, false}, {"1&&0", 0, false}, {"0||2U", 1, false}, {"0||0", 0, false},
		{"1?2:3", 2, false}, {"0?2:3", 3, false}, {"1?2:3U", 2, true}, {"7?1?4:5:6", 4, false},
		{"WARP_SZ%5*2+7 % 4", 7, false},
		{"1.5<2.5", 1, false}, {"1.5==1.5", 1, false}, {"1.5!=1.5", 0, false}, {"1.5>2.5", 0, false},
		{"0.0||0.5", 1, false}, {"0.0&&1.5", 0, false}, {"!0.5", 0, false}, {"!-0.0", 1, false},
	} {
		v, err := evalText(t, c.text)
		if err != nil || v != (exprValue{unsigned: c.unsigned, bits: c.bits}) {
			t.Errorf("%s is %+v, %v; want %d, unsigned %v", c.text, v, err, c.bits, c.unsigned)
		}
	}
	for _, c := range []struct {
		text string
		want float64
	}{
		{"1.5", 1.5}, {"-1.5", -1.5}, {"+1.5", 1.5}, {"1.5+2.25", 3.75}, {"1.5-2.25", -0.75}, {"1.5*2.0", 3},
		{"1.0/4.0", 0.25}, {"1?1.5:2.5", 1.5}, {"0?1.5:2.5", 2.5},
		{"0d3FF8000000000000*2.0", 3}, {"1e308*10.0", math.Inf(1)}, {"0d7FF0000000000000", math.Inf(1)},
	} {
		if v, err := evalText(t, c.text); err != nil || v != floatConstant(c.want) {
			t.Errorf("%s is %v, %v; want %v", c.text, v, err, c.want)
		}
	}
	if v, err := evalText(t, "0f7FA00001"); err != nil || v != (exprValue{kind: constF32, bits: 0x7FA00001}) {
		t.Errorf("a signalling NaN is %+v, %v", v, err)
	}
}

// TestConstantTextErrors: what has no value says so.
func TestConstantTextErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"1.0/0.0", "division by zero"}, {"1/0", "division by zero"}, {"1%0", "division by zero"}, {"1U/(2-2)", "division by zero"},
		{"-x", "x is not a constant"}, {"x?1:2", "x is not a constant"}, {"1?x:2", "x is not a constant"}, {"1?2:x", "x is not a constant"},
		{"1+1.5", "two integers or two floating-point"}, {"~1.5", "does not take a floating-point"}, {"(.s64)1.5", "does not take a floating-point"},
		{"1.5%2.5", "does not take floating-point"}, {"1.5&2.5", "does not take floating-point"}, {"1.5<<2.5", "does not take floating-point"},
		{"-0f3F800000", "0f literal"}, {"0f3F800000+0f3F800000", "0f literal"},
		{"1.5?1:2", "must be an integer"}, {"1?1:2.5", "arms"},
		{"generic(x)", "x is not a constant"},
	} {
		if _, err := evalText(t, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}

func TestConstantExpressionErrors(t *testing.T) {
	tests := []struct {
		expr *parser.Expr
		want string
	}{
		{bin(lit(1), "/", lit(0)), "division by zero"},
		{bin(lit(1), "%", lit(0)), "division by zero"},
		{bin(f64lit(1), "/", f64lit(0)), "division by zero"},
		{bin(lit(1), "+", f64lit(1)), "two integers or two floating-point"},
		{bin(f32lit(0x3f800000), "+", f64lit(1)), "0f literal"},
		{un("-", f32lit(0x3f800000)), "0f literal"},
		{un("~", f64lit(1)), "does not take a floating-point"},
		{bin(name("x"), "*", lit(2)), "x cannot be an operand of *"},
		{name("x"), "x is not a constant"},
		{cond(f64lit(1), lit(2), lit(3)), "must be an integer"},
		{cond(lit(1), lit(2), f64lit(3)), "arms"},
		{bin(lit(1), "@", lit(2)), "no operator @"},
		{un("(.s64)", f64lit(1)), "floating-point"},
		{bin(nil, "+", lit(2)), "lacks an operand"},
		{&parser.Expr{Kind: 99}, "no expression"},
	}
	for i, test := range tests {
		if _, err := evalConstant(test.expr); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("expression %d: %v, want an error about %q", i, err, test.want)
		}
	}
}

// TestImmediate: constants take the size and format of their place (PTX ISA
// 4.5.1, 4.5.2); hexadecimal floating-point literals keep their bits.
func TestImmediate(t *testing.T) {
	tests := []struct {
		c    exprValue
		typ  isa.Type
		want uint64
	}{
		{intConstant(-1), isa.S16, 0xFFFF},
		{intConstant(0x12345), isa.U16, 0x2345},
		{intConstant(-1), isa.B64, math.MaxUint64},
		{intConstant(-1), isa.Pred, 1},
		{intConstant(0), isa.Pred, 0},
		{intConstant(2), isa.Pred, 1},
		{intConstant(0), isa.F32, 0},
		{intConstant(0x3C00), isa.F16, 0x3C00},
		{floatConstant(1), isa.F32, 0x3F800000},
		{floatConstant(0.1), isa.F32, 0x3DCCCCCD}, // nearest single
		{floatConstant(1), isa.B32, 0x3F800000},
		{floatConstant(1), isa.B64, 0x3FF0000000000000},
		{exprValue{kind: constF32, bits: 0x7FFFFFFF}, isa.F32, 0x7FFFFFFF},
		{exprValue{kind: constF32, bits: 0x3F800000}, isa.F64, 0x3FF0000000000000},
		{exprValue{kind: constF64, bits: 0x7FF0000000000001}, isa.F64, 0x7FF0000000000001},
	}
	for _, test := range tests {
		if got, err := test.c.immediate(test.typ); err != nil || got != test.want {
			t.Errorf("%s as %s: %#x, %v, want %#x", test.c, test.typ, got, err, test.want)
		}
	}
	for _, bad := range []struct {
		c   exprValue
		typ isa.Type
	}{{floatConstant(1), isa.Pred}, {floatConstant(1), isa.S32}, {floatConstant(1), isa.F16}, {intConstant(1), isa.F32}} {
		if _, err := bad.c.immediate(bad.typ); err == nil {
			t.Errorf("%s as %s: no error", bad.c, bad.typ)
		}
	}
}
