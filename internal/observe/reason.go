package observe

import (
	"fmt"
	"math"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// What made a NaN or an infinity follows from the operation and the operands (IEEE 754-2019,
// 7.2, 7.3 and 7.4: invalid operations, divisions by zero, overflow).

// Reason says in a few words what made it, "" where the operands have to speak for
// themselves.
func (e *Event) Reason() string {
	if !e.Made {
		return ""
	}
	at, _ := e.element()
	x := e.sources(at)
	switch op := e.In.Inst.Op; {
	case op == isa.OpDiv && len(x) > 1:
		return e.quotient(x[0], x[1])
	case op == isa.OpRcp && len(x) > 0 && x[0] == 0:
		return "1 / 0"
	case op == isa.OpMul && len(x) > 1:
		return e.product(x[0], x[1])
	case (op == isa.OpFma || op == isa.OpMad) && len(x) > 2:
		if why := e.product(x[0], x[1]); e.Class == NaN && why != "" {
			return why
		}
		return e.sum(x[0]*x[1], x[2])
	case op == isa.OpAdd && len(x) > 1:
		return e.sum(x[0], x[1])
	case op == isa.OpSub && len(x) > 1:
		return e.sum(x[0], -x[1])
	case op == isa.OpCvt && e.Class == Inf && len(x) > 0:
		return fmt.Sprintf("%v is too large for %s", x[0], e.In.Inst.Type())
	case len(x) > 0:
		return e.ofOne(op, x[0])
	}
	return ""
}

// ofOne is about functions of one number.
func (e *Event) ofOne(op isa.Op, x float64) string {
	name := map[isa.Op]string{isa.OpSqrt: "square root", isa.OpRsqrt: "inverse square root", isa.OpLg2: "logarithm"}[op]
	switch {
	case name != "" && x < 0:
		return fmt.Sprintf("the %s of a negative number, %v", name, x)
	case name != "" && x == 0:
		return "the " + name + " of 0"
	case (op == isa.OpSin || op == isa.OpCos) && math.IsInf(x, 0):
		return "a sine or cosine of an infinity"
	case op == isa.OpEx2 && e.Class == Inf:
		return fmt.Sprintf("2 to the power of %v is too large", x)
	}
	return ""
}

func (e *Event) quotient(a, b float64) string {
	switch {
	case b == 0 && a == 0:
		return "0 / 0"
	case b == 0:
		return fmt.Sprintf("%v / 0", a)
	case math.IsInf(a, 0) && math.IsInf(b, 0):
		return "inf / inf"
	case e.Class == Inf:
		return fmt.Sprintf("%v / %v is too large", a, b)
	}
	return ""
}

func (e *Event) product(a, b float64) string {
	switch {
	case a == 0 && math.IsInf(b, 0) || b == 0 && math.IsInf(a, 0):
		return "0 * inf"
	case e.Class == Inf:
		return fmt.Sprintf("%v * %v is too large", a, b)
	}
	return ""
}

func (e *Event) sum(a, b float64) string {
	switch {
	case math.IsInf(a, 0) && math.IsInf(b, 0) && a != b:
		return "inf - inf"
	case e.Class == Inf:
		return fmt.Sprintf("%v + %v is too large", a, b)
	}
	return ""
}

// element returns which element of a packed result is of the class, and the result.
func (e *Event) element() (at int, in *Value) {
	for i := range e.Writes {
		w := &e.Writes[i]
		if !Looked(w.Type) {
			continue
		}
		for k, bits := range elements(w.Type, w.Bits[0]) {
			x := number(w.Type.Elem(), bits)
			if e.Class == NaN && math.IsNaN(x) || e.Class == Inf && math.IsInf(x, 0) {
				return k, w
			}
		}
	}
	return 0, nil
}

// sources are the operands of floating point as numbers, in the order in which they are
// written, of packed ones an element.
func (e *Event) sources(at int) (x []float64) {
	for i := range e.In.Ops() {
		op := &e.In.Ops()[i]
		if e.In.Inst.Form.Operands[i].Write {
			continue
		}
		v, ok := e.operand(op)
		if !ok || !Looked(v.Type) {
			continue
		}
		list := elements(v.Type, v.Bits[0])
		x = append(x, number(v.Type.Elem(), list[min(at, len(list)-1)]))
	}
	return x
}

// operand is what an operand held.
func (e *Event) operand(op *ir.Operand) (v Value, ok bool) {
	switch op.Kind {
	case ir.OperandImm:
		return Value{Type: op.Type, Bits: [2]uint64{op.Imm}}, true
	case ir.OperandReg:
		for _, r := range e.Reads {
			if r.Reg == int32(op.Reg) {
				return r, true
			}
		}
	}
	return v, false
}
