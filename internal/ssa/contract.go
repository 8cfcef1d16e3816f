package ssa

import (
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Absorbs returns the multiplication that each of an addition's two operands is
// the result of, where the two may become one fma; nil elsewhere. Neither has
// a rounding modifier, they have the same type and the same .ftz, and the
// multiplication neither saturates nor has a guard (PTX ISA 9.7.3.3 to .5).
// Moves between the two do not count. Compilers contract by default (nvcc's
// -fmad), so hardware may round once where the PTX, read as it stands, rounds
// twice: whoever compares results with hardware's has to know where.
func (s *Form) Absorbs(add *ir.Instr) (muls [2]*ir.Instr) {
	if add.Inst.Open() != isa.Contracted || add.Inst.Op == isa.OpMul {
		return muls
	}
	for n := range muls {
		op := &add.Ops()[n+1]
		if op.Kind != ir.OperandReg {
			continue
		}
		in := s.Definition(s.Origin(s.Use(add.PC, op.Reg)))
		if in != nil && in.Inst.Op == isa.OpMul && in.Inst.Open() == isa.Contracted && in.Inst.Type() == add.Inst.Type() &&
			!in.Inst.Has(isa.ModSat) && in.Inst.Has(isa.ModFtz) == add.Inst.Has(isa.ModFtz) {
			muls[n] = in
		}
	}
	return muls
}
