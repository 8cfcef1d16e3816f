package emulator

import (
	"math/bits"
	"slices"

	"hyptx/ir"
)

// Where warps of a CTA do not all wait for each other, at barriers of some threads, by
// mbarrier objects or within a warp, one time does not tell who comes before whom. Then each
// warp has a time of its own, a Lamport clock, and a row of what it knows: of each warp the
// time up to which all that its lanes did comes before whatever this one does next. That is
// what the detector keeps for each lane; here a warp knows what all its lanes do, and tells
// what all of them have done, else less. So the filter never knows of an order that the
// detector does not.
//
// Clocks begin with the first such barrier of a CTA: others have the time of sharedCells alone.

// Asynchronous work has numbers behind those of warps: what the products of a warp do
// (checkproduct.go, checktensor.go), what it loads from tensor memory and stores to it, and what copies do
// of which an mbarrier object hears (checkbulk.go), a stream for each object. Their times are above all of
// warps, so that no barrier makes them known: who has waited for them knows them, and tells others.

// warpTimes are times of warps and asynchronous work, by their number.
type warpTimes []uint32

// join makes t know what o does, and returns the latest time of a warp in o.
func (t warpTimes) join(o warpTimes) (latest uint32) {
	t = t[:len(o)]
	for v, at := range o {
		if t[v] = max(t[v], at); at < streamTimes {
			latest = max(latest, at)
		}
	}
	return latest
}

// warpClocks are the clocks of the warps that run together: of a CTA or of a cluster.
type warpClocks struct {
	warps   int         // how many there are
	first   int         // the number of the first stream
	streams int         // how many objects have streams
	own     warpTimes   // what its accesses are stamped with, unless that of all is later
	known   []warpTimes // by warp, what all its lanes know
	later   []warpTimes // what some of them know, and all will behind a bar.warp.sync
	// alone is what one lane of a warp knows, which is lane.
	alone  []warpTimes
	lane   []int
	begun  []warpTimes  // by warp, what was known when it began its last work on tensor memory; nil without
	fences []proxyFence // by warp, its last one
	room   warpTimes    // for what is told at once
	rows   warpTimes    // what all these are made of
}

// meetings are what a CTA's warps meet by that have clocks.
type meetings struct {
	// meets: there was a barrier of some threads; bars are what the barriers tell.
	meets   bool
	bars    [numBarriers]barrierClock
	objects map[uint64]*objectClock // of mbarrier objects, by address
	free    []*objectClock
	// visits are when warps of other CTAs read the shared memory last.
	visits  warpTimes
	readers []uint64  // by cell, the numbers, modulo 64, of those reads that are many
	rows    warpTimes // what bars are made of
}

// barrierClock is what those tell who come to a barrier. coming are the times at which they
// came to the meeting that is open, met those of the last one of each warp.
type barrierClock struct{ told, coming, met warpTimes }

// mostStreams bounds the mbarrier objects of a CTA of which copies tell.
const mostStreams = 64

// The numbers of the work of a warp are so many times the warps behind its own.
const (
	productWork = 1 + iota
	tensorLoads // of programs with tensor memory
	tensorStores
	works
)

// number is that of some work of a warp.
func (c *warpClocks) number(work, warp int) int { return work*c.warps + warp }

// width is how many numbers warps, their work and streams have.
func (c *warpClocks) width() int { return c.first + mostStreams }

// rowsOf returns rows of so many times, one after the other out of all.
func rowsOf(all warpTimes, width int) func() warpTimes {
	return func() warpTimes {
		r := all[:width:width]
		all = all[width:]
		return r
	}
}

// newClocks returns the clocks of so many warps.
func newClocks(wk *worker, warps int) *warpClocks {
	c := &warpClocks{warps: warps, first: tensorLoads * warps, own: make(warpTimes, warps), lane: make([]int, warps), fences: make([]proxyFence, warps)}
	each := 4
	if wk.launch.prog.tensors {
		each, c.first = 5, works*warps
	}
	n := c.width() * (each*warps + 1)
	wk.hold(int64(4*n) + int64(warps)*warpClockBytes)
	c.rows = make(warpTimes, n)
	row := rowsOf(c.rows, c.width())
	for w := range warps {
		c.known, c.later, c.alone = append(c.known, row()), append(c.later, row()), append(c.alone, row())
		if c.fences[w].knows = row(); each > 4 {
			c.begun = append(c.begun, row())
		}
	}
	c.room = row()
	c.begin()
	return c
}

// warpClockBytes is what clocks take for a warp without rows.
const warpClockBytes = 4*24 + 48 + 12

// begin makes clocks as new.
func (c *warpClocks) begin() {
	clear(c.rows)
	clear(c.own)
	for w := range c.lane {
		c.lane[w] = -1
		c.fences[w].at = 0
	}
	c.streams = 0
}

