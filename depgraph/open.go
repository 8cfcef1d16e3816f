package depgraph

import (
	"slices"

	"hyptx/internal/ssa"
	nan "hyptx/internal/value"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// leftOpen reports whether the manual may leave the result of member s open:
// an integer division whose divisor may be zero, an exchange with lanes that may
// be absent, which lanes are together, a special register that belongs to the machine, a fragment of wmma, what a
// texture has not, registers that a wgmma works on, an operand out of its range.
func (sl *slicer) leftOpen(s site) bool {
	in := &sl.g.Kernel.Module.Instrs[s.pc]
	for i := range in.Ops() {
		if in.Ops()[i].Kind == ir.OperandSReg && in.Ops()[i].SReg.OfMachine() {
			return true
		}
	}
	if sl.g.Kernel.SSA[s.fn].Unsettled(s.pc) {
		return true
	}
	if in.Inst.Form.Object != 0 { // channels that are not there, elements beyond an edge
		return true
	}
	if in.Inst.CrossLane() && in.Inst.Form.Class != isa.InterThread { // a matrix of whose lanes some may be missing
		return true
	}
	if ssa.WritesTwice(in) {
		return true
	}
	if in.Inst.ReadsCC() && len(sl.g.Kernel.Funcs[s.fn].Calls) > 0 { // which does not preserve it
		return true
	}
	if sl.asksWhere(s) {
		return true
	}
	if in.Inst.Open() == isa.UnspecifiedNaN && sl.readAsBits(s) {
		return true
	}
	switch in.Inst.Op {
	case isa.OpShfl, isa.OpActivemask, isa.OpCreatepolicy, isa.OpLdu, isa.OpMbarrierPendingCount:
		return true
	case isa.OpFns:
		base, known := sl.constant(s, &in.Ops()[2])
		return !known || base > 31
	case isa.OpVote, isa.OpMatch, isa.OpRedux, isa.OpElect: // members may be at another one
		return in.Inst.SyncsWarp()
	case isa.OpDiv, isa.OpRem:
		if in.Inst.Type().IsFloat() {
			return false
		}
		bits, known := sl.constant(s, &in.Ops()[2])
		return !known || bits == 0 || in.Inst.Op == isa.OpRem && in.Inst.Type().IsSigned() && !sl.natural(s, in.Ops()[1:3])
	}
	return false
}

// readAsBits reports whether the bits of what member s writes may be read by another one, be
// it after it was handed on or from memory.
func (sl *slicer) readAsBits(s site) bool {
	return sl.comesTo(s, func(in *ir.Instr, _ ssa.ValueID) (found, on bool) {
		return in.Call != nil || sl.run.Has(in.PC) && nan.UseOfNaN(in.Inst) == nan.AsBits || len(in.Inst.Form.Memory) > 0, nan.UseOfNaN(in.Inst) == nan.HandedOn
	})
}

// asksWhere reports whether member s reads where a variable, a function or the stack lies, and
// anything but an access may come to depend on the number.
func (sl *slicer) asksWhere(s site) bool {
	k := sl.g.Kernel
	in := &k.Module.Instrs[s.pc]
	where := in.Inst.Op == isa.OpAlloca || in.Inst.Op == isa.OpStacksave
	for i := range in.Ops() {
		kind := in.Ops()[i].Kind
		where = where || in.Call == nil && len(in.Inst.Form.Memory) == 0 && (kind == ir.OperandVar || kind == ir.OperandFunc)
	}
	form := k.SSA[s.fn]
	return where && sl.comesTo(s, func(in *ir.Instr, v ssa.ValueID) (found, on bool) {
		decides := slices.ContainsFunc(in.Defs(), func(r ir.RegID) bool { return k.Funcs[s.fn].Regs[r].Type == isa.Pred })
		found = in.Call != nil || sl.run.Has(in.PC) && (decides || (in.Inst.IsStore() || in.Inst.IsAtomic()) && form.Takes(in, v))
		return found, len(in.Inst.Form.Memory) == 0
	})
}

// comesTo reports whether what member s writes comes to a user that found names, by those that hand
// it on, or is returned.
func (sl *slicer) comesTo(s site, user func(in *ir.Instr, v ssa.ValueID) (found, on bool)) bool {
	form, seen := sl.g.Kernel.SSA[s.fn], map[ssa.ValueID]bool{}
	work := slices.Clone(form.Defs(s.pc))
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[v] {
			continue
		}
		seen[v] = true
		for _, u := range form.Users(v) {
			if u.Value != ssa.NoValue {
				work = append(work, u.Value)
				continue
			}
			in := &sl.g.Kernel.Module.Instrs[u.PC]
			found, on := user(in, v)
			if found {
				return true
			}
			if on {
				work = append(work, form.Defs(u.PC)...)
			}
		}
	}
	for b := range form.Func.Blocks {
		if slices.ContainsFunc(form.Returned(b), func(v ssa.ValueID) bool { return seen[v] }) {
			return true
		}
	}
	return false
}

// natural reports whether no operand of s is negative, read as a signed number.
func (sl *slicer) natural(s site, ops []ir.Operand) bool {
	t := sl.g.Kernel.Module.Instrs[s.pc].Inst.Type()
	for i := range ops {
		low, high := int64(ops[i].Imm<<(64-t.Bits()))>>(64-t.Bits()), int64(0)
		if ops[i].Kind == ir.OperandReg {
			var known bool
			if low, high, known = sl.g.folding(s.fn).Range(sl.g.Kernel.SSA[s.fn].Use(s.pc, ops[i].Reg)); !known {
				return false
			}
		} else if ops[i].Kind != ir.OperandImm {
			return false
		}
		if low < 0 || high>>(t.Bits()-1) != 0 {
			return false
		}
	}
	return true
}

// constant returns the bits of an operand of s that is a constant of the launch.
func (sl *slicer) constant(s site, op *ir.Operand) (bits uint64, known bool) {
	if op.Kind == ir.OperandReg {
		return sl.g.folding(s.fn).Const(sl.g.Kernel.SSA[s.fn].Use(s.pc, op.Reg))
	}
	return op.Imm, op.Kind == ir.OperandImm
}
