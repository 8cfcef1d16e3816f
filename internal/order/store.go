package order

import "slices"

// Store accounts for a write of n bytes from off on by a lane, whose value
// depends on from. diff has a bit for each byte that it changes, arg is a hash of
// an atomic's operands. It returns what reads before it, which are not in order
// with it, have depended on.
func (s *Shadow) Store(w *Warp, lane int, op *Op, off, n uint64, from Origin, cause Cause, diff uint32, arg uint32) (overtaken Origin, by Cause) {
	first, last := s.at(off, n, w.CTA.launch)
	a := w.access(lane, op, arg)
	if op.Async {
		a.flags |= async
	}
	if op.Keeps {
		// What an atomic found stays a part of what it leaves, and of each of its
		// words: a carry goes from one to the next.
		if diff != 0 {
			diff = ^uint32(0)
		}
		for i := first; i <= last; i++ {
			s.setPlace(&a, op, i-first, last-first)
			s.setChanged(&a, i, off, diff, from)
			on, why, _ := s.conflict(w, lane, i, &a)
			if from |= on | s.cells[i].from&^(initial|State); cause == 0 {
				cause = max(why, s.cells[i].cause)
			}
		}
	}
	for i := first; i <= last; i++ {
		s.setPlace(&a, op, i-first, last-first)
		s.setChanged(&a, i, off, diff, from)
		value, at := from, cause
		if op.Proxy { // of the two writes the other may stay
			o, why := s.unfenced(w, lane, i, op)
			value, at = value|o, max(at, why)
		}
		o, why := s.write(w, lane, i, &a, value, at)
		if overtaken |= o; by == 0 {
			by = why
		}
	}
	return overtaken, by
}

// setPlace says of a strong access to last+1 cells that it is now at cell i of them,
// and where that is in its element. Nobody asks of others.
func (s *Shadow) setPlace(a *access, op *Op, i, last uint64) {
	if !op.Strong {
		return
	}
	a.cells, a.place = uint8(last+1), uint8(i)
	if n := op.Width >> s.shift; n > 0 && n < a.cells {
		a.cells, a.place = n, a.place%n
	}
}

// setChanged says of an access whether it changes cell i; diff are the bytes from
// off on that it does, from is what its value depends on. What nobody has given a value
// is changed by any. Where either its value or what it finds is not exact, the two may
// differ in another order, or with other data.
func (s *Shadow) setChanged(a *access, i, off uint64, diff uint32, from Origin) {
	a.flags &^= changed | differed | unsure | hides
	if a.plain() {
		a.arg = 0
	}
	if (s.cells[i].from|from)&^(initial|marks) != 0 {
		a.flags |= unsure
	}
	if s.cells[i].from&(initial|Assumed) == initial|Assumed || diff>>(i<<s.shift-min(off, i<<s.shift))&(1<<(1<<s.shift)-1) != 0 {
		a.flags |= changed
	}
}

// conflict returns what the value of a cell depends on after a write, because
// earlier writes are not in order with it, and whether there are any such.
func (s *Shadow) conflict(w *Warp, lane int, i uint64, a *access) (on Origin, cause Cause, beside bool) {
	c := &s.cells[i]
	changes := a.flags & changed
	check := func(p *access) {
		if p.tick == 0 {
			return
		}
		if p.flags&phased != 0 {
			p.endPhase(a)
		}
		rest := w.unknown(p, lane)
		if rest == 0 {
			return
		}
		beside = true
		// What another order would have changed first, this one did not.
		a.flags |= p.flags & (changed | unsure)
		if p.commute(a) {
			return
		}
		same := (p.flags|a.flags)&atomic == 0 && changes|p.flags&differed == 0
		why := w.CTA.log.race(p, rest, a, writes, same)
		if same {
			return
		}
		p.flags |= changes // of what comes first in another order
		if on |= level(p, a); cause == 0 {
			cause = why
		}
		if p.flags&atomic != 0 && p.cells > 1 { // its other words depend on this one
			for k := i - uint64(p.place); k < i-uint64(p.place)+uint64(p.cells) && k < uint64(len(s.cells)); k++ {
				s.cells[k].from |= level(p, a)
			}
		}
	}
	check(&c.write)
	if c.listed {
		for k := range s.more[i].writes {
			check(&s.more[i].writes[k])
		}
	}
	return on, cause, beside
}

// write accounts for a write of one cell.
func (s *Shadow) write(w *Warp, lane int, i uint64, a *access, from Origin, cause Cause) (overtaken Origin, by Cause) {
	c, value := &s.cells[i], from
	changes := a.flags&changed != 0
	on, why, beside := s.conflict(w, lane, i, a)
	if beside { // what raced before still does, and may come last
		on |= c.from &^ initial
		why = max(why, c.cause)
	}
	if from |= on; cause == 0 {
		cause = why
	}
	overtaken, by = s.overtake(w, lane, i, a, changes || value&^marks != 0)
	s.noteWrite(w, i, a, beside, changes)
	a.lanes = 1 << lane
	c.from, c.cause = from, cause
	return overtaken, by
}

