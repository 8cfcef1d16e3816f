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
func name(s string) *parser.Expr      { return &parser.Expr{Kind: parser.ExprName, Name: s} }
func un(op string, x *parser.Expr) *parser.Expr {
	return &parser.Expr{Kind: parser.ExprUnary, Op: op, X: x}
}
func bin(x *parser.Expr, op string, y *parser.Expr) *parser.Expr {
	return &parser.Expr{Kind: parser.ExprBinary, Op: op, X: x, Y: y}
}
func cond(x, y, z *parser.Expr) *parser.Expr {
	return &parser.Expr{Kind: parser.ExprCond, Op: "?", X: x, Y: y, Z: z}
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
