package emulator

import (
	"hyptx/internal/order"
	"hyptx/internal/value"
	"hyptx/ir"
)

// newOrigins returns the origins of a fresh frame: registers that nobody has
// written are assumed, what the frame holds from its start is exact.
func (f *frame) newOrigins(wk *worker) {
	n := f.fn.slots + f.fn.preds
	if cap(f.origins) < n {
		wk.hold(int64(n-cap(f.origins)) * lanesBytes)
		f.origins = make([]order.Lanes, n)
	}
	f.origins = f.origins[:n]
	var unwritten order.Lanes
	unwritten.Add(fullMask, order.Assumed, 0)
	for i := range f.origins {
		f.origins[i] = unwritten
	}
	for _, s := range f.fn.sregs {
		f.origins[s.off] = order.Lanes{}
	}
}

// originsOf returns the origins of a register of a frame.
func (w *warp) originsOf(f *frame, place int32) *order.Lanes {
	if place < 0 {
		return &f.origins[f.fn.slots+int(^place)]
	}
	return &f.origins[place]
}

// addDecision appends a pseudo-instruction that counts, for a guard or an
// index that is about to decide, whether its value is exact, if it may be not.
func (c *compiler) addDecision(in *ir.Instr, r ir.RegID) bool {
	if r == ir.NoReg {
		return false
	}
	if _, known := constIn(c.origins, in.PC, r); known {
		return false
	}
	c.prog.insts = append(c.prog.insts, inst{
		pc: in.PC, guard: noPred, pd: noPred, pq: noPred, pa: noPred, exec: execDecision,
		rule: &originRule{uses: []int32{c.originPlace(r)}, machine: c.fragmentRegs()[r]}, index: int32(len(c.prog.insts)),
	})
	return true
}

// addTerminatorDecisions counts what the instruction at the end of a segment
// decides.
func (c *compiler) addTerminatorDecisions(in *ir.Instr) {
	c.addDecision(in, in.Guard)
	if in.Inst.IsSwitch() && in.Ops()[0].Kind == ir.OperandReg {
		c.addDecision(in, in.Ops()[0].Reg)
	}
	if in.Call != nil && in.Call.Callee == nil && in.Call.Address.Kind == ir.OperandReg {
		if c.addDecision(in, in.Call.Address.Reg) {
			c.prog.insts[len(c.prog.insts)-1].rule.callee = true
		}
	}
}

// execDecision counts decisions on values that are not exact.
func execDecision(w *warp, in *inst, m uint32) {
	t := w.originsOf(w.frame, in.rule.uses[0]).And(m)
	w.unfinished(in.rule.uses[0], m, &t)
	if in.rule.machine { // the order of a fragment's elements
		t.Add(m, order.Undefined, w.worker.launch.log.Note(order.Machine, uint32(in.pc)))
	}
	if in.rule.callee {
		t.Leave(m)
	}
	if !t.Exact() {
		if t.Decide() && t.Cause == 0 {
			t.Cause = w.worker.launch.log.Note(order.Machine, uint32(in.pc))
		}
		w.decide(in, t.Any(), t.Cause)
		w.order.Decide(byOrder(&t))
	}
}

// decide counts a decision of the warp on a value with an origin.
func (w *warp) decide(in *inst, from order.Origin, cause order.Cause) {
	base := w.worker.prog.decisions
	for i := range order.Reasons {
		w.counts[base+i] += uint64(from >> i & 1)
	}
	w.implicit |= from
	w.worker.launch.log.Decide(uint32(in.pc), from, cause)
}

// originsRead returns the origins of what some lanes read of their registers, as far as the instruction
// hands them on.
func (w *warp) originsRead(in *inst, m uint32) (from order.Lanes) {
	t := in.rule
	for _, u := range t.uses {
		from = from.Or(*w.originsOf(w.frame, u))
		if len(w.products) > 0 && (in.multiply == nil || in.multiply.group == nil) {
			w.unfinished(u, m, &from)
		}
	}
	from = from.And(m)
	switch t.nans {
	case value.AsBits:
		from.ReadBits()
	case value.AsNumber:
		from.DropNaNs()
	}
	if t.locates || t.location != passesLocation {
		w.locate(in, m, &from)
	}
	if t.state != passesState {
		w.handState(in, m, &from)
	}
	if t.cross {
		from = from.Spread(m)
		from.HandOver()
	}
	return from
}

// execFollowed runs an instruction and passes on the origins of its operands.
func execFollowed(w *warp, in *inst, m uint32) {
	t := in.rule
	from := w.originsRead(in, m)
	if t.counted {
		w.countInst(in, m)
	}
	log := w.worker.launch.log
	if t.clock {
		from.Add(m, order.Scheduled, log.Note(order.ClockRead, uint32(in.pc)))
	}
	if t.machine {
		from.Add(m, order.Undefined, log.Note(order.Machine, uint32(in.pc)))
	}
	for _, o := range t.open {
		if open := o.lanes(w, in, m); open != 0 {
			from.Add(open, o.from, log.Note(o.why, uint32(in.pc)))
		}
	}
	if t.dealt && w.lacks(m, t.gathered) {
		from.Add(m, order.Undefined, log.Note(order.Absent, uint32(in.pc)))
	}
	if in.exchange != nil && in.exchange.synced { // before it writes, which may be its mask
		if open := w.unmet(in, m); open != 0 {
			from.Add(open, order.Undefined, log.Note(order.Absent, uint32(in.pc)))
		}
	}
	w.worker.absent, w.worker.open = 0, 0
	if t.follow != nil {
		t.follow(w, in, m, &from)
	} else {
		t.exec(w, in, m)
	}
	if t.state == makesState {
		from.SetStates(m)
	}
	if t.unsettled {
		from.Add(m, order.Undefined, log.Note(order.Unfinished, uint32(in.pc)))
	}
	if w.worker.absent != 0 {
		from.Add(w.worker.absent, order.Undefined, log.Note(order.Absent, uint32(in.pc)))
	}
	if w.worker.open != 0 {
		from.Add(w.worker.open, order.Undefined, log.Note(order.Open, uint32(in.pc)))
	}
	for _, d := range t.defs {
		w.originsOf(w.frame, d).Set(m, from)
	}
	if x := t.exchanged; x != nil && x.written && !w.worker.handed.Exact() {
		w.originsOf(w.frame, x.result).Set(m, from.Or(w.worker.handed))
	}
}

// lacks reports whether threads of the warp are missing that have to hold a part of a matrix:
// those that have exited (PTX ISA 9.7.16.4, .5) and, if it stands in registers, those that
// the warp never had.
func (w *warp) lacks(m uint32, gathered bool) bool {
	return w.born&^m != 0 || gathered && m != fullMask
}

// passResultOrigins passes the predicates' origins on to the result of bar.red.
func (w *warp) passResultOrigins(p *path, r *barrierInfo, from order.Origin, cause order.Cause) {
	place := ^p.wait.in.pd
	if r.popc {
		place = p.wait.in.d.off
	}
	var t order.Lanes
	t.Add(p.mask, from, cause)
	w.originsOf(p.frame, place).Set(p.mask, t)
}
