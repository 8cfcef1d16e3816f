package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/lanes"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// taint says of a register in which lanes its value is assumed or scheduled
// (see origin).
type taint struct{ assumed, scheduled uint32 }

func (t taint) or(u taint) taint { return taint{t.assumed | u.assumed, t.scheduled | u.scheduled} }
func (t taint) and(m uint32) taint {
	return taint{t.assumed & m, t.scheduled & m}
}

// add taints one lane.
func (t *taint) add(lane int, from origin) {
	if from&assumed != 0 {
		t.assumed |= 1 << lane
	}
	if from&scheduled != 0 {
		t.scheduled |= 1 << lane
	}
}

// of returns a lane's origin.
func (t taint) of(lane int) (from origin) {
	if t.assumed>>lane&1 != 0 {
		from |= assumed
	}
	if t.scheduled>>lane&1 != 0 {
		from |= scheduled
	}
	return from
}

// tracked is what following origins through an instruction needs: how it is
// run, and the registers that it reads and writes, as places in frame.taints.
type tracked struct {
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

// taintPlace returns the place of a register in a frame's taints: values by
// their slot, then predicates. A frame's taints grow with its registers, so
// the place of a predicate is negative until the program is complete.
func (c *compiler) taintPlace(r ir.RegID) int32 {
	o := c.register(c.fn, r).off
	if c.fn.ir.Regs[r].Type == isa.Pred {
		return ^o
	}
	return o
}

// track wraps an instruction so that it also passes on origins.
func (c *compiler) track(in *ir.Instr, i *inst) {
	t := &tracked{exec: i.exec}
	for _, r := range in.Uses() {
		if r != in.Guard && !c.givenOrigin(in.PC, r) {
			t.uses = append(t.uses, c.taintPlace(r))
		}
	}
	for _, r := range in.Defs() {
		t.defs = append(t.defs, c.taintPlace(r))
	}
	x := in.Inst
	t.cross = x.CrossLane()
	t.clock = x.Op == isa.OpMov && len(in.Ops) > 1 && in.Ops[1].Kind == ir.OperandSReg && volatile(in.Ops[1].SReg)
	t.atomic = x.IsAtomic()
	t.load, t.store = x.IsLoad() || t.atomic, x.IsStore() || t.atomic
	t.memory = i.ext != nil && i.width > 0 && (t.load || t.store)
	t.how = plainStore
	if t.atomic {
		t.how = howOf(x)
	}
	if c.prog.order && t.memory && t.store {
		t.address, t.how = c.addressOrigins(in), orderOf(x, t.how)
	}
	i.track, i.exec = t, execTracked
}

// givenOrigin reports whether, as far as origins go, instruction pc reads a
// constant of the launch or a special register in reg.
func (c *compiler) givenOrigin(pc ir.PC, reg ir.RegID) bool {
	_, known := constIn(c.tracking, pc, reg)
	_, special := sregIn(c.tracking, pc, reg)
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

// trackDecision appends a pseudo-instruction that counts, for a guard or an
// index that is about to decide, whether its value is exact.
func (c *compiler) trackDecision(in *ir.Instr, r ir.RegID) {
	if _, known := constIn(c.tracking, in.PC, r); known || r == ir.NoReg {
		return
	}
	c.prog.insts = append(c.prog.insts, inst{
		pc: in.PC, guard: noPred, pd: noPred, pq: noPred, pa: noPred, exec: execDecision,
		track: &tracked{uses: []int32{c.taintPlace(r)}}, index: int32(len(c.prog.insts)),
	})
}

// trackTerminator counts what the instruction at the end of a segment decides.
func (c *compiler) trackTerminator(in *ir.Instr) {
	c.trackDecision(in, in.Guard)
	if in.Inst.IsSwitch() && in.Ops[0].Kind == ir.OperandReg {
		c.trackDecision(in, in.Ops[0].Reg)
	}
	if in.Call != nil && in.Call.Callee == nil && in.Call.Address.Kind == ir.OperandReg {
		c.trackDecision(in, in.Call.Address.Reg)
	}
}

// taintOf returns the taint of a register of the current frame.
func (w *warp) taintOf(f *frame, place int32) *taint {
	if place < 0 {
		return &f.taints[f.fn.slots+int(^place)]
	}
	return &f.taints[place]
}

// execDecision counts decisions on values that are not exact.
func execDecision(w *warp, in *inst, m uint32) {
	t := w.taintOf(w.frame, in.track.uses[0]).and(m)
	base := w.worker.prog.decisions
	if t.assumed != 0 {
		w.counts[base]++
		w.implicit |= assumed
	}
	if t.scheduled != 0 {
		w.counts[base+1]++
		w.implicit |= scheduled
	}
}

// execTracked runs an instruction and passes on the origins of its operands.
func execTracked(w *warp, in *inst, m uint32) {
	t := in.track
	var from taint
	for _, u := range t.uses {
		from = from.or(*w.taintOf(w.frame, u))
	}
	from = from.and(m)
	if t.cross {
		from = spread(from, m)
	}
	if t.clock {
		from.scheduled = m
	}
	var addr [lanes.Width]uint64
	if t.memory {
		addr = *w.addresses(in)
	}
	t.exec(w, in, m)
	if t.memory {
		w.trackMemory(in, m, &addr, &from)
	}
	for _, d := range t.defs {
		p := w.taintOf(w.frame, d)
		p.assumed = p.assumed&^m | from.assumed
		p.scheduled = p.scheduled&^m | from.scheduled
	}
}

// spread gives all lanes what one has.
func spread(t taint, m uint32) taint {
	if t.assumed != 0 {
		t.assumed = m
	}
	if t.scheduled != 0 {
		t.scheduled = m
	}
	return t
}

// trackMemory accounts for the bytes that an access touched.
func (w *warp) trackMemory(in *inst, m uint32, addr *[lanes.Width]uint64, from *taint) {
	t := in.track
	by := w.stamp()
	n := uint64(in.width) * uint64(max(in.vec, 1))
	w.notePlaces(in, m, addr)
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		lf := from.of(lane)
		for i := range n {
			c := w.cellAt(in, addr[lane]+i, lane)
			if c == nil {
				lf |= w.paramOrigin(in.ext.space, addr[lane]+i)
				continue
			}
			was := origin(0)
			if t.load {
				if was = c.read(by); was&assumed != 0 && c.writer.launch == 0 {
					w.noteUnspecified(in, addr[lane]+i)
				}
			}
			if t.store {
				if c.overtaken(by) && !t.atomic {
					w.counts[w.worker.prog.decisions+1]++
				}
				c.write(by, from.of(lane)|w.implicit, t.how, true)
			}
			lf |= w.placed(in, addr[lane]+i)
			lf |= was
		}
		if t.atomic {
			lf |= scheduled
		}
		from.add(lane, lf)
	}
}

// noteUnspecified notes that a byte was read that nobody has written. Launches
// that follow origins run on one worker.
func (w *warp) noteUnspecified(in *inst, addr uint64) {
	if space, addr := resolve(in.ext.space, addr); space == isa.Global {
		w.bufferFor(in, addr).ReadUnspecified = true
	}
}

// stamp identifies the warp and the present stretch between barriers.
func (w *warp) stamp() stamp {
	return stamp{launch: uint32(w.worker.launch.GridID), epoch: w.cta.epoch, cta: w.cta.linear, warp: int32(w.number)}
}

// cellAt returns the shadow of a byte; nil for constants and parameters.
func (w *warp) cellAt(in *inst, addr uint64, lane int) *cell {
	space, addr := resolve(in.ext.space, addr)
	switch space {
	case isa.Shared:
		return &w.cta.shadow.cells[addr]
	case isa.Local:
		return w.localCell(lane, addr)
	case isa.Const, isa.Param:
		return nil
	}
	b := w.bufferFor(in, addr)
	return b.shadowAt(addr - b.Base)
}

// localCell returns the shadow of a byte of a thread's local memory.
func (w *warp) localCell(lane int, addr uint64) *cell {
	return &w.localCells().cells[int64(lane)*w.localCap+int64(addr)]
}

// localCells returns the shadow of the local memory, as large as that is.
func (w *warp) localCells() *shadow {
	if w.localShadow == nil || int64(len(w.localShadow.cells)) < w.localCap*lanes.Width {
		bigger := newShadow(w.localCap*lanes.Width, assumed)
		if w.localShadow != nil {
			old := int64(len(w.localShadow.cells)) / lanes.Width
			bigger.placed = w.localShadow.placed
			for l := range int64(lanes.Width) {
				copy(bigger.cells[l*w.localCap:], w.localShadow.cells[l*old:(l+1)*old])
			}
		}
		w.localShadow = bigger
	}
	return w.localShadow
}

// paramOrigin says whether a byte of the parameter block was given.
func (w *warp) paramOrigin(space isa.Space, addr uint64) origin {
	if space, addr = resolve(space, addr); space != isa.Param {
		return 0
	}
	for _, r := range w.worker.launch.AssumedParams {
		if addr >= uint64(r[0]) && addr < uint64(r[1]) {
			return assumed
		}
	}
	return 0
}

// taintResult passes the predicates' origins on to the result of bar.red.
func (w *warp) taintResult(p *path, r *barrierInfo, from origin) {
	place := ^p.wait.in.pd
	if r.popc {
		place = p.wait.in.d.off
	}
	t := w.taintOf(p.frame, place)
	t.assumed &^= p.mask
	t.scheduled &^= p.mask
	for rest := p.mask; rest != 0; rest &= rest - 1 {
		t.add(bits.TrailingZeros32(rest), from)
	}
}

// newTaints returns the taints of a fresh frame: registers that nobody has
// written are assumed, what the frame holds from its start is exact.
func (f *frame) newTaints() {
	n := f.fn.slots + f.fn.preds
	if cap(f.taints) < n {
		f.taints = make([]taint, n)
	}
	f.taints = f.taints[:n]
	for i := range f.taints {
		f.taints[i] = taint{assumed: fullMask}
	}
	for _, s := range f.fn.sregs {
		f.taints[s.off] = taint{}
	}
}
