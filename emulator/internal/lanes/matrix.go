package lanes

import (
	"math"
	"math/bits"

	"hyptx/ir/isa"
)

// A matrix instruction is executed by a warp as a whole: each lane holds some
// elements of the operands in registers, and which ones depends on the shape
// and the types (fragment.go). So all of them work alike: gather the elements
// into arrays by their places, multiply plainly, scatter the result. The
// places are computed once, when the program is decoded. The plain product is the
// same for all shapes, so that a new shape is a matter of its places; it is also
// what makes the result independent of how hardware would split the work.

// Matrix is the variant of an mma instruction (PTX ISA 9.7.16.5.14): D = A*B+C
// with A of M x K and B of K x 8 elements.
type Matrix struct {
	M, K       int
	D, A, B, C isa.Type
	// SubByte is 4 or 1 for the .u4, .s4 and .b1 operands, whose signedness A
	// and B say as U8 and S8.
	SubByte int
	// ColA and RowB are the layouts other than row.col, which only the
	// half-precision m8n8k4 has.
	ColA, RowB bool
	Satfinite  bool
	// Sparse: a has half of its columns; Selector says which lanes have the metadata.
	// Bytes: elements of 4 and 6 bits stand in bytes. ScaleVec are the blocks of a row
	// that have a scale each, 0 without scales, whose type is Scale.
	Sparse, Bytes      bool
	Selector, ScaleVec int
	Scale              isa.Type
	// Xor is the bit operation of .b1: xor, not and.
	Xor bool
	// Rnd is the rounding of f64.
	Rnd isa.Rounding
}

// MatrixFn multiplies matrices held by a warp. The operands are the registers
// of each fragment in the instruction's order, more are those behind c: metadata,
// scales. d may share slots with c.
type MatrixFn func(d, a, b, c, more []*Slot)

// MMA returns the function of an mma, or nil. The order in which products are
// added and the roundings in between are the machine's own in the manual; here
// products of halves, bf16, tf32 and 8-bit floats, which are exact in double,
// are added in double by ascending k, C last, and rounded once to nearest.
// f64 is a chain of fma from C by ascending k. Integers wrap, or with
// .satfinite clamp the sum.
func MMA(m Matrix) MatrixFn {
	load, elem := elementLoader(m.A), elementLoader(m.B)
	switch {
	case m.SubByte == 1:
		return mmaBits(m)
	case m.A == isa.F64:
		return mmaF64(m)
	case m.SubByte == 4 || m.A == isa.S8 || m.A == isa.U8:
		return mmaInt(m)
	case load == nil || elem == nil || m.D != isa.F32 && m.D != isa.F16:
		return nil
	case m.M == 8:
		return mmaQuads(m)
	}
	e := 32 / m.A.Bits()
	p := product{
		m: m.M, k: m.K, a: fragmentA(m.M, m.K, e), b: fragmentB(m.K, e),
		c: fragmentC(m.M, accumulators(m.C)), d: fragmentC(m.M, accumulators(m.D)),
		loadA: load, loadB: elem, halfC: m.C == isa.F16, halfD: m.D == isa.F16,
	}
	if p.m*p.k > len(p.spaceA()) {
		return nil
	}
	return p.run
}

// accumulators is how many elements a register of C or D holds.
func accumulators(t isa.Type) int {
	if t == isa.F16 {
		return 2
	}
	return 1
}

// elementLoader converts the bits of an element, shifted down, to double.
func elementLoader(t isa.Type) func(uint32) float64 {
	switch t {
	case isa.F16:
		return f16ToF64
	case isa.BF16:
		return bf16ToF64
	case isa.TF32: // the low 13 bits are ignored (PTX ISA 5.2.3)
		return func(w uint32) float64 { return float64(math.Float32frombits(w &^ 0x1fff)) }
	case isa.E5M2: // the upper byte of a half
		return func(w uint32) float64 { return f16ToF64(w & 0xff << 8) }
	case isa.E4M3:
		return e4m3ToF64
	}
	return nil
}

// e4m3ToF64: bias 7, no infinities, NaN is all ones.
func e4m3ToF64(w uint32) float64 {
	exp, man := int(w>>3&15), float64(w&7)
	x := math.Ldexp(8+man, exp-10)
	switch {
	case w&0x7f == 0x7f:
		return math.NaN()
	case exp == 0:
		x = math.Ldexp(man, -9)
	}
	if w&0x80 != 0 {
		return -x
	}
	return x
}

// product is one floating-point matrix product of a warp.
type product struct {
	m, k         int
	a, b, c, d   []place
	loadA, loadB func(uint32) float64
	halfC, halfD bool
}

// spaceA is room for the elements of A of the largest shape; its length is
// what MMA holds a shape against.
func (p *product) spaceA() (a [16 * 32]float64) { return }

