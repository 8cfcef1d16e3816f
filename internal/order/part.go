package order

// Operations on an mbarrier object that nothing puts in order take part in the same
// phases in any order only if a phase cannot end without those that it had. It cannot
// without an arrival, for it waits for as many as came in it, unless one of a later phase
// came in its stead. That makes no difference where both change the object alike; else, a
// drop instead of an arrival, two at once instead of one, the phases that follow are
// others. Bytes that are expected are sure of their phase only if an arrival in it comes
// after them: else it could have ended before.

// A Part is what an operation takes of a phase of an mbarrier object: how many arrivals,
// how many that later phases do not expect any more, and how many bytes it adds.
type Part struct{ Arrived, Dropped, Bytes int64 }

// maxKinds bounds the kinds of parts that are told apart at an object. What is beyond is
// not alike even among itself.
const maxKinds = 16

// parts are who has taken part in the phases of an object, by kind, since it was made.
type parts struct {
	kinds []kindOfPart
	// loose are the operations of the present phase which expect bytes that it could have
	// ended before, as far as it is known.
	loose []looseBytes
}

// kindOfPart are the lanes that have taken parts of a kind.
type kindOfPart struct {
	Part
	mixed bool // parts that are not alike
	takes []taken
	index map[threadKey]int
}

type threadKey struct {
	cta  uint32
	warp uint8
	lane uint8
}

// taken is the last time that a lane has taken a part, in which phase, and the tick of the
// last in a phase before that: who knows of one knows of all before it.
type taken struct {
	access
	phase, earlier, before uint32 // earlier is the tick in phase before
}

// looseBytes is an operation that expects bytes; apart: another one of the phase is not in
// order with it.
type looseBytes struct {
	access
	apart bool
}

// Made notes that the object at an address was made or is none any more.
// It is valid, or has been invalidated; Made reports whether it was valid before.
func (c *CTA) Made(addr uint64, valid bool) (before bool) {
	o := c.object(addr)
	before, o.valid, o.parts, o.made, o.swapped = o.valid, valid, parts{}, o.phase, false
	return before
}

// Holds reports whether some of n bytes from an address on are of a valid object.
func (c *CTA) Holds(addr, n uint64) bool {
	if c.objects == nil {
		return false
	}
	for at := addr &^ 7; at < addr+n; at += 8 {
		if o := c.objects[at]; o != nil && o.valid {
			return true
		}
	}
	return false
}

// TakePart notes that a lane takes part in the phase of the object at an address of CTA c,
// which has completed it; all: without it all arrivals that the phase waits for are there.
// It returns what the object depends on if in another order the phases would be others; and
// what those depend on who have waited for the phase before, if the lane could have arrived in that
// in the stead of another, who told something else.
func (w *Warp) TakePart(lane int, op *Op, c *CTA, addr uint64, p Part, all, completed bool) (on, waited Origin, cause Cause) {
	if p == (Part{}) {
		return 0, 0, 0
	}
	o := c.object(addr)
	a := w.access(lane, op, 0)
	if op.Async { // it comes when it likes
		a.flags |= async
	}
	kind := o.parts.kind(p)
	late := o.phase > o.made && !w.sawOver(lane, o, o.phase-1)
	expects := p.Arrived == 0 && p.Bytes > 0
	var apart access // one of the phase that is not in order with it, if it only expects bytes
	for k := range o.parts.kinds {
		of := &o.parts.kinds[k]
		alike := of == kind && !of.mixed
		passed := alike && (!late || o.swapped) // whoever of them comes first, nothing is otherwise
		if passed && !expects {
			continue // nearly always, and there may be one of each thread
		}
		for i := range of.takes {
			b := of.takes[i].access
			if of.takes[i].phase == o.phase && w.unknown(&b, lane) != 0 {
				apart = b
			}
			if passed {
				continue
			}
			phase := of.takes[i].phase
			if phase == o.phase {
				b.tick, phase = of.takes[i].earlier, of.takes[i].before
			}
			switch rest := w.unknown(&b, lane); {
			case b.tick == 0 || rest == 0 || w.sawOver(lane, o, phase):
			case alike:
				if o.swapped = true; len(o.passes) > 0 {
					waited, cause = level(&b, &a), w.CTA.log.race(&b, rest, &a, writes, false)
				}
			default:
				on, cause = on|level(&b, &a), w.CTA.log.race(&b, rest, &a, writes, false)
			}
		}
	}
	kind.take(&a, uint8(lane), o.phase)
	if loose, why := w.looseAt(lane, &o.parts, &a, p.Arrived > 0, all || completed); loose != 0 {
		on, cause = on|loose, why
	}
	if expects {
		if all && apart.tick != 0 {
			on, cause = on|level(&apart, &a), w.CTA.log.race(&apart, apart.lanes, &a, writes, false)
		}
		o.parts.loose = append(o.parts.loose, looseBytes{a, apart.tick != 0})
	}
	if completed {
		o.parts.loose = o.parts.loose[:0]
	}
	o.transacts = o.transacts || on != 0 // nothing of what is said of questions holds
	return on, waited, cause
}

// looseAt accounts for the operations that expect bytes when another one takes part,
// arrives or not. It returns what the object depends on if all have arrived, and one of
// them could have come behind the end of the phase.
func (w *Warp) looseAt(lane int, p *parts, a *access, arrives, all bool) (on Origin, cause Cause) {
	kept := p.loose[:0]
	for _, l := range p.loose {
		rest := w.unknown(&l.access, lane)
		if rest == 0 && arrives {
			continue // the phase cannot end before this arrival, nor that one's bytes come later
		}
		l.apart = l.apart || rest != 0
		if l.apart && all {
			on, cause = on|level(&l.access, a), w.CTA.log.race(&l.access, l.lanes, a, writes, false)
			continue
		}
		kept = append(kept, l)
	}
	p.loose = kept
	return on, cause
}

// kind returns who has taken parts like p.
func (p *parts) kind(like Part) *kindOfPart {
	for i := range p.kinds {
		if k := &p.kinds[i]; k.mixed || k.Part == like {
			return k
		}
	}
	// What copies bring is not alike: who waits for one has not waited for another.
	k := kindOfPart{Part: like, mixed: len(p.kinds) == maxKinds || like.Bytes < 0, index: map[threadKey]int{}}
	p.kinds = append(p.kinds, k)
	return &p.kinds[len(p.kinds)-1]
}

// take notes that a lane has taken a part in a phase.
func (k *kindOfPart) take(a *access, lane uint8, phase uint32) {
	key := threadKey{a.cta, a.warp, lane}
	at, ok := k.index[key]
	if !ok {
		at = len(k.takes)
		k.index[key] = at
		k.takes = append(k.takes, taken{phase: phase})
	}
	t := &k.takes[at]
	if t.phase != phase {
		t.earlier, t.before, t.phase = t.tick, t.phase, phase
	}
	t.access = *a
}
