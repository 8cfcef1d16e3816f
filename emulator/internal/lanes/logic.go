package lanes

// The bitwise operations do not care for types, only for widths; of 16-bit
// registers the upper halves are zero and stay so, but for not, which has to
// clear them.

// And, Or, Xor, Not and Cnot are the bitwise operations on 16, 32 and 64 bits
// (PTX ISA 9.7.9); on predicates they are the caller's, on masks.
func And(v Variant) Fn {
	if v.Type.Bits() == 64 {
		return use.and64
	}
	return use.and32
}

// Or is or; see And.
func Or(v Variant) Fn {
	if v.Type.Bits() == 64 {
		return use.or64
	}
	return use.or32
}

// Xor is xor; see And.
func Xor(v Variant) Fn {
	if v.Type.Bits() == 64 {
		return use.xor64
	}
	return use.xor32
}

// Not is the one's complement; see And.
func Not(v Variant) Fn {
	switch v.Type.Bits() {
	case 16:
		return lift1(func(a uint32) uint32 { return ^a & 0xffff })
	case 32:
		return lift1(func(a uint32) uint32 { return ^a })
	case 64:
		return lift1(func(a uint64) uint64 { return ^a })
	}
	return nil
}

// Cnot is 1 for zero and 0 for anything else (PTX ISA 9.7.9.5).
func Cnot(v Variant) Fn {
	if v.Type.Bits() == 64 {
		return lift1(func(a uint64) uint64 { return uint64(bit(a == 0)) })
	}
	return lift1(func(a uint32) uint32 { return bit(a == 0) })
}

// and and the loops after it are the portable ones of type kernels.
func and[T wholeWord](d, a, b, _ *Slot) {
	x, p, q := view[T](d), view[T](a), view[T](b)
	for i := 0; i < Width; i += 4 {
		x[i] = p[i] & q[i]
		x[i+1] = p[i+1] & q[i+1]
		x[i+2] = p[i+2] & q[i+2]
		x[i+3] = p[i+3] & q[i+3]
	}
}

func or[T wholeWord](d, a, b, _ *Slot) {
	x, p, q := view[T](d), view[T](a), view[T](b)
	for i := 0; i < Width; i += 4 {
		x[i] = p[i] | q[i]
		x[i+1] = p[i+1] | q[i+1]
		x[i+2] = p[i+2] | q[i+2]
		x[i+3] = p[i+3] | q[i+3]
	}
}

func xor[T wholeWord](d, a, b, _ *Slot) {
	x, p, q := view[T](d), view[T](a), view[T](b)
	for i := 0; i < Width; i += 4 {
		x[i] = p[i] ^ q[i]
		x[i+1] = p[i+1] ^ q[i+1]
		x[i+2] = p[i+2] ^ q[i+2]
		x[i+3] = p[i+3] ^ q[i+3]
	}
}

// Lop3 looks each triple of bits up in the table: a's bit is worth 4, b's 2,
// c's 1 (PTX ISA 9.7.9.6).
func Lop3(v Variant) Fn {
	var keep [8]uint32 // all ones where the table has a one
	for i := range keep {
		keep[i] = -uint32(v.LUT >> i & 1)
	}
	return lift3(func(a, b, c uint32) uint32 {
		return ^a&(^b&(^c&keep[0]|c&keep[1])|b&(^c&keep[2]|c&keep[3])) |
			a&(^b&(^c&keep[4]|c&keep[5])|b&(^c&keep[6]|c&keep[7]))
	})
}

// Prmt picks four of the eight bytes of b:a (PTX ISA 9.7.10.7).
func Prmt(v Variant) Fn {
	mode := v.Prmt
	return lift3(func(a, b, c uint32) uint32 {
		sel := c
		if mode != PrmtIndex {
			sel = prmtSelectors[mode][c&3]
		}
		bytes := uint64(b)<<32 | uint64(a)
		var r uint32
		for i := 0; i < 4; i++ {
			s := sel >> (4 * i)
			e := uint32(bytes>>(8*(s&7))) & 0xff
			if s&8 != 0 { // replicate the byte's sign
				e = -(e >> 7) & 0xff
			}
			r |= e << (8 * i)
		}
		return r
	})
}

// prmtSelectors are the named modes' selectors by the low two bits of c.
var prmtSelectors = [...][4]uint32{
	PrmtF4E:  {0x3210, 0x4321, 0x5432, 0x6543},
	PrmtB4E:  {0x5670, 0x6701, 0x7012, 0x0123},
	PrmtRC8:  {0x0000, 0x1111, 0x2222, 0x3333},
	PrmtECL:  {0x3210, 0x3211, 0x3222, 0x3333},
	PrmtECR:  {0x0000, 0x1110, 0x2210, 0x3210},
	PrmtRC16: {0x1010, 0x3232, 0x1010, 0x3232},
}
