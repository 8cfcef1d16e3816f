package lanes

import (
	"math"

	"hyptx/ir/isa"
)

// Integer sums wrap; two's complement makes them the same for signed and
// unsigned types, so that a loop serves both. The loops that programs are
// full of are written out, four lanes a round, so that the compiler keeps
// them free of bounds checks; all the others are lifted from a function of
// one lane (lift.go).
//
// Floating-point sums come in two kinds. Go's own addition rounds to nearest
// even, as .rn asks, and only NaNs have to be put right. In a directed
// rounding the nearest sum is corrected: of f32 by way of a sum in double
// rounded to odd, of f64 by the sign of the error that TwoSum gives.

// Add is add for integers and floating point (PTX ISA 9.7.1.1, 9.7.3.3,
// 9.7.4.1, 9.7.5.1).
func Add(v Variant) Fn {
	if four(v) {
		return fours(v, [3]isa.Type{v.From, v.Type, v.Type}, func(a, b, _ float64) float64 { return sumOdd(a, b) })
	}
	if v.From != isa.NoType && v.From != v.Type {
		return mixed(v, Add, false)
	}
	switch t := v.Type; {
	case v.Sat && t.Kind() != isa.Float:
		return addSat(t)
	case t == isa.U32 || t == isa.S32 || t == isa.B32:
		return use.addU32
	case t == isa.U64 || t == isa.S64 || t == isa.B64:
		return use.addU64
	case t == isa.U16 || t == isa.S16:
		return liftShort2(func(a, b uint16) uint16 { return a + b })
	case t.Lanes() > 1 && !t.IsFloat():
		return liftPacked2(t.Elem().Bits(), func(a, b uint32) uint32 { return a + b })
	case t == isa.F32:
		return modifyF32(pick(v.Rnd, use.addF32, sumF32(v.Rnd, false)), v)
	case t == isa.F64:
		return pick(v.Rnd, addF64, sumF64(v.Rnd, false))
	case t == isa.F32x2:
		return pairs(Add, v)
	case t.IsFloat():
		return halfOp(v, addF16, addBF16)
	}
	return nil
}

// Sub is sub; see Add.
func Sub(v Variant) Fn {
	if four(v) {
		return fours(v, [3]isa.Type{v.From, v.Type, v.Type}, func(a, b, _ float64) float64 { return sumOdd(a, -b) })
	}
	if v.From != isa.NoType && v.From != v.Type {
		return mixed(v, Sub, false)
	}
	switch t := v.Type; {
	case v.Sat && t.Kind() != isa.Float:
		return subSat(t)
	case t == isa.U32 || t == isa.S32 || t == isa.B32:
		return use.subU32
	case t == isa.U64 || t == isa.S64 || t == isa.B64:
		return use.subU64
	case t == isa.U16 || t == isa.S16:
		return liftShort2(func(a, b uint16) uint16 { return a - b })
	case t.Lanes() > 1 && !t.IsFloat():
		return liftPacked2(t.Elem().Bits(), func(a, b uint32) uint32 { return a - b })
	case t == isa.F32:
		return modifyF32(pick(v.Rnd, use.subF32, sumF32(v.Rnd, true)), v)
	case t == isa.F64:
		return pick(v.Rnd, subF64, sumF64(v.Rnd, true))
	case t == isa.F32x2:
		return pairs(Sub, v)
	case t.IsFloat():
		return halfOp(v, subF16, subBF16)
	}
	return nil
}

// pick returns nearest for .rn and for no rounding, which means .rn.
func pick(rnd isa.Rounding, nearest, directed Fn) Fn {
	if rnd == isa.RN || rnd == isa.NoRnd {
		return nearest
	}
	return directed
}

// add and the loops after it are the portable ones of type kernels: a machine with
// vectors has its own (simd_amd64.go), which must agree with these.
func add[T wholeWord](d, a, b, _ *Slot) {
	x, p, q := view[T](d), view[T](a), view[T](b)
	for i := 0; i < Width; i += 4 {
		x[i] = p[i] + q[i]
		x[i+1] = p[i+1] + q[i+1]
		x[i+2] = p[i+2] + q[i+2]
		x[i+3] = p[i+3] + q[i+3]
	}
}

