package emulator

import (
	"fmt"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// Where operands lie. A use that the slice knows to be a launch constant or a special
// register reads that, whatever register stands in the instruction.

// place returns where an operand's value stands: a register's slot, a
// constant's, a special register's or an address'.
func (c *compiler) place(in *ir.Instr, op *ir.Operand) operand {
	switch op.Kind {
	case ir.OperandReg:
		t := c.fn.ir.Regs[op.Reg].Type
		if bits, ok := c.constUse(in.PC, op.Reg); ok {
			return c.constant(bits, t.Slots())
		}
		if sreg, ok := c.sregUse(in.PC, op.Reg); ok {
			return c.special(sregKey{sreg: sreg})
		}
		return c.register(c.fn, op.Reg)
	case ir.OperandImm:
		return c.constant(op.Imm, op.Type.Slots())
	case ir.OperandSReg:
		return c.special(sregKey{sreg: op.SReg})
	case ir.OperandFunc:
		return c.constant(FunctionAddress(op.Rare.Func), max(op.Type.Slots(), 1))
	case ir.OperandVar:
		return c.varAddress(op.Var, int64(op.Imm), op.Type.Slots())
	case ir.OperandSink:
		return operand{off: -1}
	}
	panic(fmt.Sprintf("BUG: operand kind %d has no place", op.Kind))
}

// varAddress returns the place of a variable's address in its own space.
func (c *compiler) varAddress(v *ir.Var, off int64, slots int) operand {
	if at, ok := c.fn.local[v]; ok {
		return c.special(sregKey{local: true, offset: at + off})
	}
	return c.constant(uint64(c.staticAddress(v)+off), max(slots, 1))
}

// staticAddress returns the address of a variable that is the same for all
// threads.
func (c *compiler) staticAddress(v *ir.Var) int64 {
	switch v.Space {
	case isa.Shared:
		return c.prog.sharedVar[v]
	case isa.Param, isa.ParamEntry:
		return int64(v.Offset)
	}
	return int64(c.data.address(v, false))
}

// source and dest return the places of operand n.
func (c *compiler) source(in *ir.Instr, n int) operand { return c.place(in, &in.Ops()[n]) }

// dest returns the place of the destination operand n. What computes writes it as it is;
// what reaches memory skips what _ takes.
func (c *compiler) dest(in *ir.Instr, n int) operand {
	if len(in.Inst.Form.Memory) > 0 {
		return c.destination(&in.Ops()[n])
	}
	return c.output(&in.Ops()[n])
}

// output returns the place of an operand that is written: for _ one that nobody reads.
func (c *compiler) output(op *ir.Operand) operand {
	if op.Kind != ir.OperandSink {
		return c.destination(op)
	}
	if c.fn.sink == 0 {
		c.fn.sink = int32(c.fn.slots) + 1
		c.fn.slots += widestRegister
	}
	return operand{off: c.fn.sink - 1, mask: -1}
}

// results returns the places of what a product writes.
func (c *compiler) results(op *ir.Operand) (places []operand) {
	for _, e := range elementsOf(op) {
		places = append(places, c.output(&e))
	}
	return places
}

// widestRegister is how many slots a register of 128 bits takes.
const widestRegister = 4

// destination returns the place of an operand that is written. It is always a
// register of the frame, never a constant that reading it would give.
func (c *compiler) destination(op *ir.Operand) operand {
	if op.Kind == ir.OperandReg {
		return c.register(c.fn, op.Reg)
	}
	return operand{off: -1}
}

// predicate returns the place of a predicate source: a register and what to
// xor it with. A constant is no register: the xor alone is the value.
func (c *compiler) predicate(in *ir.Instr, op *ir.Operand) (index int32, flip uint32) {
	if op.Not {
		flip = fullMask
	}
	switch op.Kind {
	case ir.OperandReg:
		if bits, ok := c.constUse(in.PC, op.Reg); ok {
			if bits != 0 {
				flip = ^flip
			}
			return noPred, flip
		}
		return c.register(c.fn, op.Reg).off, flip
	case ir.OperandImm:
		if op.Imm != 0 {
			flip = ^flip
		}
		return noPred, flip
	case ir.OperandSReg:
		return c.explicitCluster(), flip
	}
	panic("BUG: a predicate operand without a value")
}

// explicitCluster returns the place of %is_explicit_cluster, which a frame holds.
func (c *compiler) explicitCluster() int32 {
	if c.fn.explicit == noPred {
		c.fn.explicit = int32(c.fn.preds)
		c.fn.preds++
	}
	return c.fn.explicit
}

// predDest returns the place of a predicate destination, noPred for a sink.
func (c *compiler) predDest(op *ir.Operand) int32 {
	if op.Kind != ir.OperandReg {
		return noPred
	}
	return c.register(c.fn, op.Reg).off
}

// pairDest returns the place of the predicate p of d|p, noPred without one.
func (c *compiler) pairDest(in *ir.Instr) int32 {
	p := in.Ops()[0].Pair
	if p == ir.NoReg {
		return noPred
	}
	return c.register(c.fn, p).off
}

// elementsOf returns an operand, or the elements of a vector.
func elementsOf(op *ir.Operand) []ir.Operand {
	if op.Kind == ir.OperandVec {
		return op.Elems()
	}
	return []ir.Operand{*op}
}

// elements returns the places of the elements of an operand that is read.
func (c *compiler) elements(in *ir.Instr, op *ir.Operand) (places []operand) {
	for _, e := range elementsOf(op) {
		places = append(places, c.place(in, &e))
	}
	return places
}

// destinations returns the places of the elements of one that is written.
func (c *compiler) destinations(op *ir.Operand) (places []operand) {
	for _, e := range elementsOf(op) {
		places = append(places, c.destination(&e))
	}
	return places
}

// elementBits returns the width of the registers of an operand's elements.
func (c *compiler) elementBits(op *ir.Operand) int {
	for _, e := range elementsOf(op) {
		if e.Kind == ir.OperandReg {
			return c.fn.ir.Regs[e.Reg].Type.Bits()
		}
	}
	return op.Type.Bits()
}

// special returns the place of something that a frame holds from its start.
func (c *compiler) special(key sregKey) operand {
	if off, ok := c.frames[frameKey{c.fn, key}]; ok {
		return operand{off: off, mask: -1}
	}
	off := int32(c.fn.slots)
	c.frames[frameKey{c.fn, key}] = off
	c.fn.slots += 2
	s := sregSlot{key: key, off: off, bits: 64}
	if !key.local {
		s.find(key.sreg)
	}
	c.fn.sregs = append(c.fn.sregs, s)
	return operand{off: off, mask: -1}
}
