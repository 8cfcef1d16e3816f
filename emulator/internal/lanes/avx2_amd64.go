//go:build goexperiment.simd && amd64

package lanes

import (
	"math"
	"simd/archsimd"
)

// The loops of simd_amd64.go, and what is said there, for a CPU with AVX2 and FMA,
// but without AVX-512: a register of a warp is four vectors. The compiler does not
// notice an instruction that needs more; the comment of a method of archsimd says
// what its own needs. And it makes a shift of words to the right by a constant with
// an instruction older than AVX, which among vectors in use takes longer than all 32
// lanes do: there is none here.

type (
	u32x8   = archsimd.Uint32x8
	s32x8   = archsimd.Int32x8
	f32x8   = archsimd.Float32x8
	mask8   = archsimd.Mask32x8
	floats8 = [4][8]float32
)

func avx2(k *kernels) {
	k.addU32, k.subU32, k.mulU32, k.madU32 = addU32x8, subU32x8, mulU32x8, madU32x8
	k.addU64, k.subU64, k.mulU64, k.madU64 = addU64x4, subU64x4, mulU64x4, madU64x4
	k.mulWideU32, k.mulWideS32 = mulWideU32x4, mulWideS32x4
	k.madWideU32, k.madWideS32 = madWideU32x4, madWideS32x4
	k.and32, k.or32, k.xor32 = and32x8, or32x8, xor32x8
	k.and64, k.or64, k.xor64 = and64x4, or64x4, xor64x4
	k.shl32, k.shrU32, k.shrS32 = shl32x8, shrU32x8, shrS32x8
	k.shl64, k.shrU64 = shl64x4, shrU64x4
	k.addF32, k.subF32, k.mulF32, k.fmaF32 = addF32x8, subF32x8, mulF32x8, fmaF32x8
	k.minF32, k.maxF32 = minF32x8, maxF32x8
	k.minU32, k.maxU32, k.minS32, k.maxS32 = minU32x8, maxU32x8, minS32x8, maxS32x8
	k.equal32, k.lessU32, k.lessS32 = equal32x8, lessU32x8, lessS32x8
	k.equal64, k.lessU64, k.lessS64 = equal64x4, lessU64x4, lessS64x4
	k.equalF32, k.lessF32, k.lessEqualF32, k.orderedF32 = equalF32x8, lessF32x8, lessEqualF32x8, orderedF32x8
	k.low32, k.zeroExtend32, k.signExtend32 = low32x8, zeroExtend32x4, signExtend32x4
	k.s32ToF32, k.u32ToF32 = s32ToF32x8, u32ToF32x8
	k.merge32, k.merge64 = merge32x8, merge64x4
}

func f32x8At(s *Slot, i int) f32x8 { return archsimd.LoadFloat32x8(&as[floats8](s)[i]) }

// fourWords computes the vectors of a 32-bit register, and storeWords stores them. That
// is no loop, which would take half as long again. What takes or returns vectors is
// inlined though it is longer than eachWord.
func fourWords(d *Slot, f func(i int) u32x8) (to *Slot, r0, r1, r2, r3 u32x8) {
	return d, f(0), f(1), f(2), f(3)
}

func storeWords(d *Slot, r0, r1, r2, r3 u32x8) {
	p := as[words8](d)
	r0.Store(&p[0])
	r1.Store(&p[1])
	r2.Store(&p[2])
	r3.Store(&p[3])
	endVectors()
}

func addU32x8(d, a, b, _ *Slot) {
	storeWords(fourWords(d, func(i int) u32x8 { return u32x8At(a, i).Add(u32x8At(b, i)) }))
}
func subU32x8(d, a, b, _ *Slot) {
	storeWords(fourWords(d, func(i int) u32x8 { return u32x8At(a, i).Sub(u32x8At(b, i)) }))
}
func mulU32x8(d, a, b, _ *Slot) {
	storeWords(fourWords(d, func(i int) u32x8 { return u32x8At(a, i).Mul(u32x8At(b, i)) }))
}
func madU32x8(d, a, b, c *Slot) {
	storeWords(fourWords(d, func(i int) u32x8 { return u32x8At(a, i).Mul(u32x8At(b, i)).Add(u32x8At(c, i)) }))
}