// run multiplies. All operands are gathered before anything is written,
// because D may be C.
func (p *product) run(d, a, b, c, _ []*Slot) {
	x := p.spaceA()
	var y [32][8]float64
	for i, at := range p.a {
		x[i] = p.loadA(a[at.reg][at.lane] >> at.shift)
	}
	for i, at := range p.b {
		y[i/8][i%8] = p.loadB(b[at.reg][at.lane] >> at.shift)
	}
	var sums [16][8]float64
	for i := range p.m {
		s := &sums[i]
		for k := range p.k {
			f, row := x[i*p.k+k], &y[k]
			for j := range s {
				s[j] += f * row[j] // exact products: fusing changes nothing
			}
		}
		for j := range s {
			at := p.c[i*8+j]
			w := c[at.reg][at.lane]
			if p.halfC {
				s[j] += f16ToF64(w >> at.shift)
			} else {
				s[j] += float64(math.Float32frombits(w))
			}
		}
	}
	// Only now d, which may be c.
	for i, at := range p.d {
		s := sums[i/8][i%8]
		if p.halfD {
			w := &d[at.reg][at.lane]
			*w = *w&^(0xffff<<at.shift) | f64ToF16(s)<<at.shift
		} else {
			d[at.reg][at.lane] = math.Float32bits(canon(float32(s)))
		}
	}
}

// mmaQuads is the half-precision m8n8k4.
func mmaQuads(m Matrix) MatrixFn {
	if m.A != isa.F16 || m.B != isa.F16 || m.K != 4 {
		return nil
	}
	var quads [4]product
	for q := range quads {
		quads[q] = product{
			m: 8, k: 4, a: quadA(q, !m.ColA), b: quadB(q, !m.RowB),
			c: quadC(q, m.C == isa.F16), d: quadC(q, m.D == isa.F16),
			loadA: f16ToF64, loadB: f16ToF64, halfC: m.C == isa.F16, halfD: m.D == isa.F16,
		}
	}
	return func(d, a, b, c, more []*Slot) {
		for q := range quads {
			quads[q].run(d, a, b, c, more)
		}
	}
}

// mmaF64 is mma of f64: registers are 64-bit, one element each.
func mmaF64(m Matrix) MatrixFn {
	if m.M > 16 || m.B != isa.F64 || m.D != isa.F64 {
		return nil
	}
	return multiplyF64(m, 8, fragmentA(m.M, m.K, 1), fragmentB(m.K, 1), fragmentC(m.M, 1))
}

// multiplyF64 multiplies doubles in such places, with n columns, of which there are 8
// at most.
func multiplyF64(m Matrix, n int, a, b, c []place) MatrixFn {
	return func(d, ra, rb, rc, _ []*Slot) {
		var sums [16 * 8]float64
		for i, at := range c {
			s := view[float64](rc[at.reg])[at.lane]
			for k := range m.K {
				pa, pb := a[i/n*m.K+k], b[k*n+i%n]
				x, y := view[float64](ra[pa.reg])[pa.lane], view[float64](rb[pb.reg])[pb.lane]
				s = fused64(x, y, s, m.Rnd)
			}
			sums[i] = s
		}
		for i, at := range c {
			view[float64](d[at.reg])[at.lane] = sums[i]
		}
	}
}

// mmaInt is mma of 8- and 4-bit integers.
func mmaInt(m Matrix) MatrixFn {
	n := m.A.Bits()
	if m.SubByte != 0 {
		n = m.SubByte
	}
	e := 32 / n
	if m.M*m.K > 16*64 || m.D != isa.S32 {
		return nil
	}
	a, b, c := fragmentA(m.M, m.K, e), fragmentB(m.K, e), fragmentC(m.M, 1)
	loadA, loadB := subword(n, m.A.IsSigned()), subword(n, m.B.IsSigned())
	return func(d, ra, rb, rc, _ []*Slot) {
		var x [16 * 64]int32
		var y [64 * 8]int32
		for i, at := range a {
			x[i] = loadA(ra[at.reg][at.lane] >> at.shift)
		}
		for i, at := range b {
			y[i] = loadB(rb[at.reg][at.lane] >> at.shift)
		}
		var sums [16 * 8]uint32
		for i, at := range c {
			s := int64(int32(rc[at.reg][at.lane]))
			for k := range m.K {
				s += int64(x[i/8*m.K+k]) * int64(y[k*8+i%8])
			}
			if m.Satfinite {
				s = int64(clampS32(s))
			}
			sums[i] = uint32(s)
		}
		for i, at := range c {
			d[at.reg][at.lane] = sums[i]
		}
	}
}

// subword extends the low n bits of a word.
func subword(n int, signed bool) func(uint32) int32 {
	s := 32 - n
	if signed {
		return func(w uint32) int32 { return int32(w<<s) >> s }
	}
	return func(w uint32) int32 { return int32(w << s >> s) }
}

// mmaBits is mma of single bits: the population count of a xor b, or a and b,
// a word at a time.
func mmaBits(m Matrix) MatrixFn {
	if m.D != isa.S32 {
		return nil
	}
	words := m.K / 32
	a, b, c := fragmentA(m.M, m.K, 32), fragmentB(m.K, 32), fragmentC(m.M, 1)
	return func(d, ra, rb, rc, _ []*Slot) {
		var sums [16 * 8]uint32
		for i, at := range c {
			s := rc[at.reg][at.lane]
			for w := range words {
				pa, pb := a[i/8*m.K+w*32], b[w*32*8+i%8]
				x, y := ra[pa.reg][pa.lane], rb[pb.reg][pb.lane]
				if m.Xor {
					s += uint32(bits.OnesCount32(x ^ y))
				} else {
					s += uint32(bits.OnesCount32(x & y))
				}
			}
			sums[i] = s
		}
		for i, at := range c {
			d[at.reg][at.lane] = sums[i]
		}
	}
}