func sub[T wholeWord](d, a, b, _ *Slot) {
	x, p, q := view[T](d), view[T](a), view[T](b)
	for i := 0; i < Width; i += 4 {
		x[i] = p[i] - q[i]
		x[i+1] = p[i+1] - q[i+1]
		x[i+2] = p[i+2] - q[i+2]
		x[i+3] = p[i+3] - q[i+3]
	}
}

// The f32 loops find NaNs by adding up the results: a NaN in any makes the sum
// one. inf-inf in the sum is a false alarm, which canonF32 survives.

func addF32(d, a, b, _ *Slot) {
	x, p, q := view[float32](d), view[float32](a), view[float32](b)
	var s0, s1, s2, s3 float32
	for i := 0; i < Width; i += 4 {
		r0, r1, r2, r3 := p[i]+q[i], p[i+1]+q[i+1], p[i+2]+q[i+2], p[i+3]+q[i+3]
		x[i], x[i+1], x[i+2], x[i+3] = r0, r1, r2, r3
		s0, s1, s2, s3 = s0+r0, s1+r1, s2+r2, s3+r3
	}
	if s := (s0 + s1) + (s2 + s3); s != s {
		canonF32(d)
	}
}

func subF32(d, a, b, _ *Slot) {
	x, p, q := view[float32](d), view[float32](a), view[float32](b)
	var s0, s1, s2, s3 float32
	for i := 0; i < Width; i += 4 {
		r0, r1, r2, r3 := p[i]-q[i], p[i+1]-q[i+1], p[i+2]-q[i+2], p[i+3]-q[i+3]
		x[i], x[i+1], x[i+2], x[i+3] = r0, r1, r2, r3
		s0, s1, s2, s3 = s0+r0, s1+r1, s2+r2, s3+r3
	}
	if s := (s0 + s1) + (s2 + s3); s != s {
		canonF32(d)
	}
}

// sumF32 is a+b, or a-b, in any rounding.
func sumF32(rnd isa.Rounding, minus bool) Fn {
	return lift2(func(a, b float32) float32 {
		x, y := float64(a), float64(b)
		if minus {
			y = -y
		}
		return toF32(zeroSign(sumOdd(x, y), x, y, rnd), rnd)
	})
}

// addF64 and subF64 keep the payload of an operand that is NaN, as the
// hardware does; Go leaves open which one survives, so a NaN is made again.
func addF64(d, a, b, _ *Slot) {
	x, p, q := view[float64](d), view[float64](a), view[float64](b)
	for i := range x {
		r := p[i] + q[i]
		if r != r {
			r = nan64(p[i], q[i])
		}
		x[i] = r
	}
}

func subF64(d, a, b, _ *Slot) {
	x, p, q := view[float64](d), view[float64](a), view[float64](b)
	for i := range x {
		r := p[i] - q[i]
		if r != r {
			r = nan64(p[i], q[i])
		}
		x[i] = r
	}
}

// sumF64 is a+b, or a-b, in a directed rounding.
func sumF64(rnd isa.Rounding, minus bool) Fn {
	return lift2(func(a, b float64) float64 {
		y := b
		if minus {
			y = -b
		}
		s := a + y
		switch {
		case s != s:
			return nan64(a, b)
		case math.IsInf(s, 0):
			if math.IsInf(a, 0) || math.IsInf(b, 0) {
				return s
			}
			return direct64(s, -signOf(s), rnd) // overflow: the exact sum is smaller
		}
		t := s - a
		e := (a - (s - t)) + (y - t) // TwoSum; exact without overflow
		if e != e || math.IsInf(e, 0) {
			e = float64(exactFma(a, 1, y, s))
		}
		return direct64(zeroSign(s, a, y, rnd), signOf(e), rnd)
	})
}
