package lanes

import "hyptx/ir/isa"

// A sparse matrix a (PTX ISA 9.7.16.6) has half of its elements, as a fragment of half
// the columns, and metadata that says where they belong: four bits for each chunk of a
// row. Of two adjacent tf32 one is there: 0100 says the first, 1110 the second. Of four
// adjacent elements two are there, of four pairs of 4-bit elements two pairs; their
// indices are the lower two bits and the upper two.
//
// Which lane of the four of a group g has which chunks of rows g and g+8, the manual
// shows in figures (9.7.16.6.2): with elements of 16 bits and tf32 a lane has 16 bits of
// row g and above them 16 of row g+8, the next lane those of the columns that follow;
// with smaller ones a lane has 32 bits of row g, the next lane those of row g+8, and the
// two after them the columns that follow. The selector says at which lane it begins,
// counted in as many lanes as are needed.

// metadata is where the four bits of each chunk stand, by row*chunks + chunk.
type metadata struct {
	places        []place
	chunks        int
	stored, width int // elements there, and columns, of a chunk
	pairs, single bool
	// selectors is how many lanes it may begin at, selector at which of them it does.
	selectors, selector int
}

// elementBits is how many bits the elements of a have in their registers.
func (m *Matrix) elementBits() int {
	switch {
	case m.SubByte != 0:
		return m.SubByte
	case m.Bytes:
		return 8
	}
	return m.A.Bits()
}

// Codes is a set of what the four bits of a chunk may be, code c as bit c.
type Codes uint16

// What the manual allows (PTX ISA 9.7.16.6.1, 9.7.17.6.1, 9.7.18.10.8.1): of two elements the
// one or the other; of four (pairs of) elements any two that differ, or two in their order; and
// what tcgen05.mma has.
const (
	OneOfTwo    Codes = 1<<0b0100 | 1<<0b1110
	TwoOfFour   Codes = ^Codes(1<<0b0000 | 1<<0b0101 | 1<<0b1010 | 1<<0b1111)
	Ordered     Codes = 1<<0b0100 | 1<<0b1000 | 1<<0b1001 | 1<<0b1100 | 1<<0b1101 | 1<<0b1110
	OfTensorMMA       = Ordered | 1<<0b0110
)

// Holds reports whether a code is among some.
func (c Codes) Holds(code uint32) bool { return c>>code&1 != 0 }

// MetadataRule returns what reports of metadata that the manual leaves open what comes of them:
// because of a code, or of a selector. ordered: two elements are told of in their order.
func MetadataRule(m Matrix, ordered bool) (open func(e *Slot) bool) {
	md, allowed := newMetadata(m, m.elementBits()), TwoOfFour
	if ordered {
		allowed = Ordered
	}
	if md.single {
		allowed = OneOfTwo
	}
	return func(e *Slot) bool {
		if md.selector >= md.selectors {
			return true
		}
		for _, at := range md.places {
			if !allowed.Holds(e[at.lane] >> at.shift & 15) {
				return true
			}
		}
		return false
	}
}

// newMetadata lays out the metadata of m x k elements.
func newMetadata(m Matrix, bits int) *metadata {
	md := &metadata{stored: 2, width: 4, selector: m.Selector}
	switch {
	case m.A == isa.TF32:
		md.stored, md.width, md.single = 1, 2, true
	case bits == 4:
		md.stored, md.width, md.pairs = 4, 8, true
	}
	md.chunks = m.K / md.width
	md.selectors = 16 / md.chunks
	for i := range m.M {
		for c := range md.chunks {
			var lane, shift int
			if bits >= 16 {
				parts := md.chunks / 4
				lane, shift = m.Selector%md.selectors*parts+c/4, i/8*16+c%4*4
			} else {
				lane, shift = m.Selector%md.selectors*2+c/8*2+i/8, c%8*4
			}
			md.places = append(md.places, place{0, uint8(i%8*4 + lane), uint8(shift)})
		}
	}
	return md
}

// column returns where stored element n of row i belongs.
func (md *metadata) column(i, n int, e *Slot) int {
	at := md.places[i*md.chunks+n/md.stored]
	bits := int(e[at.lane] >> at.shift & 15)
	first, which := n/md.stored*md.width, n%md.stored
	switch {
	case md.single:
		return first + bits>>3
	case md.pairs:
		return first + bits>>(which/2*2)&3*2 + which%2
	}
	return first + bits>>(which*2)&3
}

// scaling are the factors of blocks of rows of a and of columns of b (PTX ISA
// 9.7.16.3): the four bytes of a lane's scale are those of vec blocks of its row, or
// column, from the byte selected on. Lanes 0 and 1 of a group g, or 2 and 3, give those
// of rows g and g+8; one lane of the four gives those of column g.
type scaling struct {
	vec  int
	load func(uint32) float64
}

// factorA returns the scale of a block of row i of a, factorB of column j of b.
func (s *scaling) factorA(i, block int, more []*Slot) float64 {
	lane := i%8*4 + int(more[2][0]&1)*2 + i/8
	return s.load(more[0][lane] >> (8 * (int(more[1][0])&3 + block) % 32) & 0xff)
}

func (s *scaling) factorB(j, block int, more []*Slot) float64 {
	lane := j*4 + int(more[5][0]&3)
	return s.load(more[3][lane] >> (8 * (int(more[4][0])&3 + block) % 32) & 0xff)
}

// MMANarrow returns the function of a product whose a is sparse, or whose elements have
// less than 8 bits and maybe scales, or nil. more are the metadata, if a is sparse, then
// the scale of a, its byte and its thread, and those of b.
func MMANarrow(m Matrix) MatrixFn {
	bits, stored := m.elementBits(), m.K
	per := 32 / bits
	if m.Sparse {
		stored /= 2
	}
	g := &general{
		m: m.M, n: 8, k: m.K, a: fragmentA(m.M, stored, per), b: fragmentB(m.K, per),
		c: fragmentC(m.M, accumulators(m.C)), d: fragmentC(m.M, accumulators(m.D)), stored: stored,
		loadA: narrowLoader(m, m.A, bits), loadB: narrowLoader(m, m.B, bits), loadC: accumulatorLoader(m.C),
		store: accumulatorStorer(m.D, m.Satfinite), bitsD: m.D.Bits(),
	}
	if g.loadA == nil || g.loadB == nil || m.M*m.K > maxSparseA || m.K*8 > maxSparseB {
		return nil
	}
	if m.Sparse {
		g.meta = newMetadata(m, bits)
	}
	if m.ScaleVec > 0 {
		g.scale = &scaling{vec: m.ScaleVec, load: scaleLoader(m.Scale)}
	}
	return g.runNarrow
}

// narrowLoader converts an element that a container of some bits holds.
func narrowLoader(m Matrix, t isa.Type, bits int) func(uint32) float64 {
	if m.SubByte != 0 || t == isa.S8 || t == isa.U8 {
		return integerLoader(bits, t)
	}
	switch {
	case t.Bits() >= 8:
		return elementLoader(t)
	case m.Bytes && t.Bits() == 4: // it stands in the middle (PTX ISA 9.7.16.5.14)
		return looked(t, 2)
	}
	return looked(t, 0)
}

// scaleLoader converts a scale, one byte. Of ue4m3 the highest bit is none of its own.
func scaleLoader(t isa.Type) func(uint32) float64 {
	if t == isa.UE4M3 {
		return func(w uint32) float64 { return e4m3ToF64(w & 0x7f) }
	}
	return looked(t, 0)
}
