package machine

import (
	"hyptx/internal/value"
	"hyptx/ir"
)

// evaluate computes the one result of an instruction of f, as its register holds
// it, from constants: source returns those of its source operands. ok is false
// where one is none, or the operation is not known. Counting a loop's rounds
// and simplifying its expressions so agree on what they compute.
func evaluate(f *ir.Func, in *ir.Instr, source func(op *ir.Operand) (uint64, bool)) (d uint64, ok bool) {
	if !value.Folds(in.Inst.Op) || len(in.Defs()) != 1 || len(in.Ops()) < 2 || in.Ops()[0].Kind != ir.OperandReg {
		return 0, false
	}
	var s [4]uint64
	n := 0
	for i := range in.Ops()[1:] {
		op := &in.Ops()[i+1]
		if op.Kind == ir.NoOperand {
			continue
		}
		x, ok := source(op)
		if !ok || n == len(s) {
			return 0, false
		}
		s[n] = value.Extend(x, op.Type)
		n++
	}
	d, ok = value.Fold(in.Inst, s)
	return value.Truncate(value.Extend(d, in.Ops()[0].Type), f.Regs[in.Ops()[0].Reg].Type.Bits()), ok
}
