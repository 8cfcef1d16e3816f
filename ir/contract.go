package ir

import "hyptx/ir/isa"

// Absorbs returns the multiplication that each of an addition's two operands is
// the result of, where the two may become one fma; nil elsewhere. Neither has
// a rounding modifier, they have the same type and the same .ftz, and the
// multiplication neither saturates nor has a guard (PTX ISA 9.7.3.3 to .5).
// Moves between the two do not count. Compilers contract by default (nvcc's
// -fmad), so hardware may round once where the PTX, read as it stands, rounds
// twice: whoever compares results with hardware's has to know where.
func (s *SSA) Absorbs(add *Instr) (muls [2]*Instr) {
	if add.Inst.Open() != isa.Contracted || add.Inst.Op == isa.OpMul {
		return muls
	}
	instrs := s.Func.Module.Instrs
	for n := range muls {
		op := &add.Ops[n+1]
		if op.Kind != OperandReg {
			continue
		}
		in := s.definer(add.PC, op.Reg)
		for in != nil && in.Inst.Op == isa.OpMov && in.Ops[1].Kind == OperandReg {
			in = s.definer(in.PC, in.Ops[1].Reg)
		}
		if in != nil && in.Inst.Op == isa.OpMul && in.Inst.Open() == isa.Contracted && in.Inst.Type() == add.Inst.Type() &&
			!in.Inst.Has(isa.ModSat) && in.Inst.Has(isa.ModFtz) == add.Inst.Has(isa.ModFtz) {
			muls[n] = &instrs[in.PC]
		}
	}
	return muls
}

// definer returns the one instruction whose result instruction pc reads in
// r, nil if paths or a guard decide which it is.
func (s *SSA) definer(pc PC, r RegID) *Instr {
	v := s.Use(pc, r)
	if v == NoValue || s.Values[v].Kind != Def {
		return nil
	}
	return &s.Func.Module.Instrs[s.Values[v].PC]
}
