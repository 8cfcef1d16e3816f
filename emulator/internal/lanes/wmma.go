package lanes

import "hyptx/ir/isa"

// WMMA returns the function of wmma.mma (PTX ISA 9.7.16.4.5), or nil. Sums are as MMA
// makes them. The 4-bit and 1-bit shapes have the layouts of mma, which are those of
// Tile.
func WMMA(m Matrix, n int) MatrixFn {
	if m.SubByte != 0 {
		return MMA(m)
	}
	a, b := Tile{m.M, m.K, m.A.Bits(), m.ColA, false}, Tile{m.K, n, m.B.Bits(), !m.RowB, false}
	c, d := Tile{m.M, n, m.C.Bits(), false, true}, Tile{m.M, n, m.D.Bits(), false, true}
	if m.A == isa.TF32 {
		a.Bits, b.Bits = 32, 32
	}
	if a.Rows*a.Cols > maxA || b.Rows*b.Cols > maxB || m.M*n > maxD {
		return nil
	}
	if m.A == isa.F64 {
		return multiplyF64(m, n, a.places(), b.places(), c.places())
	}
	g := &general{
		m: m.M, n: n, k: m.K, a: a.places(), b: b.places(), c: c.places(), d: d.places(),
		loadA: elementLoader(m.A), loadB: elementLoader(m.B), loadC: accumulatorLoader(m.C),
		store: accumulatorStorer(m.D, m.Satfinite), bitsD: m.D.Bits(),
	}
	if m.A == isa.S8 || m.A == isa.U8 {
		g.loadA, g.loadB = integerLoader(8, m.A), integerLoader(8, m.B)
	}
	if g.loadA == nil || g.loadB == nil {
		return nil
	}
	return g.run
}

// integerLoader converts the low bits of a word to double.
func integerLoader(bits int, t isa.Type) func(uint32) float64 {
	load := subword(bits, t.IsSigned())
	return func(w uint32) float64 { return float64(load(w)) }
}
