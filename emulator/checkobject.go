package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/lanes"
	"hyptx/emulator/internal/mbarrier"
	"hyptx/emulator/internal/words"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Threads that arrive at an mbarrier object tell what they have done and know, and who has
// seen that the phase is over knows what all told that arrived in it (PTX ISA 9.7.15.16).
// The filter follows plain arrivals of one count at objects of the own CTA, and questions on
// whose answer the thread decides before it touches memory again, as all do that wait.
// An object that copies tell of their bytes has a stream besides (checkbulk.go). Arrivals without
// completion and those at several CTAs by one instruction are left to the detector.

// objectClock is what those have told who arrived at an object, in the open phase and in all
// that are over; count is what each arrival counts, made who has made the object, as cells have
// it: these keep the last operation alone, and whoever comes has to know of this one.
type objectClock struct {
	open, over warpTimes
	count      uint32
	made       uint64
	// stream is the number of what copies do of which it hears, 0 for none; phases is how many
	// are over.
	stream, phases uint32
	// fenced: a fence of who has made it is behind that. known is the phase of the cluster's barrier, counted from
	// 1, at which that thread then came, 0 for none.
	fenced bool
	known  uint32
	// since is how many phases were over when it was made; swapped: an arrival since then could have come in an earlier
	// phase. lone is the thread that alone arrives, counted from 1, 0 before anybody has and -1 for several.
	since   uint32
	swapped bool
	lone    int
}

// objectBytes is what an objectClock takes in its map without its rows.
const objectBytes = 2*24 + 24 + 8 + 16 + 32

// end ends a phase.
func (o *objectClock) end() {
	if o.phases++; o.stream != 0 {
		o.open[o.stream] = streamTimes + o.phases
		o.open[o.stream+mostStreams] = streamTimes + o.phases
	}
	o.over.join(o.open)
	clear(o.open)
}

// objectAccess stands for the size of an operation on an object in a cell, which no atomic has.
const objectAccess = 9

// checkObject makes operations on mbarrier objects look that the filter knows.
func (c *compiler) checkObject(in *ir.Instr, i *inst) {
	x, o := in.Inst, i.mem.object
	i.mem.checked = &checkedAccess{exec: i.exec, bytes: 8}
	switch {
	case x.Op == isa.OpTcgen05Commit:
		c.prog.apart, c.prog.tensors, i.exec = true, true, execCommitChecked
		return
	case o.multicast || o.v1 || o.conditional || i.pq >= 0 && !o.made && x.Op != isa.OpMbarrierArrive && x.Op != isa.OpMbarrierArriveDrop:
	case x.Op == isa.OpMbarrierInit, x.Op == isa.OpMbarrierInval:
		i.exec = execMakeChecked
		return
	case x.Op == isa.OpMbarrierArrive, x.Op == isa.OpMbarrierArriveDrop:
		i.mem.checked.tells, i.mem.checked.expects = x.Sem != isa.Relaxed, x.Has(isa.ModExpectTx)
		i.exec = execArriveChecked
		return
	case x.Op == isa.OpMbarrierExpectTx, x.Op == isa.OpMbarrierCompleteTx:
		i.exec = execBytesChecked
		return
	case x.Op == isa.OpCpAsyncMbarrierArrive:
		c.prog.apart, i.exec = true, execCopyArrival
		return
	case x.Op == isa.OpMbarrierTestWait, x.Op == isa.OpMbarrierTryWait:
		i.mem.checked.tells = x.Sem != isa.Relaxed && i.pd >= 0 && c.decidesOn(in)
		i.exec = execWaitChecked
		return
	}
	c.prog.unfiltered, c.prog.blind = true, true
}

// decidesOn reports whether the block of a question branches on its answer, and touches no
// memory in between.
func (c *compiler) decidesOn(in *ir.Instr) bool {
	f := c.fn.ir
	answer := map[ir.RegID]bool{in.Ops()[0].Reg: true}
	for pc := in.PC + 1; pc < f.Blocks[f.BlockAt(in.PC)].End; pc++ {
		next := &c.mod.Instrs[pc]
		x := next.Inst
		switch {
		case x == nil || next.Call != nil:
			return false
		case x.Op == isa.OpBra:
			return next.Guard != ir.NoReg && answer[next.Guard]
		case len(x.Form.Memory) > 0 || x.Form.Async || x.Form.Sync != 0:
			return false
		}
		made := next.Guard == ir.NoReg && (x.Op == isa.OpMov || x.Op == isa.OpSelp || x.Op == isa.OpSetp) && len(next.Uses()) > 0
		for _, r := range next.Uses() {
			made = made && answer[r] // of the answer and constants alone
		}
		for _, r := range next.Defs() {
			delete(answer, r)
			if made {
				answer[r] = true
			}
		}
	}
	return false
}

