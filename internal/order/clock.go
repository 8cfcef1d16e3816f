package order

import "slices"

// A Clock is what a thread knows: the accesses of other threads that happened
// before whatever it does next. It is sorted by CTA and evidence, and never changed once
// others may hold it; nil knows nothing.
type Clock []known

// known is what is known of a CTA, or of a stream: all accesses before the tick base, and those
// of some lanes up to a later one.
type known struct {
	cta, base uint32
	from      evidence
	spans     []span
}

// evidence is from what something is known.
type evidence uint8

const (
	// certain: it is so in any order in which the thread comes here.
	certain evidence = iota
	// seen: the thread has read what was released, and in another order might not have.
	// Once it decides on that, it is certain.
	seen
	// passed: another thread had seen it when it told, and had not decided. Whatever who
	// knows of it decides, that one might have told without having seen it.
	passed
	// fencedBefore is what was before a fence.sc that comes before the thread's next one, seenFenced
	// that if it has read what it seems to (release.go).
	fencedBefore
	seenFenced
)

// span says that the accesses of lanes of a warp are known whose tick is at most
// tick; if only is not 0 those of one instruction alone, 1 less than it, at just that tick.
type span struct {
	tick, lanes uint32
	warp        uint8
	only        uint32
}

// unknown returns the lanes of an access of which it is not known, in any order, that
// they have made it.
func (c Clock) unknown(a *access) uint32 {
	rest, by := a.lanes, a.cta
	if a.stream != 0 {
		by = a.stream
	}
	for i := range c {
		if k := &c[i]; k.cta == by && k.from == certain {
			rest &= k.unknown(a)
		}
	}
	return rest
}

// observes reports whether anything in a clock rests on what the thread has read.
func (c Clock) observes() bool {
	return slices.ContainsFunc(c, func(k known) bool { return k.from == seen || k.from == seenFenced })
}

// as returns a clock in which what is known from one evidence is known from another.
func (c Clock) as(from, to evidence) Clock {
	if !slices.ContainsFunc(c, func(k known) bool { return k.from == from }) {
		return c
	}
	rest, moved := make(Clock, 0, len(c)), make(Clock, 0, len(c))
	for _, k := range c {
		if k.from != from {
			rest = append(rest, k)
			continue
		}
		k.from = to
		moved = append(moved, k)
	}
	return Join(rest, moved)
}

// decided returns a clock of one who has decided on what was read.
func (c Clock) decided() Clock { return c.as(seen, certain).as(seenFenced, fencedBefore) }

// handed returns a clock for others than those who have read what it rests on.
func (c Clock) handed() Clock { return c.as(seen, passed).as(seenFenced, passed) }

// certainly returns what a clock knows in any order, nil for nothing.
func (c Clock) certainly() (out Clock) {
	for _, k := range c {
		if k.from == certain {
			out = append(out, k)
		}
	}
	return out
}

// pruned returns a clock without what it knows from better evidence as well.
func (c Clock) pruned() Clock {
	twice := func(k known) bool {
		return slices.ContainsFunc(c, func(o known) bool {
			return o.cta == k.cta && o.from < k.from && (o.from == certain || k.from <= passed) && o.covers(&k)
		})
	}
	if !slices.ContainsFunc(c, twice) {
		return c
	}
	var out Clock
	for _, k := range c {
		if !twice(k) {
			out = append(out, k)
		}
	}
	return out
}

// covers reports whether k says all that o does.
func (k *known) covers(o *known) bool {
	return o.base <= k.base && !slices.ContainsFunc(o.spans, func(s span) bool {
		return k.unknown(&access{tick: s.tick, warp: s.warp, lanes: s.lanes, pc: s.only - 1}) != 0
	})
}

// single returns what a clock knows of single instructions, nil for nothing.
func (c Clock) single() (out Clock) {
	for _, k := range c {
		var spans []span
		for _, s := range k.spans {
			if s.only != 0 {
				spans = append(spans, s)
			}
		}
		if spans != nil {
			out = append(out, known{cta: k.cta, from: k.from, spans: spans})
		}
	}
	return out
}

