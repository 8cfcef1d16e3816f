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
}

// The largest matrices.
const (
	maxA = 32 * 16
	maxB = 16 * 32
	maxD = 16 * 16
)

// run multiplies; see product.run.
func (g *general) run(d, a, b, c []*Slot) {
	var x [maxA]float64
	var y [maxB]float64
	for i, at := range g.a {
		x[i] = g.loadA(a[at.reg][at.lane] >> at.shift)
	}
	for i, at := range g.b {
		y[i] = g.loadB(b[at.reg][at.lane] >> at.shift)
	}
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