// objectPlace is an object: its clock, the cells and the memory of its CTA, and where in these it lies.
type objectPlace struct {
	*objectClock
	s      *sharedCells
	shared []byte
	at     uint64
}

// arrivalsAt returns a lane's object; ok is false if it is none of the cluster, and then the launch
// is the detector's.
func (w *warp) arrivalsAt(in *inst, lane int, addr uint64) (p objectPlace, ok bool) {
	return w.clockOf(in, lane, in.mem.space, addr)
}

// ownObject is arrivalsAt for what is asked of objects of the own CTA alone.
func (w *warp) ownObject(in *inst, lane int, addr uint64) (p objectPlace, ok bool) {
	if p, ok = w.arrivalsAt(in, lane, addr); ok && p.s != w.cta.cells {
		w.unfiltered(in.pc)
		return p, false
	}
	return p, ok
}

// clockOf is arrivalsAt in any space.
func (w *warp) clockOf(in *inst, lane int, space isa.Space, addr uint64) (p objectPlace, ok bool) {
	space, at := address.Resolve(space, addr)
	p = objectPlace{s: w.beginApart(), shared: w.cta.shared, at: at}
	if _, _, ranked := address.Rank(at); ranked && space == isa.Shared {
		if p.s, p.at = w.far(in, lane, at, false); p.s == nil {
			w.unfiltered(in.pc)
			return p, false
		}
		c, _ := w.sharedOf(at)
		p.shared = c.shared
	}
	if _, _, ok := p.s.cellsOf(p.at, 8); space != isa.Shared || !ok {
		w.unfiltered(in.pc)
		return p, false
	}
	p.objectClock = p.s.objects[p.at]
	if p.objectClock == nil {
		p.objectClock = p.s.newObject(w.worker)
		p.s.objects[p.at] = p.objectClock
	}
	return p, true
}

// newObject returns a clock for an object of which nobody has heard.
func (s *sharedCells) newObject(wk *worker) *objectClock {
	o := take(&s.free)
	if o == nil {
		wk.hold(objectBytes + 2*4*int64(len(s.visits)))
		return &objectClock{open: s.clocks.row(), over: s.clocks.row()}
	}
	clear(o.open)
	clear(o.over)
	*o = objectClock{open: o.open, over: o.over}
	return o
}

// parity is that of the phase that is open.
func (p *objectPlace) parity() uint64 { return mbarrier.Unpack(words.Get(p.shared[p.at:][:8])).Parity }

// touchObject looks at the cells of an object that a lane changes or asks: whoever made it has
// to be known, and operations on it are in any order.
func (w *warp) touchObject(in *inst, lane int, p *objectPlace) {
	s := p.s
	now, stamp := s.times(w)
	row, thread := w.cta.cells.rowOf(w, 1<<lane), uint64(w.clockNumber()*lanes.Width+lane)
	known := p.isKnown(w)
	if p.made >= now && p.made != 0 && !known && !s.before(row, p.made, thread) {
		w.suspect(in)
	}
	k, last, _ := s.cellsOf(p.at, 8)
	for ; k <= last; k++ {
		written, read := s.write[k], s.read[k]
		ordered := written < now || written&(1<<cellTime-1) == cellMark|objectAccess || known && written == p.made
		if !ordered && !s.before(row, written, thread) || read >= max(now, 1) && !s.readBefore(row, k, thread) {
			w.suspect(in)
		}
		s.write[k] = latest(written&^(1<<cellTime-1), stamp) | cellMark | objectAccess
	}
}

// execMakeChecked looks at lanes that initialise an object, or end it: plain stores.
func execMakeChecked(w *warp, in *inst, m uint32) {
	addr := *w.addresses(in)
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		if p, ok := w.ownObject(in, lane, addr[lane]); ok {
			addr[lane] = p.at
			clear(p.open)
			p.count, p.made, p.fenced, p.known = 0, 0, false, 0
			p.since, p.swapped, p.lone = p.phases, false, 0
		} else {
			m &^= 1 << lane
		}
	}
	lookSharedWrite(w, in, m, &addr, 8)
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		p := w.cta.cells.objects[addr[lane]]
		p.made = w.cta.cells.write[addr[lane]>>w.cta.cells.shift]
	}
	in.mem.checked.exec(w, in, m)
}

