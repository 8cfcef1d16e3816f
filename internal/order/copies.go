package order

import "slices"

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

// delivered are copies of lanes of a warp of which an mbarrier object has heard.
type delivered struct {
	by *Warp
	copied
}

// copied is a copy under way: the bytes that it writes, or has yet to read, the lane that
// began it, the number of its group.
type copied struct {
	shadow *Shadow
	off, n uint64
	lane   int
	group  uint32
	reads  bool
}

// Copying notes that a lane has begun a copy, whose store it has accounted for.
func (w *Warp) Copying(lane int, s *Shadow, off, n uint64) {
	w.begun(copied{s, off, n, lane, w.copies.groups[lane], false})
}

// Reading notes that a lane has begun a copy, for whose load it has accounted: it goes on
// reading until somebody has waited for it.
func (w *Warp) Reading(lane int, s *Shadow, off, n uint64) {
	w.begun(copied{s, off, n, lane, w.copies.groups[lane], true})
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

// WaitAll completes all copies of lanes (cp.async.wait_all; what
// cp.async.mbarrier.arrive waits for).
func (w *Warp) WaitAll(lanes uint32) {
	w.complete(func(c *copied) bool { return lanes>>c.lane&1 != 0 })
}

// WaitFor completes the reading, or else the writing, of all copies of lanes.
func (w *Warp) WaitFor(lanes uint32, reads bool) {
	w.complete(func(c *copied) bool { return c.reads == reads && lanes>>c.lane&1 != 0 })
}

// complete makes the cells of copies their threads'.
func (w *Warp) complete(done func(*copied) bool) {
	w.copies.pending = slices.DeleteFunc(w.copies.pending, func(c copied) bool {
		if !done(&c) {
			return false
		}
		w.own(&c)
		return true
	})
}

// own makes the cells of a copy its lane's, as if it had been made now.
func (w *Warp) own(c *copied) {
	own := func(a *access) {
		if a.flags&async != 0 && a.cta == w.CTA.number && a.warp == w.number && a.lanes == 1<<c.lane {
			a.flags &^= async
			a.tick = w.now()
		}
	}
	s := c.shadow
	for i := c.off >> s.shift; i <= (c.off+c.n-1)>>s.shift; i++ {
		if c.reads {
			s.ownRead(w, c, i)
			continue
		}
		cell := &s.cells[i]
		own(&cell.write)
		if cell.listed {
			list := s.more[i].writes
			for k := range list {
				own(&list[k])
			}
		}
	}
}

// ownRead makes the read of a cell by a copy its lane's. Lanes that read one word at a time
// are one access (noteRead), and wait each for itself: it is taken out of it. A read that
// was taken together with others (list.go) stays nobody's.
func (s *Shadow) ownRead(w *Warp, c *copied, i uint64) {
	lane := uint32(1) << c.lane
	own := func(a *access) bool {
		if a.flags&(async|several) != async || a.cta != w.CTA.number || a.warp != w.number ||
			a.lanes&lane == 0 || a.arg != c.group {
			return false
		}
		mine := *a
		mine.lanes, mine.tick = lane, w.now()
		if mine.flags &^= async; a.lanes == lane {
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

// Own returns what lanes of the warp have done, and nothing of what they know.
func (w *Warp) Own(lanes uint32) Clock {
	own := Clock{{cta: w.CTA.number, spans: []span{{w.now(), lanes, w.number}}}}
	w.Advance()
	return own
}

// Deliver notes that an mbarrier object in the shared memory of CTA c is about to hear that
// the copies of a lane are done. They are so for who sees that its phase is over.
func (w *Warp) Deliver(lane int, c *CTA, addr uint64) {
	o := c.object(addr)
	w.copies.pending = slices.DeleteFunc(w.copies.pending, func(d copied) bool {
		if d.lane != lane {
			return false
		}
		o.coming = append(o.coming, delivered{w, d})
		return true
	})
}
