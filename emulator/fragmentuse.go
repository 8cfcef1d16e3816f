package emulator

import (
	"slices"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// Which element of a matrix a register of a fragment of wmma holds, the manual leaves
// open (PTX ISA 9.7.16.4.1): a program may do the same to all elements, multiply and
// store. What it does beyond that with such a register rests on the machine's order: to
// decide by it, to store it by itself, to take an address from it, to exchange it. That
// is found by registers, for a whole function: those that come from a wmma.load or
// wmma.mma through whatever computes.

// fragmentRegs returns the registers of the function that may hold parts of fragments.
func (c *compiler) fragmentRegs() map[ir.RegID]bool {
	if regs, ok := c.fragmented[c.fn]; ok {
		return regs
	}
	regs := map[ir.RegID]bool{}
	for more := true; more; {
		more = false
		for i := range c.fn.ir.Instrs() {
			in := &c.fn.ir.Instrs()[i]
			makes := in.Inst.Op == isa.OpWmmaLoad || in.Inst.Op == isa.OpWmmaMma
			if !makes && (len(in.Inst.Form.Memory) > 0 || !readsAny(in, regs)) {
				continue
			}
			for _, d := range in.Defs() {
				more = more || !regs[d]
				regs[d] = true
			}
		}
	}
	if c.fragmented == nil {
		c.fragmented = map[*function]map[ir.RegID]bool{}
	}
	c.fragmented[c.fn] = regs
	return regs
}

func readsAny(in *ir.Instr, regs map[ir.RegID]bool) bool {
	return slices.ContainsFunc(in.Uses(), func(r ir.RegID) bool { return regs[r] })
}

// asksFragments reports whether what an instruction does depends on which elements a lane
// holds.
func (c *compiler) asksFragments(in *ir.Instr) bool {
	switch in.Inst.Op {
	case isa.OpWmmaLoad, isa.OpWmmaStore, isa.OpWmmaMma:
		return false
	}
	return (len(in.Inst.Form.Memory) > 0 || in.Inst.CrossLane()) && readsAny(in, c.fragmentRegs())
}
