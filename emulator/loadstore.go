package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/lanes"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// access decodes a memory operand: where the address comes from and the space.
func (c *compiler) access(in *ir.Instr, i *inst, e *access, op *ir.Operand) {
	e.space = c.spaceOf(in.Inst.Space, op)
	i.off = op.Off
	switch {
	case op.Var != nil:
		i.a, i.off = c.varAddress(op.Var, op.Off, 2), 0
		e.base64 = true
		if in.Inst.Space == isa.Generic {
			// A variable named without a space: its generic address.
			i.off = int64(windowOf(e.space))
		}
	case op.Reg == ir.NoReg:
		i.a, i.off, e.base64 = c.constant(uint64(op.Off), 2), 0, true
	default:
		slots := c.fn.ir.Regs[op.Reg].Type.Slots()
		e.base64 = slots == 2
		if bits, ok := c.constUse(in.PC, op.Reg); ok {
			i.a = c.constant(bits, slots)
		} else if sreg, ok := c.sregUse(in.PC, op.Reg); ok {
			i.a = c.special(sregKey{sreg: sreg})
		} else {
			i.a = c.register(c.fn, op.Reg)
		}
	}
	if in.Inst.Space == isa.Generic && op.Var == nil {
		e.space = isa.Generic
	} else if in.Inst.Space == isa.Generic {
		e.space, i.off = isa.Generic, int64(windowOf(op.Var.Space))
	}
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
		return isa.Shared // no clusters yet: the CTA is its own
	}
	return s
}

// elements returns the places of an operand's elements.
func (c *compiler) elements(in *ir.Instr, op *ir.Operand) []operand {
	if op.Kind != ir.OperandVec {
		return []operand{c.place(in, op)}
	}
	var es []operand
	for k := range op.Elems {
		es = append(es, c.place(in, &op.Elems[k]))
	}
	return es
}

// destinations returns the places of the elements of an operand that is
// written.
func (c *compiler) destinations(op *ir.Operand) []operand {
	if op.Kind != ir.OperandVec {
		return []operand{c.destination(op)}
	}
	var ds []operand
	for k := range op.Elems {
		ds = append(ds, c.destination(&op.Elems[k]))
	}
	return ds
}

// elementBits returns the width of the registers of an operand's elements.
func (c *compiler) elementBits(op *ir.Operand) int {
	if op.Kind == ir.OperandVec {
		for k := range op.Elems {
			if op.Elems[k].Kind == ir.OperandReg {
				return c.fn.ir.Regs[op.Elems[k].Reg].Type.Bits()
			}
		}
		return op.Type.Bits()
	}
	if op.Kind == ir.OperandReg {
		return c.fn.ir.Regs[op.Reg].Type.Bits()
	}
	return op.Type.Bits()
}

// transfer decodes what ld and st have in common; elems are the places of data.
func (c *compiler) transfer(in *ir.Instr, i *inst, data, address *ir.Operand, elems []operand) {
	t := in.Inst.Type()
	e := &access{}
	c.access(in, i, e, address)
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
	c.transfer(in, i, &in.Ops[0], &in.Ops[1], c.destinations(&in.Ops[0]))
	i.exec = execLoad
	return nil
}

// buildStore decodes st: [a], b.
func buildStore(c *compiler, in *ir.Instr, i *inst) error {
	c.transfer(in, i, &in.Ops[1], &in.Ops[0], c.elements(in, &in.Ops[1]))
	i.exec = execStore
	return nil
}

// buildCopyAsync decodes cp.async: the copy is done at once, which is one of
// the moments that the manual allows.
func buildCopyAsync(c *compiler, in *ir.Instr, i *inst) error {
	e, from := &access{space: isa.Shared}, &asyncCopy{}
	i.a, i.off, e.base64 = c.address(in, &in.Ops[0])
	from.base, from.off, from.base64 = c.address(in, &in.Ops[1])
	i.width = uint8(in.Ops[2].Imm)
	i.pa, i.b = noPred, c.constant(in.Ops[2].Imm, 1)
	if len(in.Ops) > 3 {
		switch op := &in.Ops[3]; {
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

// address decodes an address operand by itself.
func (c *compiler) address(in *ir.Instr, op *ir.Operand) (base operand, off int64, base64 bool) {
	var i inst
	var e access
	c.access(in, &i, &e, op)
	return i.a, i.off, e.base64
}

// execCopyAsync copies width bytes from global to shared memory for each lane;
// of fewer source bytes, or if they are to be ignored, the rest is zero.
func execCopyAsync(w *warp, in *inst, m uint32) {
	w.worker.stores++
	from := in.mem.copies
	dst := *w.addresses(in)
	src := w.addressesOf(from.base, from.off, from.base64)
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

// addressesOf computes each lane's address from a base and an offset.
func (w *warp) addressesOf(base operand, off int64, base64 bool) *[lanes.Width]uint64 {
	out := &w.worker.addr
	if base64 {
		a := wide(w.slot(base))
		for i := range out {
			out[i] = a[i] + uint64(off)
		}
		return out
	}
	a := w.slot(base)
	for i := range out {
		out[i] = uint64(a[i] + uint32(off))
	}
	return out
}
