package cache

import "hyptx/internal/traffic/stream"

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
}

// waiting returns the turn of the first word that the L2 has not seen.
func (s *sm) waiting() int64 {
	if s.head == len(s.out) {
		return never
	}
	return s.out[s.head].turn
}

// deliver shows the L2 the words of one turn; it returns the turn of the next.
func (s *sm) deliver(turn int64, c *l2) int64 {
	for s.head < len(s.out) && s.out[s.head].turn == turn {
		word := s.out[s.head].word
		s.head++
		if !word.Single() {
			c.request(word, uint32(s.out[s.head].word))
			s.head++
			continue
		}
		if word.Kind() == stream.StorePart {
			for i := range c.masks {
				c.masks[i] = s.out[s.head+i].word
			}
			s.head += stream.MaskWords
		}
		c.access(word)
	}
	return s.waiting()
}

// handOver gives the L2 what the SM sent. Where it has not seen all of what it
// had, that is copied together once the seen part is the larger one.
func (s *sm) handOver() {
	if s.head == len(s.out) {
		s.out, s.queue, s.head = s.queue, s.out[:0], 0
		return
	}
	if s.head*2 >= len(s.out) {
		n := copy(s.out, s.out[s.head:])
		s.out, s.head = s.out[:n], 0
	}
	s.out = append(s.out, s.queue...)
	s.queue = s.queue[:0]
}