func minU32x8(d, a, b, _ *Slot) {
	storeWords(fourWords(d, func(i int) u32x8 { return u32x8At(a, i).Min(u32x8At(b, i)) }))
}
func maxU32x8(d, a, b, _ *Slot) {
	storeWords(fourWords(d, func(i int) u32x8 { return u32x8At(a, i).Max(u32x8At(b, i)) }))
}
func minS32x8(d, a, b, _ *Slot) {
	storeWords(fourWords(d, func(i int) u32x8 { return s32x8At(a, i).Min(s32x8At(b, i)).AsUint32x8() }))
}
func maxS32x8(d, a, b, _ *Slot) {
	storeWords(fourWords(d, func(i int) u32x8 { return s32x8At(a, i).Max(s32x8At(b, i)).AsUint32x8() }))
}

func and32x8(d, a, b, _ *Slot) {
	storeWords(fourWords(d, func(i int) u32x8 { return u32x8At(a, i).And(u32x8At(b, i)) }))
}
func or32x8(d, a, b, _ *Slot) {
	storeWords(fourWords(d, func(i int) u32x8 { return u32x8At(a, i).Or(u32x8At(b, i)) }))
}
func xor32x8(d, a, b, _ *Slot) {
	storeWords(fourWords(d, func(i int) u32x8 { return u32x8At(a, i).Xor(u32x8At(b, i)) }))
}
func shl32x8(d, a, b, _ *Slot) {
	storeWords(fourWords(d, func(i int) u32x8 { return u32x8At(a, i).ShiftLeft(u32x8At(b, i)) }))
}
func shrU32x8(d, a, b, _ *Slot) {
	storeWords(fourWords(d, func(i int) u32x8 { return u32x8At(a, i).ShiftRight(u32x8At(b, i)) }))
}
func shrS32x8(d, a, b, _ *Slot) {
	storeWords(fourWords(d, func(i int) u32x8 { return s32x8At(a, i).ShiftRight(s32x8At(b, i)).AsUint32x8() }))
}

func s32ToF32x8(d, a, _, _ *Slot) {
	storeWords(fourWords(d, func(i int) u32x8 { return s32x8At(a, i).ConvertToFloat32().AsUint32x8() }))
}

// u32ToF32x8 converts the halves of words, as AVX2 converts signed integers only: both
// are exact, and their sum is rounded once.
func u32ToF32x8(d, a, _, _ *Slot) {
	half, scale := archsimd.BroadcastInt32x8(0xffff), archsimd.BroadcastFloat32x8(1<<16)
	storeWords(fourWords(d, func(i int) u32x8 {
		x := s32x8At(a, i)
		hi, lo := x.ShiftAllRight(16).And(half).ConvertToFloat32(), x.And(half).ConvertToFloat32()
		return hi.MulAdd(scale, lo).AsUint32x8()
	}))
}

// fourFloats is fourWords of floats; storeFloats is storeF32.
func fourFloats(d *Slot, f func(i int) f32x8) (to *Slot, r0, r1, r2, r3 f32x8) {
	return d, f(0), f(1), f(2), f(3)
}

func storeFloats(d *Slot, r0, r1, r2, r3 f32x8) {
	p := as[floats8](d)
	r0.Store(&p[0])
	r1.Store(&p[1])
	r2.Store(&p[2])
	r3.Store(&p[3])
	nans := r0.IsNaN().Or(r1.IsNaN()).Or(r2.IsNaN().Or(r3.IsNaN())).ToBits()
	endVectors()
	if nans != 0 {
		canonF32(d)
	}
}

