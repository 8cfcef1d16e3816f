package cache

// never is a turn that does not come.
const never = 1<<63 - 1

// reached returns the last turn that all SMs have completed; with ending no
// CTAs are to come, so that SMs without any do not count.
func (m *Model) reached(ending bool) int64 {
	turn := int64(never)
	for i := range m.sms {
		if s := &m.sms[i]; !ending || len(s.ring) > 0 {
			turn = min(turn, s.turn)
		}
	}
	return turn
}

// replay shows the L2 what the SMs sent up to a turn: turn by turn, in a turn
// by SM.
func (m *Model) replay(last int64) {
	turn := int64(never)
	for i := range m.sms {
		m.heads[i] = m.sms[i].waiting()
		turn = min(turn, m.heads[i])
	}
	for turn <= last && turn != never {
		following := int64(never)
		for i, t := range m.heads {
			if t == turn {
				t = m.sms[i].deliver(t, &m.l2)
				m.heads[i] = t
			}
			following = min(following, t)
		}
		turn = following
	}
	for i := range m.sms {
		m.sms[i].compact()
	}
}

// waiting returns the turn of the first word that the L2 has not seen.
func (s *sm) waiting() int64 {
	if s.head == len(s.queue) {
		return never
	}
	return s.queue[s.head].turn
}

// deliver shows the L2 the words of one turn; it returns the turn of the next.
func (s *sm) deliver(turn int64, c *l2) int64 {
	for s.head < len(s.queue) && s.queue[s.head].turn == turn {
		word := s.queue[s.head].word
		s.head++
		if Kind(word>>kindShift&kindBits) == StorePart {
			for i := range c.masks {
				c.masks[i] = s.queue[s.head+i].word
			}
			s.head += blockMasks
		}
		c.access(word)
	}
	return s.waiting()
}

// compact forgets what the L2 has seen, once it is the larger part, so that
// the copying stays cheap.
func (s *sm) compact() {
	if s.head*2 >= len(s.queue) {
		n := copy(s.queue, s.queue[s.head:])
		s.queue, s.head = s.queue[:n], 0
	}
}