// without returns a clock without what it knows of a CTA.
func (c Clock) without(cta uint32) Clock {
	of := func(k known) bool { return k.cta == cta }
	if !slices.ContainsFunc(c, of) {
		return c
	}
	return slices.DeleteFunc(slices.Clone(c), of)
}

// unknown returns the lanes of an access that are not known to have made it.
func (k *known) unknown(a *access) uint32 {
	if a.tick < k.base {
		return 0
	}
	return withoutSpans(k.spans, a)
}

// withoutSpans returns the lanes of an access that no span covers, of spans that stand warp by
// warp.
func withoutSpans(spans []span, a *access) uint32 {
	rest := a.lanes
	low, high := 0, len(spans)
	for low < high {
		if mid := int(uint(low+high) >> 1); spans[mid].warp < a.warp {
			low = mid + 1
		} else {
			high = mid
		}
	}
	for i := low; i < len(spans) && spans[i].warp == a.warp && rest != 0; i++ {
		if s := &spans[i]; s.tick >= a.tick && (s.only == 0 || s.tick == a.tick && s.only == a.pc+1 && a.flags&several == 0) {
			rest &^= s.lanes
		}
	}
	return rest
}

// Join returns what either clock knows.
func Join(a, b Clock) Clock {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	out := make(Clock, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].before(&b[0]):
			out, a = append(out, a[0]), a[1:]
		case b[0].before(&a[0]):
			out, b = append(out, b[0]), b[1:]
		default:
			out = append(out, both(&a[0], &b[0]))
			a, b = a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// before reports whether k stands before o in a clock.
func (k *known) before(o *known) bool { return k.cta < o.cta || k.cta == o.cta && k.from < o.from }

// both returns what is known of a CTA from two sides, from one evidence. Of most warps
// both know the same, so that the spans, which stand warp by warp, are looked at warp by
// warp: a CTA of many warps that tell each other often has hundreds.
func both(a, b *known) known {
	k := known{cta: a.cta, base: max(a.base, b.base), from: a.from}
	x, y := a.spans, b.spans
	if len(x)+len(y) > 0 {
		k.spans = make([]span, 0, max(len(x), len(y))+1)
	}
	for len(x) > 0 || len(y) > 0 {
		var of, other []span
		switch {
		case len(y) == 0 || len(x) > 0 && x[0].warp < y[0].warp:
			of, x = firstWarp(x)
		case len(x) == 0 || y[0].warp < x[0].warp:
			of, y = firstWarp(y)
		default:
			of, x = firstWarp(x)
			other, y = firstWarp(y)
		}
		first := len(k.spans)
		for _, s := range of {
			if s.tick >= k.base {
				k.spans = append(k.spans, s)
			}
		}
		if slices.Equal(of, other) {
			continue
		}
		for _, s := range other {
			if s.tick >= k.base {
				k.spans = addSpan(k.spans, first, s)
			}
		}
	}
	return k
}

// firstWarp parts spans into those of the warp of the first, and the rest.
func firstWarp(spans []span) (of, rest []span) {
	n := 1
	for n < len(spans) && spans[n].warp == spans[0].warp {
		n++
	}
	return spans[:n], spans[n:]
}

// addSpan adds a span to those of its warp, which stand from first on in a list that nobody
// else holds, unless they say as much, and takes out those that it says better; of one tick
// they are one. Of single instructions it keeps the last tick of each, so that a thread that
// tries for ever does not add to it for ever.
func addSpan(list []span, first int, s span) []span {
	to := first
	for i := first; i < len(list); i++ {
		t := list[i]
		if t.tick == s.tick && t.only == s.only {
			s.lanes |= t.lanes
			continue
		}
		if t.tick >= s.tick && s.lanes&^t.lanes == 0 && (t.only == 0 || t.only == s.only) {
			return append(list[:to], list[i:]...)
		}
		if t.tick <= s.tick && t.lanes&^s.lanes == 0 && (s.only == 0 || s.only == t.only) {
			continue
		}
		list[to] = t
		to++
	}
	return append(list[:to], s)
}
