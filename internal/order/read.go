package order

import "slices"

// The reads that are kept of a cell, until a write comes that is in order with them or is not.

// Await notes the read of a wait that is over, when the lane knows what it has waited for: it
// happened after that.
func (s *Shadow) Await(w *Warp, lane int, op *Op, off, n uint64) {
	first, last := s.at(off, n, w.CTA.launch)
	a := w.access(lane, op, 0)
	for i := first; i <= last; i++ {
		s.setPlace(&a, op, i-first, last-first)
		s.keepRead(w, lane, i, &a)
	}
}

// keepRead keeps a read of a cell.
func (s *Shadow) keepRead(w *Warp, lane int, i uint64, a *access) {
	if a.flags &^= mine; s.readsOwn(w, lane, i) && !s.readBefore(w, i) {
		a.flags |= mine
	}
	s.noteRead(w, lane, i, a)
}

// readBefore reports whether a cell has been read, for what decides, by somebody who had not stored
// himself what he found, or before it was written over by another value, so that not all threads know
// of it. Reads that are kept in place of such ones are no better.
func (s *Shadow) readBefore(w *Warp, i uint64) bool {
	did := func(r access) bool {
		return r.tick != 0 && r.flags&decides != 0 && r.flags&(mine|gone) != mine && !s.settled(w, &r)
	}
	return did(s.cells[i].read) || s.cells[i].listed && slices.ContainsFunc(s.more[i].reads, did)
}

// noteRead keeps a read: with those of its own warp's stretch, in place of one
// that happened before it, or beside it.
func (s *Shadow) noteRead(w *Warp, lane int, i uint64, a *access) {
	c := &s.cells[i]
	r := &c.read
	if a.flags&phased != 0 {
		s.asksAnew(w, lane, a, r)
	}
	switch {
	case r.tick == a.tick && r.cta == a.cta && r.warp == a.warp && r.alike(a) && (r.pc == a.pc || r.lanes&a.lanes != 0) &&
		((r.flags^a.flags)&decides == 0 || r.lanes == a.lanes): // else a decision would be told of lanes that made none
		r.lanes |= a.lanes
		if a.flags&async == 0 {
			r.arg &^= a.lanes // nobody has arrived since
		}
		switch { // what does not decide is no matter
		case a.flags&decides != 0 && r.flags&decides == 0:
			r.flags = r.flags&^mine | a.flags&(decides|mine)
		case a.flags&decides != 0:
			r.flags &= a.flags | ^mine
		}
	case r.tick == 0 || w.replaces(lane, a, r):
		*r = *a
	default:
		o := s.others(i)
		if listed(o.reads, a) >= mostListed(a) {
			o.reads = slices.DeleteFunc(o.reads, func(r access) bool { return (r.flags^a.flags)&decides == 0 && w.replaces(lane, a, &r) })
		}
		s.add(o, &o.reads, a)
	}
}

// replaces reports whether it is enough to keep read a of a lane, and no longer r:
// r happened before it, so that whatever is not in order with r is not with a.
func (w *Warp) replaces(lane int, a, r *access) bool {
	return w.unknown(r, lane) == 0 && r.flags&decides&^a.flags == 0 && a.flags&phased&^r.flags == 0
}
