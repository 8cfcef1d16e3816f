package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/lanes"
	"hyptx/internal/check"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Bulk copies, those by tensor maps, st.async and their like, of a program that is checked. What one
// accesses of which an mbarrier object hears is known to those who have seen that the object's phase
// is over, and to whom these tell: it has the number of the object's stream and the number of
// the phase for its time. No barrier tells of it. What one reads that is waited for in groups is
// nobody's until then, as what cp.async writes (checkcopy.go).
//
// What they write into global memory is nobody's for the rest of the launch, and what they read there
// is read by many: who touches it beside them is a suspect.

// movedCells are bytes of a CTA's shared memory that a copy has read or written.
type movedCells struct {
	s      *sharedCells
	at, n  uint64
	writes bool
	// reduces is 1 and more for reductions, by the logarithm of their size.
	reduces uint8
}

// movedBytes is what each of them takes.
const movedBytes = 32

// begunBulk are the copies of a warp that read shared memory and are waited for in groups.
type begunBulk struct {
	under  []readUnderWay
	groups [lanes.Width]uint32
}

// readUnderWay is what one of them reads, of which lane and group.
type readUnderWay struct {
	at, n, group uint32
	pc           ir.PC
	lane         uint8
}

// begin makes it that of a new warp.
func (c *begunBulk) begin() {
	c.under = c.under[:0]
	c.groups = [lanes.Width]uint32{}
}

// checkBulk makes the instructions look that copy in bulk and wait for that. What they access is
// looked at piece by piece, as they access it (asyncWork).
func (c *compiler) checkBulk(in *ir.Instr, i *inst) {
	c.prog.apart = true
	switch in.Inst.Op {
	case isa.OpCpAsyncBulkCommitGroup:
		i.exec = func(w *warp, _ *inst, m uint32) {
			for lane := range lanesOf(m) {
				w.begunBulk.groups[lane&31]++
			}
		}
		return
	case isa.OpCpAsyncBulkWaitGroup:
		i.b = c.source(in, 0)
		i.exec = func(w *warp, in *inst, m uint32) { w.bulkDone(m, w.slot(in.b)) }
		return
	}
	i.mem.checked = &checkedAccess{copies: true}
	if b, t := i.mem.bulk, i.mem.tensor; b != nil && b.grouped || t != nil && !t.load {
		exec := i.exec
		i.exec = func(w *warp, in *inst, m uint32) {
			for lane := range lanesOf(m) {
				exec(w, in, 1<<lane)
				w.bulkBegun(in, lane)
			}
		}
	}
}

// thread is the number of the thread that asked for the work, as cells have it.
func (a *asyncWork) thread() uint64 { return uint64(a.w.clockNumber()*lanes.Width + a.lane) }

// cellsAt returns the cells of n bytes of shared memory, and where these lie in their CTA's; nil where
// there are none.
func (a *asyncWork) cellsAt(addr, n uint64, reads bool) (s *sharedCells, at, first, last uint64) {
	s = a.w.beginApart()
	if _, _, ranked := address.Rank(addr); ranked {
		if s, addr = a.w.far(a.in, a.lane, addr, reads); s == nil {
			return nil, 0, 0, 0
		}
	}
	first, last, ok := s.cellsOf(addr, n)
	if !ok {
		return nil, 0, 0, 0
	}
	return s, addr, first, last
}

// lookRead looks at n bytes that the work reads.
func (a *asyncWork) lookRead(space isa.Space, addr, n uint64) {
	w, in := a.w, a.in
	space, addr = address.Resolve(space, addr)
	switch space {
	case isa.Global:
		a.lookGlobalRead(addr, n)
		return
	case isa.Shared:
	default:
		return
	}
	s, addr, k, last := a.cellsAt(addr, n, true)
	if s == nil {
		return
	}
	a.lookStem(s, addr, n)
	now, _ := s.times(w)
	row, thread := w.cta.cells.rowOf(w, 1<<a.lane), a.thread()
	for ; k <= last; k++ {
		switch written := s.write[k]; {
		case written == 0:
			w.noteUnwritten(in, a.lane, isa.Shared, addr, n)
		case written >= now && !s.before(row, written, thread), s.unfenced(w, a.lane, written):
			w.suspect(in)
		}
	}
	a.touched(movedCells{s: s, at: addr, n: n})
}

// lookStem notes an access of another variable than its address stems from.
func (a *asyncWork) lookStem(s *sharedCells, addr, n uint64) {
	if a.w.cta.cells != s {
		return
	}
	if stem := a.w.stemOf(a.in, true); stem != nil && (addr-stem.Base >= stem.Bytes || n > stem.Bytes-(addr-stem.Base)) {
		a.w.noteAstray(a.in, a.lane, stem, addr, n)
	}
}

