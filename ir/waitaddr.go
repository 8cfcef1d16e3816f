package ir

import "hyptx/ir/isa"

// address returns the instruction's first memory operand, nil if it has none.
// Where data is copied it is the destination.
func (in *Instr) address() *Operand {
	for i := range in.Ops {
		if in.Ops[i].Kind == OperandAddr {
			return &in.Ops[i]
		}
	}
	return nil
}

// space returns where the memory operand at points: its variable's space or
// the one that the opcode names, .shared for all of a cluster's.
func (in *Instr) space(at *Operand) isa.Space {
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
func (w *waiter) unchangedAddress(in *Instr, at *Operand) bool {
	return at.Reg == NoReg || w.unchanged(w.ssa.Use(in.PC, at.Reg), make(map[ValueID]bool))
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
		if !in.repeats() {
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
func (in *Instr) repeats() bool {
	if at := in.address(); at != nil {
		s := in.space(at)
		return in.Inst.IsLoad() && in.Inst.PlainAccess() && (s == isa.Const || s == isa.ParamEntry)
	}
	for i := range in.Ops {
		if in.Ops[i].Kind == OperandSReg && in.Ops[i].SReg.Identity() == isa.Changing {
			return false
		}
	}
	return in.Inst.Computes()
}

// storedOutside reports whether a store outside the loop may reach the bytes
// that load reads.
func (w *waiter) storedOutside(load *Instr) bool {
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
			if st.writesMemory() && (g != w.f || !w.l.Has(int(st.Block))) && w.mayMeet(load, st, false) {
				return true
			}
		}
	}
	return false
}

// mayMeet reports whether store st may reach the bytes that load reads;
// sameThread: as far as one thread's st is concerned. A register is the same
// address for one thread only.
func (w *waiter) mayMeet(load, st *Instr, sameThread bool) bool {
	a, b := load.address(), st.address()
	if b == nil {
		return true
	}
	as, bs := load.space(a), st.space(b)
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
	case sameThread && a.Reg != NoReg && b.Reg != NoReg && w.ssa.Use(load.PC, a.Reg) == w.ssa.Use(st.PC, b.Reg):
	default:
		return true
	}
	return a.Off < b.Off+st.accessBytes() && b.Off < a.Off+load.accessBytes()
}

// accessBytes returns the size of a memory access.
func (in *Instr) accessBytes() int64 {
	return int64(in.Inst.Type().Bytes()) * int64(max(in.Inst.Vec, 1))
}

// writesMemory reports whether the instruction may store where other threads
// read.
func (in *Instr) writesMemory() bool { return in.Inst.IsStore() || in.Inst.IsAtomic() }
