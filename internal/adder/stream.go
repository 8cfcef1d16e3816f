package adder

import (
	"sync"
	"unsafe"
)

// Streams are long, and their warps many: they lie in chunks, which go from one to the other, so that
// none is cleared or copied to grow.

// chunkWords is how many words a chunk has: hundreds of additions at least.
const chunkWords = 1 << 13

type chunk [chunkWords]uint64

var chunks = sync.Pool{New: func() any { return new(chunk) }}

// Stream are the additions of a warp that wait for their turn.
type Stream struct {
	// full are chunks that wait, in order, words is the one that is written, and reading the one that
	// is read, from next on.
	full           [][]uint64
	words, reading []uint64
	next           int
	cta            *CTA
	// warp is its number on its SM, thread that of its first thread in the grid; time
	// counts the additions of threads that are looked at.
	warp   uint32
	thread uint64
	time   [Lanes]uint64
	// turns count executions of instructions that do not add in each.
	turns []uint32
}

// Turn reports whether an instruction adds that does in one of so many executions of a
// warp, the first among them. n is its number among those of a program.
func (s *Stream) Turn(n int, every uint32) bool {
	for len(s.turns) <= n {
		s.turns = append(s.turns, 0)
	}
	t := s.turns[n]
	if s.turns[n]++; s.turns[n] == every {
		s.turns[n] = 0
	}
	return t == 0
}

// words is how many an operand has.
func (k Kind) words() int {
	if kinds[k].wide {
		return Lanes
	}
	return Lanes / 2
}

// push makes room for an addition and returns its operands, to be filled before
// [Stream.done] is called.
func (s *Stream) push(at At, k Kind, mask, carry uint32) (a, b []uint64) {
	return s.pushLines(at, k, mask, carry, false, false)
}

// pushLines is push where operands may be lines.
func (s *Stream) pushLines(at At, k Kind, mask, carry uint32, lineA, lineB bool) (a, b []uint64) {
	n, lines := k.words(), uint64(0)
	m := n
	if lineA {
		n, lines = n/lineShare, 1<<numberBits
	}
	if lineB {
		m, lines = m/lineShare, lines|2<<numberBits
	}
	first := len(s.words)
	if first+headWords+n+m > cap(s.words) {
		s.extend()
		first = 0
	}
	s.words = s.words[:first+headWords+n+m]
	head := s.words[first:]
	head[0], head[1] = uint64(at.PC)|uint64(k)<<pcBits|(uint64(at.Number)|lines)<<32, uint64(mask)|uint64(carry)<<32
	return head[headWords:][:n:n], head[headWords+n:][:m:m]
}

// done tells the SM of an addition, which may then work on what it has. When it does depends on how
// many there are, not on which operands are lines.
func (s *Stream) done(k Kind) { s.cta.sm.wrote(s, headWords+2*k.words()) }

// prefetch has the next addition brought near.
func (s *Stream) prefetch() {
	if s.next < len(s.reading) {
		prefetch(unsafe.Pointer(&s.reading[s.next]))
	}
}

// pop reads the next addition, in place or into the room for it; false if there is none.
func (s *Stream) pop(a *Add, to *room) bool {
	if s.next == len(s.reading) && !s.advance() {
		return false
	}
	head := s.reading[s.next:]
	a.PC, a.Kind, a.Number = uint32(head[0])&(1<<pcBits-1), Kind(uint32(head[0])>>pcBits), uint32(head[0]>>32)&(1<<numberBits-1)
	a.Mask, a.Carry, a.Warp = uint32(head[1]), uint32(head[1]>>32), s.warp
	lines := head[0] >> (32 + numberBits)
	if lines != 3 {
		a.Again, to.both = false, false
	} else if a.Again = to.again(a.Kind, head[1], head[headWords:]); a.Again {
		s.next += headWords + 2*a.Kind.words()/lineShare
		return true
	}
	var n, m int
	a.A, n = a.Kind.operand(head[headWords:], lines&1 != 0, &to.lanes[0])
	a.B, m = a.Kind.operand(head[headWords+n:], lines&2 != 0, &to.lanes[1])
	s.next += headWords + n + m
	return true
}

// extend begins another chunk.
func (s *Stream) extend() {
	if len(s.words) > 0 {
		s.full = append(s.full, s.words)
	}
	s.words = chunks.Get().(*chunk)[:0]
}

// advance goes on to read the next chunk, if there is one.
func (s *Stream) advance() bool {
	if s.reading != nil {
		chunks.Put((*chunk)(s.reading[:chunkWords]))
	}
	s.reading, s.next = nil, 0
	switch {
	case len(s.full) > 0:
		s.reading, s.full = s.full[0], s.full[1:]
	case len(s.words) > 0:
		s.reading, s.words, s.full = s.words, nil, nil
	}
	return s.reading != nil
}

// waits reports whether any addition does.
func (s *Stream) waits() bool { return s.next < len(s.reading) || len(s.words) > 0 }
