package order

// maxListed bounds the accesses that are kept of one word, of those that decide and of
// those that do not: what has nothing to do with decisions must not change what is said
// of them. Of more some are taken together.
const maxListed = 64

// mostListed is that bound for those like a. Questions and arrivals at mbarrier objects lose
// what is said of phases where those of several warps are taken together; such words are few, and
// the 32 warps of a CTA may each have arrived, asked and waited in two phases.
func mostListed(a *access) int {
	if a.flags&phased != 0 {
		return 4 * maxListed
	}
	return maxListed
}

// So a list has three lives: while it is short all that is known of each access is kept; where it
// gets long those of one warp become one, which says less of their times; and only where that
// does not help those of several warps, or CTAs, do, of which a barrier or a release by one
// of them says nothing any more. Each step can make an exact count "scheduled", none the reverse.

// listed returns how many accesses are kept of the kind of one.
func listed(as []access, a *access) (n int) {
	for i := range as {
		if (as[i].flags^a.flags)&decides == 0 {
			n++
		}
	}
	return n
}

// list adds an access to those kept of a word.
func list(as []access, a *access) []access {
	for i := range as {
		b := &as[i]
		if b.cta == a.cta && b.warp == a.warp && b.tick == a.tick && b.family == a.family && b.arg == a.arg && b.pc == a.pc && b.stream == a.stream && (b.flags^a.flags)&(decides|async|phased|ending) == 0 {
			b.lanes |= a.lanes
			b.flags |= a.flags & (changed | differed | unsure | hides)
			b.flags &= a.flags | ^mine
			return as
		}
		if b.flags&several != 0 && a.like(b, b.likeness()) {
			b.join(a)
			return as
		}
	}
	if most := mostListed(a); listed(as, a) >= most {
		as = shorten(as, a.flags&decides, most/2)
	}
	return append(as, *a)
}

// likeness is how much accesses that are taken together have in common.
type likeness int

// From the most to the least, and so much is lost: nothing but when a thread did so
// before; which warp it was, so that only barriers of a whole CTA tell of it; which CTA,
// of which nobody knows; what it was.
const (
	ofWarp likeness = iota
	ofCTA
	ofKind
	ofWord
)

// likeness is what those have in common that were taken together to one.
func (a *access) likeness() likeness {
	switch {
	case a.cta == anyCTA:
		return ofKind
	case a.warp == anyWarp:
		return ofCTA
	}
	return ofWarp
}

// shorten takes accesses of a list together that are alike, those that decide or those
// that do not, until there are at most so many: those of a warp, and only if that
// is not enough those of more threads, as if any of them had made them. So long as they
// are of one kind they go on commuting, and racing, with what each of them does.
func shorten(as []access, kind accessFlags, most int) []access {
	for by := ofWarp; by <= ofWord; by++ {
		kept, n := as[:0], 0
		for i := range as {
			a := as[i]
			if a.flags&decides != kind {
				kept = append(kept, a)
				continue
			}
			if !merge(kept, &a, by) {
				kept = append(kept, a)
				n++
			}
		}
		if as = kept; n <= most {
			break
		}
	}
	return as
}

// merge takes an access together with one of a list, and reports whether any is alike.
func merge(as []access, a *access, by likeness) bool {
	for i := range as {
		if b := &as[i]; b.like(a, by) {
			b.join(a)
			return true
		}
	}
	return false
}

// like reports whether two accesses may be taken together.
func (a *access) like(b *access, by likeness) bool {
	const kind = strong | gridScope | atomic | async | phased | ending | suspends
	switch {
	case (a.flags^b.flags)&decides != 0:
		return false
	case by == ofWord:
		return true
	case by < ofKind && a.cta != b.cta, by == ofWarp && a.warp != b.warp:
		return false
	case (a.flags^b.flags)&kind != 0 || a.family != b.family || a.cells != b.cells || a.place != b.place:
		return false
	case a.stream != b.stream:
		return false
	}
	// What does not belong to a family commutes only with itself.
	return a.flags&atomic == 0 || a.family != 0 || a.equals(b)
}

// join makes an access stand for another, too, whose time is the later one of the two:
// who knows of that knows of the earlier.
func (a *access) join(b *access) {
	if a.stream != b.stream { // nobody knows of both
		a.flags |= async
	}
	if a.plain() && b.plain() {
		a.arg = max(a.arg, b.arg)
	}
	held := (a.arg | ^a.lanes) & (b.arg | ^b.lanes) // of questions: behind all of which the lane has arrived
	switch {
	case a.cta != b.cta:
		a.cta, a.warp, a.lanes = anyCTA, anyWarp, ^uint32(0)
	case a.warp != b.warp:
		a.warp, a.lanes = anyWarp, ^uint32(0)
	default:
		a.lanes |= b.lanes
	}
	a.tick = max(a.tick, b.tick)
	const kind = strong | gridScope | atomic | phased | mine | suspends
	a.flags = (a.flags|b.flags|several)&^kind | a.flags&b.flags&kind
	switch {
	case a.flags&atomic == 0 && a.flags&phased != 0 && a.warp != anyWarp:
		a.arg = held & a.lanes
	case a.flags&atomic == 0, (a.flags|b.flags)&ending != 0: // a read, or an arrival, as any other
		a.flags &^= phased | ending
	}
	if a.family != b.family || a.place != b.place || a.cells != b.cells {
		a.family = 0
	}
	if a.family == 0 && !a.equals(b) { // no function of the word: they do not commute
		a.flags &^= atomic
	}
}
