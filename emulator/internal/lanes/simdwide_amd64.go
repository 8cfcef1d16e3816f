//go:build goexperiment.simd && amd64

package lanes

// The loops of simd_amd64.go whose results have 64 bits, or whose operands do.

// A vector has eight lanes of 64 bits, so a register of a warp is four of
// them. Operands of 32 bits are extended on the way in (u32x8At).

// eachDouble is eachWord for 64-bit registers.
func eachDouble(d, a, b *Slot, f func(x, y u64x8) u64x8) {
	for i := range 4 {
		f(u64(a, i), u64(b, i)).Store(&as[doubles](d)[i])
	}
	endVectors()
}

func addU64x8(d, a, b, _ *Slot) { eachDouble(d, a, b, func(x, y u64x8) u64x8 { return x.Add(y) }) }
func subU64x8(d, a, b, _ *Slot) { eachDouble(d, a, b, func(x, y u64x8) u64x8 { return x.Sub(y) }) }
func mulU64x8(d, a, b, _ *Slot) { eachDouble(d, a, b, func(x, y u64x8) u64x8 { return x.Mul(y) }) }

func madU64x8(d, a, b, c *Slot) {
	for i := range 4 {
		x, y, z := u64(a, i), u64(b, i), u64(c, i)
		x.Mul(y).Add(z).Store(&as[doubles](d)[i])
	}
	endVectors()
}

func and64x8(d, a, b, _ *Slot) { eachDouble(d, a, b, func(x, y u64x8) u64x8 { return x.And(y) }) }
func or64x8(d, a, b, _ *Slot)  { eachDouble(d, a, b, func(x, y u64x8) u64x8 { return x.Or(y) }) }
func xor64x8(d, a, b, _ *Slot) { eachDouble(d, a, b, func(x, y u64x8) u64x8 { return x.Xor(y) }) }

func shl64x8(d, a, b, _ *Slot) {
	for i := range 4 {
		u64(a, i).ShiftLeft(u32x8At(b, i).ExtendToUint64()).Store(&as[doubles](d)[i])
	}
	endVectors()
}

func shrU64x8(d, a, b, _ *Slot) {
	for i := range 4 {
		u64(a, i).ShiftRight(u32x8At(b, i).ExtendToUint64()).Store(&as[doubles](d)[i])
	}
	endVectors()
}

func mulWideU32x8(d, a, b, _ *Slot) {
	for i := range 4 {
		x, y := u32x8At(a, i).ExtendToUint64(), u32x8At(b, i).ExtendToUint64()
		x.Mul(y).Store(&as[doubles](d)[i])
	}
	endVectors()
}

func madWideU32x8(d, a, b, c *Slot) {
	for i := range 4 {
		x, y := u32x8At(a, i).ExtendToUint64(), u32x8At(b, i).ExtendToUint64()
		x.Mul(y).Add(u64(c, i)).Store(&as[doubles](d)[i])
	}
	endVectors()
}

func mulWideS32x8(d, a, b, _ *Slot) {
	for i := range 4 {
		x, y := s32x8At(a, i).ExtendToInt64(), s32x8At(b, i).ExtendToInt64()
		x.Mul(y).Store(&as[longs](d)[i])
	}
	endVectors()
}

func madWideS32x8(d, a, b, c *Slot) {
	for i := range 4 {
		x, y := s32x8At(a, i).ExtendToInt64(), s32x8At(b, i).ExtendToInt64()
		x.Mul(y).Add(s64(c, i)).Store(&as[longs](d)[i])
	}
	endVectors()
}

func zeroExtend32x8(d, a, _, _ *Slot) {
	for i := range 4 {
		u32x8At(a, i).ExtendToUint64().Store(&as[doubles](d)[i])
	}
	endVectors()
}

func signExtend32x8(d, a, _, _ *Slot) {
	for i := range 4 {
		s32x8At(a, i).ExtendToInt64().Store(&as[longs](d)[i])
	}
	endVectors()
}

func equal64x8(a, b *Slot) (r uint32) {
	for i := range 4 {
		r |= uint32(u64(a, i).Equal(u64(b, i)).ToBits()) << (8 * i)
	}
	endVectors()
	return r
}

func lessU64x8(a, b *Slot) (r uint32) {
	for i := range 4 {
		r |= uint32(u64(a, i).Less(u64(b, i)).ToBits()) << (8 * i)
	}
	endVectors()
	return r
}

func lessS64x8(a, b *Slot) (r uint32) {
	for i := range 4 {
		r |= uint32(s64(a, i).Less(s64(b, i)).ToBits()) << (8 * i)
	}
	endVectors()
	return r
}
