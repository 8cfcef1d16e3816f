package emulator

import (
	"fmt"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// What a slice knows of a launch is decided here, not when it runs. Where a register
// always holds a launch constant or a special register (ir.Slice.ConstAt, SRegAt)
// its use reads a constant of the arena or the frame's special register, and what
// computed it is not in the slice. A guard that is a constant is none: the
// instruction runs always, or is not there. Such a one is counted all the same:
// constGuard remembers which lanes its counts have.
//
// An instruction outside of the slice leaves something behind only if it has a
// guard that varies: how many lanes execute it has to be counted, so an inst with
// that guard and nothing to do stands in its place.

// fillFunction decodes a function's segments.
func (c *compiler) fillFunction(fn *function) error {
	c.fn = fn
	for i := fn.segs[0]; i < fn.segs[1]; i++ {
		if err := c.fill(&c.prog.segs[i]); err != nil {
			return err
		}
	}
	return nil
}

// fill decodes a segment's instructions and its terminator.
func (c *compiler) fill(s *segment) error {
	last := s.pcEnd
	var term *ir.Instr
	if s.length > 0 {
		// What waits for other threads does not end a segment where the slice
		// does without it: then all threads come to it together.
		if in := &c.mod.Instrs[s.pcEnd-1]; isTerminator(in) && (in.Call != nil || !endsSegment(in) || c.runs(in.PC)) {
			term, last = in, last-1
		}
	}
	first := int32(len(c.prog.insts))
	c.ran = 0
	clear(c.leaders)
	for pc := s.pcFirst; pc < last; pc++ {
		if err := c.emit(pc); err != nil {
			return err
		}
		c.written(&c.mod.Instrs[pc])
	}
	if term != nil && c.origins != nil {
		c.addTerminatorDecisions(term)
	}
	s.first, s.last, s.ran = first, int32(len(c.prog.insts)), c.ran
	if term == nil {
		s.term = termNext
		return nil
	}
	return c.terminate(s, term)
}

// emit decodes one instruction that does not end a segment.
func (c *compiler) emit(pc ir.PC) error {
	in := &c.mod.Instrs[pc]
	i := c.newInst(in)
	if truth, ok := c.prog.constGuard[pc]; ok && !truth {
		return nil // never executed
	}
	if c.origins != nil {
		c.addDecision(in, in.Guard)
	}
	if !c.runs(pc) {
		if i.guard < 0 {
			return nil // counted with its segment
		}
		i.exec = execNothing
	} else if err := c.build(in, &i); err != nil {
		return err
	} else {
		c.ran++
	}
	if c.variation != nil {
		c.vary(in, &i)
	}
	if c.addressOnly(in) {
		i.exec = nil
	}
	if c.prog.traffic && c.runs(pc) && accesses(in) && (!c.prog.onlyWrites || !in.Inst.IsLoad() || in.Inst.Form.Async) {
		c.countTraffic(in, &i)
	}
	switch {
	case c.followsOrigins(in):
		c.followOrigins(in, &i)
	case c.origins != nil && c.addressOnly(in):
		c.watchStore(in, &i)
	}
	c.append(i)
	return nil
}

func execNothing(*warp, *inst, uint32) {}

// newInst begins the decoding of an instruction: its guard and the counter
// that a guard needs.
func (c *compiler) newInst(in *ir.Instr) inst {
	i := noInst(in.PC)
	if in.Guard == ir.NoReg {
		return i
	}
	if bits, ok := c.constUse(in.PC, in.Guard); ok {
		c.prog.constGuard[in.PC] = bits != 0 != in.GuardNot
		return i
	}
	i.guard = c.register(c.fn, in.Guard).off
	if in.GuardNot {
		i.flip = fullMask
	}
	i.count = c.counter(1)
	c.prog.guardCount[in.PC] = i.count
	return i
}

// counter gives n counters that follow each other, and returns the first.
func (c *compiler) counter(n int) int32 {
	first := c.prog.counts
	c.prog.counts += n
	return int32(first)
}

// noInst is an instruction without a guard, predicates and counters.
func noInst(pc ir.PC) inst {
	return inst{pc: pc, guard: noPred, count: -1, pd: noPred, pq: noPred, pa: noPred}
}

// append adds a decoded instruction to the program's.
func (c *compiler) append(i inst) {
	i.index = int32(len(c.prog.insts))
	c.prog.insts = append(c.prog.insts, i)
}

// build sets what runs an instruction.
func (c *compiler) build(in *ir.Instr, i *inst) error {
	if why := whyNot(in.Inst.Form, in.Inst.Type()); why != "" {
		return c.unsupported(in, why)
	}
	b := builders[in.Inst.Op]
	if b == nil {
		panic("BUG: no semantics for " + in.Inst.Form.Syntax)
	}
	return b(c, in, i)
}

func (c *compiler) unsupported(in *ir.Instr, why string) error {
	return &UnsupportedError{File: c.mod.File, Line: int(in.Pos.Line), Col: int(in.Pos.Col), Text: c.mod.FuncOf(in.PC).Text(in.PC), Why: why}
}

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
		return c.constant(FunctionAddress(op.Func), 2)
	case ir.OperandVar:
		return c.varAddress(op.Var, op.Off, op.Type.Slots())
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
func (c *compiler) source(in *ir.Instr, n int) operand { return c.place(in, &in.Ops[n]) }

func (c *compiler) dest(in *ir.Instr, n int) operand { return c.destination(&in.Ops[n]) }

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
		return noPred, flip // %is_explicit_cluster: launches without clusters
	}
	panic("BUG: a predicate operand without a value")
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
	p := in.Ops[0].Pair
	if p == ir.NoReg {
		return noPred
	}
	return c.register(c.fn, p).off
}

// pred reads a predicate source.
func (w *warp) pred(index int32, flip uint32) uint32 {
	if index < 0 {
		return flip
	}
	return w.preds[index] ^ flip
}

// setPred writes a predicate for the lanes of m.
func (w *warp) setPred(index int32, value, m uint32) {
	if index >= 0 {
		w.preds[index] = w.preds[index]&^m | value&m
	}
}
