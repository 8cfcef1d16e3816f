//go:build goexperiment.simd && amd64

package lanes

import (
	"math"
	"simd/archsimd"
)

// The loops of kernels.go on AVX-512: a register of a warp is two vectors, a
// 64-bit one four. Tested against the portable loops over all special values
// (simd_test.go). What a vector unit does otherwise than PTX, NaNs, is noticed
// by a comparison and put right by the portable code.

// init makes the sets of loops that the CPU can run; the last one is used.
func init() {
	if archsimd.X86.AVX2() && archsimd.X86.FMA() {
		install("AVX2", avx2)
	}
	if archsimd.X86.AVX512() {
		install("AVX-512", avx512)
	}
}

func install(name string, replace func(*kernels)) {
	k := portable
	replace(&k)
	sets = append(sets, set{name, k})
	use = k
}

func avx512(k *kernels) {
	k.addU32, k.subU32, k.mulU32, k.madU32 = addU32x16, subU32x16, mulU32x16, madU32x16
	k.addU64, k.subU64, k.mulU64, k.madU64 = addU64x8, subU64x8, mulU64x8, madU64x8
	k.mulWideU32, k.mulWideS32 = mulWideU32x8, mulWideS32x8
	k.madWideU32, k.madWideS32 = madWideU32x8, madWideS32x8
	k.and32, k.or32, k.xor32 = and32x16, or32x16, xor32x16
	k.and64, k.or64, k.xor64 = and64x8, or64x8, xor64x8
	k.shl32, k.shrU32, k.shrS32 = shl32x16, shrU32x16, shrS32x16
	k.shl64, k.shrU64 = shl64x8, shrU64x8
	k.addF32, k.subF32, k.mulF32, k.fmaF32 = addF32x16, subF32x16, mulF32x16, fmaF32x16
	k.minF32, k.maxF32 = minF32x16, maxF32x16
	k.minU32, k.maxU32, k.minS32, k.maxS32 = minU32x16, maxU32x16, minS32x16, maxS32x16
	k.equal32, k.lessU32, k.lessS32 = equal32x16, lessU32x16, lessS32x16
	k.equal64, k.lessU64, k.lessS64 = equal64x8, lessU64x8, lessS64x8
	k.equalF32, k.lessF32, k.lessEqualF32, k.orderedF32 = equalF32x16, lessF32x16, lessEqualF32x16, orderedF32x16
	k.zeroExtend32, k.signExtend32 = zeroExtend32x8, signExtend32x8
	k.s32ToF32, k.u32ToF32 = s32ToF32x16, u32ToF32x16
	k.merge32, k.merge64 = merge32x8, merge64x4 // of AVX2
}

// endVectors ends a function that used vectors: where their upper halves are not
// zero, some CPUs run Go's scalar floating-point code slowly, because each
// instruction has to keep them. It is one instruction, VZEROUPPER, and stands
// last, before whatever calls portable code.
func endVectors() { archsimd.ClearAVXUpperBits() }

// A register as the vectors that it consists of, 16 lanes each, or eight where
// a lane has 64 bits; half a vector of 32-bit lanes widens to one of 64 bits.

type (
	words    = [2][16]uint32
	integers = [2][16]int32
	floats   = [2][16]float32
	doubles  = [4][8]uint64
	longs    = [4][8]int64
	words8   = [4][8]uint32
	ints8    = [4][8]int32
)

type (
	u32x16 = archsimd.Uint32x16
	u64x8  = archsimd.Uint64x8
)

// These load vector i of a register.

func u32(s *Slot, i int) archsimd.Uint32x16    { return archsimd.LoadUint32x16(&as[words](s)[i]) }
func s32(s *Slot, i int) archsimd.Int32x16     { return archsimd.LoadInt32x16(&as[integers](s)[i]) }
func f32(s *Slot, i int) archsimd.Float32x16   { return archsimd.LoadFloat32x16(&as[floats](s)[i]) }
func u64(s *Slot, i int) archsimd.Uint64x8     { return archsimd.LoadUint64x8(&as[doubles](s)[i]) }
func s64(s *Slot, i int) archsimd.Int64x8      { return archsimd.LoadInt64x8(&as[longs](s)[i]) }
func u32x8At(s *Slot, i int) archsimd.Uint32x8 { return archsimd.LoadUint32x8(&as[words8](s)[i]) }
func s32x8At(s *Slot, i int) archsimd.Int32x8  { return archsimd.LoadInt32x8(&as[ints8](s)[i]) }

