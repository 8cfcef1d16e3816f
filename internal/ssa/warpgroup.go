package ssa

import (
	"slices"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// A wgmma works on registers beside the threads that began it: on its accumulator and, if
// A is in registers, on those. Before it wgmma.fence puts what was written to them in order
// with it; after it nobody else may touch them until its group has been waited for (PTX ISA
// 9.7.16.7). Who reads too early is found as it runs. Who writes is found here, since a value
// that is written over need not be one that anything decides on.

// maxGroups bounds the groups that are counted along a way; more count as so many.
const maxGroups = 64

// warpgroupUse is a wgmma and the registers that it works on.
type warpgroupUse struct {
	f    *ir.Func
	pc   ir.PC
	regs []ir.RegID
	open map[ir.PC]bool
}

// Unsettled reports whether the manual leaves open what instruction pc writes, because of
// a wgmma that works on the same registers and is not in order with it.
func (s *Form) Unsettled(pc ir.PC) bool { return s.unsettled[pc] }

// unsettledOf returns the instructions of a function that are unsettled, nil for none.
func unsettledOf(f *ir.Func) map[ir.PC]bool {
	var open map[ir.PC]bool
	instrs := f.Instrs()
	for i := range instrs {
		in := &instrs[i]
		if !isGroupProduct(in) || in.Block < 0 {
			continue
		}
		if open == nil {
			open = map[ir.PC]bool{}
		}
		u := warpgroupUse{f, in.PC, matrixRegisters(in), open}
		u.forward(in.PC+1, int(in.Block), 0, map[[2]int]bool{})
		u.backward(in.PC, int(in.Block), map[int]bool{})
	}
	return open
}

// isGroupProduct reports whether an instruction is a wgmma that multiplies.
func isGroupProduct(in *ir.Instr) bool {
	return in.Inst.Op == isa.OpWgmmaMmaAsync || in.Inst.Op == isa.OpWgmmaMmaAsyncSp
}

// matrixRegisters returns the registers of the accumulator and of A.
func matrixRegisters(in *ir.Instr) (regs []ir.RegID) {
	for n := range in.Ops() {
		if op := &in.Ops()[n]; op.Kind == ir.OperandVec {
			for i := range op.Elems() {
				if e := &op.Elems()[i]; e.Kind == ir.OperandReg {
					regs = append(regs, e.Reg)
				}
			}
		}
	}
	return regs
}

// writes reports whether an instruction that is no wgmma writes a register of the product.
func (u *warpgroupUse) writes(in *ir.Instr) bool {
	own := func(r ir.RegID) bool { return slices.Contains(u.regs, r) }
	return !isGroupProduct(in) && slices.ContainsFunc(in.Defs(), own)
}

// forward goes on from pc in a block, groups having been committed since the product, to
// the waits for it: who writes on the way leaves both open.
func (u *warpgroupUse) forward(pc ir.PC, block, groups int, seen map[[2]int]bool) {
	for b := u.f.Blocks[block]; pc < b.End; pc++ {
		in := &u.f.Module.Instrs[pc]
		switch {
		case in.Inst.Op == isa.OpWgmmaCommitGroup:
			groups = min(groups+1, maxGroups)
		case in.Inst.Op == isa.OpWgmmaWaitGroup && groups > int(in.Ops()[0].Imm): // its own is no longer among the latest
			return
		case u.writes(in):
			u.open[pc], u.open[u.pc] = true, true
		}
	}
	for _, next := range u.f.Blocks[block].Succs() {
		if at := [2]int{next, groups}; next != ir.Exit && !seen[at] {
			seen[at] = true
			u.forward(u.f.Blocks[next].First, next, groups, seen)
		}
	}
}

// backward goes back from pc to the fences before the product: a write on the way, or a
// kernel's begin, leaves it open. What calls a function may have fenced.
func (u *warpgroupUse) backward(pc ir.PC, block int, seen map[int]bool) {
	for b := u.f.Blocks[block]; pc > b.First; {
		pc--
		switch in := &u.f.Module.Instrs[pc]; {
		case in.Inst.Op == isa.OpWgmmaFence:
			return
		case u.writes(in):
			u.open[u.pc] = true
			return
		}
	}
	if block == 0 && u.f.Kernel {
		u.open[u.pc] = true
	}
	for _, before := range u.f.Blocks[block].Preds() {
		if !seen[before] {
			seen[before] = true
			u.backward(u.f.Blocks[before].End, before, seen)
		}
	}
}
