package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/address"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// An address operand is a register plus an offset, a variable plus an offset, or a
// number. All become a place and an offset, by which lanes compute their addresses:
// a variable's address is a constant of the arena, or, if it is local, depends on
// the frame and is held there like a special register.

// location decodes an address operand: where the address comes from, and the space,
// which is Generic where only the address knows. A variable that is named without a
// space stands for its generic address.
func (c *compiler) location(in *ir.Instr, op *ir.Operand) (l location, space isa.Space) {
	generic := in.Inst.Space == isa.Generic
	space = c.spaceOf(in.Inst.Space, op)
	l = location{off: int64(op.Imm), base64: true}
	switch {
	case op.Var != nil:
		l.base, l.off = c.varAddress(op.Var, int64(op.Imm), 2), 0
		if generic {
			l.off = int64(address.Window(op.Var.Space, c.mod.AddressSize))
		}
	case op.Reg == ir.NoReg:
		l.base, l.off = c.constant(uint64(int64(op.Imm)), 2), 0
	default:
		slots := c.fn.ir.Regs[op.Reg].Type.Slots()
		l.base64 = slots == 2
		if bits, ok := c.constUse(in.PC, op.Reg); ok {
			l.base = c.constant(bits, slots)
		} else if sreg, ok := c.sregUse(in.PC, op.Reg); ok {
			l.base = c.special(sregKey{sreg: sreg})
		} else {
			l.base = c.register(c.fn, op.Reg)
		}
	}
	if generic {
		space = isa.Generic
	}
	return l, space
}

// access decodes the address of an access.
func (c *compiler) access(in *ir.Instr, e *access, op *ir.Operand) {
	e.location, e.space = c.location(in, op)
}

// spaceOf resolves .param: a kernel's parameters lie in the parameter block,
// call parameters and those of functions on the stack.
func (c *compiler) spaceOf(s isa.Space, op *ir.Operand) isa.Space {
	switch s {
	case isa.Param, isa.ParamEntry, isa.ParamFunc:
		if op.Var != nil {
			if _, local := c.fn.local[op.Var]; local {
				return isa.Local
			}
			return isa.Param
		}
		if c.fn.ir.Kernel {
			return isa.Param
		}
		return isa.Local
	case isa.SharedCluster:
		return isa.Shared // an address there says whose it is (clusteraddress.go)
	}
	return s
}

// transfer decodes what ld and st have in common; elems are the places of data.
func (c *compiler) transfer(in *ir.Instr, i *inst, data, where *ir.Operand, elems []operand) {
	t := in.Inst.Type()
	e := &access{}
	c.access(in, e, where)
	e.elems = elems
	e.regBits = c.elementBits(data)
	e.signed = t.IsSigned()
	i.width, i.vec = uint8(t.Bytes()), uint8(len(e.elems))
	e.words = i.width == 4 && e.regBits == 32
	for _, o := range e.elems {
		e.words = e.words && o.off >= 0
	}
	i.mem = e
}

// buildLoad decodes ld and ldu: d, [a].
func buildLoad(c *compiler, in *ir.Instr, i *inst) error {
	c.transfer(in, i, &in.Ops()[0], &in.Ops()[1], c.destinations(&in.Ops()[0]))
	i.exec = execLoad
	return nil
}

// buildStore decodes st: [a], b.
func buildStore(c *compiler, in *ir.Instr, i *inst) error {
	c.transfer(in, i, &in.Ops()[1], &in.Ops()[0], c.elements(in, &in.Ops()[1]))
	i.exec = execStore
	return nil
}

// buildCopyAsync decodes cp.async: the copy is done at once, which is one of
// the moments that the manual allows.
func buildCopyAsync(c *compiler, in *ir.Instr, i *inst) error {
	e, from := &access{space: isa.Shared}, &asyncCopy{}
	e.location, _ = c.location(in, &in.Ops()[0])
	from.location, _ = c.location(in, &in.Ops()[1])
	i.width = uint8(in.Ops()[2].Imm)
	i.pa, i.b = noPred, c.constant(in.Ops()[2].Imm, 1)
	if len(in.Ops()) > 3 {
		switch op := &in.Ops()[3]; {
		case op.Kind == ir.OperandReg && c.fn.ir.Regs[op.Reg].Type == isa.Pred:
			i.pa, i.paFlip = c.predicate(in, op)
			from.ignore = true
		case op.Kind != ir.NoOperand:
			i.b = c.source(in, 3)
		}
	}
	e.copies = from
	i.mem, i.exec = e, execCopyAsync
	return nil
}

// buildDiscard decodes discard: what lies there stays, which is one of the values that
// the manual allows (PTX ISA 9.7.10.20); who reads it reads an undefined one
// (followDiscard).
func buildDiscard(c *compiler, in *ir.Instr, i *inst) error {
	i.mem, i.exec = &access{}, execNothing
	c.access(in, i.mem, &in.Ops()[0])
	return nil
}

// execCopyAsync copies width bytes from global to shared memory for each lane;
// of fewer source bytes, or if they are to be ignored, the rest is zero.
func execCopyAsync(w *warp, in *inst, m uint32) {
	w.worker.stores++
	from := in.mem.copies
	dst := *w.addresses(in)
	src := w.addressesOf(&from.location)
	ignore := uint32(0)
	if from.ignore {
		ignore = w.pred(in.pa, in.paFlip)
	}
	size := w.slot(in.b)
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		to := w.bytesAt(in, lane, isa.Shared, dst[lane], int(in.width), true)
		n := min(int(size[lane]), int(in.width))
		if ignore>>lane&1 != 0 {
			n = 0
		}
		if n > 0 {
			copy(to[:n], w.bytesAt(in, lane, isa.Global, src[lane], int(in.width), false))
		}
		clear(to[n:])
	}
}
