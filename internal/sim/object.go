package sim

import "hyptx/internal/traffic/stream"

// What goes on by itself: bulk copies, which the L2 is asked for block by block, past the
// L1, and nobody's registers wait for; and mbarrier objects, which hear of them and of
// warps that arrive. Who waits for one goes on when as many events of it have come as
// came first when the program was emulated.
//
// An emulated copy is done at once, and a warp that waits for it tries until it is: how
// often is a matter of whose turn it was. So the traces do not say that a wait took so many
// rounds, but what it came after: the arrivals and copies of its object up to the one that
// completed the phase. These come in an order of the simulation's own, but none can wait
// for one that the emulator saw later, so that there is always somebody who goes on.
//
// Copies leave the SM by a way of their own, a request of 128 bytes each time that the way
// out takes one ([ours]: no document says how many TMA units have under way). What they
// bring takes the way back from the L2 as loads do, but neither the L1's tags nor its room
// for outstanding sectors. A store in bulk shares the way out with all other stores.
//
// Stores in bulk are waited for by groups. Those of a warp tell an object of their own, which
// no program sees: when they have been read from shared memory, which is when the last
// packet has left, and when the L2 has answered all of them.

// object is an mbarrier object of a CTA, or what hears of a warp's stores in bulk: reads of
// these, of which so many were begun.
type object struct {
	events, reads, begun uint64
	waiting              []objectWait
}

// objectWait is an access that goes on when there have been so many events, or reads.
type objectWait struct {
	of     access
	events uint64
	reads  bool
}

// may reports whether it goes on.
func (w *objectWait) may(o *object) bool {
	if w.reads {
		return o.reads >= w.events
	}
	return o.events >= w.events
}

// object returns an object of the CTA.
func (c *cta) object(number uint64) *object {
	for uint64(len(c.objects)) < number {
		if n := len(c.objects); n < cap(c.objects) {
			c.objects = c.objects[:n+1]
			c.objects[n] = object{waiting: c.objects[n].waiting[:0]}
		} else {
			c.objects = append(c.objects, object{})
		}
	}
	return &c.objects[number-1]
}

// unordered takes a bulk copy, or an access of an object, at t.
func (s *sm) unordered(a *access, space Space, blocks []uint64, t Tick) {
	l := &s.lsu
	l.free = t + Cycles(s.m.L1.CyclesPerAccess)
	l.busy += Cycles(s.m.L1.CyclesPerAccess)
	switch {
	case space == BulkLoad:
		s.bulkLoad(a, blocks, t)
	case space == BulkStore:
		s.bulkStore(a, blocks, t)
	case space == Cast:
		s.castLoad(a, blocks, t)
	case space == Peer:
		s.reach(a, blocks, t)
	case a.cta.life != a.life: // it has ended
	case space == Tensor:
		s.tensor(a, stream.WorkOf(blocks[0]), t)
	case len(blocks) == 0 && a.o.commits:
		s.hears(a.cta, a.life, uint16(a.record[0]), false, s.committed(t))
		s.finish(a, t+a.o.latency)
	case len(blocks) == 0:
		s.event(a.cta, a.record[0], t)
		s.finish(a, t+a.o.latency)
	default:
		o := a.cta.object(a.record[0] & (1<<blocksShift - 1))
		if o.events >= blocks[0] || a.cta.loose {
			s.finish(a, t+a.o.latency)
			return
		}
		o.waiting = append(o.waiting, objectWait{of: *a, events: blocks[0]})
	}
}

// bulkLoad asks the L2 for the blocks of a copy, a packet after the other, and tells the
// object when all are there.
func (s *sm) bulkLoad(a *access, blocks []uint64, t Tick) {
	l := &s.lsu
	of := s.hearing(a.cta, a.life, uint16(a.record[0]))
	for _, word := range blocks {
		f := s.takeOff(uint8(word & 15))
		l.outstanding -= int(l.flights[f].sectors) // the L1 keeps nothing of it
		l.flights[f].sectors = 0
		s.await(of, f)
		s.bulkFree = max(s.bulkFree, t) + Cycles(s.m.L2.RequestCycles)
		l.out = append(l.out, request{at: s.bulkFree, block: word >> 8, mask: uint8(word & 15), kind: readRequest, lanes: 1, flight: f, sm: int32(s.number)})
	}
	if len(blocks) == 0 {
		s.told(of, t)
		l.unused = append(l.unused, of)
	}
}

