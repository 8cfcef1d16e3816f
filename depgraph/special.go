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
	others := sl.readOtherWays()
	for _, s := range sl.listed {
		if moved, ok := sl.movedSpecial(s, others); ok {
			sl.run.Remove(s.pc)
			sl.value.Remove(s.pc)
			sl.moves.Add(s.pc)
			uses = append(uses, moved...)
		}
	}
	slices.SortFunc(uses, func(a, b slice.SRegUse) int { return int(a.PC - b.PC) })
	return uses
}

// register is one of a function.
type register struct {
	fn  int32
	reg ir.RegID
}

// readOtherWays returns the registers that members read of lanes which may have come another
// way: what such a lane has there no use in the text tells.
func (sl *slicer) readOtherWays() map[register]bool {
	found := map[register]bool{}
	for _, s := range sl.listed {
		in := &sl.g.Kernel.Module.Instrs[s.pc]
		if !in.Inst.CrossLane() {
			continue
		}
		for _, r := range in.Uses() {
			if sl.readsOtherWays(s, in, r) {
				found[register{s.fn, r}] = true
			}
		}
	}
	return found
}

// movedSpecial returns the members' uses of the special register that s moves
// into a register, if that is all that s does and all its readers among the
// members can read the special register instead. A phi or a select cannot: it
// finds its value in the register; nor does who reads the register of other lanes.
func (sl *slicer) movedSpecial(s site, others map[register]bool) ([]slice.SRegUse, bool) {
	k := sl.g.Kernel
	in := &k.Module.Instrs[s.pc]
	if in.Inst.Op != isa.OpMov || in.Guard != ir.NoReg || len(in.Defs()) != 1 ||
		in.Ops()[0].Kind != ir.OperandReg || in.Ops()[1].Kind != ir.OperandSReg {
		return nil, false
	}
	sreg, d := in.Ops()[1].SReg, in.Ops()[0].Reg
	if others[register{s.fn, d}] || sreg.Volatile() || sreg.Type().Bits() != k.Funcs[s.fn].Regs[d].Type.Bits() {
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
		uses = append(uses, slice.SRegUse{PC: u.PC, Reg: d, SReg: sreg})
	}
	return uses, true
}
