package ssa

import (
	"iter"

	"hyptx/ir"
)

// Telling goes through the registers on which it rests which mbarrier object a bulk copy
// tells of how many bytes, and whether: not those that say where in memory these lie, nor
// where in a tensor (PTX ISA 9.7.10.28.4 and .5).
func Telling(in *ir.Instr) iter.Seq[ir.RegID] {
	return func(yield func(ir.RegID) bool) { telling(in, yield) }
}

func telling(in *ir.Instr, yield func(ir.RegID) bool) {
	note := func(r ir.RegID) bool { return r == ir.NoReg || yield(r) }
	if !note(in.Guard) {
		return
	}
	for i := range in.Inst.Form.Operands {
		op := &in.Ops()[i]
		of := []*ir.Operand{op}
		switch name := in.Inst.Form.Operands[i].Name; {
		case name == "offsets":
			of = nil
			for k := range op.Elems() {
				of = append(of, &op.Elems()[k])
			}
		case op.Kind == ir.OperandBrackets:
			of[0] = &op.Elems()[0] // the map
		case name != "mbar" && name != "size" && name != "mask":
			continue
		}
		for _, op := range of {
			if op.Var == nil && !note(op.Reg) {
				return
			}
		}
	}
}
