package adder

// Vectors are an addition of a warp as predictors see it.
type Vectors struct {
	Add
	// Bits are those of a slice, Slices how many there are; Predicted are those but
	// the lowest, whose carry-in is known.
	Bits, Slices, Predicted int
	// True are the carry-ins that slices should have, of lanes that add; Open are the
	// lanes that add and of whose carry-in peeking does not tell, All those that add.
	True, Open, All Masks
	// SignA and SignB are lanes whose operand's highest bit is set.
	SignA, SignB uint32
	// Sum is what the adders give, as the operands lie.
	Sum [Lanes]uint64
	// misses are the predictions that were wrong.
	misses Masks
}

// set takes an addition over. signs: somebody looks at those of operands.
func (x *Vectors) set(bits int, a *Add, signs bool) {
	x.Add = *a
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
	for i := range x.Predicted {
		x.True[i] &= x.Mask
		x.Open[i] &= x.Mask
		x.All[i] = x.Mask
	}
	if signs {
		x.SignA, x.SignB = use.signs(x, x.Slices*x.Bits-1)
	}
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
		x.True[i], x.Open[i] = 0, 0
	}
	for lane := range Lanes {
		a, b, c := x.Operands(lane)
		s := a + b + c
		x.keep(lane, s)
		carries, differ := gather(a^b^s, x.Bits), gather((a^b)<<1, x.Bits)
		for i := range x.Predicted {
			x.True[i] |= uint32(carries>>i&1) << lane
			x.Open[i] |= uint32(differ>>i&1) << lane
		}
	}
}

// gatherEach finds carries lane by lane, and leaves a byte for each lane: of carries, and
// of where operands differ below a slice.
func (x *Vectors) gatherEach(carries, differ *[Lanes / 8]uint64) {
	for lane := range Lanes {
		a, b, c := x.Operands(lane)
		s := a + b + c
		x.keep(lane, s)
		carries[lane/8] |= gather(a^b^s, x.Bits) << (lane % 8 * 8)
		differ[lane/8] |= gather((a^b)<<1, x.Bits) << (lane % 8 * 8)
	}
}

// gatherPairs finds the carries of slices of 8 bits in adders of up to 32, two lanes at
// a time: each half of a word is added by itself.
func (x *Vectors) gatherPairs(carries, differ *[Lanes / 8]uint64) {
	const (
		high  = 0x8000000080000000
		lows  = 0x0001010100010101
		three = 0x0000000700000007
	)
	a, b := x.A[:Lanes/2], x.B[:Lanes/2]
	carry := x.Carry
	for i := range carries {
		var t, o uint64
		for l := uint(0); l < 4; l++ {
			p, q := a[4*i+int(l)], b[4*i+int(l)]
			d := p ^ q
			s := (p&^high + q&^high + uint64(carry&1) + uint64(carry&2)<<31) ^ d&high
			carry >>= 2
			x.Sum[4*i+int(l)] = s
			u := (d ^ s) >> 8 & lows
			u = (u | u>>7 | u>>14) & three
			v := d >> 7 & lows
			v = (v | v>>7 | v>>14) & three
			t |= (u | u>>24) & 0xffff << (16 * l)
			o |= (v | v>>24) & 0xffff << (16 * l)
		}
		carries[i], differ[i] = t, o
	}
}

// spread makes masks of bytes of lanes.
func (m *Masks) spread(bytes *[Lanes / 8]uint64, n int) {
	for i := range n {
		m[i] = 0
	}
	for at, b := range bytes {
		b = transposed(b)
		for i := range n {
			m[i] |= uint32(b>>(8*i)&0xff) << (8 * at)
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
