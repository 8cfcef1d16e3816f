package lanes

import (
	"math"

	"hyptx/ir/isa"
)

// A fused operation rounds once. f64 has math.FMA, which is a machine
// instruction where there is one. f32 is computed in double, where the
// product is exact: the only danger is that the sum is rounded twice, first
// to double and then to float, and happens in so few cases that they are
// recognised by their bits and done over.

// Fma is fma, and mad of floating-point types, which is the same on sm_20 and
// later (PTX ISA 9.7.3.6, 9.7.4.4, 9.7.5.3).
func Fma(v Variant) Fn {
	if four(v) {
		return fours(v, [3]isa.Type{v.From, v.From2, v.Type}, func(a, b, c float64) float64 { return sumOdd(a*b, c) })
	}
	if v.From != isa.NoType && v.From != v.Type {
		return mixed(v, Fma, true)
	}
	switch t := v.Type; {
	case t == isa.F32:
		return modifyF32(pick(v.Rnd, use.fmaF32, fusedF32(v.Rnd)), v)
	case t == isa.F64:
		return pick(v.Rnd, fmaF64, fusedF64(v.Rnd))
	case t == isa.F32x2:
		return pairs(Fma, v)
	case t.IsFloat():
		return halfOp(v, fmaF16, func(a, b, c uint32) uint32 {
			p, z := bf16ToF64(a)*bf16ToF64(b), bf16ToF64(c)
			return uint32(formatBF16.round(zeroSign(sumOdd(p, z), p, z, v.Rnd), v.Rnd))
		})
	}
	return nil
}

// fmaF32 rounds a*b+c once. The product is exact in double; the sum is rounded
// to double and then to float, which is wrong only when the first rounding
// makes a tie of what was none (the low 29 bits are 0x10000000), or when the
// result is subnormal and its ties lie elsewhere.
func fmaF32(d, a, b, c *Slot) {
	x, p, q, r := view[float32](d), view[float32](a), view[float32](b), view[float32](c)
	var sum0, sum1 float32
	for i := 0; i < Width; i += 2 {
		y0, z0 := float64(p[i])*float64(q[i]), float64(r[i])
		y1, z1 := float64(p[i+1])*float64(q[i+1]), float64(r[i+1])
		s0, s1 := y0+z0, y1+z1
		f0, f1 := float32(s0), float32(s1)
		if doubtful(s0) {
			f0 = float32(sumOdd(y0, z0))
		}
		if doubtful(s1) {
			f1 = float32(sumOdd(y1, z1))
		}
		x[i], x[i+1] = f0, f1
		sum0, sum1 = sum0+f0, sum1+f1
	}
	if sum := sum0 + sum1; sum != sum {
		canonF32(d)
	}
}

// doubtful reports a sum whose rounding to float32 may differ from that of the
// exact sum. Twice the bits less one: zero, which is exact, becomes large.
func doubtful(s float64) bool {
	u := math.Float64bits(s)
	return u&0x1fffffff == 0x10000000 || u<<1-1 < 0x3810000000000000<<1-1
}

// fusedF32 is a*b+c in any rounding.
func fusedF32(rnd isa.Rounding) Fn {
	return lift3(func(a, b, c float32) float32 {
		p, z := float64(a)*float64(b), float64(c)
		return toF32(zeroSign(sumOdd(p, z), p, z, rnd), rnd)
	})
}

// fmaF64 is fma.rn.f64.
func fmaF64(d, a, b, c *Slot) {
	x, p, q, r := view[float64](d), view[float64](a), view[float64](b), view[float64](c)
	for i := range x {
		f := math.FMA(p[i], q[i], r[i])
		if f != f {
			f = nan64(p[i], q[i], r[i])
		}
		x[i] = f
	}
}

// fusedF64 is a*b+c in a directed rounding.
func fusedF64(rnd isa.Rounding) Fn {
	return lift3(func(a, b, c float64) float64 { return fused64(a, b, c, rnd) })
}

// fused64 is a*b+c of one lane in any rounding.
func fused64(a, b, c float64, rnd isa.Rounding) float64 {
	f := math.FMA(a, b, c)
	switch {
	case f != f:
		return nan64(a, b, c)
	case rnd == isa.RN || rnd == isa.NoRnd || !finite64(a) || !finite64(b) || !finite64(c):
		return f
	}
	diff := exactFma(a, b, c, f)
	if f == 0 && diff == 0 {
		return zeroSign(f, signedZeroProduct(a, b), c, rnd)
	}
	return direct64(f, diff, rnd)
}

// signedZeroProduct returns a*b if it is exactly zero, else something that is
// not zero.
func signedZeroProduct(a, b float64) float64 {
	if a == 0 || b == 0 {
		return a * b
	}
	return 1
}
