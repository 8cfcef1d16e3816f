package order

// A cp.async reads global memory and writes shared memory at some time between itself
// and the wait for it (PTX ISA 9.7.10.28.3): until then its cells belong to nobody, and
// whoever touches them races with it, the thread that began it included. The wait makes
// them that thread's own.

// copies are the asynchronous copies of a warp that are under way, and how many
// groups each lane has committed.
type copies struct {
	pending []copied
	groups  [32]uint32
}

// copied is a copy under way: the bytes that it writes, or has yet to read, the lane that
// began it, the number of its group, the tick of its accesses; told: an mbarrier object has
// heard of it.
type copied struct {
	shadow *Shadow
	off, n uint64
	lane   int
	group  uint32
	reads  bool
	tick   uint32
	told   bool
}

// Copying notes that a lane has begun a copy, whose store it has accounted for.
func (w *Warp) Copying(lane int, s *Shadow, off, n uint64) {
	w.begun(copied{s, off, n, lane, w.copies.groups[lane], false, w.now(), false})
}

// Reading notes that a lane has begun a copy, for whose load it has accounted: it goes on
// reading until somebody has waited for it.
func (w *Warp) Reading(lane int, s *Shadow, off, n uint64) {
	w.begun(copied{s, off, n, lane, w.copies.groups[lane], true, w.now(), false})
}

// begun adds a copy to those under way. Its pieces come in turns, one read, one written.
func (w *Warp) begun(c copied) {
	for i := max(len(w.copies.pending)-2, 0); i < len(w.copies.pending); i++ {
		last, next := &w.copies.pending[i], c
		if next.off, next.n = last.off, last.n; *last == next && last.off+last.n == c.off {
			last.n += c.n
			return
		}
	}
	w.copies.pending = append(w.copies.pending, c)
}

// Commit ends the present group of lanes (cp.async.commit_group).
func (w *Warp) Commit(lanes uint32) {
	for l := range w.copies.groups {
		w.copies.groups[l] += lanes >> l & 1
	}
}

// Wait completes the copies of lanes but those of their latest groups
// (cp.async.wait_group).
func (w *Warp) Wait(lanes, but uint32) {
	w.complete(func(c *copied) bool {
		return lanes>>c.lane&1 != 0 && c.group+but < w.copies.groups[c.lane]
	})
}

// WaitRead completes the reading of copies of lanes but those of their latest groups
// (cp.async.bulk.wait_group.read).
func (w *Warp) WaitRead(lanes, but uint32) {
	w.complete(func(c *copied) bool {
		return c.reads && lanes>>c.lane&1 != 0 && c.group+but < w.copies.groups[c.lane]
	})
}

// WaitAll completes all copies of lanes (cp.async.wait_all).
func (w *Warp) WaitAll(lanes uint32) {
	w.complete(func(c *copied) bool { return lanes>>c.lane&1 != 0 })
}

// WaitBehind completes what a lane has begun behind a tick.
func (w *Warp) WaitBehind(lane int, tick uint32) {
	w.complete(func(c *copied) bool { return c.lane == lane && c.tick > tick })
}

// WaitFor completes the reading, or else the writing, of all copies of lanes.
func (w *Warp) WaitFor(lanes uint32, reads bool) {
	w.complete(func(c *copied) bool { return c.reads == reads && lanes>>c.lane&1 != 0 })
}

// delete takes those out of the copies under way of which a function says so.
func (c *copies) delete(done func(*copied) bool) {
	kept := c.pending[:0]
	for i := range c.pending {
		if d := &c.pending[i]; !done(d) {
			kept = append(kept, *d)
		}
	}
	clear(c.pending[len(kept):]) // they hold shadows
	c.pending = kept
}

// complete makes the cells of copies their threads', as if they had accessed them now: those
// who know what the asynchronous work does, or the work, which tells them.
func (w *Warp) complete(done func(*copied) bool) {
	by := w
	if w.of != nil {
		by = w.of
	}
	own := func(a *access) {
		a.flags &^= async
		a.stream, a.tick, a.warp = 0, by.now(), by.number
	}
	w.copies.delete(func(c *copied) bool {
		if !done(c) {
			return false
		}
		w.each(c, true, own)
		return true
	})
}

// each calls a function for the accesses of a copy that are nobody's yet or, if tracked,
// those of a stream.
func (w *Warp) each(c *copied, tracked bool, f func(*access)) {
	lane := uint32(1) << c.lane
	of := func(a *access) bool {
		mine := a.flags&several == 0 && a.cta == w.CTA.number && a.warp == w.number && a.lanes&lane != 0
		return mine && (a.flags&async != 0 && a.tick == c.tick || tracked && a.stream != 0)
	}
	s := c.shadow
	for i := c.off >> s.shift; i <= (c.off+c.n-1)>>s.shift; i++ {
		if c.reads {
			s.eachRead(lane, i, of, f)
			continue
		}
		cell := &s.cells[i]
		if a := &cell.write; of(a) && a.lanes == lane {
			f(a)
		}
		if cell.listed {
			list := s.more[i].writes
			for k := range list {
				if a := &list[k]; of(a) && a.lanes == lane {
					f(a)
				}
			}
		}
	}
}

// eachRead is each for the read of a cell. Lanes that read one word at a time are one access
// (noteRead), and wait each for itself: it is taken out of it. A read that was taken together
// with others (list.go) stays nobody's.
func (s *Shadow) eachRead(lane uint32, i uint64, of func(*access) bool, f func(*access)) {
	own := func(a *access) bool {
		if !of(a) {
			return false
		}
		mine := *a
		mine.lanes = lane
		f(&mine)
		if a.lanes == lane {
			*a = mine
			return true
		}
		a.lanes &^= lane
		o := s.others(i)
		s.add(o, &o.reads, &mine)
		return true
	}
	cell := &s.cells[i]
	if own(&cell.read) || !cell.listed {
		return
	}
	for k := range s.more[i].reads {
		if own(&s.more[i].reads[k]) {
			return
		}
	}
}

// Stamp returns the tick at which the warp is, and begins a new one.
func (w *Warp) Stamp() uint32 {
	now := w.now()
	w.Advance()
	return now
}