// lookWrite looks at n bytes that the work has written.
func (a *asyncWork) lookWrite(space isa.Space, addr, n uint64) {
	space, addr = address.Resolve(space, addr)
	if space == isa.Global {
		a.lookGlobalWrite(addr, n)
		return
	}
	if space != isa.Shared {
		return
	}
	s, addr, k, last := a.cellsAt(addr, n, false)
	if s == nil {
		return
	}
	a.lookStem(s, addr, n)
	now, stamp := s.times(a.w)
	row, thread := a.w.cta.cells.rowOf(a.w, 1<<a.lane), a.thread()
	self := uncertain | thread
	if a.in.mem.async != nil && a.in.mem.async.bulk { // st.bulk is the thread's own
		self = stamp | thread
	}
	for ; k <= last; k++ {
		written, read := s.write[k], s.read[k]
		if written >= now && !s.before(row, written, thread) || read >= max(now, 1) && !s.readBefore(row, k, thread) || a.in.mem.async == nil && s.unfenced(a.w, a.lane, written) {
			a.w.suspect(a.in)
		}
		s.write[k], s.read[k] = self, 0
	}
	if self >= uncertain {
		a.touched(movedCells{s: s, at: addr, n: n, writes: true})
	}
}

// touched notes cells for when it is known who is told of the work.
func (a *asyncWork) touched(of movedCells) {
	wk := a.w.worker
	for i := max(len(wk.moved)-2, 0); i < len(wk.moved); i++ { // pieces come in turns
		if m := &wk.moved[i]; m.s == of.s && m.writes == of.writes && m.reduces == of.reduces && m.at+m.n == of.at {
			m.n += of.n
			return
		}
	}
	if len(wk.moved) == cap(wk.moved) {
		wk.hold(movedBytes * int64(max(len(wk.moved), lanes.Width)))
		wk.moved = append(make([]movedCells, 0, len(wk.moved)+max(len(wk.moved), lanes.Width)), wk.moved...)
	}
	wk.moved = append(wk.moved, of)
}

// lookReduced looks at a reduction of n bytes, element by element.
func (a *asyncWork) lookReduced(space isa.Space, addr uint64, n, size int) {
	space, addr = address.Resolve(space, addr)
	if space == isa.Shared {
		a.lookSharedReduced(addr, uint64(n), uint64(size))
		return
	}
	var at [lanes.Width]uint64
	for k := 0; k < n; k += size {
		at[a.lane] = addr + uint64(k)
		lookGlobalAtomic(a.w, a.in, 1<<a.lane, &at, uint64(size))
	}
}

// lookSharedReduced looks at a reduction of shared memory; whether it is in order with others is asked when
// an object has heard of it.
func (a *asyncWork) lookSharedReduced(addr, n, size uint64) {
	s, addr, k, last := a.cellsAt(addr, n, false)
	if s == nil {
		return
	}
	a.lookStem(s, addr, n)
	for ; k <= last; k++ {
		if s.write[k] == 0 {
			a.w.noteUnwritten(a.in, a.lane, isa.Shared, addr, n)
		}
	}
	a.touched(movedCells{s: s, at: addr, n: n, writes: true, reduces: uint8(bits.TrailingZeros64(size)) + 1})
}

// lookSignal looks at the work telling an object of its bytes, by which a phase may have ended: what
// it has done is of the object's stream.
func (a *asyncWork) lookSignal(space isa.Space, addr uint64, ended bool) {
	w := a.w
	o, ok := w.clockOf(a.in, a.lane, space, addr)
	if !ok {
		return
	}
	w.touchObject(a.in, a.lane, &o)
	self, ok := o.streamNow(w, a.in)
	if !ok {
		return
	}
	o.touchLate()
	c, row := o.s.clocks, w.cta.cells.rowOf(w, 1<<a.lane)
	for q := c.first + mostStreams; q < c.first+mostStreams+c.streams; q++ { // the phases that it knew to be over
		o.open[q] = max(o.open[q], row[q])
	}
	for i := range w.worker.moved {
		a.hand(&w.worker.moved[i], self)
	}
	w.worker.moved = w.worker.moved[:0]
	if ended {
		o.end()
	}
}

// hand makes what was moved that of a stream.
func (a *asyncWork) hand(m *movedCells, self uint64) {
	s, row := m.s, a.w.cta.cells.rowOf(a.w, 1<<a.lane)
	now, _ := s.times(a.w)
	for k := m.at >> s.shift; k <= (m.at+m.n-1)>>s.shift; k++ {
		switch {
		case m.reduces != 0:
			a.handReduced(s, k, now, row, self|uint64(m.reduces))
		case m.writes:
			s.write[k] = self
		default:
			s.reads(row, now, k, self)
		}
	}
}