// eachWord runs an operation on the vectors of 32-bit registers. The compiler
// inlines it, and f with it, which is then one instruction; that holds for a
// literal function only, not for a method expression.
func eachWord(d, a, b *Slot, f func(x, y u32x16) u32x16) {
	for i := range 2 {
		f(u32(a, i), u32(b, i)).Store(&as[words](d)[i])
	}
	endVectors()
}

// Integer arithmetic wraps as PTX's does, and vector shifts give 0, or the
// sign, for amounts beyond the width, as PTX asks: these loops need no
// corrections.

func addU32x16(d, a, b, _ *Slot) { eachWord(d, a, b, func(x, y u32x16) u32x16 { return x.Add(y) }) }
func subU32x16(d, a, b, _ *Slot) { eachWord(d, a, b, func(x, y u32x16) u32x16 { return x.Sub(y) }) }
func mulU32x16(d, a, b, _ *Slot) { eachWord(d, a, b, func(x, y u32x16) u32x16 { return x.Mul(y) }) }

func minU32x16(d, a, b, _ *Slot) { eachWord(d, a, b, func(x, y u32x16) u32x16 { return x.Min(y) }) }
func maxU32x16(d, a, b, _ *Slot) { eachWord(d, a, b, func(x, y u32x16) u32x16 { return x.Max(y) }) }

func minS32x16(d, a, b, _ *Slot) {
	eachWord(d, a, b, func(x, y u32x16) u32x16 { return x.AsInt32x16().Min(y.AsInt32x16()).AsUint32x16() })
}

func maxS32x16(d, a, b, _ *Slot) {
	eachWord(d, a, b, func(x, y u32x16) u32x16 { return x.AsInt32x16().Max(y.AsInt32x16()).AsUint32x16() })
}

func madU32x16(d, a, b, c *Slot) {
	for i := range 2 {
		x, y, z := u32(a, i), u32(b, i), u32(c, i)
		x.Mul(y).Add(z).Store(&as[words](d)[i])
	}
	endVectors()
}

func and32x16(d, a, b, _ *Slot) { eachWord(d, a, b, func(x, y u32x16) u32x16 { return x.And(y) }) }
func or32x16(d, a, b, _ *Slot)  { eachWord(d, a, b, func(x, y u32x16) u32x16 { return x.Or(y) }) }
func xor32x16(d, a, b, _ *Slot) { eachWord(d, a, b, func(x, y u32x16) u32x16 { return x.Xor(y) }) }
func shl32x16(d, a, b, _ *Slot) {
	eachWord(d, a, b, func(x, y u32x16) u32x16 { return x.ShiftLeft(y) })
}
func shrU32x16(d, a, b, _ *Slot) {
	eachWord(d, a, b, func(x, y u32x16) u32x16 { return x.ShiftRight(y) })
}

func shrS32x16(d, a, b, _ *Slot) {
	for i := range 2 {
		x, y := s32(a, i), s32(b, i)
		x.ShiftRight(y).Store(&as[integers](d)[i])
	}
	endVectors()
}

// Conversions round to nearest even, the only rounding for which these loops
// are used.

func s32ToF32x16(d, a, _, _ *Slot) {
	for i := range 2 {
		s32(a, i).ConvertToFloat32().Store(&as[floats](d)[i])
	}
	endVectors()
}

func u32ToF32x16(d, a, _, _ *Slot) {
	for i := range 2 {
		u32(a, i).ConvertToFloat32().Store(&as[floats](d)[i])
	}
	endVectors()
}

// Floating-point arithmetic agrees with PTX but for NaNs, which the vector
// unit propagates from an operand where PTX has a canonical one. Both halves
// are computed before the test, so that the common case has one branch.

