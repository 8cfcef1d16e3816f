package emulator

import (
	"encoding/binary"
	"math/bits"

	"hyptx/emulator/internal/lanes"
	"hyptx/internal/order"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// A call passes its arguments into the callee's frame and the results back out
// of it: from place to place, where each side is a register, a predicate, a
// .param variable or, in the caller, a constant. A register or a predicate is
// copied whole; what stands in memory on one side is copied byte by byte. Compilers
// write .param variables that are stored to before the call and loaded from after
// it; by the PTX of hand-written code registers are passed as they are, and any
// combination is allowed.

// formal returns the place of a function's formal parameter.
func (c *compiler) formal(fn *function, fo ir.Formal) parameter {
	if fo.Var != nil {
		// A kernel's parameter lies in the parameter block and has no offset here.
		return parameter{kind: variableParameter, local: fn.local[fo.Var], bytes: int32(fo.Var.Bytes)}
	}
	return c.registerPlace(fn, fo.Reg)
}

// registerPlace returns the place of a register or predicate as a parameter.
func (c *compiler) registerPlace(fn *function, r ir.RegID) parameter {
	t, at := fn.ir.Regs[r].Type, c.register(fn, r)
	if t == isa.Pred {
		return parameter{kind: predicateParameter, pred: at.off}
	}
	return parameter{kind: registerParameter, reg: at, slots: t.Slots(), bytes: int32(t.Bytes())}
}

// argument decodes an actual parameter that a call reads.
func (c *compiler) argument(in *ir.Instr, op *ir.Operand) (p parameter) {
	t := op.Type
	switch op.Kind {
	case ir.OperandSink, ir.NoOperand:
		return parameter{}
	case ir.OperandVar:
		return c.variablePlace(op)
	case ir.OperandReg:
		t = c.fn.ir.Regs[op.Reg].Type
		p.exact = c.givenOrigin(in.PC, op.Reg)
	}
	if t == isa.Pred {
		p.kind = predicateParameter
		p.pred, p.flip = c.predicate(in, op)
		return p
	}
	p.kind, p.reg, p.slots, p.bytes = registerParameter, c.place(in, op), t.Slots(), int32(t.Bytes())
	return p
}

// result decodes an actual parameter that a call writes.
func (c *compiler) result(op *ir.Operand) parameter {
	switch op.Kind {
	case ir.OperandVar:
		return c.variablePlace(op)
	case ir.OperandReg:
		return c.registerPlace(c.fn, op.Reg)
	}
	return parameter{}
}

func (c *compiler) variablePlace(op *ir.Operand) parameter {
	return parameter{kind: variableParameter, local: c.fn.local[op.Var] + int64(op.Imm), bytes: int32(op.Var.Bytes - int64(op.Imm))}
}

// pass copies a parameter between two frames for the lanes of m.
func (w *warp) pass(m uint32, toFrame *frame, to *parameter, fromFrame *frame, from *parameter) {
	if to.kind == sinkParameter || from.kind == sinkParameter {
		return
	}
	if w.worker.prog.decisions > 0 {
		w.passOrigins(m, toFrame, to, fromFrame, from)
	}
	switch {
	case to.kind == predicateParameter && from.kind == predicateParameter:
		v := from.flip
		if from.pred != noPred {
			v ^= fromFrame.preds[from.pred]
		}
		toFrame.preds[to.pred] = toFrame.preds[to.pred]&^m | v&m
	case to.kind == predicateParameter || from.kind == predicateParameter:
		// An indirect call of a function with another prototype.
	case to.kind == registerParameter && from.kind == registerParameter && to.slots == from.slots:
		d, s := w.register(toFrame, to.reg), w.register(fromFrame, from.reg)
		switch to.slots {
		case 1:
			lanes.Merge32(d, s, m)
		case 2:
			lanes.Merge64(d, s, m)
		default:
			commit128(d, s, m)
		}
	default:
		w.passBytes(m, toFrame, to, fromFrame, from)
	}
}

// maxRegisterBytes is the size of a .b128 register.
const maxRegisterBytes = 16

// passBytes copies where a side is a variable.
func (w *warp) passBytes(m uint32, toFrame *frame, to *parameter, fromFrame *frame, from *parameter) {
	n := min(to.bytes, from.bytes)
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		var buf [maxRegisterBytes]byte
		src := buf[:]
		if from.kind == variableParameter {
			src = w.localBytes(lane, fromFrame, from.local, n)
		} else {
			readRegister(&buf, w.register(fromFrame, from.reg), from.slots, lane)
		}
		if to.kind == variableParameter {
			copy(w.localBytes(lane, toFrame, to.local, n), src)
			continue
		}
		copy(buf[:], src[:n])
		clear(buf[n:])
		writeRegister(w.register(toFrame, to.reg), to.slots, lane, &buf)
	}
}

