//go:build goexperiment.simd && amd64

package lanes

import "simd/archsimd"

// The loops of kernels.go on AVX-512: a register of a warp is two vectors, a
// 64-bit one four. Tested against the portable loops over all special values
// (simd_test.go). What a vector unit does otherwise than PTX, NaNs, is noticed
// by a comparison and put right by the portable code.

// init replaces the portable loops where the CPU has AVX-512.
func init() {
	if !archsimd.X86.AVX512() {
		return
	}
	use.addU32, use.subU32, use.mulU32, use.madU32 = addU32x16, subU32x16, mulU32x16, madU32x16
	use.addU64, use.subU64, use.mulU64, use.madU64 = addU64x8, subU64x8, mulU64x8, madU64x8
	use.mulWideU32, use.mulWideS32 = mulWideU32x8, mulWideS32x8
	use.madWideU32, use.madWideS32 = madWideU32x8, madWideS32x8
	use.and32, use.or32, use.xor32 = and32x16, or32x16, xor32x16
	use.and64, use.or64, use.xor64 = and64x8, or64x8, xor64x8
	use.shl32, use.shrU32, use.shrS32 = shl32x16, shrU32x16, shrS32x16
	use.shl64, use.shrU64 = shl64x8, shrU64x8
	use.addF32, use.subF32, use.mulF32, use.fmaF32 = addF32x16, subF32x16, mulF32x16, fmaF32x16
	use.minF32, use.maxF32 = minF32x16, maxF32x16
	use.equal32, use.lessU32, use.lessS32 = equal32x16, lessU32x16, lessS32x16
	use.equal64, use.lessU64, use.lessS64 = equal64x8, lessU64x8, lessS64x8
	use.equalF32, use.lessF32, use.lessEqualF32, use.orderedF32 = equalF32x16, lessF32x16, lessEqualF32x16, orderedF32x16
	use.zeroExtend32, use.signExtend32 = zeroExtend32x8, signExtend32x8
	use.s32ToF32, use.u32ToF32 = s32ToF32x16, u32ToF32x16
}

// endVectors ends a function that used vectors: where their upper halves are not
// zero, some CPUs run Go's scalar floating-point code slowly.
func endVectors() { archsimd.ClearAVXUpperBits() }

// The vectors of a register, by their first lane.

func u32At(s *Slot, i int) *[16]uint32  { return (*[16]uint32)(s[i : i+16]) }
func s32At(s *Slot, i int) *[16]int32   { return (*[16]int32)(view[int32](s)[i : i+16]) }
func f32At(s *Slot, i int) *[16]float32 { return (*[16]float32)(view[float32](s)[i : i+16]) }
func u64At(s *Slot, i int) *[8]uint64   { return (*[8]uint64)(Wide(s)[i : i+8]) }
func s64At(s *Slot, i int) *[8]int64    { return (*[8]int64)(view[int64](s)[i : i+8]) }

func u32(s *Slot, i int) archsimd.Uint32x16  { return archsimd.LoadUint32x16(u32At(s, i)) }
func s32(s *Slot, i int) archsimd.Int32x16   { return archsimd.LoadInt32x16(s32At(s, i)) }
func f32(s *Slot, i int) archsimd.Float32x16 { return archsimd.LoadFloat32x16(f32At(s, i)) }
func u64(s *Slot, i int) archsimd.Uint64x8   { return archsimd.LoadUint64x8(u64At(s, i)) }
func s64(s *Slot, i int) archsimd.Int64x8    { return archsimd.LoadInt64x8(s64At(s, i)) }

// u32Half and s32Half are eight lanes, as many as a vector of 64 bits has.

func u32Half(s *Slot, i int) archsimd.Uint32x8 {
	return archsimd.LoadUint32x8((*[8]uint32)(s[i : i+8]))
}

func s32Half(s *Slot, i int) archsimd.Int32x8 {
	return archsimd.LoadInt32x8((*[8]int32)(view[int32](s)[i : i+8]))
}

// Integer arithmetic wraps as PTX's does, and vector shifts give 0, or the
// sign, for amounts beyond the width, as PTX asks: these loops need no
// corrections.

