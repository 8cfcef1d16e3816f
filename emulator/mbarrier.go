package emulator

import (
	"fmt"
	"math/bits"
	"slices"

	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/mbarrier"
	"hyptx/emulator/internal/words"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Operations on an mbarrier object are accesses of 64 bits of shared memory: read,
// changed by what package mbarrier says, written back, lane after lane. Only
// try_wait blocks (suspend.go). Who waits for a phase with test_wait does so in a
// loop of its own, and that is a waiting loop, which yields (run.go). Asynchronous
// copies are done at once, so that what they announce to an object has always
// happened by the time that anybody looks.

// buildMbarrier decodes what changes an object: [a]{, count} or d, [a]{, count}.
// Copies of cp.async are complete at once, so that cp.async.mbarrier.arrive is
// an arrival, and without .noinc one that it announced itself: it changes nothing.
func buildMbarrier(c *compiler, in *ir.Instr, i *inst) error {
	n := 0
	i.d = operand{off: -1}
	if in.Inst.Form.Operands[0].Write {
		i.d, n = c.dest(in, 0), 1
	}
	object := &mbarrierAccess{op: mbarrier.Of(in.Inst), v1: named(in.Inst, "layout::v1")}
	object.announces = in.Inst.Op == isa.OpCpAsyncMbarrierArrive && !in.Inst.Has(isa.ModNoinc)
	object.made = in.Inst.Op == isa.OpMbarrierInit || in.Inst.Op == isa.OpMbarrierInval
	object.ends = in.Inst.Op == isa.OpMbarrierInval
	e := &access{object: object}
	c.access(in, e, &in.Ops()[n])
	i.b = c.constant(1, 1)
	for k := n + 1; k < len(in.Ops()); k++ {
		switch {
		case in.Ops()[k].Kind == ir.NoOperand:
		case in.Inst.Form.Operands[k].Name == "mask":
			object.ctas, object.multicast = c.source(in, k), true
		default:
			i.b = c.source(in, k)
		}
	}
	i.width, i.mem, i.exec = 8, e, execMbarrier
	return nil
}

func execMbarrier(w *warp, in *inst, m uint32) {
	addr := *w.addresses(in)
	count := w.slot(in.b)
	w.worker.stores++
	object := in.mem.object
	for lane := range lanesOf(m) {
		if !object.multicast {
			w.updateObject(in, lane, addr[lane], int64(count[lane]))
			continue
		}
		for ctas := w.slot(object.ctas)[lane]; ctas != 0; ctas &= ctas - 1 {
			at := w.inCTA(in, lane, bits.TrailingZeros32(ctas), in.mem.space, addr[lane])
			w.updateObject(in, lane, at, int64(count[lane]))
		}
	}
	switch {
	case w.moved.Trace == nil:
	case w.clustered():
		w.traceArrivals(in, &addr, m)
	default:
		w.traceObjects(in, &addr, m)
	}
}

// updateObject changes an object as a lane says.
func (w *warp) updateObject(in *inst, lane int, addr uint64, count int64) {
	mem := w.bytesAt(in, lane, in.mem.space, addr, 8, true)
	old := words.Get(mem)
	b := mbarrier.Unpack(old)
	if in.mem.object.made {
		b.V1 = in.mem.object.v1
	}
	if wrong := b.Update(in.mem.object.op, count); wrong != "" {
		w.fail(in, 1<<lane, "%s", wrong)
	}
	words.Put(mem, b.Pack())
	if w.worker.prog.states {
		old = w.countPhase(in.mem.space, addr, old, &b, in.mem.object.made)
	}
	if in.d.off >= 0 {
		wide(w.slot(in.d))[lane] = old
	}
}

// named reports whether an instruction has the modifier of a name.
func named(x *isa.Inst, name string) bool {
	return slices.ContainsFunc(x.Mods, func(m isa.Mod) bool { return m.String() == name })
}

// buildMbarrierLayout decodes mbarrier.check_layout.layout p, [a]: whether the object was
// initialised with the layout (PTX ISA 9.7.15.16.21).
func buildMbarrierLayout(c *compiler, in *ir.Instr, i *inst) error {
	e := &access{object: &mbarrierAccess{v1: named(in.Inst, "layout::v1")}}
	i.pd = c.predDest(&in.Ops()[0])
	c.access(in, e, &in.Ops()[1])
	i.width, i.mem, i.exec = 8, e, execMbarrierLayout
	return nil
}

func execMbarrierLayout(w *warp, in *inst, m uint32) {
	addr := *w.addresses(in)
	is := uint32(0)
	for lane := range lanesOf(m) {
		object := mbarrier.Unpack(words.Get(w.bytesAt(in, lane, in.mem.space, addr[lane], 8, false)))
		if object.V1 == in.mem.object.v1 {
			is |= 1 << lane
		}
	}
	w.setPred(in.pd, is, m)
}

// buildMbarrierWait decodes test_wait and try_wait: p{|q}{, r},
// [a], state or parity. q tells that a copy has reported in the phase that is over, and r is
// zero, for no copy reports more (PTX ISA 9.7.15.16.19, 9.7.10.28.1.3); a report holds a phase of
// .phase_type::conditional up.
func buildMbarrierWait(c *compiler, in *ir.Instr, i *inst) error {
	c.prog.states = c.prog.states || !in.Inst.Has(isa.ModParity)
	e := &access{object: &mbarrierAccess{byState: !in.Inst.Has(isa.ModParity), conditional: named(in.Inst, "phase_type::conditional")}}
	i.pd, i.pq, i.d = c.predDest(&in.Ops()[0]), c.pairDest(in), operand{off: -1}
	n := slices.IndexFunc(in.Inst.Form.Operands, func(s isa.OperandSpec) bool { return s.Kind == isa.Address })
	if n > 1 && in.Ops()[1].Kind == ir.OperandReg {
		i.d, i.arith = c.dest(in, 1), &arithmetic{wide: c.regBits(in, 1) == 64}
	}
	c.access(in, e, &in.Ops()[n])
	i.b = c.source(in, n+1)
	i.width, i.mem, i.exec = 8, e, execMbarrierWait
	return nil
}

// execMbarrierWait tells whether the phase of a state or parity is over: then
// the object is in one of the other parity.
func execMbarrierWait(w *warp, in *inst, m uint32) {
	addr := *w.addresses(in)
	over, reported := uint32(0), uint32(0)
	w.question = question{pc: in.pc, addr: addr[bits.TrailingZeros32(m)]}
	for lane := range lanesOf(m) {
		is, by := w.phaseOver(in, lane, mbarrier.Unpack(words.Get(w.bytesAt(in, lane, in.mem.space, addr[lane], 8, false))))
		if is {
			over |= 1 << lane
		}
		if by {
			reported |= 1 << lane
		}
	}
	if over != 0 && w.moved.Trace != nil {
		w.moved.CTA.Await(w.moved.Trace, uint32(in.pc), w.objectHere(in.mem.space, addr[bits.TrailingZeros32(over)]))
	}
	w.setPred(in.pd, over, m)
	w.setPred(in.pq, reported, m)
	if in.d.off >= 0 {
		t := &w.worker.tmp
		clear(t[0][:])
		clear(t[1][:])
		commit(w.slot(in.d), &t[0], m, in.arith.wide)
	}
}

// phaseOver reports whether the phase that a lane asks for is over, and whether a copy has
// reported in it.
func (w *warp) phaseOver(in *inst, lane int, b mbarrier.Object) (over, reported bool) {
	parity := uint64(w.slot(in.b)[lane] & 1)
	if in.mem.object.byState {
		parity = mbarrier.Unpack(wide(w.slot(in.b))[lane]).Parity
	}
	now := b.Parity
	if in.mem.object.conditional {
		now = b.Conditional
	}
	over = now != parity
	return over, over && b.Last
}

// question is what a warp has asked an mbarrier object last, by its first lane.
type question struct {
	pc   ir.PC
	addr uint64
}

// describeObject says what a path that waits in a segment's loop has asked an mbarrier object for, "" if it
// asks none.
func (w *warp) describeObject(s *segment) string {
	if w.question.pc < s.pcFirst || w.question.pc >= s.pcEnd {
		return ""
	}
	if object := w.lacking(w.question.addr); object != "" {
		return "in a loop that asks for the phase of an mbarrier " + object
	}
	return ""
}

// lacking says what the open phase of the mbarrier object at an address lacks, "" if there is none.
func (w *warp) lacking(addr uint64) string {
	_, addr = address.Resolve(isa.Generic, addr)
	c, at := w.sharedOf(addr)
	if at+8 > uint64(len(c.shared)) {
		return ""
	}
	o := mbarrier.Unpack(words.Get(c.shared[at:][:8]))
	place := fmt.Sprintf("%#x of shared memory", at)
	if name, offset, _ := w.worker.launch.sharedObject(at); name != "" {
		place = fmt.Sprintf("byte %d of %s", offset, name)
	}
	if c != w.cta {
		place += fmt.Sprintf(" of CTA (%d,%d,%d)", c.id[0], c.id[1], c.id[2])
	}
	missing := fmt.Sprintf("%d of %d arrivals", o.Pending, o.Expected)
	if o.Tx != 0 {
		missing += fmt.Sprintf(" and %d bytes", o.Tx)
	}
	return fmt.Sprintf("object at %s, whose phase of parity %d lacks %s", place, o.Parity, missing)
}

// buildPendingCount decodes mbarrier.pending_count d, state.
func buildPendingCount(c *compiler, in *ir.Instr, i *inst) error {
	i.d, i.a, i.exec = c.dest(in, 0), c.source(in, 1), execPendingCount
	return nil
}

func execPendingCount(w *warp, in *inst, m uint32) {
	d, a := w.slot(in.d), wide(w.slot(in.a))
	for lane := range lanesOf(m) {
		d[lane] = uint32(mbarrier.Unpack(a[lane]).Pending)
	}
}