// execArriveChecked looks at lanes that arrive. What the warp has done since it last met is told
// only if all its lanes arrive in one phase of one object.
func execArriveChecked(w *warp, in *inst, m uint32) {
	addr, count := *w.addresses(in), *w.slot(in.b)
	first := addr[bits.TrailingZeros32(m)]
	whole, ended := w.alive&^m == 0, false
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		p, ok := w.arrivalsAt(in, lane, addr[lane])
		if !ok {
			in.mem.checked.exec(w, in, 1<<lane)
			continue
		}
		w.touchObject(in, lane, &p)
		arrives := count[lane]
		if in.mem.checked.expects {
			arrives = 1
		}
		p.alike(w, in, arrives)
		if whole = whole && addr[lane] == first && !ended; ended {
			w.unfiltered(in.pc) // in two phases
		}
		p.comesLate(w, in, w.clockNumber()*lanes.Width+lane, w.cta.cells.rowOf(w, m))
		if in.mem.checked.tells {
			w.tellObject(&p, m, whole && rest&(rest-1) == 0)
		}
		ended = p.changes(func() { in.mem.checked.exec(w, in, 1<<lane) })
	}
}

// tellObject tells an object what lanes of a warp know and, if they are all of it and the last of
// them arrives, have done.
func (w *warp) tellObject(p *objectPlace, m uint32, all bool) {
	s := w.cta.cells
	p.open.join(s.rowOf(w, m))
	if all || p.s != s {
		clear(s.clocks.room)
		s.outside(w, m, s.clocks.room)
		if !all {
			s.clocks.room[w.clockNumber()] = 0
		}
		p.open.join(s.clocks.room)
	}
	if all {
		s.advance(w, s.stamp(w))
	}
}

// execWaitChecked looks at lanes that ask whether a phase is over.
func execWaitChecked(w *warp, in *inst, m uint32) {
	addr := *w.addresses(in)
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		if p, ok := w.ownObject(in, lane, addr[lane]); ok {
			w.touchObject(in, lane, &p)
		}
	}
	in.mem.checked.exec(w, in, m)
	if !in.mem.checked.tells {
		return
	}
	over := w.preds[in.pd] & m
	for over != 0 {
		lane := bits.TrailingZeros32(over)
		alike := uint32(0)
		for rest := over; rest != 0; rest &= rest - 1 {
			if l := bits.TrailingZeros32(rest); addr[l] == addr[lane] {
				alike |= 1 << l
			}
		}
		over &^= alike
		if p, ok := w.ownObject(in, lane, addr[lane]); ok && !p.unsure(w, in, w.cta.cells.rowOf(w, alike)) {
			w.cta.cells.learn(w, alike, p.over)
		}
	}
}

// execBytesChecked looks at lanes that make objects expect bytes, or say that some have come, which
// tells of nothing that anybody has done.
func execBytesChecked(w *warp, in *inst, m uint32) {
	w.changeObjects(in, m, func(int, *objectPlace) {})
}

// changeObjects executes what changes the objects of lanes, lane by lane, and ends their phases if that does. Of those
// that the filter follows note notes what more there is, before.
func (w *warp) changeObjects(in *inst, m uint32, note func(lane int, p *objectPlace)) {
	addr := *w.addresses(in)
	for lane := range lanesOf(m) {
		p, ok := w.arrivalsAt(in, lane, addr[lane])
		if !ok {
			in.mem.checked.exec(w, in, 1<<lane)
			continue
		}
		w.touchObject(in, lane, &p)
		note(lane, &p)
		p.changes(func() { in.mem.checked.exec(w, in, 1<<lane) })
	}
}

// execCopyArrival looks at cp.async.mbarrier.arrive: an arrival when all copies are done that the lane has begun,
// which tells of these alone. What they have written is of the object's stream from then on.
func execCopyArrival(w *warp, in *inst, m uint32) {
	w.changeObjects(in, m, func(lane int, p *objectPlace) {
		p.touchLate()
		if !in.mem.object.announces {
			p.alike(w, in, 1)
		}
		p.comesLate(w, in, -1, w.cta.cells.rowOf(w, 1<<lane))
		if self, ok := p.streamNow(w, in); ok {
			w.endCopies(func(c *copyUnderWay) bool { return int(c.lane) == lane }, func(uint64) uint64 { return self })
			p.s.clocks.filled[int(p.stream)-p.s.clocks.first] = true
		}
	})
}
