package emulator

import (
	"hyptx/ir"
	"hyptx/ir/isa"
)

// originRule is what following origins through an instruction needs: how it is
// run, and the registers that it reads and writes, as places in frame.origins.
type originRule struct {
	exec          execFunc
	uses, defs    []int32
	memory        bool
	load, store   bool
	atomic, cross bool
	clock         bool
	how           uint8
	// address are the places of a store's address registers, for Program.order.
	address []int32
}

// followOrigins wraps an instruction so that it also passes on origins.
func (c *compiler) followOrigins(in *ir.Instr, i *inst) {
	t := &originRule{exec: i.exec}
	for _, r := range in.Uses() {
		if r != in.Guard && !c.givenOrigin(in.PC, r) {
			t.uses = append(t.uses, c.originPlace(r))
		}
	}
	for _, r := range in.Defs() {
		t.defs = append(t.defs, c.originPlace(r))
	}
	x := in.Inst
	t.cross = x.CrossLane()
	t.clock = x.Op == isa.OpMov && len(in.Ops) > 1 && in.Ops[1].Kind == ir.OperandSReg && volatile(in.Ops[1].SReg)
	t.atomic = x.IsAtomic()
	t.load, t.store = x.IsLoad() || t.atomic, x.IsStore() || t.atomic
	t.memory = i.mem != nil && i.width > 0 && (t.load || t.store)
	t.how = plainStore
	if t.atomic {
		t.how = howOf(x)
	}
	if c.prog.order && t.memory && t.store {
		t.address, t.how = c.addressOrigins(in), orderOf(x, t.how)
	}
	i.rule, i.exec = t, execFollowed
}

// originPlace returns the place of a register in a frame's origins: values by
// their slot, then predicates. A frame's origins grow with its registers, so
// the place of a predicate is negative until the program is complete.
func (c *compiler) originPlace(r ir.RegID) int32 {
	o := c.register(c.fn, r).off
	if c.fn.ir.Regs[r].Type == isa.Pred {
		return ^o
	}
	return o
}

// givenOrigin reports whether, as far as origins go, instruction pc reads a
// constant of the launch or a special register in reg.
func (c *compiler) givenOrigin(pc ir.PC, reg ir.RegID) bool {
	_, known := constIn(c.origins, pc, reg)
	_, special := sregIn(c.origins, pc, reg)
	return known || special
}

// howOf numbers atomic operations that commute among themselves; those that do
// not are like plain stores.
func howOf(x *isa.Inst) uint8 {
	if x.Type().IsFloat() {
		return plainStore
	}
	for i, name := range []string{"add", "and", "or", "xor", "min", "max", "inc", "dec"} {
		if x.Sub.String() == name {
			return plainStore + 1 + uint8(i)
		}
	}
	return plainStore
}

// Programs that follow the order of threads (vary.Variation.Order) follow
// origins through all instructions, and beyond what exactness needs keep three
// things: a floating-point sum counts as one whatever its order, for that has a
// bound of its own; a store whose address depends on the order makes all of
// that memory depend on it, since in another order it goes elsewhere; and what
// a buffer holds at the end can be asked for.

// orderOf numbers atomic operations that commute, sums of floating-point
// numbers among them.
func orderOf(x *isa.Inst, how uint8) uint8 {
	if x.Open() == isa.Reordered {
		return plainStore + 100
	}
	return how
}

// addDecision appends a pseudo-instruction that counts, for a guard or an
// index that is about to decide, whether its value is exact.
func (c *compiler) addDecision(in *ir.Instr, r ir.RegID) {
	if _, known := constIn(c.origins, in.PC, r); known || r == ir.NoReg {
		return
	}
	c.prog.insts = append(c.prog.insts, inst{
		pc: in.PC, guard: noPred, pd: noPred, pq: noPred, pa: noPred, exec: execDecision,
		rule: &originRule{uses: []int32{c.originPlace(r)}}, index: int32(len(c.prog.insts)),
	})
}

// addTerminatorDecisions counts what the instruction at the end of a segment
// decides.
func (c *compiler) addTerminatorDecisions(in *ir.Instr) {
	c.addDecision(in, in.Guard)
	if in.Inst.IsSwitch() && in.Ops[0].Kind == ir.OperandReg {
		c.addDecision(in, in.Ops[0].Reg)
	}
	if in.Call != nil && in.Call.Callee == nil && in.Call.Address.Kind == ir.OperandReg {
		c.addDecision(in, in.Call.Address.Reg)
	}
}
