package cache

// cursor is a resident warp: what is left of its stream.
type cursor struct {
	words []uint64
	cta   *CTA
}

// sent is a word for the L2 and the turn in which it was sent.
type sent struct {
	turn int64
	word uint64
}

// sm is an SM: the warps that take turns, its L1, and what it has sent to the
// L2 that the L2 has not seen.
type sm struct {
	l1    l1
	ring  []cursor
	next  int // whose turn it is
	turn  int64
	free  []int // slots for CTAs, the last one is used first
	queue []sent
	head  int // first of the queue that the L2 has not seen
}

// start gives the SM, the n-th, a CTA; it joins behind the resident warps.
func (s *sm) start(c *CTA, n, ctasPerSM int) {
	c.slot = s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	c.place(n*ctasPerSM + c.slot)
	for _, w := range c.warps {
		if len(w) > 0 {
			c.live++
			s.ring = append(s.ring, cursor{w, c})
		}
	}
}

// run issues requests, one a turn, until a CTA ends, which it returns; nil if
// there is none.
func (s *sm) run() *CTA {
	for len(s.ring) > 0 {
		w := &s.ring[s.next]
		s.turn++
		n := 0
		for {
			word := w.words[n]
			n++
			if out := s.l1.access(word); out != 0 {
				s.queue = append(s.queue, sent{s.turn, out})
			}
			if word&lastBit != 0 {
				break
			}
		}
		w.words = w.words[n:]
		if len(w.words) > 0 {
			if s.next++; s.next == len(s.ring) {
				s.next = 0
			}
			continue
		}
		if done := s.drop(); done != nil {
			return done
		}
	}
	return nil
}

// drop takes the warp whose turn it was out of the ring; it returns its CTA if
// that was its last warp.
func (s *sm) drop() *CTA {
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
