package ssa

import (
	"hyptx/internal/flow"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Whoever counts a loop's rounds asks two things of it: which branch ends it,
// and what a round adds to the phi that the branch looks at. Package fold bounds
// counters so, package machine unrolls loops.

// ExitTest returns the guarded bra that decides whether a loop is left along
// one of its exits, nil if it is something else that decides, and the outcome
// of its guard with which the loop goes on.
func (s *Form) ExitTest(exit flow.Edge) (branch *ir.Instr, stays bool) {
	f := s.Func
	block := f.Blocks[exit.From]
	if len(block.Succs()) != 2 {
		return nil, false
	}
	in := &f.Module.Instrs[block.End-1]
	if in.Inst.Form.Flow != isa.FlowBranch || in.Guard == ir.NoReg {
		return nil, false
	}
	return in, (f.BlockAt(in.Target) == exit.To) == in.GuardNot
}

// Added returns the instruction that makes next by adding something to v, and
// the operand that it adds; nil if next is not made so. Moves between the two
// do not count.
func (s *Form) Added(next, v ValueID) (add *ir.Instr, by *ir.Operand) {
	add = s.Definition(s.Origin(next))
	if add == nil || add.Inst.Op != isa.OpAdd || len(add.Inst.Mods) != 1 || add.Inst.Type().Bits() != s.TypeOf(v).Bits() {
		return nil, nil
	}
	a, by := &add.Ops()[1], &add.Ops()[2]
	if by.Kind == ir.OperandReg && s.Origin(s.Use(add.PC, by.Reg)) == v {
		a, by = by, a
	}
	if a.Kind != ir.OperandReg || a.Neg || s.Origin(s.Use(add.PC, a.Reg)) != v {
		return nil, nil
	}
	return add, by
}

// Definition returns the unguarded instruction that makes v, or nil.
func (s *Form) Definition(v ValueID) *ir.Instr {
	if v == NoValue || s.Values[v].Kind != Def {
		return nil
	}
	if in := &s.Func.Module.Instrs[s.Values[v].PC]; in.Guard == ir.NoReg && in.Call == nil {
		return in
	}
	return nil
}

// Origin returns the value of which v is a copy, made by mov of a whole
// register.
func (s *Form) Origin(v ValueID) ValueID {
	for {
		in := s.Definition(v)
		if in == nil || in.Inst.Op != isa.OpMov || in.Ops()[0].Kind != ir.OperandReg || in.Ops()[1].Kind != ir.OperandReg {
			return v
		}
		v = s.Use(in.PC, in.Ops()[1].Reg)
	}
}

// TypeOf returns the type of v's register.
func (s *Form) TypeOf(v ValueID) isa.Type { return s.Func.Regs[s.Values[v].Reg].Type }
