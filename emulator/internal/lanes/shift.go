package lanes

// PTX clamps shift amounts to the width (of .wrap forms, takes them modulo
// 32); so do Go's shifts, which makes every shift below one operator. Many
// machines do not: x86 takes amounts modulo the width, and the compiler adds the
// comparison that Go promises.

// Shl shifts left; amounts of the width and more give 0 (PTX ISA 9.7.9.8).
func Shl(v Variant) Fn {
	switch v.Type.Bits() {
	case 16:
		return lift2(func(a, n uint32) uint32 { return a << n & 0xffff })
	case 32:
		return use.shl32
	case 64:
		return use.shl64
	}
	return nil
}

// Shr shifts right, signed types with copies of the sign; larger amounts count
// as the width (PTX ISA 9.7.9.9).
func Shr(v Variant) Fn {
	signed := v.Type.IsSigned()
	switch v.Type.Bits() {
	case 16:
		if signed {
			return lift2(func(a, n uint32) uint32 { return uint32(uint16(int16(a) >> n)) })
		}
		return lift2(func(a, n uint32) uint32 { return a & 0xffff >> n })
	case 32:
		if signed {
			return use.shrS32
		}
		return use.shrU32
	case 64:
		if signed {
			return lift2(func(a int64, n uint32) int64 { return a >> n })
		}
		return use.shrU64
	}
	return nil
}

// The portable loops of type kernels.

func shiftLeft[T wholeWord](d, a, b, _ *Slot) {
	x, p := view[T](d), view[T](a)
	for i := 0; i < Width; i += 4 {
		x[i] = p[i] << b[i]
		x[i+1] = p[i+1] << b[i+1]
		x[i+2] = p[i+2] << b[i+2]
		x[i+3] = p[i+3] << b[i+3]
	}
}

func shiftRight[T wholeWord](d, a, b, _ *Slot) {
	x, p := view[T](d), view[T](a)
	for i := 0; i < Width; i += 4 {
		x[i] = p[i] >> b[i]
		x[i+1] = p[i+1] >> b[i+1]
		x[i+2] = p[i+2] >> b[i+2]
		x[i+3] = p[i+3] >> b[i+3]
	}
}

// Shf shifts the 64 bits of b:a by c and returns the upper word of a left
// shift, the lower one of a right shift (PTX ISA 9.7.9.7).
func Shf(v Variant) Fn {
	amount := func(c uint32) uint32 { return min(c, 32) }
	if v.Wrap {
		amount = func(c uint32) uint32 { return c & 31 }
	}
	if v.Left {
		return lift3(func(a, b, c uint32) uint32 {
			return uint32((uint64(b)<<32 | uint64(a)) << amount(c) >> 32)
		})
	}
	return lift3(func(a, b, c uint32) uint32 {
		return uint32((uint64(b)<<32 | uint64(a)) >> amount(c))
	})
}