func addU32x16(d, a, b, _ *Slot) {
	for i := 0; i < Width; i += 16 {
		x, y := u32(a, i), u32(b, i)
		x.Add(y).Store(u32At(d, i))
	}
	endVectors()
}

func subU32x16(d, a, b, _ *Slot) {
	for i := 0; i < Width; i += 16 {
		x, y := u32(a, i), u32(b, i)
		x.Sub(y).Store(u32At(d, i))
	}
	endVectors()
}

func mulU32x16(d, a, b, _ *Slot) {
	for i := 0; i < Width; i += 16 {
		x, y := u32(a, i), u32(b, i)
		x.Mul(y).Store(u32At(d, i))
	}
	endVectors()
}

func madU32x16(d, a, b, c *Slot) {
	for i := 0; i < Width; i += 16 {
		x, y, z := u32(a, i), u32(b, i), u32(c, i)
		x.Mul(y).Add(z).Store(u32At(d, i))
	}
	endVectors()
}

func and32x16(d, a, b, _ *Slot) {
	for i := 0; i < Width; i += 16 {
		x, y := u32(a, i), u32(b, i)
		x.And(y).Store(u32At(d, i))
	}
	endVectors()
}

func or32x16(d, a, b, _ *Slot) {
	for i := 0; i < Width; i += 16 {
		x, y := u32(a, i), u32(b, i)
		x.Or(y).Store(u32At(d, i))
	}
	endVectors()
}

func xor32x16(d, a, b, _ *Slot) {
	for i := 0; i < Width; i += 16 {
		x, y := u32(a, i), u32(b, i)
		x.Xor(y).Store(u32At(d, i))
	}
	endVectors()
}

func shl32x16(d, a, b, _ *Slot) {
	for i := 0; i < Width; i += 16 {
		x, y := u32(a, i), u32(b, i)
		x.ShiftLeft(y).Store(u32At(d, i))
	}
	endVectors()
}

func shrU32x16(d, a, b, _ *Slot) {
	for i := 0; i < Width; i += 16 {
		x, y := u32(a, i), u32(b, i)
		x.ShiftRight(y).Store(u32At(d, i))
	}
	endVectors()
}

func shrS32x16(d, a, b, _ *Slot) {
	for i := 0; i < Width; i += 16 {
		x, y := s32(a, i), s32(b, i)
		x.ShiftRight(y).Store(s32At(d, i))
	}
	endVectors()
}

// Conversions round to nearest even, the only rounding for which these loops
// are used.

func s32ToF32x16(d, a, _, _ *Slot) {
	for i := 0; i < Width; i += 16 {
		s32(a, i).ConvertToFloat32().Store(f32At(d, i))
	}
	endVectors()
}

func u32ToF32x16(d, a, _, _ *Slot) {
	for i := 0; i < Width; i += 16 {
		u32(a, i).ConvertToFloat32().Store(f32At(d, i))
	}
	endVectors()
}

// Floating-point arithmetic agrees with PTX but for NaNs, which the vector
// unit propagates from an operand where PTX has a canonical one. Both halves
// are computed before the test, so that the common case has one branch.

func addF32x16(d, a, b, _ *Slot) {
	x0, y0 := f32(a, 0), f32(b, 0)
	x1, y1 := f32(a, 16), f32(b, 16)
	r0, r1 := x0.Add(y0), x1.Add(y1)
	r0.Store(f32At(d, 0))
	r1.Store(f32At(d, 16))
	nans := r0.IsNaN().Or(r1.IsNaN()).ToBits()
	endVectors()
	if nans != 0 {
		canonF32(d)
	}
}

func subF32x16(d, a, b, _ *Slot) {
	x0, y0 := f32(a, 0), f32(b, 0)
	x1, y1 := f32(a, 16), f32(b, 16)
	r0, r1 := x0.Sub(y0), x1.Sub(y1)
	r0.Store(f32At(d, 0))
	r1.Store(f32At(d, 16))
	nans := r0.IsNaN().Or(r1.IsNaN()).ToBits()
	endVectors()
	if nans != 0 {
		canonF32(d)
	}
}

