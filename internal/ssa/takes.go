package ssa

import (
	"slices"

	"hyptx/ir"
)

// Takes reports whether an instruction reads a value for what it is, not for an address.
func (s *Form) Takes(in *ir.Instr, v ValueID) bool {
	var among func(ops []ir.Operand) bool
	among = func(ops []ir.Operand) bool {
		return slices.ContainsFunc(ops, func(op ir.Operand) bool {
			return op.Kind == ir.OperandReg && slices.Contains(in.Uses(), op.Reg) && s.Use(in.PC, op.Reg) == v || among(op.Elems())
		})
	}
	return among(in.Ops())
}
