package sim

// Instructions come from a cache of each sub-core (L0), which reads ahead in the order of the
// code, that from one of the SM (L1), and that from the L2. What follows in that order is there
// when a warp comes to it. A jump to a line that the sub-core does not hold waits for it:
// backwards in a loop that is longer than the L0, or far ahead. Other warps of the sub-core that
// come there meanwhile wait for the rest of the time. The lines that came first go first, for
// nobody published which do.
//
// What fits is there from the beginning: launches are measured again and again, and caches of code
// keep what the one before has left.

// Fetch is where instructions come from.
type Fetch struct {
	// LineInstrs are the instructions of a line of 128 bytes; 0: all code is always there.
	LineInstrs int
	// L0Lines are those of a sub-core, L1Lines those of the SM.
	L0Lines, L1Lines int
	// L0MissCycles pass until a line is there that the SM holds, L1MissCycles until one that
	// comes from the L2.
	L0MissCycles, L1MissCycles float64
}

// aheadLines are those that a sub-core reads ahead: with a stream buffer of eight lines a
// simulator came nearest to an RTX A6000 (Huerta et al. 2025, section 7.3).
const aheadLines = 8

// codeLines are those that a cache holds.
type codeLines struct {
	// at is when each is there, never for those that are not held; nil: all are, always. queue
	// are those that are held in the order in which they came, from head on.
	at    []Tick
	queue []int32
	head  int
}

// newCodeLines makes a cache with room for so many lines of a program.
func newCodeLines(program, room int) (l codeLines) {
	if program <= room {
		return l
	}
	l.at, l.queue = make([]Tick, program), make([]int32, 0, max(room, 1))
	for i := range l.at {
		l.at[i] = never
	}
	return l
}

// holds reports whether a line is there or on its way.
func (l *codeLines) holds(line int32) bool { return l.at == nil || l.at[line] < never }

// there returns when a line is there that is held, from t on.
func (l *codeLines) there(line int32, t Tick) Tick {
	if l.at == nil {
		return t
	}
	return max(t, l.at[line])
}

// take holds a line from a time on.
func (l *codeLines) take(line int32, at Tick) {
	if l.holds(line) {
		return
	}
	l.at[line] = at
	if len(l.queue) < cap(l.queue) {
		l.queue = append(l.queue, line)
		return
	}
	l.at[l.queue[l.head]] = never
	l.queue[l.head] = line
	l.head = (l.head + 1) % len(l.queue)
}

// fetch returns when the instructions from first to end can be issued that a warp comes to at t,
// by a jump or as they follow.
func (c *core) fetch(first, end int32, jump bool, t Tick) Tick {
	if c.lines.at == nil {
		return t
	}
	s, n := c.sm, int32(c.sm.m.Fetch.LineInstrs)
	line := first / n
	switch {
	case !jump:
	case c.lines.holds(line):
		t = c.lines.there(line, t)
	case s.lines.holds(line): // or will, when it has come for another sub-core
		t = s.lines.there(line, t) + Cycles(s.m.Fetch.L0MissCycles)
	default:
		t += Cycles(s.m.Fetch.L1MissCycles)
	}
	for last := min((end-1)/n+aheadLines, int32(len(c.lines.at)-1)); line <= last; line++ {
		c.lines.take(line, t)
		s.lines.take(line, t)
	}
	return t
}
