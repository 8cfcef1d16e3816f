package order

import "slices"

// A Clock is what a thread knows: the accesses of other threads that happened
// before whatever it does next. It is sorted by CTA and never changed once
// others may hold it; nil knows nothing.
type Clock []known

// known is what is known of a CTA: all accesses before the tick base, and those
// of some lanes up to a later one.
type known struct {
	cta, base uint32
	spans     []span
}

// span says that the accesses of lanes of a warp are known whose tick is at most
// tick.
type span struct {
	tick, lanes uint32
	warp        uint8
}

// of returns what is known of a CTA, nil if that is nothing.
func (c Clock) of(cta uint32) *known {
	for i := range c {
		if c[i].cta == cta {
			return &c[i]
		}
	}
	return nil
}

// unknown returns the lanes of an access that are not known to have made it.
func (k *known) unknown(a *access) uint32 {
	if a.tick < k.base {
		return 0
	}
	return withoutSpans(k.spans, a)
}

// withoutSpans returns the lanes of an access that no span covers.
func withoutSpans(spans []span, a *access) uint32 {
	rest := a.lanes
	for i := range spans {
		if s := &spans[i]; s.warp == a.warp && s.tick >= a.tick {
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
		case a[0].cta < b[0].cta:
			out, a = append(out, a[0]), a[1:]
		case a[0].cta > b[0].cta:
			out, b = append(out, b[0]), b[1:]
		default:
			out = append(out, both(&a[0], &b[0]))
			a, b = a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// both returns what is known of a CTA from two sides.
func both(a, b *known) known {
	k := known{cta: a.cta, base: max(a.base, b.base)}
	for _, s := range slices.Concat(a.spans, b.spans) {
		k.spans = addSpan(k.spans, s, k.base)
	}
	return k
}

// addSpan adds a span to a list that nobody else holds, unless the list or base
// says as much, and takes out those that it says better.
func addSpan(list []span, s span, base uint32) []span {
	if s.tick < base {
		return list
	}
	for _, t := range list {
		if t.warp == s.warp && t.tick >= s.tick && s.lanes&^t.lanes == 0 {
			return list
		}
	}
	list = slices.DeleteFunc(list, func(t span) bool {
		return t.warp == s.warp && t.tick <= s.tick && t.lanes&^s.lanes == 0
	})
	return append(list, s)
}
