package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/atomics"
	"hyptx/emulator/internal/lanes"
	"hyptx/emulator/internal/words"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// st.async and red.async (PTX ISA 9.7.10.12, 9.7.15.7) store, or reduce by, what registers
// hold, and tell an mbarrier of the bytes; those of the form .release tell nobody, and are
// plain accesses that go on by themselves. st.bulk clears (9.7.10.14). What
// clusterlaunchcontrol.try_cancel writes is the answer that no cluster was cancelled
// (9.7.15.18): all CTAs of a grid count as resident, so that none is left that has not
// begun.

// asyncStore is what they store: elements, or zeros of a size; an operation for red.async.
type asyncStore struct {
	bar     location
	signals bool
	elems   []operand
	bytes   int // of the registers that hold them, which may be wider than what is stored
	reduce  atomics.Operation
	family  uint16
	size    operand
	wide    bool // of the size
	zeros   bool
	bulk    bool // it is st.bulk, of which nobody can wait for: it is done when it has been executed
	all     bool // in all CTAs of the cluster
}

// buildAsyncStore decodes them.
func buildAsyncStore(c *compiler, in *ir.Instr, i *inst) error {
	x := in.Inst
	s := &asyncStore{bulk: x.Op == isa.OpStBulk, zeros: x.Op == isa.OpStBulk || x.Op == isa.OpTryCancel, all: x.Op == isa.OpTryCancel && named(x, "multicast::cluster::all")}
	e := &access{async: s}
	i.vec = 1
	for n := range x.Form.Operands {
		op := &in.Ops()[n]
		if op.Kind == ir.NoOperand {
			continue
		}
		switch x.Form.Operands[n].Name {
		case "a":
			c.access(in, e, op)
		case "b":
			s.elems, s.bytes = c.elements(in, op), c.elementBits(op)/8
			i.vec = uint8(len(s.elems))
		case "mbar":
			s.bar, _ = c.location(in, op)
			s.signals = true
		case "size":
			s.size, s.wide = c.source(in, n), c.slotsOf(op) == 2
		}
	}
	i.width = chunk
	if x.Op == isa.OpTryCancel {
		s.size = c.constant(chunk, 1)
	}
	if !s.zeros {
		i.width = uint8(x.Type().Bytes())
	}
	if sub := x.Sub.String(); sub != "" {
		if s.reduce = atomics.Of(sub, x.Type(), false); s.reduce == nil {
			return c.unsupported(in, "this operation on this type")
		}
		s.family = familyOf(x)
	}
	i.mem, i.exec = e, execAsyncStore
	return nil
}

// slotsOf is how many slots an operand's value takes.
func (c *compiler) slotsOf(op *ir.Operand) int {
	if op.Kind == ir.OperandReg {
		return c.fn.ir.Regs[op.Reg].Type.Slots()
	}
	return op.Type.Slots()
}

func execAsyncStore(w *warp, in *inst, m uint32) {
	s := in.mem.async
	addr := *w.addresses(in)
	var bar [32]uint64
	if s.signals {
		bar = *w.addressesOf(&s.bar)
	}
	w.worker.stores++
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		a := w.begin(in, lane)
		if s.all && w.worker.launch.shape.size > 1 {
			for rank := range int(w.worker.launch.shape.size) {
				a.clear(s, w.inCTA(in, lane, rank, in.mem.space, addr[lane]), w.inCTA(in, lane, rank, in.mem.space, bar[lane]))
			}
			continue
		}
		if s.zeros {
			a.clear(s, addr[lane], bar[lane])
			continue
		}
		w.checkVector(in, lane, &addr)
		for v, e := range s.elems {
			a.put(s, e, addr[lane]+uint64(v)*uint64(in.width))
		}
		if s.signals {
			n := uint64(len(s.elems)) * uint64(in.width)
			a.complete(in.mem.space, bar[lane], n)
			a.heard(in.mem.space, addr[lane], bar[lane], n)
		}
	}
	w.traceSent(in)
}

// put stores an element, or reduces by it.
func (a *asyncWork) put(s *asyncStore, e operand, addr uint64) {
	n := uint64(a.in.width)
	space := a.in.mem.space
	to := a.old(space, addr, n)
	switch {
	case n == 16:
		q := quad(a.w.slot(e))[a.lane]
		words.Put(to[:8], q[0])
		words.Put(to[8:], q[1])
	case s.reduce != nil:
		var by [8]byte
		words.Put(by[:n], a.w.laneValue(e, a.lane, s.bytes))
		words.Put(to, s.reduce(words.Get(to), words.Get(by[:n]), 0))
		a.reduced(space, addr, by[:n], int(n), s.family)
		return
	default:
		words.Put(to, a.w.laneValue(e, a.lane, s.bytes))
	}
	a.wrote(space, addr, n)
}

// clear writes zeros.
func (a *asyncWork) clear(s *asyncStore, addr, bar uint64) {
	size := uint64(a.w.slot(s.size)[a.lane])
	if s.wide {
		size = wide(a.w.slot(s.size))[a.lane]
	}
	if size%8 != 0 || size > maxBulkStore {
		a.w.fail(a.in, 1<<a.lane, "st.bulk of %d bytes; they must be a multiple of 8, and at most %d", size, maxBulkStore)
	}
	space := a.in.mem.space
	for off := uint64(0); off < size; off += 8 {
		clear(a.old(space, addr+off, 8))
		a.wrote(space, addr+off, 8)
	}
	if s.signals {
		a.complete(space, bar, size)
		a.heard(space, addr, bar, size)
	}
}

// maxBulkStore is the most that st.bulk clears at a time (PTX ISA 9.7.10.14).
const maxBulkStore = 1 << 24

// buildQueryCancel decodes clusterlaunchcontrol.query_cancel: whether a response is that a
// cluster was cancelled, which none here is, or which CTA was its first, which the
// manual leaves undefined where none was.
func buildQueryCancel(c *compiler, in *ir.Instr, i *inst) error {
	op := &in.Ops()[0]
	if in.Inst.Form.Operands[0].Type == isa.Pred || c.isPredicate(op) {
		i.pd = c.predDest(op)
		i.exec = func(w *warp, in *inst, m uint32) { w.setPred(in.pd, 0, m) }
		return nil
	}
	places := c.destinations(op)
	i.exec = func(w *warp, _ *inst, m uint32) {
		for _, d := range places {
			if d.off >= 0 {
				var zero lanes.Slot
				commit(w.slot(d), &zero, m, false)
			}
		}
	}
	return nil
}

// isPredicate reports whether an operand is a predicate register.
func (c *compiler) isPredicate(op *ir.Operand) bool {
	return op.Kind == ir.OperandReg && c.fn.ir.Regs[op.Reg].Type == isa.Pred
}