// begins notes that a warp of the CTA has begun a store in bulk.
func (c *cta) begins(record uint64) {
	if n := record & (1<<blocksShift - 1); n > 0 {
		c.object(n).begun++
	}
}

// bulkStore sends the blocks of a copy to the L2, and tells the warp's groups of it.
func (s *sm) bulkStore(a *access, blocks []uint64, t Tick) {
	l := &s.lsu
	object, of := uint16(a.record[0]), (*access)(nil)
	if object != 0 && len(blocks) > 0 {
		of = s.hearing(a.cta, a.life, object)
	}
	for _, word := range blocks {
		f := int32(-1)
		if of != nil {
			f = s.takeOff(0)
			s.await(of, f)
		}
		s.send(request{block: word >> 8, mask: uint8(word & 15), whole: uint8(word >> 4 & 15), kind: writeRequest, lanes: 1, flight: f, sm: int32(s.number)}, t)
	}
	l.free = max(l.free, l.outFree-maxOutAhead)
	if of != nil {
		s.hears(a.cta, a.life, object, true, l.outFree)
	}
}

// hearing returns an access that goes on by itself, of which an object of a CTA hears.
func (s *sm) hearing(c *cta, life uint32, object uint16) *access {
	l := &s.lsu
	of := &access{}
	if n := len(l.unused); n > 0 {
		of, l.unused = l.unused[n-1], l.unused[:n-1]
	}
	*of = access{cta: c, life: life, bulk: true, object: object}
	return of
}

// hears lets an object of a CTA hear at t, of reads or of all, what is not to happen before.
func (s *sm) hears(c *cta, life uint32, object uint16, reads bool, t Tick) {
	of, f := s.hearing(c, life, object), s.takeOff(0)
	of.reads = reads
	s.await(of, f)
	s.replies.push(t, f)
}

// told lets the object of a bulk copy hear that it is there.
func (s *sm) told(a *access, t Tick) {
	switch {
	case a.object == 0 || a.cta.life != a.life:
	case a.reads:
		o := a.cta.object(uint64(a.object))
		o.reads++
		s.goOn(o, t)
	default:
		s.event(a.cta, uint64(a.object), t)
	}
}

// event is one of the object that a record names.
func (s *sm) event(c *cta, record uint64, t Tick) {
	o := c.object(record & (1<<blocksShift - 1))
	o.events++
	s.goOn(o, t)
}

// awaitGroups lets a warp wait at t for groups of its stores in bulk: for those alone that it
// has begun, since a function that is called may wait before a block that it stands in the
// midst of, or behind it.
func (s *sm) awaitGroups(w *warp, o *op, t Tick) {
	n := 1 + blocksOf(w.trace[w.pos])
	record := w.trace[w.pos : w.pos+n]
	w.pos += n
	if n == 1 || w.cta.loose {
		return
	}
	object := w.cta.object(record[0] & (1<<blocksShift - 1))
	wait := objectWait{of: access{w: w, o: o, turn: w.turn, cta: w.cta}, events: min(record[1]&^readBit, object.begun), reads: record[1]&readBit != 0}
	if !wait.may(object) {
		object.waiting = append(object.waiting, wait)
		w.next, w.nextWhy = never, LongScoreboard
	}
}

// goOn lets those of an object's waiting go on that may.
func (s *sm) goOn(o *object, t Tick) {
	left := o.waiting[:0]
	for i := range o.waiting {
		w := o.waiting[i]
		if !w.of.cta.loose && !w.may(o) {
			left = append(left, w)
			continue
		}
		if w.of.o.waits {
			if w.of.turn == w.of.w.turn {
				s.resume(w.of.w, t)
			}
			continue
		}
		s.finish(&w.of, max(t, w.of.issued)+w.of.o.latency)
	}
	o.waiting = left
}

// resume lets a warp that waits issue again at t.
func (s *sm) resume(w *warp, t Tick) {
	w.next = t
	if w.op < w.end {
		w.look(s.code)
		w.core.wake(t)
	}
}

// loosen lets all go on that wait for objects of a CTA of which only the beginning was
// traced: who is behind its trace's end tells nobody.
func (s *sm) loosen(c *cta, t Tick) {
	c.loose = true
	for i := range c.objects {
		s.goOn(&c.objects[i], t)
	}
}
