package ssa

import (
	"hyptx/ir"
	"hyptx/ir/isa"
)

// address returns the instruction's first memory operand, nil if it has none.
// Where data is copied it is the destination.
func address(in *ir.Instr) *ir.Operand {
	for i := range in.Ops() {
		if in.Ops()[i].Kind == ir.OperandAddr {
			return &in.Ops()[i]
		}
	}
	return nil
}

// space returns where the memory operand at points: its variable's space or
// the one that the opcode names, .shared for all of a cluster's.
func space(in *ir.Instr, at *ir.Operand) isa.Space {
	s := in.Inst.Space
	if at.Var != nil {
		s = at.Var.Space
	}
	if s == isa.SharedCluster {
		return isa.Shared
	}
	return s
}

// unchangedAddress reports whether the address of at, an operand of in, is the
// same in every round of the loop.
func (w *waiter) unchangedAddress(in *ir.Instr, at *ir.Operand) bool {
	return at.Reg == ir.NoReg || w.unchanged(w.ssa.Use(in.PC, at.Reg), make(map[ValueID]bool))
}

// unchanged reports whether a value is the same in every round: made outside
// the loop, or computed in it from such values only.
func (w *waiter) unchanged(id ValueID, seen map[ValueID]bool) bool {
	v := &w.ssa.Values[id]
	if id == NoValue || seen[id] || v.Kind == Entry || v.Kind == Undef || !w.l.Has(int(v.Block)) {
		return true
	}
	seen[id] = true
	var from []ValueID
	switch v.Kind {
	case Select:
		from = v.Args
	case Def:
		in := &w.f.Module.Instrs[v.PC]
		if !repeats(in) {
			return false
		}
		from = w.ssa.Uses(v.PC)
	default: // a phi: another way, another value
		return false
	}
	for _, a := range from {
		if !w.unchanged(a, seen) {
			return false
		}
	}
	return true
}

// repeats reports whether the instruction gives the same result whenever its
// registers are the same.
func repeats(in *ir.Instr) bool {
	if at := address(in); at != nil {
		s := space(in, at)
		return in.Inst.IsLoad() && in.Inst.PlainAccess() && (s == isa.Const || s == isa.ParamEntry)
	}
	for i := range in.Ops() {
		if in.Ops()[i].Kind == ir.OperandSReg && in.Ops()[i].SReg.Identity() == isa.Changing {
			return false
		}
	}
	return in.Inst.Computes()
}

// storedOutside reports whether a store outside the loop may reach the bytes
// that load reads.
func (w *waiter) storedOutside(load *ir.Instr) bool {
	beside := w.f.Module.Funcs
	if w.f.Kernel {
		beside = w.f.Closure()
	}
	for _, g := range beside {
		if !g.Defined || g.AliasOf != nil {
			continue
		}
		for i := range g.Instrs() {
			st := &g.Instrs()[i]
			if writesMemory(st) && (g != w.f || !w.l.Has(int(st.Block))) && w.mayMeet(load, st, false) {
				return true
			}
		}
	}
	return false
}

// mayMeet reports whether store st may reach the bytes that load reads;
// sameThread: as far as one thread's st is concerned. A register is the same
// address for one thread only.
func (w *waiter) mayMeet(load, st *ir.Instr, sameThread bool) bool {
	a, b := address(load), address(st)
	if b == nil {
		return true
	}
	as, bs := space(load, a), space(st, b)
	switch bs {
	case isa.Generic, isa.Global, isa.Shared:
	default:
		return false // no other thread sees it
	}
	if as != bs && as != isa.Generic && bs != isa.Generic {
		return false
	}
	if !st.Inst.PlainAccess() {
		return true // of a size that its operands give
	}
	switch {
	case a.Var != nil && b.Var != nil:
		if a.Var != b.Var {
			return a.Var.Extern && b.Var.Extern // dynamic shared memory has many names
		}
	case sameThread && a.Reg != ir.NoReg && b.Reg != ir.NoReg && w.ssa.Use(load.PC, a.Reg) == w.ssa.Use(st.PC, b.Reg):
	default:
		return true
	}
	return int64(a.Imm) < int64(b.Imm)+accessBytes(st) && int64(b.Imm) < int64(a.Imm)+accessBytes(load)
}

// accessBytes returns the size of a memory access.
func accessBytes(in *ir.Instr) int64 {
	return int64(in.Inst.Type().Bytes()) * int64(max(in.Inst.Vec, 1))
}

// writesMemory reports whether the instruction may store where other threads
// read.
func writesMemory(in *ir.Instr) bool { return in.Inst.IsStore() || in.Inst.IsAtomic() }
