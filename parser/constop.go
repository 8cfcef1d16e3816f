package parser

import (
	"cmp"
	"errors"
	"fmt"
)

// The binary operators of constant expressions (PTX ISA 4.5.5, table 5).
// Integers wrap.

var errZeroDivision = errors.New("division by zero; expected a divisor other than 0")

// compare gives what a comparison says of two numbers.
func compare[T cmp.Ordered](op string, x, y T) (Value, bool) {
	switch op {
	case "<":
		return truth(x < y), true
	case ">":
		return truth(x > y), true
	case "<=":
		return truth(x <= y), true
	case ">=":
		return truth(x >= y), true
	case "==":
		return truth(x == y), true
	case "!=":
		return truth(x != y), true
	}
	return Value{}, false
}

func floatOp(op string, x, y float64) (Value, error) {
	if v, ok := compare(op, x, y); ok {
		return v, nil
	}
	switch op {
	case "+":
		return Float64(x + y), nil
	case "-":
		return Float64(x - y), nil
	case "*":
		return Float64(x * y), nil
	case "/":
		return Float64(x / y), nil
	}
	return Value{}, fmt.Errorf("operator %s applies to integers; these are floats", op)
}

// intOp applies the usual conversions: both operands are unsigned if one is.
// Exceptions: the result of a shift has the type of its left operand, and %
// takes both as unsigned and gives .s64.
func intOp(op string, x, y Value) (Value, error) {
	if op == "<<" || op == ">>" {
		return shift(op, x, y.Bits), nil
	}
	unsigned := x.Unsigned || y.Unsigned
	if v, ok := compareInts(op, x.Bits, y.Bits, unsigned); ok {
		return v, nil
	}
	v := Value{Unsigned: unsigned}
	switch op {
	case "+":
		v.Bits = x.Bits + y.Bits
	case "-":
		v.Bits = x.Bits - y.Bits
	case "*":
		v.Bits = x.Bits * y.Bits
	case "&":
		v.Bits = x.Bits & y.Bits
	case "^":
		v.Bits = x.Bits ^ y.Bits
	case "|":
		v.Bits = x.Bits | y.Bits
	case "/", "%":
		return divide(op, x.Bits, y.Bits, unsigned)
	default:
		return Value{}, fmt.Errorf("there is no operator %s", op)
	}
	return v, nil
}

func compareInts(op string, x, y uint64, unsigned bool) (Value, bool) {
	if unsigned {
		return compare(op, x, y)
	}
	return compare(op, int64(x), int64(y))
}

func divide(op string, x, y uint64, unsigned bool) (Value, error) {
	switch {
	case y == 0:
		return Value{}, errZeroDivision
	case op == "%":
		return Value{Bits: x % y}, nil
	case unsigned:
		return Uint64(x / y), nil
	}
	return Int64(int64(x) / int64(y)), nil // INT_MIN / -1 wraps in Go
}

// shift shifts by a count that is unsigned; from 64 on nothing of x is left
// but copies of the sign.
func shift(op string, x Value, count uint64) Value {
	switch {
	case op == "<<":
		x.Bits <<= count
	case x.Unsigned:
		x.Bits >>= count
	default:
		x.Bits = uint64(int64(x.Bits) >> count)
	}
	return x
}
