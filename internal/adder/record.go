package adder

// Lanes are those of a warp.
const Lanes = 32

// At says which instruction adds.
type At struct {
	// PC is the instruction's, below 2^28; Number the one that designs take their index
	// from: its place in the code that adds.
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

// A stream holds additions one after the other, each with a head of two words: PC, kind
// and number; lanes and carry-ins.
const (
	headWords = 2
	pcBits    = 28
)

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
	n := k.words()
	first := len(s.words)
	need := first + headWords + 2*n
	if need > cap(s.words) {
		s.words = append(make([]uint64, 0, 2*need), s.words...)
	}
	s.words = s.words[:need]
	head := s.words[first:]
	head[0], head[1] = uint64(at.PC)|uint64(k)<<pcBits|uint64(at.Number)<<32, uint64(mask)|uint64(carry)<<32
	return head[headWords:][:n:n], head[headWords+n:][:n:n]
}

// done tells the SM of an addition, which may then work on what it has.
func (s *Stream) done(a []uint64) { s.cta.sm.wrote(s, headWords+2*len(a)) }

// pop reads the next addition; false if there is none.
func (s *Stream) pop(a *Add) bool {
	if s.next == len(s.words) {
		s.words, s.next = s.words[:0], 0
		return false
	}
	head := s.words[s.next:]
	a.PC, a.Kind, a.Number = uint32(head[0])&(1<<pcBits-1), Kind(uint32(head[0])>>pcBits), uint32(head[0]>>32)
	a.Mask, a.Carry, a.Warp = uint32(head[1]), uint32(head[1]>>32), s.warp
	n := a.Kind.words()
	a.A, a.B = head[headWords:][:n:n], head[headWords+n:][:n:n]
	s.next += headWords + 2*n
	return true
}

// Narrow appends an addition of registers of 32 bits, of which the kind has the
// lower ones. minus: b is subtracted, which adds its complement; carry then still
// says what is carried in.
func (s *Stream) Narrow(at At, k Kind, mask, carry uint32, a, b *[Lanes]uint32, minus bool) {
	x, y := s.push(at, k, mask, carry)
	flip, low := uint32(0), uint32(1)<<(kinds[k].bits-1)<<1-1
	if minus {
		flip = ^flip
	}
	use.narrow(x, y, a, b, flip, low)
	s.done(x)
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
	s.done(x)
}

// Wide appends an addition of registers of 64 bits.
func (s *Stream) Wide(at At, mask, carry uint32, a, b *[Lanes]uint64, minus bool) {
	x, y := s.push(at, Int64, mask, carry)
	copy(x, a[:])
	if !minus {
		copy(y, b[:])
	} else {
		for i := range y {
			y[i] = ^b[i]
		}
	}
	s.done(x)
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
	s.done(x)
	at.Number++
	x, y = s.push(at, Int32, mask, over)
	for i := range x {
		x[i] = a[2*i]>>32 | a[2*i+1]>>32<<32
		y[i] = (b[2*i]^flip)>>32 | (b[2*i+1]^flip)>>32<<32
	}
	s.done(x)
}