// overtake returns what reads of a cell have depended on that are not in order
// with a write, and forgets those whose value it changes. Reads that happened before
// the write stay: another thread's write may still overtake them, and if it writes the
// same value, or both add to the word, then nothing but the read tells of it. now: it changes
// the word in this order, or its value is not exact.
func (s *Shadow) overtake(w *Warp, lane int, i uint64, a *access, now bool) (overtaken Origin, by Cause) {
	check := func(r *access) {
		if r.tick == 0 {
			return
		}
		rest := uint32(0)
		if r.flags&suspends != 0 {
			rest = w.waiting(r, lane)
		} else {
			rest = w.unknown(r, lane)
		}
		if r.flags&phased != 0 {
			rest = r.awaits(rest, a)
		}
		if now {
			r.flags |= gone
		}
		if rest == 0 {
			return
		}
		changes := now || r.flags&(mine|gone) != mine && a.flags&(changed|unsure) != 0 // in this order or another
		why := w.CTA.log.race(r, rest, a, overtakes, !changes)
		if !changes {
			return
		}
		if r.flags&decides != 0 {
			if overtaken |= level(r, a); by == 0 {
				by = why
			}
			w.CTA.launch.unsettle(level(r, a), why)
		}
		if r.lanes &^= rest; r.lanes == 0 {
			*r = access{}
		}
	}
	c := &s.cells[i]
	check(&c.read)
	if c.listed {
		o := s.more[i]
		for k := range o.reads {
			check(&o.reads[k])
		}
		o.reads = slices.DeleteFunc(o.reads, func(r access) bool { return r.tick == 0 })
	}
	return overtaken, by
}

// noteWrite makes a write the last of a cell: alone, or beside those that are not
// in order with it, which differ from all later ones if it changes what they wrote.
func (s *Shadow) noteWrite(w *Warp, i uint64, a *access, beside, changes bool) {
	c := &s.cells[i]
	last := &c.write
	if beside && changes {
		last.flags |= differed
		if c.listed {
			for k := range s.more[i].writes {
				s.more[i].writes[k].flags |= differed
			}
		}
	}
	switch {
	case !beside:
		s.supersede(w, i, a)
	case last.cta == a.cta && last.warp == a.warp && last.tick == a.tick && last.pc == a.pc && last.arg == a.arg && last.family == a.family && (last.flags^a.flags)&(phased|ending) == 0 && last.stream == a.stream:
		a.lanes |= last.lanes
		a.flags |= last.flags & (differed | hides)
	default:
		o := s.others(i)
		s.add(o, &o.writes, last)
	}
	c.write = *a
}

// supersede forgets the writes of a cell that happened before write a: whatever is not
// in order with one of them is not with a. Two things say less than what was before
// them. An atomic leaves those that others do not commute with which commute with it:
// an addition after a store tells nothing of whether another thread's addition comes
// after the store. And a write that changes nothing leaves the one that did.
func (s *Shadow) supersede(w *Warp, i uint64, a *access) {
	c := &s.cells[i]
	last := c.write
	s.noteHidden(w, i, a)
	keep := last.tick != 0 && !a.covers(&last) && !s.settled(w, &last)
	if !c.listed {
		if keep {
			o := s.others(i)
			s.add(o, &o.writes, &last)
		}
		return
	}
	o := s.more[i]
	o.writes = slices.DeleteFunc(o.writes, func(p access) bool {
		return a.covers(&p) || s.settled(w, &p) ||
			keep && p.cta == last.cta && p.warp == last.warp && p.tick <= last.tick && p.lanes&^last.lanes == 0 && last.covers(&p)
	})
	if keep {
		s.add(o, &o.writes, &last)
	}
	if len(o.writes)+len(o.reads) == 0 {
		s.dropOthers(i)
	}
}

// noteHidden notes of a write that comes after all others of a cell until when what it writes over,
// or they wrote over, was written: who does not know of that may still write it. Of a plain write arg is
// that tick of its CTA, of an atomic the tick at which it comes is as good; where other CTAs
// have written, no tick says so.
func (s *Shadow) noteHidden(w *Warp, i uint64, a *access) {
	changes := a.flags&(changed|unsure) != 0
	note := func(p *access) {
		switch {
		case p.tick == 0 || s.settled(w, p):
		case p.flags&hides == 0 && p.cta == a.cta && p.own() && a.own():
			switch {
			case !a.plain():
			case !p.plain():
				a.arg = max(a.arg, p.tick)
			case changes:
				a.arg = max(a.arg, p.arg, p.tick)
			default:
				a.arg = max(a.arg, p.arg)
			}
		case changes || p.flags&hides != 0 || !p.plain() || p.arg > 0:
			a.flags |= hides
		}
	}
	note(&s.cells[i].write)
	if s.cells[i].listed {
		for k := range s.more[i].writes {
			note(&s.more[i].writes[k])
		}
	}
}

// own reports whether an access is that of a thread itself, at a tick of its CTA.
func (a *access) own() bool { return a.flags&(async|phased) == 0 && a.stream == 0 }

// plain reports whether a write is that of a thread itself, and no atomic. Its arg is 0, or else
// see noteHidden.
func (a *access) plain() bool { return a.own() && a.flags&atomic == 0 }

// settled reports whether all threads that could touch a cell know of an access.
func (s *Shadow) settled(w *Warp, p *access) bool {
	return s.Private && p.tick < w.CTA.base && p.stream == 0 && p.flags&async == 0
}
