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
	// subtracts: two lanes a word, or one where the kind is wide. Lanes that do not add may
	// hold anything.
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

// Narrow appends an addition of registers of 32 bits, of which the kind has the
// lower ones. minus: b is subtracted, which adds its complement; carry then still
// says what is carried in.
func (s *Stream) Narrow(at At, k Kind, mask, carry uint32, a, b *[Lanes]uint32, minus bool) {
	p, q := lineOf(a, mask, use.inLine), lineOf(b, mask, use.inLine)
	x, y := s.pushLines(at, k, mask, carry, p.is, q.is)
	flip, low := uint32(0), uint32(1)<<(kinds[k].bits-1)<<1-1
	putNarrow(p, x, a, 0, low)
	if minus {
		flip = ^flip
	}
	putNarrow(q, y, b, flip, low)
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
	p, q := lineOf(a, mask, use.inLine64), lineOf(b, mask, use.inLine64)
	x, y := s.pushLines(at, Int64, mask, carry, p.is, q.is)
	flip := uint64(0)
	if minus {
		flip = ^flip
	}
	putWide(p, x, a, 0)
	putWide(q, y, b, flip)
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
