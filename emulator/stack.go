package emulator

import (
	"hyptx/emulator/internal/lanes"
	"hyptx/internal/order"
	"hyptx/ir"
)

// alloca, stacksave and stackrestore (PTX ISA 9.7.19) work on a stack of each thread that
// grows down, in local memory above what variables and calls can ever take: from there on it
// has limits.stackBytes. What is allocated reads as zero, and is given back when the
// function returns that has allocated it.

// dynamicStack is that of a warp's threads.
type dynamicStack struct {
	floor, top int64
	pointer    [lanes.Width]int64
}

// stackAlign is the least alignment of what alloca gives.
const stackAlign = 8

// dynamicStack returns the warp's, made when first asked for.
func (w *warp) dynamicStack() *dynamicStack {
	if w.dynamic == nil {
		l := w.worker.launch
		floor := alignUp(l.prog.LocalBytes()+l.StackBytes, 16)
		s := &dynamicStack{floor: floor, top: floor + l.StackBytes&^15}
		for lane := range s.pointer {
			s.pointer[lane] = s.top
		}
		w.growLocal(s.top)
		w.dynamic = s
	}
	return w.dynamic
}

// buildStack decodes stacksave d, stackrestore a and alloca d, size{, align}.
func buildStack(c *compiler, in *ir.Instr, i *inst) error {
	i.arith = &arithmetic{wide: in.Inst.Type().Bits() == 64}
	switch {
	case len(in.Ops()) > 1:
		i.d, i.a, i.exec = c.dest(in, 0), c.source(in, 1), execAlloca
		align := int64(stackAlign)
		if in.Ops()[2].Kind != ir.NoOperand {
			align = max(align, int64(in.Ops()[2].Imm))
		}
		if i.arith.align = align; align&(align-1) != 0 || align > 1<<23 {
			return c.unsupported(in, "an alignment is a power of two up to 2^23")
		}
	case in.Inst.Form.Operands[0].Write:
		i.d, i.exec = c.dest(in, 0), execStackSave
	default:
		i.a, i.exec = c.source(in, 0), execStackRestore
	}
	return nil
}

func execStackSave(w *warp, in *inst, m uint32) {
	s, t := w.dynamicStack(), &w.worker.tmp
	for lane := range lanesOf(m) {
		if in.arith.wide {
			wide(&t[0])[lane] = uint64(s.pointer[lane])
		} else {
			t[0][lane] = uint32(s.pointer[lane])
		}
	}
	commit(w.slot(in.d), &t[0], m, in.arith.wide)
}

func execStackRestore(w *warp, in *inst, m uint32) {
	s := w.dynamicStack()
	for lane := range lanesOf(m) {
		at := w.stackValue(in, lane)
		if at > uint64(s.top) || int64(at) < s.floor {
			w.fail(in, 1<<lane, "%#x is no address that stacksave can have given", at)
		}
		s.pointer[lane] = int64(at)
	}
}

func execAlloca(w *warp, in *inst, m uint32) {
	s := w.dynamicStack()
	for lane := range lanesOf(m) {
		size, left := w.stackValue(in, lane), s.pointer[lane]-s.floor
		if size > uint64(left) {
			w.fail(in, 1<<lane, "alloca of %d bytes, but the thread's stack has %d left (limits.stackBytes)", size, left)
		}
		at := (s.pointer[lane] - int64(size)) &^ (in.arith.align - 1)
		if at < s.floor {
			w.fail(in, 1<<lane, "alloca of %d bytes at a multiple of %d, but the thread's stack has %d left (limits.stackBytes)", size, in.arith.align, left)
		}
		clear(w.local[int64(lane)*w.localCap:][at:s.pointer[lane]])
		if len(w.localOrigins) > 0 {
			of := w.localOriginsAt(lane, at, s.pointer[lane]-at)
			for i := range of {
				of[i] = order.Assumed
			}
		}
		s.pointer[lane] = at
	}
	execStackSave(w, in, m)
}

// stackValue reads a lane's operand.
func (w *warp) stackValue(in *inst, lane int) uint64 {
	if in.arith.wide {
		return wide(w.slot(in.a))[lane]
	}
	return uint64(w.slot(in.a)[lane])
}

// keepStack notes where a new frame's threads are on their stacks, leaveStack goes back there
// when they return.
func (w *warp) keepStack(f *frame) {
	if f.kept = nil; w.dynamic != nil {
		kept := w.dynamic.pointer
		f.kept = &kept
	}
}

func (w *warp) leaveStack(f *frame, m uint32) {
	s := w.dynamic
	for lane := range lanesOf(m) {
		if s.pointer[lane] = s.top; f.kept != nil {
			s.pointer[lane] = f.kept[lane]
		}
	}
}
