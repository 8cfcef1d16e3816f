package ssa

import "hyptx/ir"

// WritesTwice reports whether a register stands twice in a vector that an instruction
// writes, of which the manual does not say what it then holds (PTX ISA 6.4.3).
func WritesTwice(in *ir.Instr) bool {
	if len(in.Ops()) == 0 || len(in.Defs()) == 0 {
		return false
	}
	elems := in.Ops()[0].Elems()
	for i := range elems {
		for j := range elems[:i] {
			if elems[i].Kind == ir.OperandReg && elems[j].Kind == ir.OperandReg && elems[i].Reg == elems[j].Reg {
				return true
			}
		}
	}
	return false
}