// register returns the slots of an operand of any frame of the warp.
func (w *warp) register(f *frame, o operand) *lanes.Slot {
	return &w.worker.arena[int(o.off)+f.base&int(o.mask)]
}

// localBytes returns a part of a frame's variables in a thread's local memory.
func (w *warp) localBytes(lane int, f *frame, at int64, n int32) []byte {
	first := int64(lane)*w.localCap + f.localBase + at
	return w.local[first : first+int64(n)]
}

// readRegister returns a lane of a register as bytes.
func readRegister(dst *[maxRegisterBytes]byte, s *lanes.Slot, slots, lane int) {
	switch slots {
	case 1:
		binary.LittleEndian.PutUint32(dst[:], s[lane])
	case 2:
		binary.LittleEndian.PutUint64(dst[:], wide(s)[lane])
	default:
		binary.LittleEndian.PutUint64(dst[:], quad(s)[lane][0])
		binary.LittleEndian.PutUint64(dst[8:], quad(s)[lane][1])
	}
}

// writeRegister sets a lane of a register to bytes.
func writeRegister(s *lanes.Slot, slots, lane int, src *[maxRegisterBytes]byte) {
	switch slots {
	case 1:
		s[lane] = binary.LittleEndian.Uint32(src[:])
	case 2:
		wide(s)[lane] = binary.LittleEndian.Uint64(src[:])
	default:
		quad(s)[lane] = [2]uint64{binary.LittleEndian.Uint64(src[:]), binary.LittleEndian.Uint64(src[8:])}
	}
}

// passOrigins passes on origins with a parameter.
func (w *warp) passOrigins(m uint32, toFrame *frame, to *parameter, fromFrame *frame, from *parameter) {
	n := int64(min(to.bytes, from.bytes))
	var t order.Lanes
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		var into []order.Origin
		if to.kind == variableParameter {
			into = w.localOriginsAt(lane, toFrame.localBase+to.local, n)
		}
		if from.kind == variableParameter {
			for _, o := range w.localOriginsAt(lane, fromFrame.localBase+from.local, n) {
				t.Add(1<<lane, o, 0)
			}
			copy(into, w.localOriginsAt(lane, fromFrame.localBase+from.local, n))
			continue
		}
		if place, ok := from.originPlace(); ok && !from.exact {
			o := w.originsOf(fromFrame, place)
			t.Add(1<<lane, o.Of(lane), o.Cause)
		}
		for i := range into {
			into[i] = t.Of(lane)
		}
	}
	if place, ok := to.originPlace(); ok {
		w.originsOf(toFrame, place).Set(m, t)
	}
}

// originPlace returns the place of a parameter in its frame's origins; a variable
// and a constant have none.
func (p *parameter) originPlace() (place int32, ok bool) {
	switch p.kind {
	case registerParameter:
		return p.reg.off, p.reg.mask != 0
	case predicateParameter:
		return ^p.pred, p.pred != noPred
	}
	return 0, false
}
