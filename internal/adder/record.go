package adder

// Lanes are those of a warp.
const Lanes = 32

// At says which instruction adds.
type At struct {
	// PC is the instruction's, below 2^28; Number, below 2^30, the one that designs take their
	// index from: its place in the code that adds.
	PC, Number uint32
}

// Add is an addition by the lanes of a warp.
type Add struct {
	At
	Kind Kind
	// Warp numbers the warps of an SM.
	Warp uint32
	// Mask are the lanes that add, Carry those whose carry-in is 1.
	Mask, Carry uint32
	// A and B are the operands as they enter the adder, one's complement where it
	// subtracts: two lanes a word, or one where the kind is wide.
	A, B []uint64
	// Again: all but the instruction and the warp is as it was in the addition before.
	Again bool
}

// Operands returns those of a lane.
func (a *Add) Operands(lane int) (x, y uint64, carry uint64) {
	carry = uint64(a.Carry >> lane & 1)
	if kinds[a.Kind].wide {
		return a.A[lane], a.B[lane], carry
	}
	shift := 32 * (lane & 1)
	return a.A[lane/2] >> shift & 0xffffffff, a.B[lane/2] >> shift & 0xffffffff, carry
}

// A stream holds additions one after the other, each with a head of two words: PC, kind,
// number and which operands are lines (line.go); lanes and carry-ins.
const (
	headWords  = 2
	pcBits     = 28
	numberBits = 30
)

// room is where lanes of operands lie that are lines, and what they were made of if both were:
// warps in step often add the same, as where they count rounds, which has to be found out about
// once.
type room struct {
	lanes [2][Lanes]uint64
	both  bool
	kind  Kind
	head  uint64
	words [4]uint64
}

// again reports whether operands that are lines are those of the addition before, and keeps them.
func (r *room) again(k Kind, head uint64, words []uint64) bool {
	var of [4]uint64
	of[0], of[1] = words[0], words[1]
	if kinds[k].wide {
		of[2], of[3] = words[2], words[3]
	}
	same := r.both && r.kind == k && r.head == head && r.words == of
	r.both, r.kind, r.head, r.words = true, k, head, of
	return same
}

// Stream are the additions of a warp that wait for their turn.
type Stream struct {
	words []uint64
	next  int // of words: the first that was not read
	cta   *CTA
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
	need := first + headWords + n + m
	if need > cap(s.words) {
		s.words = append(make([]uint64, 0, 2*need), s.words...)
	}
	s.words = s.words[:need]
	head := s.words[first:]
	head[0], head[1] = uint64(at.PC)|uint64(k)<<pcBits|(uint64(at.Number)|lines)<<32, uint64(mask)|uint64(carry)<<32
	return head[headWords:][:n:n], head[headWords+n:][:m:m]
}

// done tells the SM of an addition, which may then work on what it has. When it does depends on how
// many there are, not on which operands are lines.
func (s *Stream) done(k Kind) { s.cta.sm.wrote(s, headWords+2*k.words()) }

// pop reads the next addition, in place or into the room for it; false if there is none.
func (s *Stream) pop(a *Add, to *room) bool {
	if s.next == len(s.words) {
		s.words, s.next = s.words[:0], 0
		return false
	}
	head := s.words[s.next:]
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

// Narrow appends an addition of registers of 32 bits, of which the kind has the
// lower ones. minus: b is subtracted, which adds its complement; carry then still
// says what is carried in.
func (s *Stream) Narrow(at At, k Kind, mask, carry uint32, a, b *[Lanes]uint32, minus bool) {
	p, q := lineOf(a), lineOf(b)
	x, y := s.pushLines(at, k, mask, carry, p.is, q.is)
	flip, low := uint32(0), uint32(1)<<(kinds[k].bits-1)<<1-1
	p.put(x, a, 0, low)
	if minus {
		flip = ^flip
	}
	q.put(y, b, flip, low)
	s.done(k)
}

// Extended appends an addition of registers of 32 bits to an adder of 64; signed
// ones are extended by their sign.
func (s *Stream) Extended(at At, mask, carry uint32, a, b *[Lanes]uint32, minus, signed bool) {
	x, y := s.push(at, Int64, mask, carry)
	for i := range x {
		x[i], y[i] = uint64(a[i]), uint64(b[i])
		if signed {
			x[i], y[i] = uint64(int32(a[i])), uint64(int32(b[i]))
		}
		if minus {
			y[i] = ^y[i]
		}
	}
	s.done(Int64)
}

// Wide appends an addition of registers of 64 bits.
func (s *Stream) Wide(at At, mask, carry uint32, a, b *[Lanes]uint64, minus bool) {
	p, q := wideLineOf(a), wideLineOf(b)
	x, y := s.pushLines(at, Int64, mask, carry, p.is, q.is)
	flip := uint64(0)
	if minus {
		flip = ^flip
	}
	p.put(x, a, 0)
	q.put(y, b, flip)
	s.done(Int64)
}

// Halves appends an addition of registers of 64 bits to an adder of 32, as GPUs make it:
// the lower halves, then the upper ones by the next instruction, which the carry of the
// lower ones enters.
func (s *Stream) Halves(at At, mask, carry uint32, a, b *[Lanes]uint64, minus bool) {
	flip := uint64(0)
	if minus {
		flip = ^flip
	}
	x, y := s.push(at, Int32, mask, carry)
	over := uint32(0)
	for i := range x {
		x[i], y[i] = 0, 0
		for half := range 2 {
			lane := 2*i + half
			p, q := a[lane]&0xffffffff, (b[lane]^flip)&0xffffffff
			x[i] |= p << (32 * half)
			y[i] |= q << (32 * half)
			over |= uint32((p+q+uint64(carry>>lane&1))>>32) << lane
		}
	}
	s.done(Int32)
	at.Number++
	x, y = s.push(at, Int32, mask, over)
	for i := range x {
		x[i] = a[2*i]>>32 | a[2*i+1]>>32<<32
		y[i] = (b[2*i]^flip)>>32 | (b[2*i+1]^flip)>>32<<32
	}
	s.done(Int32)
}
