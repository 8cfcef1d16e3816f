package order

// What asynchronous work does is nobody's, until an mbarrier object or the thread that asked
// for it says that it is done. An object says so to those who see that its phase is over, and
// to nobody else: no barrier that they pass beside it, and nothing that the thread which asked
// does later. So it gets a time of its own, a stream, whose ticks a clock knows as those of a
// CTA (known.cta): for copies that of the object, which ticks with its phases; for what commits track
// (tcgen05), several objects perhaps, that of the lane that asked, each of all before it.

// A CTA has so many warps at most. Those with higher numbers are asynchronous work of the
// threads of warp number%Works: bulk copies, wgmma and accesses of tensor memory, cp.async,
// other operations on tensor memory.
const (
	Works    = 32
	Bulk     = 1 * Works
	Matrices = 2 * Works
	Copies   = 3 * Works
	Tensors  = 4 * Works
)

// ofThreads returns the warp of which it has to be said that it did what warp does: what
// cp.async does is said of the threads, as if they loaded and stored.
func ofThreads(warp uint8) uint8 {
	if warp != anyWarp && warp >= Copies && warp < Copies+Works {
		return warp - Copies
	}
	return warp
}

// firstStream is above the numbers of CTAs, marked as executed (visits.go) or not.
const firstStream = 3 << 30

// stream is that of a lane: its number in clocks, 0 for none, and its time.
type stream struct{ number, tick uint32 }

// newStream returns the number of a new stream.
func (l *Launch) newStream() uint32 {
	l.streams++
	return firstStream + l.streams
}

// ofPhase returns the object's stream.
func (o *object) ofPhase(l *Launch) stream {
	if o.stream == 0 {
		o.stream = l.newStream()
	}
	return stream{o.stream, o.phase + 1}
}

// told is what a stream tells of all up to its present tick.
func (s stream) told() Clock { return Clock{{cta: s.number, base: s.tick + 1}} }

// hand makes what lanes of a copy have done that of a stream.
func (s stream) hand(a *access) {
	if a.flags&atomic == 0 {
		a.arg = a.tick
	}
	a.flags &^= async
	a.stream, a.tick = s.number, s.tick
}

// WorkOf makes a warp as new that does what those of w ask for, and knows what they know.
func (w *Warp) WorkOf(of *Warp, number int) {
	w.Begin(of.CTA, number)
	w.of = of
}

// Deliver notes that an mbarrier object in the shared memory of CTA c is about to hear that
// the copies of a lane behind a tick are done. Those who can wait for groups as well may do
// so: kept.
func (w *Warp) Deliver(lane int, behind uint32, kept bool, c *CTA, addr uint64) {
	s := c.object(addr).ofPhase(c.launch)
	w.copies.delete(func(d *copied) bool {
		if d.lane != lane || d.tick <= behind || d.told {
			return false
		}
		w.each(d, false, s.hand)
		d.told = true
		return !kept
	})
}

// Track notes that mbarrier objects are to hear when all that a lane has begun so far is
// done, and returns what they tell then.
func (w *Warp) Track(lane int) Clock {
	if w.streams == nil {
		w.streams = new([32]stream)
	}
	s := &w.streams[lane]
	if s.number == 0 {
		s.number = w.CTA.launch.newStream()
	}
	s.tick++
	w.copies.delete(func(d *copied) bool {
		if d.lane == lane {
			w.each(d, false, s.hand)
		}
		return d.lane == lane
	})
	return s.told()
}

// Signal notes that asynchronous work of a lane has done something to the mbarrier object at
// an address of CTA c, whose 8 bytes are at off of s: it is of the present phase. It tells
// whoever sees that this is over what told says, and that the lane's CTA has begun.
func (w *Warp) Signal(lane int, c *CTA, addr uint64, s *Shadow, off uint64, told Clock, completed bool) {
	o := c.object(addr)
	of := o.ofPhase(c.launch)
	for i := off >> s.shift; i <= (off+8-1)>>s.shift; i++ {
		if a := &s.cells[i].write; a.flags&async != 0 && a.warp == w.number && a.cta == w.CTA.number {
			of.hand(a)
		}
	}
	o.open = Join(o.open, Join(told, w.Executed(1<<lane)))
	o.end(completed)
}

// end ends the phase of an object, if it is completed.
func (o *object) end(completed bool) {
	if !completed {
		return
	}
	if o.stream != 0 {
		o.open = Join(o.open, stream{o.stream, o.phase + 1}.told())
	}
	o.over, o.open = Join(o.over, o.open), nil
	o.phase++
}

// sawOver reports whether a lane knows, in any order, that a phase of an object is over.
// It may have been told so, or know that somebody came past a wait for it.
func (w *Warp) sawOver(lane int, o *object, phase uint32) bool {
	if o.stream != 0 && w.unknown(&access{stream: o.stream, tick: phase + 1, lanes: 1}, lane) == 0 {
		return true
	}
	for i := len(o.passes) - 1; i >= 0; i-- {
		if p := &o.passes[i]; p.phase >= phase && w.waiting(&p.by, lane) != p.by.lanes {
			return true
		}
	}
	return false
}

// Told returns what a lane's asynchronous work was told when it was begun.
func (w *Warp) Told(lane int) Clock { return w.clock(lane).handed() }
