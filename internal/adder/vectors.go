package adder

// Vectors are an addition of a warp as predictors see it.
type Vectors struct {
	*Add // that which was set
	// Bits are those of a slice, Slices how many there are; Predicted are those but
	// the lowest, whose carry-in is known.
	Bits, Slices, Predicted int
	// True are the carry-ins that slices should have, of lanes that add; Open are the
	// lanes that add and of whose carry-in peeking does not tell.
	True, Open Masks
	// Pass are lanes in which a slice (the lowest in mask 0) passes on whatever is carried
	// into it, since its operands differ in all bits; Long those in which any eight bits
	// that follow each other do. They may not add.
	Pass Masks
	Long uint32
	// SignA and SignB are lanes whose operand's highest bit is set.
	SignA, SignB uint32
	// Sum is what the adders give, as the operands lie.
	Sum [Lanes]uint64
	// misses are the predictions that were wrong.
	misses Masks
	// apart is for vectors of lanes of 64 bits to lie in (avx2set_amd64.go).
	apart [4][8][4]uint64
}

// set takes an addition over.
func (x *Vectors) set(bits int, a *Add) {
	if x.Add = a; a.Again {
		return
	}
	x.Bits, x.Slices = bits, a.Kind.Slices(bits)
	x.Predicted = x.Slices - 1
	switch {
	case bits < 8:
		x.setEach()
	case bits != 8:
		setWide(x)
	case kinds[a.Kind].wide:
		use.each(x)
	default:
		use.pairs(x)
	}
}

// setSigns sets the lanes whose operands have the highest bit of their slices set, and
// those with a run of bits that pass a carry on.
func (x *Vectors) setSigns() {
	x.SignA, x.SignB = signsOf(x, x.Slices*x.Bits-1)
	x.Long = runsIn(x)
}

// keep keeps the sum of a lane.
func (x *Vectors) keep(lane int, sum uint64) {
	switch {
	case kinds[x.Kind].wide:
		x.Sum[lane] = sum
	case lane&1 == 0:
		x.Sum[lane/2] = sum & 0xffffffff
	default:
		x.Sum[lane/2] |= sum << 32
	}
}

// sum returns that of a lane.
func (x *Vectors) sum(lane int) uint64 {
	if kinds[x.Kind].wide {
		return x.Sum[lane]
	}
	return x.Sum[lane/2] >> (32 * (lane & 1)) & 0xffffffff
}

// setEach finds carries bit by bit, for slices of fewer bits than 8.
func (x *Vectors) setEach() {
	for i := range x.Predicted {
		x.True[i], x.Open[i], x.Pass[i] = 0, 0, 0
	}
	for lane := range Lanes {
		a, b, c := x.Operands(lane)
		s := a + b + c
		x.keep(lane, s)
		carries, differ, pass := gather(a^b^s, x.Bits), gather((a^b)<<1, x.Bits), passing(a^b, x.Bits)
		for i := range x.Predicted {
			x.True[i] |= uint32(carries>>i&1) << lane
			x.Open[i] |= uint32(differ>>i&1) << lane
			x.Pass[i] |= uint32(pass>>i&1) << lane
		}
	}
	for i := range x.Predicted {
		x.True[i] &= x.Mask
		x.Open[i] &= x.Mask
	}
	x.setSigns()
}

// laneBytes are a byte for each lane, whose bits are of slices: of carries, of where operands
// differ below a slice, and of slices that pass a carry on.
type laneBytes struct{ carries, differ, pass [Lanes / 8]uint64 }

// set sets masks of bytes.
func (l *laneBytes) set(x *Vectors) {
	x.True.spread(&l.carries, x.Predicted, x.Mask)
	x.Open.spread(&l.differ, x.Predicted, x.Mask)
	if l.pass == [Lanes / 8]uint64{} {
		clear(x.Pass[:x.Predicted])
	} else {
		x.Pass.spread(&l.pass, x.Predicted, ^uint32(0))
	}
	x.setSigns()
}

// gatherEach goes lane by lane.
func (l *laneBytes) gatherEach(x *Vectors) {
	for lane := range Lanes {
		a, b, c := x.Operands(lane)
		s := a + b + c
		x.keep(lane, s)
		at := lane % 8 * 8
		l.carries[lane/8] |= gather(a^b^s, x.Bits) << at
		l.differ[lane/8] |= gather((a^b)<<1, x.Bits) << at
		l.pass[lane/8] |= passing(a^b, x.Bits) << at
	}
}

// gatherPairs is of slices of 8 bits in adders of up to 32, two lanes at a time: each half
// of a word is added by itself.
func (l *laneBytes) gatherPairs(x *Vectors) {
	const (
		high  = 0x8000000080000000
		lows  = 0x0001010100010101
		three = 0x0000000700000007
	)
	a, b := x.A[:Lanes/2], x.B[:Lanes/2]
	carry := x.Carry
	gathered := func(bytes uint64) uint64 {
		bytes &= lows
		bytes = (bytes | bytes>>7 | bytes>>14) & three
		return (bytes | bytes>>24) & 0xffff
	}
	for i := range l.carries {
		var t, o, p uint64
		for k := range 4 {
			at, shift := 4*i+k, 16*k
			d := a[at] ^ b[at]
			s := (a[at]&^high + b[at]&^high + uint64(carry&1) + uint64(carry&2)<<31) ^ d&high
			carry >>= 2
			x.Sum[at] = s
			t |= gathered((d^s)>>8) << shift
			o |= gathered(d>>7) << shift
			if r := runs(d, ^uint64(0)); r != 0 { // which is rare
				p |= gathered(r) << shift
			}
		}
		l.carries[i], l.differ[i], l.pass[i] = t, o, p
	}
}

// spread makes masks of bytes of lanes, of those that are asked for.
func (m *Masks) spread(bytes *[Lanes / 8]uint64, n int, lanes uint32) {
	for i := range n {
		m[i] = 0
	}
	for at, b := range bytes {
		b = transposed(b)
		for i := range n {
			m[i] |= uint32(b>>(8*i)&0xff) << (8 * at) & lanes
		}
	}
}

// transposed returns eight bytes with bit k of byte i as bit i of byte k (Warren, Hacker's
// Delight, 7-3).
func transposed(x uint64) uint64 {
	t := (x ^ x>>7) & 0x00aa00aa00aa00aa
	x ^= t ^ t<<7
	t = (x ^ x>>14) & 0x0000cccc0000cccc
	x ^= t ^ t<<14
	t = (x ^ x>>28) & 0x00000000f0f0f0f0
	return x ^ t ^ t<<28
}

// of returns the bits of a lane.
func (x *Vectors) of(m *Masks, lane int) (bits uint32) {
	for i, of := range m[:x.Predicted] {
		bits |= of >> lane & 1 << i
	}
	return bits
}