// handReduced makes a cell that was reduced that of a stream. Reductions of one size of which one object hears come in
// any order, as atomics do; self has the size where threads have their lane.
func (a *asyncWork) handReduced(s *sharedCells, k, now uint64, row warpTimes, self uint64) {
	written, read := s.write[k], s.read[k]
	const one = 1<<cellTime - 1
	if written&one != self&one && written >= now && !s.before(row, written, a.thread()) || read >= max(now, 1) && !s.readBefore(row, k, a.thread()) ||
		a.in.mem.async == nil && s.unfenced(a.w, a.lane, written) {
		a.w.suspect(a.in)
	}
	s.write[k], s.read[k] = self, 0
}

// bulkBegun notes what a lane's copy reads of shared memory until the lane has waited for it.
func (w *warp) bulkBegun(in *inst, lane int) {
	c, thread := &w.begunBulk, uint64(w.clockNumber()*lanes.Width+lane)
	for _, m := range w.worker.moved {
		if m.writes {
			w.suspect(in)
			continue
		}
		if m.s != w.cta.cells {
			w.unfiltered(in.pc)
			continue
		}
		now, row := uint64(m.s.now)<<cellTime, m.s.rowOf(w, 1<<lane)
		for k := m.at >> m.s.shift; k <= (m.at+m.n-1)>>m.s.shift; k++ {
			if m.s.read[k] >= now && !m.s.readBefore(row, k, thread) || m.s.read[k] >= uncertain {
				w.suspect(in) // others read it, too
			}
			m.s.read[k] = uncertain | thread
		}
		if len(c.under) == mostCopies {
			w.suspect(in)
			c.under = c.under[:0]
		}
		if len(c.under) == cap(c.under) {
			w.worker.hold(copyingBytes * int64(max(len(c.under), lanes.Width)))
			c.under = append(make([]readUnderWay, 0, len(c.under)+max(len(c.under), lanes.Width)), c.under...)
		}
		c.under = append(c.under, readUnderWay{uint32(m.at), uint32(m.n), c.groups[lane], in.pc, uint8(lane)})
	}
	w.worker.moved = w.worker.moved[:0]
}

// bulkDone ends the reading of lanes' copies but those of so many latest groups.
func (w *warp) bulkDone(m uint32, but *lanes.Slot) {
	s, c := w.cta.cells, &w.begunBulk
	kept := c.under[:0]
	for _, d := range c.under {
		if m>>d.lane&1 == 0 || d.group+but[d.lane&31] >= c.groups[d.lane&31] {
			kept = append(kept, d)
			continue
		}
		thread := uint64(w.clockNumber()*lanes.Width) + uint64(d.lane)
		for k := uint64(d.at) >> s.shift; k <= uint64(d.at+d.n-1)>>s.shift; k++ {
			if s.read[k] == uncertain|thread {
				s.read[k] = uint64(s.stamp(w))<<cellTime | thread
			}
		}
	}
	c.under = kept
}

// noteUnread notes copies of a CTA that has ended which may read its shared memory yet: that is there as
// long as the CTA is (CUDA C++ Programming Guide, asynchronous bulk copies).
func (c *cta) noteUnread() {
	for _, w := range c.warps {
		for _, d := range w.begunBulk.under {
			if f := w.note(check.Unfinished, d.pc, int(d.lane)); f != nil {
				f.Space, f.Address, f.Bytes = spaceName(isa.Shared), uint64(d.at), int(d.n)
				f.Object, f.Offset, f.ObjectBytes = w.objectNear(isa.Shared, uint64(d.at))
				f.Said = "the CTA ends, and nobody has waited until the copy has read its shared memory: cp.async.bulk.commit_group and cp.async.bulk.wait_group.read 0 by the thread that copies are missing"
			}
		}
		w.begunBulk.under = w.begunBulk.under[:0]
	}
}

// lookGlobalRead looks at n bytes of global memory that the work reads.
func (a *asyncWork) lookGlobalRead(addr, n uint64) {
	cells, off := a.place.cells(a.w, a.in, a.lane, addr, n)
	if cells == nil {
		return
	}
	if b := a.place.b; b.check.written != nil && b.check.unwritten(off, n) {
		a.w.noteUnwritten(a.in, a.lane, isa.Global, addr, n)
	}
	for k, cell := range cells {
		if cells[k] = readByMany; cell >= ownedBy {
			cells[k] = cell
			a.w.suspect(a.in)
		}
	}
}

// nobody is no thread of the grid.
const nobody = threadMask

// lookGlobalWrite looks at n bytes of global memory that the work has written.
func (a *asyncWork) lookGlobalWrite(addr, n uint64) {
	cells, off := a.place.cells(a.w, a.in, a.lane, addr, n)
	if cells == nil {
		return
	}
	a.place.b.check.write(off, n)
	thread := a.w.firstThread() + uint32(a.lane)
	for k, cell := range cells {
		if cell != untouched && cell != readByOne|thread && cell != ownedBy|thread {
			a.w.suspect(a.in)
		}
		cells[k] = ownedBy | nobody
	}
}
