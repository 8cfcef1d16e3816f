package lanes

import (
	"math"

	"hyptx/ir/isa"
)

// The product of matrices of any size: wmma's, and later ones'. Elements are gathered
// as doubles, which hold them all exactly, and so products and sums of integers.

// general is one such product, m x k by k x n.
type general struct {
	m, n, k    int
	a, b, c, d []place
	loadA      func(uint32) float64
	loadB      func(uint32) float64
	loadC      func(uint32) float64
	store      func(float64) uint32
	bitsD      int
	// stored are the columns that a has registers for; meta says where they belong, nil
	// where they are all; scale are the factors, nil without.
	stored int
	meta   *metadata
	scale  *scaling
}

// The largest matrices.
const (
	maxA = 32 * 16
	maxB = 16 * 32
	maxD = 16 * 16

	maxSparseA = 16 * 128
	maxSparseB = 128 * 8
)

// run multiplies; see product.run.
func (g *general) run(d, a, b, c, _ []*Slot) {
	var x [maxA]float64
	var y [maxB]float64
	for i, at := range g.a {
		x[i] = g.loadA(a[at.reg][at.lane] >> at.shift)
	}
	for i, at := range g.b {
		y[i] = g.loadB(b[at.reg][at.lane] >> at.shift)
	}
	g.multiply(x[:], y[:], d, c)
}

// runNarrow is run with a sparse matrix a, and with scales.
func (g *general) runNarrow(d, a, b, c, more []*Slot) {
	var x [maxSparseA]float64
	var y [maxSparseB]float64
	scales := more
	if g.meta != nil {
		scales = more[1:]
	}
	block := g.k
	if g.scale != nil {
		block /= g.scale.vec
	}
	for n, at := range g.a {
		i, k := n/g.stored, n%g.stored
		if g.meta != nil {
			k = g.meta.column(i, k, more[0])
		}
		v := g.loadA(a[at.reg][at.lane] >> at.shift)
		if g.scale != nil {
			v *= g.scale.factorA(i, k/block, scales)
		}
		x[i*g.k+k] += v // two at one place, which the manual forbids, both count
	}
	for n, at := range g.b {
		k, j := n/g.n, n%g.n
		y[n] = g.loadB(b[at.reg][at.lane] >> at.shift)
		if g.scale != nil {
			y[n] *= g.scale.factorB(j, k/block, scales)
		}
	}
	g.multiply(x[:], y[:], d, c)
}

// multiply adds the products of x and y, and c, and stores the sums.
func (g *general) multiply(x, y []float64, d, c []*Slot) {
	var sums [maxD]float64
	for i := range g.m {
		s := sums[i*g.n : (i+1)*g.n]
		for k := range g.k {
			f, row := x[i*g.k+k], y[k*g.n:][:len(s)]
			for j := range s {
				s[j] += f * row[j] // exact products: fusing changes nothing
			}
		}
		for j := range s {
			at := g.c[i*g.n+j]
			s[j] += g.loadC(c[at.reg][at.lane] >> at.shift)
		}
	}
	for i, at := range g.d {
		w, mask := &d[at.reg][at.lane], uint32(1<<g.bitsD-1)
		*w = *w&^(mask<<at.shift) | g.store(sums[i])<<at.shift
	}
}

// looked converts numbers of a narrow format, which stand in a container from bit shift
// on, by a table.
func looked(t isa.Type, shift int) func(uint32) float64 {
	f := narrows[t]
	table := make([]float64, 1<<f.bits)
	for w := range table {
		table[w] = f.value(uint32(w))
	}
	return func(w uint32) float64 { return table[w>>shift&uint32(len(table)-1)] }
}

// accumulatorLoader converts an element of C to double.
func accumulatorLoader(t isa.Type) func(uint32) float64 {
	switch t {
	case isa.F16:
		return f16ToF64
	case isa.F32:
		return func(w uint32) float64 { return float64(math.Float32frombits(w)) }
	}
	return func(w uint32) float64 { return float64(int32(w)) }
}

// accumulatorStorer converts a sum to an element of D. Integers wrap, or with
// .satfinite are clamped. The .satfinite of floating point, which PTX ISA 6.5 took
// away, makes infinities the greatest number and NaN zero (CUDA C++ Programming Guide,
// mma_sync, satf).
func accumulatorStorer(t isa.Type, satfinite bool) func(float64) uint32 {
	switch {
	case t == isa.S32 && satfinite:
		return func(s float64) uint32 { return uint32(clampS32(int64(s))) }
	case t == isa.S32:
		return func(s float64) uint32 { return uint32(int64(s)) }
	case t == isa.F16 && satfinite:
		return func(s float64) uint32 { return finite(f64ToF16(s), 0x7c00, 0x8000) }
	case t == isa.F16:
		return f64ToF16
	case satfinite:
		return func(s float64) uint32 { return finite(math.Float32bits(float32(s)), 0x7f800000, 1<<31) }
	}
	return func(s float64) uint32 { return math.Float32bits(canon(float32(s))) }
}

// finite is a number, of whose format infinity and the sign's bit are given, made
// finite.
func finite(w, infinity, sign uint32) uint32 {
	switch size := w &^ sign; {
	case size > infinity:
		return 0
	case size == infinity:
		return w - 1
	}
	return w
}
