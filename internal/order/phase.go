package order

// Who asks an mbarrier object whether a phase is over learns nothing of how many have
// arrived in it. A phase ends when all that it waits for have, so that it cannot have
// ended, in any order, before who must arrive yet: whoever asked before that has got the
// same answer. So an arrival overtakes a question only where it ends the phase, and only
// if none of those that the phase waited for came after the question.
//
// Nor does it matter to a question who else has arrived in the phase that is open.
//
// In another order an arrival of a later phase could take the place of one of this, and
// one of an earlier phase be missing there: for those a question is a read like any other.
// And where transactions count as well, none of this is said: a phase may then end, in
// another order, before bytes are expected.

// What an access has to do with the phase of an mbarrier object. Phased is a read that
// tells of no more than whether one is over, and an arrival that its phase waits for; with
// Ending the last one. Of such a read arg has the lanes after which one has arrived.
const (
	Phased = phased
	Ending = phased | ending
)

// Phase returns what an operation on the object at an address has to do with its phase:
// whether it is an arrival and nothing else, and has completed it.
func (c *CTA) Phase(addr uint64, arrives, completed bool) accessFlags {
	o := c.object(addr)
	switch o.transacts = o.transacts || !arrives; {
	case o.transacts:
		return 0
	case completed:
		return Ending
	}
	return Phased
}

// awaits returns, of the lanes of a question with which a write is not in order, those
// that in another order it may have answered otherwise.
func (r *access) awaits(rest uint32, a *access) uint32 {
	if a.flags&phased != 0 {
		if r.arg |= r.lanes &^ rest; a.flags&ending == 0 {
			return 0
		}
		rest &^= r.arg
	}
	r.flags &^= phased
	r.arg = 0
	return rest
}

// awaited reports whether a write is an arrival and a read waits until those have come that
// end its phase: then it finds them, whoever comes first. And such a read need not be told by
// a release: who knows that its thread has come past it (visits.go) knows that it is over.
func (a *access) awaited(p *access) bool {
	return a.flags&suspends != 0 && p.flags&atomic != 0 && p.family == a.family
}

// inOpenPhase reports whether a write is an arrival in the phase in which a read asks.
func (p *access) inOpenPhase(a *access) bool {
	return a.flags&p.flags&phased != 0 && p.flags&ending == 0
}

// endPhase makes a write one as any other, if the phase in which it arrived ends with
// another one or nobody knows.
func (p *access) endPhase(a *access) {
	if a.flags&(phased|ending) != phased {
		p.flags &^= phased | ending
	}
}

// asksAnew prepares for question a the place of read r, which may be one of an earlier
// phase: a later arrival may overtake that and not the new one. What all who could arrive
// know of is forgotten; what not even the CTA's own threads know makes one read of both. A
// wait takes the place of all questions before it: what is not in order with one of them is not
// with the wait either, and who has to arrive behind the wait has to behind them.
func (s *Shadow) asksAnew(w *Warp, lane int, a, r *access) {
	switch {
	case r.tick != 0 && a.flags&suspends != 0 && r.flags&decides&^a.flags == 0 && w.unknown(r, lane) == 0:
		*r = access{}
	case r.tick == 0 || r.flags&phased != 0:
	case s.settled(w, r):
		*r = access{}
	case r.cta != w.CTA.number || r.tick >= w.CTA.base:
		a.flags &^= phased
	}
}