// storeF32 stores a register of results, with canonical NaNs.
func storeF32(d *Slot, lo, hi archsimd.Float32x16) {
	lo.Store(&as[floats](d)[0])
	hi.Store(&as[floats](d)[1])
	nans := lo.IsNaN().Or(hi.IsNaN()).ToBits()
	endVectors()
	if nans != 0 {
		canonF32(d)
	}
}

func addF32x16(d, a, b, _ *Slot) {
	storeF32(d, f32(a, 0).Add(f32(b, 0)), f32(a, 1).Add(f32(b, 1)))
}

func subF32x16(d, a, b, _ *Slot) {
	storeF32(d, f32(a, 0).Sub(f32(b, 0)), f32(a, 1).Sub(f32(b, 1)))
}

func mulF32x16(d, a, b, _ *Slot) {
	storeF32(d, f32(a, 0).Mul(f32(b, 0)), f32(a, 1).Mul(f32(b, 1)))
}

func fmaF32x16(d, a, b, c *Slot) {
	storeF32(d, f32(a, 0).MulAdd(f32(b, 0), f32(c, 0)), f32(a, 1).MulAdd(f32(b, 1), f32(c, 1)))
}

// ordinals maps floats to integers of the same order: see ordinal. It is its
// own inverse; magnitude is all bits but the sign.
func ordinals(x, magnitude archsimd.Int32x16) archsimd.Int32x16 {
	return x.Xor(x.ShiftAllRight(31).And(magnitude))
}

// maxF32x16 and minF32x16 compare ordinals like the portable loops. The
// vector unit's own minimum is no use: it returns the second operand where
// one is NaN, and does not order zeros.
func maxF32x16(d, a, b, _ *Slot) {
	if ^orderedF32x16(a, b) != 0 {
		maxF32(d, a, b, nil)
		return
	}
	m := archsimd.BroadcastInt32x16(math.MaxInt32)
	for i := range 2 {
		ordinals(ordinals(s32(a, i), m).Max(ordinals(s32(b, i), m)), m).Store(&as[integers](d)[i])
	}
	endVectors()
}

func minF32x16(d, a, b, _ *Slot) {
	if ^orderedF32x16(a, b) != 0 {
		minF32(d, a, b, nil)
		return
	}
	m := archsimd.BroadcastInt32x16(math.MaxInt32)
	for i := range 2 {
		ordinals(ordinals(s32(a, i), m).Min(ordinals(s32(b, i), m)), m).Store(&as[integers](d)[i])
	}
	endVectors()
}

// maskOf joins the 16 bits that the comparison of each vector gives, the lower
// lanes' first.
func maskOf(lo, hi archsimd.Mask32x16) uint32 {
	r := uint32(lo.ToBits()) | uint32(hi.ToBits())<<16
	endVectors()
	return r
}

func equal32x16(a, b *Slot) uint32 {
	return maskOf(u32(a, 0).Equal(u32(b, 0)), u32(a, 1).Equal(u32(b, 1)))
}

func lessU32x16(a, b *Slot) uint32 {
	return maskOf(u32(a, 0).Less(u32(b, 0)), u32(a, 1).Less(u32(b, 1)))
}

func lessS32x16(a, b *Slot) uint32 {
	return maskOf(s32(a, 0).Less(s32(b, 0)), s32(a, 1).Less(s32(b, 1)))
}

func equalF32x16(a, b *Slot) uint32 {
	return maskOf(f32(a, 0).Equal(f32(b, 0)), f32(a, 1).Equal(f32(b, 1)))
}

func lessF32x16(a, b *Slot) uint32 {
	return maskOf(f32(a, 0).Less(f32(b, 0)), f32(a, 1).Less(f32(b, 1)))
}

func lessEqualF32x16(a, b *Slot) uint32 {
	return maskOf(f32(a, 0).LessEqual(f32(b, 0)), f32(a, 1).LessEqual(f32(b, 1)))
}

func orderedF32x16(a, b *Slot) uint32 {
	lo, hi := f32(a, 0).IsNaN().Or(f32(b, 0).IsNaN()), f32(a, 1).IsNaN().Or(f32(b, 1).IsNaN())
	return ^maskOf(lo, hi)
}
