package parser

import (
	"fmt"
	"math"
)

// ValueKind is the type of a constant.
type ValueKind uint8

// The types of constants (PTX ISA 4.5). A 32-bit float takes part in no
// operation; it is kept as its bits.
const (
	ValueInt ValueKind = iota
	ValueF32
	ValueF64
)

// Value is the value of a constant expression: an integer of 64 bits, signed
// or unsigned, or the bits of a float.
type Value struct {
	Kind     ValueKind
	Unsigned bool // of an integer: .u64, not .s64
	Bits     uint64
}

// Int64 makes a signed integer.
func Int64(v int64) Value { return Value{Bits: uint64(v)} }

// Uint64 makes an unsigned integer.
func Uint64(v uint64) Value { return Value{Bits: v, Unsigned: true} }

// Float64 makes a 64-bit float.
func Float64(v float64) Value { return Value{Kind: ValueF64, Bits: math.Float64bits(v)} }

// Float gives the value of a float of either size; a 32-bit NaN may lose its
// payload, which Bits keeps.
func (v Value) Float() float64 {
	if v.Kind == ValueF32 {
		return float64(math.Float32frombits(uint32(v.Bits)))
	}
	return math.Float64frombits(v.Bits)
}

// IsZero says whether a condition with the value is false.
func (v Value) IsZero() bool {
	if v.Kind == ValueInt {
		return v.Bits == 0
	}
	return v.Float() == 0
}

// warpSize is WARP_SZ, the one name that PTX defines in constants.
const warpSize = 32

// EvalExpr gives the value of a constant expression (PTX ISA 4.5). Names other
// than WARP_SZ are what lookup says; lookup may be nil. The error is an
// [*Error] without a file's name.
func EvalExpr(e *Expr, lookup func(name string) (Value, bool)) (Value, error) {
	switch e.Kind {
	case ExprName:
		return evalName(e, lookup)
	case ExprInt:
		return Value{Bits: e.Bits, Unsigned: e.Unsigned}, nil
	case ExprF32:
		return Value{Kind: ValueF32, Bits: e.Bits}, nil
	case ExprF64:
		return Value{Kind: ValueF64, Bits: e.Bits}, nil
	case ExprUnary:
		x, err := EvalExpr(e.X, lookup)
		if err != nil {
			return Value{}, err
		}
		return unaryValue(e, x)
	case ExprBinary:
		x, err := EvalExpr(e.X, lookup)
		if err != nil {
			return Value{}, err
		}
		y, err := EvalExpr(e.Y, lookup)
		if err != nil {
			return Value{}, err
		}
		return binaryValue(e, x, y)
	case ExprCond:
		return evalCond(e, lookup)
	}
	return Value{}, evalError(e, "generic() is no constant; expected a number")
}

func evalError(e *Expr, format string, args ...any) error {
	return &Error{Pos: e.Pos, Msg: fmt.Sprintf(format, args...)}
}

func evalName(e *Expr, lookup func(string) (Value, bool)) (Value, error) {
	if lookup != nil {
		if v, ok := lookup(e.Name); ok {
			return v, nil
		}
	}
	if e.Name == "WARP_SZ" {
		return Int64(warpSize), nil
	}
	return Value{}, evalError(e, "%s is no constant; expected a number or WARP_SZ", clip(e.Name))
}

func evalCond(e *Expr, lookup func(string) (Value, bool)) (Value, error) {
	cond, err := EvalExpr(e.X, lookup)
	if err != nil {
		return Value{}, err
	}
	x, err := EvalExpr(e.Y, lookup)
	if err != nil {
		return Value{}, err
	}
	y, err := EvalExpr(e.Z, lookup)
	if err != nil {
		return Value{}, err
	}
	if cond.Kind != ValueInt {
		return Value{}, evalError(e, "the condition of ?: is a float; expected an integer")
	}
	if x.Kind != y.Kind {
		return Value{}, evalError(e, "the arms of ?: differ in type; expected two integers or two floats")
	}
	unsigned := x.Unsigned || y.Unsigned
	if cond.IsZero() {
		x = y
	}
	x.Unsigned = unsigned
	return x, nil
}

func unaryValue(e *Expr, x Value) (Value, error) {
	switch {
	case x.Kind == ValueF32:
		return Value{}, evalError(e, "a 0f literal takes no operator; expected a 0d or decimal one")
	case x.Kind == ValueF64 && e.Op != "+" && e.Op != "-" && e.Op != "!":
		return Value{}, evalError(e, "operator %s applies to integers; this is a float", e.Op)
	}
	switch e.Op {
	case "+":
		return x, nil
	case "-":
		if x.Kind == ValueF64 {
			return Float64(-x.Float()), nil
		}
		x.Bits = -x.Bits
		return x, nil
	case "!":
		return truth(x.IsZero()), nil
	case "~":
		return Uint64(^x.Bits), nil // .u64 by table 5
	case "(.s64)":
		return Value{Bits: x.Bits}, nil
	case "(.u64)":
		return Uint64(x.Bits), nil
	}
	return Value{}, evalError(e, "there is no unary operator %s", e.Op)
}

// truth is what comparisons and logical operators give: .s64 0 or 1.
func truth(b bool) Value {
	if b {
		return Int64(1)
	}
	return Int64(0)
}

func binaryValue(e *Expr, x, y Value) (Value, error) {
	switch {
	case x.Kind == ValueF32 || y.Kind == ValueF32:
		return Value{}, evalError(e, "a 0f literal takes no operator; expected a 0d or decimal one")
	case x.Kind != y.Kind:
		return Value{}, evalError(e, "operator %s has an integer and a float; expected two of one type, PTX converts none", e.Op)
	}
	if v, ok := logical(e.Op, x, y); ok {
		return v, nil
	}
	var v Value
	var err error
	if x.Kind == ValueF64 {
		v, err = floatOp(e.Op, x.Float(), y.Float())
	} else {
		v, err = intOp(e.Op, x, y)
	}
	if err != nil {
		return Value{}, evalError(e, "%s", err)
	}
	return v, nil
}

func logical(op string, x, y Value) (Value, bool) {
	switch op {
	case "&&":
		return truth(!x.IsZero() && !y.IsZero()), true
	case "||":
		return truth(!x.IsZero() || !y.IsZero()), true
	}
	return Value{}, false
}
