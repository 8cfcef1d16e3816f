package order

import (
	"math/bits"
	"slices"
)

// A Meeting is a barrier of a CTA at which some of its threads meet, again and again: so
// many warps as it waits for, whichever they are. Who they are is decided by the order of
// threads unless each thread that comes knows of all who met before it that they have:
// then it could not have come among them. It knows if it waited there itself, or if one
// of them has told it since.
//
// Those who meet either all bring a predicate (bar.red), for one reduction, or none of them
// does: of both at one meeting the manual says that it is unpredictable what happens, and
// of two reductions it does not say which is made (PTX ISA, bar).
type Meeting struct {
	// told is what those who have come have done and know.
	told Clock
	// now are those who have come, before those who met last, and warps that met nobody
	// since; warps is how many it waits for now.
	now, before []access
	warps       int
	alone       bool // now is a warp that meets nobody
}

// Begin makes a barrier as new.
func (m *Meeting) Begin() { *m = Meeting{now: m.now[:0], before: m.before[:0]} }

// What there is to say of an arrival: alone is a whole warp at a barrier that waits for
// one (two of them never meet, whichever comes first); above it stands the reduction.
const (
	alone     = 1
	reduction = 1 // a shift
)

// An Arrival is what lanes of a warp come to a meeting by: the instruction, how many warps
// it waits for. Whole: they are all that live of the warp. Again: some of them had come
// already, and have not waited.
type Arrival struct {
	PC, Lanes    uint32
	Warps        int
	Whole, Again bool
	Reduces      Reduction
}

// A Reduction is what comes of the predicates that those bring who meet.
type Reduction uint8

// The reductions of bar.red; without one nobody brings a predicate.
const (
	NoReduction Reduction = iota
	Count
	All
	Any
)

// Come notes an arrival of a warp. It returns Scheduled if in another order it, or
// another's, could have been at another meeting than in this one, Undefined if it must not
// be at this one, and why.
func (m *Meeting) Come(w *Warp, by *Arrival) (from Origin, cause Cause) {
	a := access{cta: w.CTA.number, tick: w.now(), lanes: by.Lanes, pc: by.PC, warp: w.number, flags: atomic | strong}
	if by.Whole && by.Warps == 1 {
		a.arg = alone
	}
	a.arg |= uint32(by.Reduces) << reduction
	for i := range m.before {
		p := &m.before[i]
		if p.arg&a.arg&alone != 0 {
			continue
		}
		var rest uint32
		for l := by.Lanes; l != 0; l &= l - 1 {
			rest |= w.unknown(p, bits.TrailingZeros32(l))
		}
		if rest != 0 {
			from, cause = Scheduled, w.CTA.log.race(p, rest, &a, arrives, false)
		}
	}
	for i := range m.now {
		p := &m.now[i]
		if m.warps != by.Warps || by.Again && p.warp == w.number && p.lanes&by.Lanes != 0 {
			from, cause = from|Scheduled, w.CTA.log.race(p, p.lanes, &a, arrives, false)
		}
		if p.arg>>reduction != a.arg>>reduction {
			from, cause = from|Undefined, w.CTA.log.race(p, p.lanes, &a, mixes, false)
		}
	}
	m.warps, m.alone = by.Warps, len(m.now) == 0 && a.arg&alone != 0
	m.now = append(m.now, a)
	if from != 0 {
		w.CTA.launch.unsettle(from, cause)
	}
	return from, cause
}

// Tell notes that those who have come let others know what they have done.
func (m *Meeting) Tell(w *Warp, lanes uint32) { m.told = Join(m.told, w.Release(lanes)) }

// Read notes that asynchronous work of a warp that comes has read what it had to up to a
// tick, and tells nothing else.
func (m *Meeting) Read(work *Warp, tick uint32) {
	m.told = Join(m.told, Clock{{cta: work.CTA.number, spans: []span{{tick, 1, work.number, 0}}}})
}

// Met ends a meeting and returns what those who came have told.
func (m *Meeting) Met() Clock {
	told := m.told
	if m.alone { // it says nothing of who met before
		m.before = slices.DeleteFunc(m.before, func(p access) bool { return p.warp == m.now[0].warp })
		m.now = append(m.now, m.before...)
	}
	*m = Meeting{now: m.before[:0], before: m.now}
	return told
}

// unsettle notes that it was open who met whom, or that a value which has gone from a
// thread's registers to nobody knows where might have been another.
func (l *Launch) unsettle(from Origin, why Cause) {
	if l.unsettled |= from; l.why == 0 {
		l.why = why
	}
}

// Settle is for the end of a launch: if it was open who met whom, what came of it, or what
// somebody had read, all that the launch has written into a shadow depends on it, for there
// is no saying what was done after which meeting, or where what was read has been stored.
func (l *Launch) Settle(s *Shadow) {
	if s == nil || l.unsettled == 0 || s.launch != l.Number {
		return
	}
	for i := range s.cells {
		if c := &s.cells[i]; c.write.tick != 0 {
			if c.from |= l.unsettled; c.cause == 0 {
				c.cause = l.why
			}
		}
	}
}

// Unsettled reports whether it was open who met whom, what came of it, or what was read.
func (l *Launch) Unsettled() bool { return l.unsettled != 0 }
