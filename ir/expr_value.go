package ir

import (
	"errors"
	"fmt"
	"math"

	"hyptx/internal/value"
	"hyptx/ir/isa"
	"hyptx/parser"
)

// exprValue is the value of a constant expression (PTX ISA 4.5): every integer
// has 64 bits and is signed or unsigned, a floating-point number is a double,
// and a 0f literal is a single that may stand only by itself.
//
// Signedness matters to what comes after: to / >> and the comparisons. Where
// the manual leaves it open, this is what hyptx takes, here and nowhere else:
//
//   - The result of & | ^ is unsigned. The prose (4.5.5) gives it the type of
//     the converted operands, the table (4.5.6, table 5) says .u64 for all
//     three. The table is followed, for it alone names a type for every
//     operator: the prose has none for %. So (-1 & -1) < 0 is 0, and
//     (-8 | 0) >> 1 shifts a zero in.
//   - % takes its operands for unsigned and gives a signed number (table 5).
//   - Division by zero is an error, of integers and of floating-point numbers:
//     the manual gives it no value, and an infinity has a spelling of its own,
//     0d7FF0000000000000.
//   - A shift by 64 or more leaves nothing but copies of the sign.
type exprValue struct {
	kind     constantKind
	unsigned bool
	bits     uint64
}

type constantKind uint8

const (
	constInt constantKind = iota
	constF32
	constF64
)

func intConstant(v int64) exprValue     { return exprValue{bits: uint64(v)} }
func floatConstant(v float64) exprValue { return exprValue{kind: constF64, bits: math.Float64bits(v)} }

func boolConstant(b bool) exprValue {
	if b {
		return intConstant(1)
	}
	return intConstant(0)
}

func (c exprValue) float() float64 { return math.Float64frombits(c.bits) }

// warpSize is the value of WARP_SZ (PTX ISA 4.4).
const warpSize = 32

// exprError is an error at a place within an expression.
type exprError struct {
	pos parser.Pos
	msg string
}

func (e *exprError) Error() string { return e.msg }

func errAt(pos parser.Pos, format string, args ...any) error {
	return &exprError{pos, fmt.Sprintf(format, args...)}
}

// linear is an expression with at most one name: Name + Const. generic() may
// enclose the name.
type linear struct {
	name    *parser.Expr // nil: a plain constant
	generic bool
	c       exprValue
}

// evalLinear evaluates an expression that may hold one name to which a
// constant is added or from which one is subtracted.
func evalLinear(e *parser.Expr) (linear, error) {
	switch e.Kind {
	case parser.ExprName:
		if e.Text == "WARP_SZ" {
			return linear{c: intConstant(warpSize)}, nil
		}
		return linear{name: e}, nil
	case parser.ExprGeneric:
		if e.X == nil {
			return linear{}, errAt(e.Pos, "generic() needs a variable")
		}
		l, err := evalLinear(e.X)
		if err == nil && l.name == nil {
			err = errAt(e.Pos, "generic() takes a variable, not a constant")
		}
		l.generic = true
		return l, err
	case parser.ExprInt:
		return linear{c: exprValue{bits: e.Bits, unsigned: e.Unsigned}}, nil
	case parser.ExprF32:
		return linear{c: exprValue{kind: constF32, bits: e.Bits}}, nil
	case parser.ExprF64:
		return linear{c: exprValue{kind: constF64, bits: e.Bits}}, nil
	case parser.ExprUnary:
		c, err := evalOperands(e, e.X)
		if err != nil {
			return linear{}, err
		}
		v, err := unaryOp(e.Text, c[0])
		return linear{c: v}, at(e.Pos, err)
	case parser.ExprBinary:
		return evalBinary(e)
	case parser.ExprCond:
		c, err := evalOperands(e, e.X, e.Y, e.Z)
		if err != nil {
			return linear{}, err
		}
		v, err := conditional(c[0], c[1], c[2])
		return linear{c: v}, at(e.Pos, err)
	}
	return linear{}, errAt(e.Pos, "this is no expression")
}

// evalConstant evaluates an expression that must not hold a name.
func evalConstant(e *parser.Expr) (exprValue, error) {
	if e == nil {
		return exprValue{}, errors.New("a constant is missing")
	}
	l, err := evalLinear(e)
	if err != nil {
		return exprValue{}, err
	}
	if l.name != nil {
		return exprValue{}, errAt(l.name.Pos, "%s is not a constant", l.name.Text)
	}
	return l.c, nil
}

