package ir

import (
	"errors"
	"fmt"
)

// The operators of constant expressions (PTX ISA 4.5.4 to 4.5.6). Integers have
// 64 bits; whether a result is signed follows the manual's table of types,
// which is not C's: a bitwise one is unsigned whatever its operands are. What
// the manual leaves open is decided in [exprValue].

// unaryOp applies a prefix operator; (.s64) and (.u64) only say how the bits
// are read from there on.
func unaryOp(op string, x exprValue) (exprValue, error) {
	if x.kind == constF64 {
		switch op {
		case "+":
			return x, nil
		case "-":
			return floatConstant(-x.float()), nil
		case "!":
			return boolConstant(x.float() == 0), nil
		}
		return exprValue{}, fmt.Errorf("operator %s does not take a floating-point number", op)
	}
	switch op {
	case "+":
		return x, nil
	case "-":
		return exprValue{bits: -x.bits, unsigned: x.unsigned}, nil
	case "!":
		return boolConstant(x.bits == 0), nil
	case "~":
		return exprValue{bits: ^x.bits, unsigned: true}, nil
	case "(.s64)":
		return exprValue{bits: x.bits}, nil
	case "(.u64)":
		return exprValue{bits: x.bits, unsigned: true}, nil
	}
	return exprValue{}, fmt.Errorf("there is no operator %s", op)
}

// conditional is cond ? x : y. Its type does not depend on the outcome: it is
// unsigned if an arm is.
func conditional(cond, x, y exprValue) (exprValue, error) {
	if cond.kind != constInt {
		return exprValue{}, errors.New("the condition of ?: must be an integer")
	}
	if x.kind != y.kind {
		return exprValue{}, errors.New("the arms of ?: must both be integers or both be floating-point numbers")
	}
	unsigned := x.unsigned || y.unsigned
	if cond.bits == 0 {
		x = y
	}
	x.unsigned = unsigned
	return x, nil
}

// binaryOp applies an infix operator to two integers or two doubles; nothing is
// converted between them.
func binaryOp(op string, x, y exprValue) (exprValue, error) {
	if x.kind != y.kind {
		return exprValue{}, fmt.Errorf("operator %s takes two integers or two floating-point numbers", op)
	}
	if x.kind == constF64 {
		return binaryFloat(op, x.float(), y.float())
	}
	switch op {
	case "<<", ">>":
		return shift(op, x, y.bits), nil
	}
	r, ok := compare(op, int64(x.bits), int64(y.bits))
	if x.unsigned || y.unsigned { // then as unsigned numbers
		r, ok = compare(op, x.bits, y.bits)
	}
	if ok {
		return r, nil
	}
	return arithmetic(op, x, y)
}

// arithmetic is the integer operators that give a number: + - * / convert as
// usual, and & | ^ and % have the types of table 5.
func arithmetic(op string, x, y exprValue) (exprValue, error) {
	r := exprValue{unsigned: x.unsigned || y.unsigned}
	switch op {
	case "+":
		r.bits = x.bits + y.bits
	case "-":
		r.bits = x.bits - y.bits
	case "*":
		r.bits = x.bits * y.bits
	case "/":
		switch {
		case y.bits == 0:
			return r, errors.New("division by zero")
		case r.unsigned:
			r.bits = x.bits / y.bits
		default:
			r.bits = uint64(int64(x.bits) / int64(y.bits))
		}
	case "%":
		if y.bits == 0 {
			return r, errors.New("division by zero")
		}
		r = exprValue{bits: x.bits % y.bits}
	case "&":
		r = exprValue{bits: x.bits & y.bits, unsigned: true}
	case "^":
		r = exprValue{bits: x.bits ^ y.bits, unsigned: true}
	case "|":
		r = exprValue{bits: x.bits | y.bits, unsigned: true}
	default:
		return r, fmt.Errorf("there is no operator %s", op)
	}
	return r, nil
}

// shift shifts x; the count is unsigned and the result has x's type.
func shift(op string, x exprValue, count uint64) exprValue {
	n := uint(min(count, 64))
	switch {
	case op == "<<":
		x.bits <<= n
	case x.unsigned:
		x.bits >>= n
	default:
		x.bits = uint64(int64(x.bits) >> n)
	}
	return x
}

// compare evaluates a comparison, or && and ||, which take anything but 0 for
// true: an integer. ok is false for other operators.
func compare[T int64 | uint64 | float64](op string, x, y T) (r exprValue, ok bool) {
	switch op {
	case "<":
		return boolConstant(x < y), true
	case "<=":
		return boolConstant(x <= y), true
	case ">":
		return boolConstant(x > y), true
	case ">=":
		return boolConstant(x >= y), true
	case "==":
		return boolConstant(x == y), true
	case "!=":
		return boolConstant(x != y), true
	case "&&":
		return boolConstant(x != 0 && y != 0), true
	case "||":
		return boolConstant(x != 0 || y != 0), true
	}
	return exprValue{}, false
}

// binaryFloat computes in double precision; a comparison gives an integer.
func binaryFloat(op string, x, y float64) (exprValue, error) {
	switch op {
	case "+":
		return floatConstant(x + y), nil
	case "-":
		return floatConstant(x - y), nil
	case "*":
		return floatConstant(x * y), nil
	case "/":
		if y == 0 {
			return exprValue{}, errors.New("division by zero")
		}
		return floatConstant(x / y), nil
	}
	if r, ok := compare(op, x, y); ok {
		return r, nil
	}
	return exprValue{}, fmt.Errorf("operator %s does not take floating-point numbers", op)
}
