package adder

// Vectors are an addition of a warp as predictors see it: a bit for each slice but
// the first, those of a lane in an element of width.element bits.
type Vectors struct {
	width
	Add
	slices int
	// element masks: those of a lane that has them all.
	all uint64
	// Valid has the bits of lanes that add, True the carry-ins that slices should
	// have, Open those bits of Valid that peeking does not tell.
	Valid, True, Open Words
	// SignA and SignB have all bits of lanes whose operand's highest bit is set.
	SignA, SignB Words
	// Sum is what the adders give, as the operands lie.
	Sum [Lanes]uint64
	// misses is room for what was predicted wrong.
	misses Words
}

// set takes an addition over. signs: somebody looks at those of operands.
func (x *Vectors) set(w *width, a *Add, signs bool) {
	x.width, x.Add = *w, *a
	x.slices = a.Kind.Slices(w.bits)
	x.all = 1<<(x.slices-1) - 1
	x.valid()
	if kinds[a.Kind].wide || w.bits != 8 {
		x.setEach(signs)
	} else {
		x.setPairs(signs)
	}
	for i := range x.words {
		v := x.Valid[i]
		x.True[i] &= v
		x.Open[i] &= v
	}
}

// valid sets the mask of lanes that add.
func (x *Vectors) valid() {
	if x.Mask == ^uint32(0) {
		for i := range x.words {
			x.Valid[i] = x.ones * x.all
		}
		return
	}
	for i := range x.words {
		x.Valid[i] = x.spread(x.Mask>>(i*x.lanes)) * x.all
	}
}

// spread returns a word with the lowest bit of elements set whose lanes are in the
// lowest bits of a mask.
func (x *Vectors) spread(mask uint32) (word uint64) {
	if x.element == 8 { // bit i of each copy of the mask to byte i, and from there to its lowest bit
		word = uint64(mask&0xff) * 0x0101010101010101 & 0x8040201008040201
		return (word + 0x7f7f7f7f7f7f7f7f | word) >> 7 & 0x0101010101010101
	}
	for l := range x.lanes {
		word |= uint64(mask>>l&1) << (l * x.element)
	}
	return word
}

// setEach finds carries lane by lane, for all widths and kinds.
func (x *Vectors) setEach(signs bool) {
	w := x.bits
	top := uint(x.slices*w - 1)
	wide := kinds[x.Kind].wide
	for i, lane := 0, 0; i < x.words; i++ {
		var t, o, sa, sb uint64
		for l := 0; l < x.lanes; l++ {
			a, b, c := x.Operands(lane)
			s := a + b + c
			at := uint(l*x.element) & 63
			t |= gather(a^b^s, w) << at
			o |= gather((a^b)<<1, w) << at
			if signs {
				sa |= a >> top & 1 * x.all << at
				sb |= b >> top & 1 * x.all << at
			}
			if wide {
				x.Sum[lane&31] = s
			} else if lane&1 == 0 {
				x.Sum[lane/2&31] = s & 0xffffffff
			} else {
				x.Sum[lane/2&31] |= s << 32
			}
			lane++
		}
		x.True[i], x.Open[i], x.SignA[i], x.SignB[i] = t, o, sa, sb
	}
}

// setPairs finds the carries of slices of 8 bits in adders of up to 32, two lanes at
// a time: each half of a word is added by itself.
func (x *Vectors) setPairs(signs bool) {
	const (
		high  = 0x8000000080000000
		lows  = 0x0001010100010101
		three = 0x0000000700000007
	)
	top := uint(x.slices*8 - 1)
	a, b := x.A[:Lanes/2], x.B[:Lanes/2]
	carry := x.Carry
	for i := 0; i < 4; i++ {
		var t, o, sa, sb uint64
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
			if signs {
				g := p >> top & 0x100000001 * x.all
				h := q >> top & 0x100000001 * x.all
				sa |= (g | g>>24) & 0xffff << (16 * l)
				sb |= (h | h>>24) & 0xffff << (16 * l)
			}
		}
		x.True[i], x.Open[i], x.SignA[i], x.SignB[i] = t, o, sa, sb
	}
}

// element returns the bits of a lane.
func (x *Vectors) at(w *Words, lane int) uint64 {
	return w[lane>>x.inWord&(maxWords-1)] >> (uint(lane*x.element) & 63) & x.all
}

// put sets bits of a lane, which are clear.
func (x *Vectors) put(w *Words, lane int, bits uint64) {
	w[lane>>x.inWord&(maxWords-1)] |= bits << (uint(lane*x.element) & 63)
}

// whole returns all bits of those elements of a word that have one of their lower
// bits set.
func (x *Vectors) whole(d uint64) uint64 {
	top := ^(x.top - d) & x.top // an element borrows nothing: its highest bit is not in d
	return top - top>>(x.element-1)
}

// full reports whether all lanes add.
func (x *Vectors) full() bool { return x.Mask == ^uint32(0) }