// evalInt evaluates an expression that must be an integer constant within
// [low, high]; what names it in errors.
func evalInt(e *parser.Expr, what string, low, high int64) (int64, error) {
	c, err := evalConstant(e)
	if err != nil {
		return 0, err
	}
	if c.kind != constInt {
		return 0, errAt(e.Pos, "%s must be an integer", what)
	}
	v := int64(c.bits)
	if v < low || v > high || c.unsigned && v < 0 {
		return 0, errAt(e.Pos, "%s is %s, must be between %d and %d", what, c, low, high)
	}
	return v, nil
}

// String writes an integer constant.
func (c exprValue) String() string {
	switch {
	case c.kind == constF32:
		return fmt.Sprintf("0f%08X", c.bits)
	case c.kind == constF64:
		return fmt.Sprintf("0d%016X", c.bits)
	case c.unsigned:
		return fmt.Sprint(c.bits)
	}
	return fmt.Sprint(int64(c.bits))
}

// evalOperands evaluates the operands of operator e, which must be constants.
func evalOperands(e *parser.Expr, xs ...*parser.Expr) ([3]exprValue, error) {
	var cs [3]exprValue
	for i, x := range xs {
		if x == nil {
			return cs, errAt(e.Pos, "operator %s lacks an operand", e.Text)
		}
		c, err := evalConstant(x)
		if err != nil {
			return cs, err
		}
		if c.kind == constF32 {
			return cs, errAt(x.Pos, "a 0f literal cannot be part of a constant expression; write it in decimal or with 0d")
		}
		cs[i] = c
	}
	return cs, nil
}

func evalBinary(e *parser.Expr) (linear, error) {
	if e.X == nil || e.Y == nil {
		return linear{}, errAt(e.Pos, "operator %s lacks an operand", e.Text)
	}
	x, err := evalLinear(e.X)
	if err != nil {
		return linear{}, err
	}
	y, err := evalLinear(e.Y)
	if err != nil {
		return linear{}, err
	}
	if x.name == nil && y.name != nil && e.Text == "+" {
		x, y = y, x
	}
	if y.name != nil || x.name != nil && e.Text != "+" && e.Text != "-" {
		name := y.name
		if name == nil {
			name = x.name
		}
		return linear{}, errAt(name.Pos, "%s cannot be an operand of %s in a constant expression", name.Text, e.Text)
	}
	if x.c.kind == constF32 || y.c.kind == constF32 {
		return linear{}, errAt(e.Pos, "a 0f literal cannot be part of a constant expression; write it in decimal or with 0d")
	}
	c, err := binaryOp(e.Text, x.c, y.c)
	return linear{name: x.name, generic: x.generic, c: c}, at(e.Pos, err)
}

// at gives err a place unless it is nil.
func at(pos parser.Pos, err error) error {
	if err == nil {
		return nil
	}
	return &exprError{pos, err.Error()}
}

// wholeError is an integer constant where a floating-point one is expected.
type wholeError struct {
	c exprValue
	t isa.Type
}

func (e *wholeError) Error() string {
	return fmt.Sprintf("integer constant %s where %s is expected; write it with a decimal point", e.c, e.t)
}

// asWhole returns the wholeError that err is, nil if it is none; nearly always there is no
// error, and nothing is made to look for one.
func asWhole(err error) *wholeError {
	whole, _ := err.(*wholeError)
	return whole
}

// value is the number that the constant names.
func (e *wholeError) value() exprValue {
	if e.c.unsigned {
		return floatConstant(float64(e.c.bits))
	}
	return floatConstant(float64(int64(e.c.bits)))
}

// immediate returns the bits of c as an operand or initialiser of type t: an
// integer truncated, a predicate 1 when not zero, a floating-point number in
// t's format (PTX ISA 4.5.1, 4.5.2). A floating-point literal in an untyped
// place keeps the bits of the format that has the place's size. The manual does
// not say whether an integer in a floating-point place means its value or its
// bits: only 0, which is both, is taken.
func (c exprValue) immediate(t isa.Type) (uint64, error) {
	if t == isa.Pred {
		if c.kind != constInt {
			return 0, errors.New("a predicate constant must be an integer")
		}
		return boolConstant(c.bits != 0).bits, nil
	}
	if c.kind == constInt {
		if (t == isa.F32 || t == isa.F64) && c.bits != 0 {
			return 0, &wholeError{c, t}
		}
		return value.Truncate(c.bits, t.Bits()), nil
	}
	single := t == isa.F32 || t == isa.B32
	double := t == isa.F64 || t == isa.B64
	switch {
	case single && c.kind == constF32, double && c.kind == constF64:
		return c.bits, nil
	case single:
		return uint64(math.Float32bits(float32(c.float()))), nil
	case double:
		return math.Float64bits(float64(math.Float32frombits(uint32(c.bits)))), nil
	}
	return 0, fmt.Errorf("floating-point constant where %s is expected", t)
}
