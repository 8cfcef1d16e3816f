package adder

// CTA are the streams of one CTA's warps while it runs.
type CTA struct {
	sm      *SM
	Streams []*Stream
	ended   bool
}

// SM is where the additions of its CTAs come together. It knows nothing of barriers:
// sub-cores have their warps add in turn as long as they have anything to add. The
// CTAs that are resident together are as many as fit, in order; the next ones begin
// when all of these have ended.
type SM struct {
	launch *Launch
	number int64
	banks  []*bank
	edges  [subCores][Kinds]edge
	pcs    []PCCounts
	values []Value
	// groups are the CTAs that are resident together, by the first one's number;
	// those before first are done.
	groups  map[int64][]*CTA
	first   int64
	ended   int64 // CTAs
	waiting int   // words of streams
	free    []*Stream
	current Add
	room    room
}

// mostWaiting bounds the words of streams that wait on an SM [ours]: what is more
// is worked on before the CTAs have ended, and their warps may then come in an
// order that is nearer to the emulator's.
const mostWaiting = 32 << 20

// begin makes the streams of a CTA, of which ordinal is the number on this SM.
func (s *SM) begin(linear, ordinal int64) *CTA {
	l := s.launch
	c := &CTA{sm: s}
	for w := range l.warps {
		t := &Stream{}
		if n := len(s.free); n > 0 {
			t, s.free = s.free[n-1], s.free[:n-1]
		}
		t.cta, t.warp, t.thread = c, uint32(ordinal*int64(l.warps))+uint32(w), uint64(linear)*uint64(l.threads)+uint64(w)*Lanes
		clear(t.time[:])
		clear(t.turns)
		c.Streams = append(c.Streams, t)
	}
	group := ordinal / l.resident
	s.groups[group] = append(s.groups[group], c)
	return c
}

// end ends a CTA; with the last one of a group its additions are made.
func (s *SM) end(c *CTA) {
	c.ended = true
	s.ended++
	for {
		group := s.groups[s.first]
		complete := int64(len(group)) == s.launch.resident || s.ended == s.launch.onSM(s.number)
		for _, c := range group {
			complete = complete && c.ended
		}
		if len(group) == 0 || !complete {
			return
		}
		s.drain(group)
		for _, c := range group {
			s.free = append(s.free, c.Streams...)
		}
		delete(s.groups, s.first)
		s.first++
	}
}

// wrote is told of an addition in a stream.
func (s *SM) wrote(t *Stream, words int) {
	if s.launch.model.Order == Emulated {
		t.pop(&s.current, &s.room)
		s.add(t, 0)
		s.endRound()
		t.pop(&s.current, &s.room) // it is empty, and begins again
		return
	}
	if s.waiting += words; s.waiting > mostWaiting {
		s.drain(s.groups[s.first])
	}
}

// drain makes the additions that wait in streams: in each round every sub-core has the
// next of its warps make one.
func (s *SM) drain(group []*CTA) {
	var queues [subCores][]*Stream
	var next [subCores]int
	n := 0
	for _, c := range group {
		for _, t := range c.Streams {
			if t.waits() {
				queues[n%subCores] = append(queues[n%subCores], t)
			}
			n++
		}
	}
	for busy := true; busy; {
		busy = false
		for core := range queues {
			if s.turn(&queues[core], &next[core], core) {
				busy = true
			}
		}
		s.endRound()
	}
	s.waiting = 0
}

// turn has the next warp of a sub-core make an addition; false if none is left.
func (s *SM) turn(queue *[]*Stream, next *int, core int) bool {
	for len(*queue) > 0 {
		at := *next
		if at >= len(*queue) {
			at = 0
		}
		t := (*queue)[at]
		if t.pop(&s.current, &s.room) {
			*next = at + 1
			if at++; at == len(*queue) {
				at = 0
			}
			(*queue)[at].prefetch()
			s.add(t, core)
			return true
		}
		*queue = append((*queue)[:at], (*queue)[at+1:]...)
		*next = at
	}
	return false
}

// add hands the current addition to all designs.
func (s *SM) add(t *Stream, core int) {
	a, m := &s.current, s.launch.model
	a.Number <<= m.PCShift
	for _, b := range s.banks {
		b.add(a)
	}
	x := &s.banks[0].x
	if m.Flips {
		s.banks[0].work[a.Kind].Flips += s.edges[core][a.Kind].flips(x)
	}
	if m.PerPC {
		s.countPC(a.PC, x)
	}
	if len(m.Threads) > 0 {
		s.watch(t, a.PC, x)
	}
}

func (s *SM) endRound() {
	for _, b := range s.banks {
		b.endRound()
	}
}