func mulF32x16(d, a, b, _ *Slot) {
	x0, y0 := f32(a, 0), f32(b, 0)
	x1, y1 := f32(a, 16), f32(b, 16)
	r0, r1 := x0.Mul(y0), x1.Mul(y1)
	r0.Store(f32At(d, 0))
	r1.Store(f32At(d, 16))
	nans := r0.IsNaN().Or(r1.IsNaN()).ToBits()
	endVectors()
	if nans != 0 {
		canonF32(d)
	}
}

func fmaF32x16(d, a, b, c *Slot) {
	x0, y0, z0 := f32(a, 0), f32(b, 0), f32(c, 0)
	x1, y1, z1 := f32(a, 16), f32(b, 16), f32(c, 16)
	r0, r1 := x0.MulAdd(y0, z0), x1.MulAdd(y1, z1)
	r0.Store(f32At(d, 0))
	r1.Store(f32At(d, 16))
	nans := r0.IsNaN().Or(r1.IsNaN()).ToBits()
	endVectors()
	if nans != 0 {
		canonF32(d)
	}
}

// ordinals maps floats to integers of the same order: see ordinal. It is its
// own inverse.
func ordinals(x archsimd.Int32x16) archsimd.Int32x16 {
	return x.Xor(x.ShiftAllRight(31).AsUint32x16().ShiftAllRight(1).AsInt32x16())
}

// maxF32x16 and minF32x16 compare ordinals like the portable loops. The
// vector unit's own minimum is no use: it returns the second operand where
// one is NaN, and does not order zeros.
func maxF32x16(d, a, b, _ *Slot) {
	if ^orderedF32x16(a, b) != 0 {
		maxF32(d, a, b, nil)
		return
	}
	for i := 0; i < Width; i += 16 {
		ordinals(ordinals(s32(a, i)).Max(ordinals(s32(b, i)))).Store(s32At(d, i))
	}
	endVectors()
}

func minF32x16(d, a, b, _ *Slot) {
	if ^orderedF32x16(a, b) != 0 {
		minF32(d, a, b, nil)
		return
	}
	for i := 0; i < Width; i += 16 {
		ordinals(ordinals(s32(a, i)).Min(ordinals(s32(b, i)))).Store(s32At(d, i))
	}
	endVectors()
}

// Comparisons give a mask of 16 bits for each vector, the lower lanes' first.

func equal32x16(a, b *Slot) uint32 {
	lo, hi := u32(a, 0).Equal(u32(b, 0)), u32(a, 16).Equal(u32(b, 16))
	r := uint32(lo.ToBits()) | uint32(hi.ToBits())<<16
	endVectors()
	return r
}

func lessU32x16(a, b *Slot) uint32 {
	lo, hi := u32(a, 0).Less(u32(b, 0)), u32(a, 16).Less(u32(b, 16))
	r := uint32(lo.ToBits()) | uint32(hi.ToBits())<<16
	endVectors()
	return r
}

func lessS32x16(a, b *Slot) uint32 {
	lo, hi := s32(a, 0).Less(s32(b, 0)), s32(a, 16).Less(s32(b, 16))
	r := uint32(lo.ToBits()) | uint32(hi.ToBits())<<16
	endVectors()
	return r
}

func equalF32x16(a, b *Slot) uint32 {
	lo, hi := f32(a, 0).Equal(f32(b, 0)), f32(a, 16).Equal(f32(b, 16))
	r := uint32(lo.ToBits()) | uint32(hi.ToBits())<<16
	endVectors()
	return r
}

func lessF32x16(a, b *Slot) uint32 {
	lo, hi := f32(a, 0).Less(f32(b, 0)), f32(a, 16).Less(f32(b, 16))
	r := uint32(lo.ToBits()) | uint32(hi.ToBits())<<16
	endVectors()
	return r
}

func lessEqualF32x16(a, b *Slot) uint32 {
	lo, hi := f32(a, 0).LessEqual(f32(b, 0)), f32(a, 16).LessEqual(f32(b, 16))
	r := uint32(lo.ToBits()) | uint32(hi.ToBits())<<16
	endVectors()
	return r
}

func orderedF32x16(a, b *Slot) uint32 {
	lo, hi := f32(a, 0).IsNaN().Or(f32(b, 0).IsNaN()), f32(a, 16).IsNaN().Or(f32(b, 16).IsNaN())
	r := ^(uint32(lo.ToBits()) | uint32(hi.ToBits())<<16)
	endVectors()
	return r
}
