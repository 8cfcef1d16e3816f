package fold

import (
	"hyptx/internal/value"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// cvta converts between generic addresses and those of a space (PTX ISA
// 9.7.10.23). Global addresses are generic ones as they are; those of variables
// elsewhere keep pointing to the variable.
func (e *evaluator) cvta() {
	c := e.source(&e.in.Ops()[1])
	if c.state != top && c.sym == nil && e.in.Inst.Space != isa.Global {
		c = cell{state: varying}
	}
	e.set(&e.in.Ops()[0], c, e.in.Inst.Type())
}

// selp selects by a predicate (PTX ISA 9.7.7.3). Where the predicate varies,
// both ways may still agree, or have intervals that are joined.
func (e *evaluator) selp() {
	a, b, p := e.source(&e.in.Ops()[1]), e.source(&e.in.Ops()[2]), e.source(&e.in.Ops()[3])
	var c cell
	switch {
	case p.state == constant && p.bits != 0:
		c = a
	case p.state == constant:
		c = b
	case p.state == varying && a.state != top && b.state != top:
		c = join(a, b, e.in.Inst.Type())
	}
	e.set(&e.in.Ops()[0], c, e.in.Inst.Type())
}

// setp compares and combines with a predicate (PTX ISA 9.7.7.2): p is
// compare(a, b) op c, its pair is !compare(a, b) op c.
func (e *evaluator) setp() {
	in := e.in
	inst := in.Inst
	if inst.Type().IsFloat() {
		return
	}
	a, b := e.source(&in.Ops()[1]), e.source(&in.Ops()[2])
	outcome := compareCells(inst, a, b)
	negated := outcome
	if outcome.state == constant {
		negated.bits ^= 1
	}
	if inst.Bool != isa.NoBool && len(in.Ops()) > 3 && in.Ops()[3].Kind != ir.NoOperand {
		c := e.source(&in.Ops()[3])
		outcome, negated = combine(inst.Bool, outcome, c), combine(inst.Bool, negated, c)
	}
	e.set(&in.Ops()[0], outcome, isa.Pred)
	e.setReg(in.Ops()[0].Pair, negated, isa.Pred)
}

// compareCells compares two integers.
func compareCells(inst *isa.Inst, a, b cell) cell {
	switch {
	case a.state == top || b.state == top:
		return cell{}
	case a.state == varying || b.state == varying:
		if holds, ok := value.Decide(inst.Cmp, a.as(inst.Type()), b.as(inst.Type())); ok {
			return boolCell(holds)
		}
		return cell{state: varying}
	case a.sym != nil || b.sym != nil:
		return cell{state: varying}
	}
	holds, ok := value.Compare(inst.Cmp, a.bits, b.bits, inst.Type().IsSigned())
	if !ok {
		return cell{state: varying}
	}
	return boolCell(holds)
}

// combine joins two predicates. False and anything is false, true or anything
// is true.
func combine(op isa.BoolOp, a, b cell) cell {
	for _, c := range []cell{a, b} {
		if c.state == constant && (op == isa.AND && c.bits == 0 || op == isa.OR && c.bits != 0) {
			return c
		}
	}
	switch {
	case a.state == varying || b.state == varying:
		return cell{state: varying}
	case a.state == top || b.state == top:
		return cell{}
	}
	switch op {
	case isa.AND:
		return constCell(a.bits & b.bits)
	case isa.OR:
		return constCell(a.bits | b.bits)
	case isa.XOR:
		return constCell(a.bits ^ b.bits)
	}
	return cell{state: varying}
}
