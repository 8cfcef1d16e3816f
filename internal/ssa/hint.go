package ssa

import (
	"slices"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// OnlyHints reports whether an instruction reads a register as a cache policy and for nothing
// else: no result depends on it.
func OnlyHints(in *ir.Instr, r ir.RegID) (hints bool) {
	if in.Inst == nil || len(in.Inst.Form.Memory) == 0 || r == in.Guard {
		return false
	}
	for i := range in.Ops() {
		switch spec := &in.Inst.Form.Operands[i]; {
		case spec.Kind == isa.Policy:
			hints = hints || names(&in.Ops()[i], r)
		case !spec.Write && names(&in.Ops()[i], r):
			return false
		}
	}
	return hints
}

// names reports whether a register is an operand, its address, or among its elements.
func names(op *ir.Operand, r ir.RegID) bool {
	if op.Kind == ir.OperandReg || op.Kind == ir.OperandAddr {
		return op.Reg == r
	}
	return slices.ContainsFunc(op.Elems(), func(e ir.Operand) bool { return names(&e, r) })
}