// tellApart makes a CTA have clocks, in which its warps stand from a number on.
func (s *sharedCells) tellApart(wk *worker, c *warpClocks, first, warps int) {
	s.apart, s.clocks, s.first, s.warps = true, c, first, warps
	m := &s.meetings
	if each := c.width(); len(m.visits) != each {
		n := each * (3*numBarriers + 1)
		wk.hold(int64(4*n) + int64(8*len(s.read)))
		*m = meetings{objects: map[uint64]*objectClock{}, readers: make([]uint64, len(s.read)), rows: make(warpTimes, n)}
		row := rowsOf(m.rows, each)
		for i := range m.bars {
			m.bars[i] = barrierClock{row(), row(), row()}
		}
		m.visits = row()
	} else {
		clear(m.rows)
		for _, o := range m.objects {
			m.free = append(m.free, o)
		}
		clear(m.objects)
		m.meets = false
	}
	now := uint64(s.now) << cellTime
	for k, r := range s.read { // of reads by many so far nobody knows whose they are
		if r >= now {
			m.readers[k] = ^uint64(0)
		}
	}
}

// clockNumber is the warp's number in clocks and cells.
func (w *warp) clockNumber() int { return w.cta.cells.first + w.number }

// fit reports whether clocks are those that so many warps need.
func (c *warpClocks) fit(wk *worker, warps int) bool {
	return c.warps == warps && wk.launch.prog.tensors == (c.begun != nil)
}

// row returns a new row, of an object.
func (c *warpClocks) row() warpTimes { return make(warpTimes, len(c.known[0])) }

// beginApart makes a CTA tell its warps apart.
func (w *warp) beginApart() *sharedCells {
	s := w.cta.cells
	if s.apart {
		return s
	}
	warps := 0
	for _, of := range w.cta.warps {
		warps = max(warps, of.number+1)
	}
	if s.clocks == nil || !s.clocks.fit(w.worker, warps) {
		s.clocks = newClocks(w.worker, warps)
	} else {
		s.clocks.begin()
	}
	s.tellApart(w.worker, s.clocks, 0, warps)
	return s
}

// stamp is the time of a warp's accesses.
func (s *sharedCells) stamp(w *warp) uint32 {
	if !s.apart {
		return s.now
	}
	return max(s.now, s.clocks.own[w.clockNumber()])
}

// row is what a warp knows of others, nil where that is no more than all do.
func (s *sharedCells) row(w *warp) warpTimes {
	if !s.apart {
		return nil
	}
	return s.clocks.known[w.clockNumber()]
}

// rowOf is what lanes of a warp know: one may know more than all.
func (s *sharedCells) rowOf(w *warp, lanes uint32) warpTimes {
	switch {
	case !s.apart:
		return nil
	case lanes&(lanes-1) == 0 && lanes != 0 && s.clocks.lane[w.clockNumber()] == bits.TrailingZeros32(lanes):
		return s.clocks.alone[w.clockNumber()]
	}
	return s.clocks.known[w.clockNumber()]
}

// advance lets a warp go on at a later time than one that it has told or knows.
func (s *sharedCells) advance(w *warp, from uint32) {
	own := &s.clocks.own[w.clockNumber()]
	if *own = max(s.stamp(w), from+1); *own >= streamTimes-1 { // nobody knows any more what came before
		*own = streamTimes - 2
		w.unfiltered(w.worker.launch.prog.Kernel.First)
	}
}

// unfiltered leaves the launch to the detector, whatever is asked of it.
func (w *warp) unfiltered(pc ir.PC) {
	log := w.worker.launch.Check
	log.Unfiltered = true
	log.Suspects(uint32(pc))
}

// before reports whether what was done at a cell since all threads met comes before whatever
// a thread does next whose warp has a row.
func (s *sharedCells) before(t warpTimes, cell, thread uint64) bool {
	at := uint32(cell >> cellTime)
	switch {
	case t == nil || at == mostTimes: // a copy that is under way
		return false
	case cell&cellMark != 0: // of atomics nobody knows whose
		return cell&(1<<cellTime-1) != cellMark|objectAccess && slices.Min(t[:s.clocks.warps]) >= at&^streamTimes ||
			at < streamTimes && slices.Min(t[:s.clocks.warps]) >= at
	case cell&cellThread>>5 < uint64(s.clocks.warps):
		at &^= streamTimes // of another CTA's
	}
	return cell&cellThread == thread || at <= t[cell&cellThread>>5]
}

// readBefore does so for the reads of a cell.
func (s *sharedCells) readBefore(t warpTimes, k, thread uint64) bool {
	read := s.read[k]
	if read&cellMark == 0 {
		return s.before(t, read, thread)
	}
	for rest := s.readers[k]; rest != 0; rest &= rest - 1 {
		for n := bits.TrailingZeros64(rest); n < s.clocks.first+s.clocks.streams; n += 64 {
			at := uint32(read >> cellTime)
			if n < s.clocks.warps {
				at &^= streamTimes
			}
			if t[n] < at {
				return false
			}
		}
	}
	return true
}

