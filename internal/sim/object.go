package sim

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

// object is an mbarrier object of a CTA.
type object struct {
	events  uint64
	waiting []objectWait
}

// objectWait is an access that goes on when there have been so many events.
type objectWait struct {
	of     access
	events uint64
}

// object returns an object of the CTA.
func (c *cta) object(number uint64) *object {
	for uint64(len(c.objects)) < number {
		if n := len(c.objects); n < cap(c.objects) {
			c.objects = c.objects[:n+1]
			c.objects[n].events, c.objects[n].waiting = 0, c.objects[n].waiting[:0]
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
		for _, word := range blocks {
			s.send(request{block: word >> 8, mask: uint8(word & 15), whole: uint8(word >> 4 & 15), kind: writeRequest, lanes: 1, flight: -1, sm: int32(s.number)}, t)
		}
		l.free = max(l.free, l.outFree-maxOutAhead)
	case a.cta.life != a.life: // it has ended
	case len(blocks) == 0:
		s.event(a.cta, a.record[0], t)
		s.finish(a, t+a.o.latency)
	default:
		o := a.cta.object(a.record[0] & (1<<blocksShift - 1))
		if o.events >= blocks[0] || a.cta.loose {
			s.finish(a, t+a.o.latency)
			return
		}
		o.waiting = append(o.waiting, objectWait{*a, blocks[0]})
	}
}

// bulkLoad asks the L2 for the blocks of a copy, a packet after the other, and tells the
// object when all are there.
func (s *sm) bulkLoad(a *access, blocks []uint64, t Tick) {
	l := &s.lsu
	of := l.take(a.w, a.o)
	of.record, of.cta, of.life, of.bulk = a.record, a.cta, a.life, true
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

// told lets the object of a bulk copy hear that it is there.
func (s *sm) told(a *access, t Tick) {
	if a.record[0]&(1<<blocksShift-1) != 0 && a.cta.life == a.life {
		s.event(a.cta, a.record[0], t)
	}
}

// event is one of the object that a record names.
func (s *sm) event(c *cta, record uint64, t Tick) {
	o := c.object(record & (1<<blocksShift - 1))
	o.events++
	s.goOn(o, t, func(w *objectWait) bool { return o.events >= w.events })
}

// goOn lets those of an object's waiting go on that may.
func (s *sm) goOn(o *object, t Tick, may func(*objectWait) bool) {
	left := o.waiting[:0]
	for i := range o.waiting {
		w := o.waiting[i]
		if !may(&w) {
			left = append(left, w)
			continue
		}
		s.finish(&w.of, max(t, w.of.issued)+w.of.o.latency)
	}
	o.waiting = left
}

// loosen lets all go on that wait for objects of a CTA of which only the beginning was
// traced: who is behind its trace's end tells nobody.
func (s *sm) loosen(c *cta, t Tick) {
	c.loose = true
	for i := range c.objects {
		s.goOn(&c.objects[i], t, func(*objectWait) bool { return true })
	}
}
