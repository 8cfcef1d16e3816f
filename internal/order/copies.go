package order

import "slices"

// A cp.async writes shared memory at some time between itself and the wait for
// it (PTX ISA 9.7.10.28.3): until then its cells belong to nobody, and whoever
// touches them races with it, the thread that began it included. The wait makes
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

// copied is a copy under way: the bytes that it writes, the lane that began it,
// the number of its group.
type copied struct {
	shadow *Shadow
	off, n uint64
	lane   int
	group  uint32
}

// Copying notes that a lane has begun a copy, whose store it has accounted for.
func (w *Warp) Copying(lane int, s *Shadow, off, n uint64) {
	if n1 := len(w.copies.pending); n1 > 0 {
		if last := &w.copies.pending[n1-1]; last.shadow == s && last.off+last.n == off && last.lane == lane && last.group == w.copies.groups[lane] {
			last.n += n
			return
		}
	}
	w.copies.pending = append(w.copies.pending, copied{s, off, n, lane, w.copies.groups[lane]})
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

// WaitAll completes all copies of lanes (cp.async.wait_all; what
// cp.async.mbarrier.arrive waits for).
func (w *Warp) WaitAll(lanes uint32) {
	w.complete(func(c *copied) bool { return lanes>>c.lane&1 != 0 })
}

// complete makes the cells of copies their threads'.
func (w *Warp) complete(done func(*copied) bool) {
	w.copies.pending = slices.DeleteFunc(w.copies.pending, func(c copied) bool {
		if !done(&c) {
			return false
		}
		w.own(&c, true)
		return true
	})
}

// own makes the cells of a copy its lane's, as if it had been made now.
func (w *Warp) own(c *copied, now bool) {
	own := func(a *access) {
		if a.flags&async != 0 && a.cta == w.CTA.number && a.warp == w.number && a.lanes == 1<<c.lane {
			if a.flags &^= async; now {
				a.tick = w.now()
			}
		}
	}
	s := c.shadow
	for i := c.off >> s.shift; i <= (c.off+c.n-1)>>s.shift; i++ {
		own(&s.cells[i].write)
		if s.cells[i].listed {
			for k := range s.more[i].writes {
				own(&s.more[i].writes[k])
			}
		}
	}
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