// reads notes a read of a cell.
func (s *sharedCells) reads(t warpTimes, now, k, self uint64) {
	switch read, warp := s.read[k], self&cellThread>>5; {
	case read < now || read&cellMark == 0 && s.before(t, read, self&cellThread):
		s.read[k] = self
	case read == self:
	case read&cellMark == 0:
		s.readers[k] = 1<<(warp&63) | 1<<(read>>5&63)
		s.read[k] = latest(read, self) | cellMark
	default:
		s.readers[k] |= 1 << (warp & 63)
		s.read[k] = latest(read, self|cellMark)
	}
}

// comes notes that lanes come to a barrier. Who meets whom at it must not depend on the order
// of threads: who comes has to know of all who came to an earlier meeting, and those of one
// meeting want to be as many and to make the same of their predicates.
func (w *warp) comes(in *inst, b *barrierInfo, id, lanes uint32) {
	bar, warps := &w.cta.bars[id], len(w.cta.warps)
	part := b.arriveOnly
	if bar.threads != 0 && int(bar.threads/32) < warps {
		warps, part = int(bar.threads/32), true
	}
	if bar.expects == 0 {
		bar.expects, bar.reduces = warps, b.reduction()
	} else if bar.expects != warps || bar.reduces != b.reduction() {
		w.unfiltered(in.pc)
	}
	if part {
		w.beginMeetings()
	}
	s := w.cta.cells
	if !s.apart {
		return
	}
	c, now := s.clocks, s.stamp(w)
	row, clock := s.rowOf(w, lanes), &s.bars[id]
	if s.meets {
		for v, at := range clock.met {
			if at >= s.now && at > row[v] {
				w.unfiltered(in.pc)
			}
		}
		if bar.lanes[w.index]&lanes != 0 || lanes != w.alive {
			w.unfiltered(in.pc)
		}
		clock.coming[w.clockNumber()] = now
	}
	if clock.told.join(row); lanes == w.alive {
		clock.told.join(c.later[w.clockNumber()])
		clock.told[w.clockNumber()] = now
	}
	s.advance(w, now)
}

// beginMeetings is for the first barrier of some threads: who waits at others has come by now.
func (w *warp) beginMeetings() {
	s := w.beginApart()
	if s.meets {
		return
	}
	s.meets = true
	for id := range s.bars {
		for i, lanes := range w.cta.bars[id].lanes {
			if of := w.cta.warps[i]; w.cta.bars[id].used && lanes != 0 {
				s.bars[id].coming[of.clockNumber()] = s.stamp(of)
			}
		}
	}
}

// warpsMet ends a meeting at a barrier: those who waited know what those who came have told.
func (c *cta) warpsMet(id int) {
	s := c.cells
	clock := &s.bars[id]
	for _, w := range c.warps {
		for _, p := range w.paths {
			if p.state == atBarrier && p.wait.bar == id {
				s.learn(w, p.mask, clock.told)
			}
		}
	}
	for v, at := range clock.coming {
		clock.met[v] = max(clock.met[v], at)
	}
	clear(clock.told)
	clear(clock.coming)
}

// learn lets lanes of a warp know what others have told them.
func (s *sharedCells) learn(w *warp, lanes uint32, told warpTimes) {
	c := s.clocks
	if w.alive&^lanes == 0 {
		c.alone[w.clockNumber()].join(told)
		s.advance(w, c.known[w.clockNumber()].join(told))
		return
	}
	latest := c.later[w.clockNumber()].join(told)
	if lanes&(lanes-1) != 0 {
		return
	}
	if lane := bits.TrailingZeros32(lanes); c.lane[w.clockNumber()] != lane {
		c.lane[w.clockNumber()] = lane
		copy(c.alone[w.clockNumber()], c.known[w.clockNumber()])
	}
	c.alone[w.clockNumber()].join(told)
	s.advance(w, latest)
}

// lanesMet is for lanes of a bar.warp.sync: what any of them did comes before what any does next.
func (w *warp) lanesMet(lanes uint32) {
	if w.cta.cells == nil || w.alive&^lanes != 0 {
		return
	}
	s := w.beginApart()
	c, now := s.clocks, s.stamp(w)
	row := c.known[w.clockNumber()]
	row[w.clockNumber()] = now
	latest := row.join(c.later[w.clockNumber()])
	clear(c.later[w.clockNumber()])
	c.lane[w.clockNumber()] = -1
	s.advance(w, max(now, latest))
}

// latest returns a cell with the later time of two, which is of asynchronous work or another CTA's if
// either is.
func latest(a, b uint64) uint64 {
	const far = streamTimes << cellTime
	return max(a&^far, b&^far) | (a|b)&far
}
