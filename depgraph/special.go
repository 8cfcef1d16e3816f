package depgraph

import (
	"slices"

	"hyptx/internal/slice"
	"hyptx/internal/ssa"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// dropMoves takes those members out of the slice that only copy a special
// register into a register which members read directly: the emulator holds
// special registers ready, so the readers read them themselves. It returns
// these uses, by PC. What the slice depends on (sources, origins) must be known
// before.
func (sl *slicer) dropMoves() []slice.SRegUse {
	var uses []slice.SRegUse
	for _, s := range sl.listed {
		if moved, ok := sl.movedSpecial(s); ok {
			sl.run.Remove(s.pc)
			sl.value.Remove(s.pc)
			sl.moves.Add(s.pc)
			uses = append(uses, moved...)
		}
	}
	slices.SortFunc(uses, func(a, b slice.SRegUse) int { return int(a.PC - b.PC) })
	return uses
}

// movedSpecial returns the members' uses of the special register that s moves
// into a register, if that is all that s does and all its readers among the
// members can read the special register instead. A phi or a select cannot: it
// finds its value in the register.
func (sl *slicer) movedSpecial(s site) ([]slice.SRegUse, bool) {
	k := sl.g.Kernel
	in := &k.Module.Instrs[s.pc]
	if in.Inst.Op != isa.OpMov || in.Guard != ir.NoReg || len(in.Defs()) != 1 ||
		in.Ops[0].Kind != ir.OperandReg || in.Ops[1].Kind != ir.OperandSReg {
		return nil, false
	}
	sreg, d := in.Ops[1].SReg, in.Ops[0].Reg
	if sreg.Volatile() || sreg.Type().Bits() != k.Funcs[s.fn].Regs[d].Type.Bits() {
		return nil, false
	}
	form := k.SSA[s.fn]
	var uses []slice.SRegUse
	for _, u := range form.Users(form.Written(s.pc, 0)) {
		if u.Value != ssa.NoValue {
			return nil, false
		}
		if !sl.run.Has(u.PC) {
			continue
		}
		if sl.readsOtherWays(site{s.fn, u.PC}, &k.Module.Instrs[u.PC], d) {
			return nil, false
		}
		uses = append(uses, slice.SRegUse{PC: u.PC, Reg: d, SReg: sreg})
	}
	return uses, true
}
