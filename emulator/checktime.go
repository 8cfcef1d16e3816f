package emulator

// The times that clocks are made of (checkclock.go), as rows: of each warp and its asynchronous work one. All rows
// of the warps that run together, and all of what a CTA meets by, are made at once and kept for the next.

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
	fenced []warpTimes  // by warp, what its last fence makes known to other CTAs; nil where nobody comes relaxed
	fences []proxyFence // by warp, its last one
	// filled are the streams of objects that hear of cp.async, which writes as threads do, and not
	// by the proxy of bulk copies.
	filled [mostStreams]bool
	room   warpTimes // for what is told at once
	rows   warpTimes // what all these are made of
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

// mostStreams bounds the mbarrier objects of a CTA that are told apart.
const mostStreams = 128

// The numbers of the work of a warp are so many times the warps behind its own.
const (
	productWork = 1 + iota
	tensorLoads // of programs with tensor memory
	tensorStores
	works
)

// number is that of some work of a warp.
func (c *warpClocks) number(work, warp int) int { return work*c.warps + warp }

// width is how many numbers warps, their work and streams have, and streams once more: that a phase of an object is over
// more know than what its copies have done, for who asks for a copy says by that how far it has come (order.Warp.Executed).
func (c *warpClocks) width() int { return c.first + 2*mostStreams }

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
	rows := 4*warps + 1
	if wk.launch.prog.tensors {
		c.first, rows = works*warps, rows+warps
		c.begun = make([]warpTimes, warps)
	}
	if wk.launch.prog.relaxes {
		rows += warps
		c.fenced = make([]warpTimes, warps)
	}
	n := c.width() * rows
	wk.hold(int64(4*n) + int64(warps)*warpClockBytes)
	c.rows = make(warpTimes, n)
	row := rowsOf(c.rows, c.width())
	for w := range warps {
		c.known, c.later, c.alone = append(c.known, row()), append(c.later, row()), append(c.alone, row())
		c.fences[w].knows = row()
		if c.begun != nil {
			c.begun[w] = row()
		}
		if c.fenced != nil {
			c.fenced[w] = row()
		}
	}
	c.room = row()
	c.begin()
	return c
}

// warpClockBytes is what clocks take for a warp without rows.
const warpClockBytes = 5*24 + 48 + 12

// begin makes clocks as new.
func (c *warpClocks) begin() {
	clear(c.rows)
	clear(c.own)
	clear(c.filled[:])
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
	p := wk.launch.prog
	return c.warps == warps && p.tensors == (c.begun != nil) && p.relaxes == (c.fenced != nil)
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