func addF32x8(d, a, b, _ *Slot) {
	storeFloats(fourFloats(d, func(i int) f32x8 { return f32x8At(a, i).Add(f32x8At(b, i)) }))
}
func subF32x8(d, a, b, _ *Slot) {
	storeFloats(fourFloats(d, func(i int) f32x8 { return f32x8At(a, i).Sub(f32x8At(b, i)) }))
}
func mulF32x8(d, a, b, _ *Slot) {
	storeFloats(fourFloats(d, func(i int) f32x8 { return f32x8At(a, i).Mul(f32x8At(b, i)) }))
}
func fmaF32x8(d, a, b, c *Slot) {
	storeFloats(fourFloats(d, func(i int) f32x8 { return f32x8At(a, i).MulAdd(f32x8At(b, i), f32x8At(c, i)) }))
}

// ordinals8 is ordinals; magnitude is all bits but the sign.
func ordinals8(x, magnitude s32x8) s32x8 { return x.Xor(x.ShiftAllRight(31).And(magnitude)) }

func maxF32x8(d, a, b, _ *Slot) {
	if ^orderedF32x8(a, b) != 0 {
		maxF32(d, a, b, nil)
		return
	}
	m := archsimd.BroadcastInt32x8(math.MaxInt32)
	storeWords(fourWords(d, func(i int) u32x8 {
		return ordinals8(ordinals8(s32x8At(a, i), m).Max(ordinals8(s32x8At(b, i), m)), m).AsUint32x8()
	}))
}

func minF32x8(d, a, b, _ *Slot) {
	if ^orderedF32x8(a, b) != 0 {
		minF32(d, a, b, nil)
		return
	}
	m := archsimd.BroadcastInt32x8(math.MaxInt32)
	storeWords(fourWords(d, func(i int) u32x8 {
		return ordinals8(ordinals8(s32x8At(a, i), m).Min(ordinals8(s32x8At(b, i), m)), m).AsUint32x8()
	}))
}

// fourMasks compares, and joinedFour joins the bits of the results.
func fourMasks(f func(i int) mask8) (m0, m1, m2, m3 mask8) { return f(0), f(1), f(2), f(3) }

func joinedFour(m0, m1, m2, m3 mask8) uint32 {
	r := uint32(m0.ToBits()) | uint32(m1.ToBits())<<8 | uint32(m2.ToBits())<<16 | uint32(m3.ToBits())<<24
	endVectors()
	return r
}

func equal32x8(a, b *Slot) uint32 {
	return joinedFour(fourMasks(func(i int) mask8 { return u32x8At(a, i).Equal(u32x8At(b, i)) }))
}
func lessU32x8(a, b *Slot) uint32 {
	return joinedFour(fourMasks(func(i int) mask8 { return u32x8At(a, i).Less(u32x8At(b, i)) }))
}
func lessS32x8(a, b *Slot) uint32 {
	return joinedFour(fourMasks(func(i int) mask8 { return s32x8At(a, i).Less(s32x8At(b, i)) }))
}
func equalF32x8(a, b *Slot) uint32 {
	return joinedFour(fourMasks(func(i int) mask8 { return f32x8At(a, i).Equal(f32x8At(b, i)) }))
}
func lessF32x8(a, b *Slot) uint32 {
	return joinedFour(fourMasks(func(i int) mask8 { return f32x8At(a, i).Less(f32x8At(b, i)) }))
}
func lessEqualF32x8(a, b *Slot) uint32 {
	return joinedFour(fourMasks(func(i int) mask8 { return f32x8At(a, i).LessEqual(f32x8At(b, i)) }))
}
func orderedF32x8(a, b *Slot) uint32 {
	return ^joinedFour(fourMasks(func(i int) mask8 { return f32x8At(a, i).IsNaN().Or(f32x8At(b, i).IsNaN()) }))
}
