package cache

import "hyptx/internal/traffic/stream"

// resident is a CTA on an SM.
type resident struct {
	cta      *stream.CTA
	requests int // not yet issued
	live     int // warps with requests left
	slot     int // of the SM
	place    int // among all slots of the GPU
}

// cursor is a resident warp: what is left of its stream.
type cursor struct {
	words []stream.Word
	cta   *resident
}

// sent is a word for the L2 and the turn in which it was sent: a request or a
// part of one in a single block, or else a request as a whole, whose shape's
// number follows. The masks of a StorePart follow it.
type sent struct {
	turn int64
	word stream.Word
}

// sm is an SM: the warps that take turns, its L1, and what it has sent to the
// L2 that the L2 has not seen.
type sm struct {
	l1   l1
	past bool // loads of global memory pass it by
	ring []cursor
	next int // whose turn it is
	turn int64
	free []int // slots for CTAs, the last one is used first
	// bound: the SM has no free slot and will have none before this turn. done
	// are CTAs that have ended since it was last looked at.
	bound int64
	done  []*resident
	queue []sent // what it sent of late
	out   []sent // what the L2 is seeing
	head  int    // first of out that the L2 has not seen
}

// start gives the SM, the n-th, a CTA; it joins behind the resident warps.
func (s *sm) start(c *resident, n, ctasPerSM int) {
	c.slot = s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	c.place = n*ctasPerSM + c.slot
	for _, w := range c.cta.Warps {
		if len(w) > 0 {
			c.live++
			s.ring = append(s.ring, cursor{w, c})
		}
	}
}

// earliest returns the turn in which the SM has a free slot; exact is false if
// that is only known to be no earlier.
func (s *sm) earliest() (turn int64, exact bool) {
	if len(s.free) > 0 {
		return s.turn, true
	}
	return s.bound, false
}

// lookAhead sets the bound: each request of a CTA takes a turn.
func (s *sm) lookAhead() {
	least := s.ring[0].cta.requests
	for _, w := range s.ring {
		least = min(least, w.cta.requests)
	}
	s.bound = s.turn + int64(least)
}

// run issues requests, one a turn, up to a turn or until a CTA ends, or with
// all until none is left.
func (s *sm) run(shapes *stream.View, last int64, all bool) {
	for len(s.ring) > 0 && s.turn < last {
		w := &s.ring[s.next]
		s.turn++
		w.cta.requests--
		n := stream.Length(w.words)
		s.issue(w.words[:n], w.cta.place, shapes)
		w.words = w.words[n:]
		if len(w.words) > 0 {
			if s.next++; s.next == len(s.ring) {
				s.next = 0
			}
			continue
		}
		if done := s.drop(); done != nil {
			s.done = append(s.done, done)
			if !all {
				return
			}
		}
	}
	if len(s.ring) > 0 {
		s.lookAhead()
	}
}

// issue sends one request of a CTA at some place on the GPU through the L1.
func (s *sm) issue(request []stream.Word, place int, shapes *stream.View) {
	head := request[0]
	if head.Local() {
		head = head.Place(place)
	} else if s.past && head.Kind() == stream.Load {
		head = head.Past()
	}
	switch kind := head.Kind(); {
	case head.Single():
		s.block(head)
	case len(request) > 2:
		s.each(head, request[2:], kind)
	case kind == stream.StorePart:
		s.each(head, shapes.Shape(uint32(request[1])), kind)
	case kind == stream.Load && s.l1.present:
		s.load(head, uint32(request[1]), shapes)
	default:
		s.whole(head, uint32(request[1]), shapes)
	}
}

// load reads what has a shape. If it misses as a whole, it goes on as one.
func (s *sm) load(head stream.Word, shape uint32, shapes *stream.View) {
	c := &s.l1
	if l := c.lines.again(head, shape); l != nil {
		c.counts.ReadHits += uint64(l.sectors)
		return
	}
	stamp := c.lines.now + 1
	if blocks := shapes.Shape(shape); c.together(blocks) {
		var missing [maxTogether]uint8
		if c.load(head, blocks, &missing) {
			s.queue = append(s.queue, sent{s.turn, head}, sent{s.turn, stream.Word(shape)})
		} else {
			for k, b := range blocks {
				if m := missing[k%maxTogether]; m != 0 {
					s.queue = append(s.queue, sent{s.turn, head.Part(b).Only(m)})
				}
			}
		}
	} else {
		s.whole(head, shape, shapes)
	}
	c.lines.remember(head, shape, stamp)
}

// whole sends what has a shape, block by block, through the L1. If all of it
// goes on, it does as one.
func (s *sm) whole(head stream.Word, shape uint32, shapes *stream.View) {
	at, all := len(s.queue), true
	for _, b := range shapes.Shape(shape) {
		part := head.Part(b)
		all = s.block(part) == part && all
	}
	if all {
		s.queue = append(s.queue[:at], sent{s.turn, head}, sent{s.turn, stream.Word(shape)})
	}
}

// each sends blocks through the L1.
func (s *sm) each(head stream.Word, blocks []stream.Word, kind stream.Kind) {
	for len(blocks) > 0 {
		s.block(head.Part(blocks[0]))
		blocks = blocks[1:]
		if kind == stream.StorePart { // all stores go on to the L2
			for _, mask := range blocks[:stream.MaskWords] {
				s.queue = append(s.queue, sent{s.turn, mask})
			}
			blocks = blocks[stream.MaskWords:]
		}
	}
}

// block sends one block through the L1 and returns what goes on.
func (s *sm) block(word stream.Word) stream.Word {
	out := s.l1.access(word)
	if out != 0 {
		s.queue = append(s.queue, sent{s.turn, out})
	}
	return out
}

// drop takes the warp whose turn it was out of the ring; it returns its CTA if
// that was its last warp.
func (s *sm) drop() *resident {
	c := s.ring[s.next].cta
	s.ring = append(s.ring[:s.next], s.ring[s.next+1:]...)
	if s.next == len(s.ring) {
		s.next = 0
	}
	if c.live--; c.live > 0 {
		return nil
	}
	s.free = append(s.free, c.slot)
	return c
}
