package lanes

import (
	"math/bits"

	"hyptx/ir/isa"
)

// Operations on the bits of a word: counting, finding, extracting and
// inserting. Go's package math/bits has most of them, and Go's shifts give 0
// (or, of signed values, the sign) for amounts beyond the width, as these
// instructions ask, so that bounds need no cases of their own.

// Popc counts the ones of 32 or 64 bits; the result has 32 (PTX ISA 9.7.1.15).
func Popc(v Variant) Fn {
	if v.Type.Bits() == 64 {
		return lift1(func(a uint64) uint32 { return uint32(bits.OnesCount64(a)) })
	}
	return lift1(func(a uint32) uint32 { return uint32(bits.OnesCount32(a)) })
}

// Clz counts the leading zeros (PTX ISA 9.7.1.16).
func Clz(v Variant) Fn {
	if v.Type.Bits() == 64 {
		return lift1(func(a uint64) uint32 { return uint32(bits.LeadingZeros64(a)) })
	}
	return lift1(func(a uint32) uint32 { return uint32(bits.LeadingZeros32(a)) })
}

// Brev reverses the bits (PTX ISA 9.7.1.19).
func Brev(v Variant) Fn {
	if v.Type.Bits() == 64 {
		return lift1(bits.Reverse64)
	}
	return lift1(bits.Reverse32)
}

// Bfind finds the highest bit that is no copy of the sign, or with .shiftamt
// how far it is from the top; all ones if there is none (PTX ISA 9.7.1.17).
func Bfind(v Variant) Fn {
	top := uint32(v.Type.Bits() - 1)
	find := func(a uint64) uint32 {
		pos := uint32(bits.Len64(a)) - 1
		if v.ShiftAmt && a != 0 {
			return top - pos
		}
		return pos
	}
	switch v.Type {
	case isa.U32:
		return lift1(func(a uint32) uint32 { return find(uint64(a)) })
	case isa.S32:
		return lift1(func(a int32) uint32 { return find(uint64(a ^ a>>31)) })
	case isa.U64:
		return lift1(find)
	case isa.S64:
		return lift1(func(a int64) uint32 { return find(uint64(a ^ a>>63)) })
	}
	return nil
}

// Fns finds the n-th set bit of a mask, |c| = n, from position b upwards or,
// for a negative c, downwards; c = 0 tests the bit at b. All ones if there is
// none, and for a b above 31, which the manual leaves open (PTX ISA 9.7.1.18).
func Fns(Variant) Fn {
	return lift3(func(mask, base uint32, n int32) uint32 {
		step, count := 1, int64(n)
		switch {
		case n == 0:
			count = 1
			if base < 32 {
				mask &= 1 << base
			}
		case n < 0:
			step, count = -1, -int64(n)
		}
		for pos := int64(base); pos >= 0 && pos < 32; pos += int64(step) {
			if mask>>pos&1 != 0 {
				if count--; count == 0 {
					return uint32(pos)
				}
			}
		}
		return ^uint32(0)
	})
}

// Bfe extracts c bits from bit b on, both taken modulo 256, extended by the
// field's sign bit, or a's if the field reaches beyond a (PTX ISA 9.7.1.20).
func Bfe(v Variant) Fn {
	switch v.Type {
	case isa.U32:
		return lift3(func(a, b, c uint32) uint32 { return uint32(field(uint64(a), b, c)) })
	case isa.U64:
		return lift3(field)
	case isa.S32:
		return lift3(func(a int32, b, c uint32) int32 { return int32(signedField(int64(a), b, c)) })
	case isa.S64:
		return lift3(signedField)
	}
	return nil
}

// field is bfe.u64; a is zero-extended, so that it serves u32 too. Go's shifts
// give 0, or the sign, beyond the width.
func field(a uint64, b, c uint32) uint64 { return a >> (b & 255) & (1<<(c&255) - 1) }

// signedField is bfe.s64, and of a sign-extended a bfe.s32: what lies beyond
// a's top is its sign.
func signedField(a int64, b, c uint32) int64 {
	pos, n := b&255, c&255
	switch {
	case n == 0:
		return 0
	case n > 63:
		return a >> pos
	}
	return a >> pos << (64 - n) >> (64 - n)
}

// Bfi inserts the low e bits of a into b at bit c, both taken modulo 256 (PTX
// ISA 9.7.1.21).
func Bfi(v Variant) Fn4 {
	if v.Type.Bits() == 64 {
		return func(d, a, b, c, e *Slot) {
			x, p, q := Wide(d), Wide(a), Wide(b)
			for i := range x {
				mask := (uint64(1)<<(e[i]&255) - 1) << (c[i] & 255)
				x[i] = q[i]&^mask | p[i]<<(c[i]&255)&mask
			}
		}
	}
	return func(d, a, b, c, e *Slot) {
		for i := range d {
			mask := (uint32(1)<<(e[i]&255) - 1) << (c[i] & 255)
			d[i] = b[i]&^mask | a[i]<<(c[i]&255)&mask
		}
	}
}

// Szext extends the low b bits of a; with .clamp, 32 bits and more are a
// itself, with .wrap b counts modulo 32 (PTX ISA 9.7.1.22).
func Szext(v Variant) Fn {
	signed := v.Type.IsSigned()
	return lift2(func(a, b uint32) uint32 {
		n := b & 31
		switch {
		case b >= 32 && !v.Wrap:
			return a
		case n == 0:
			return 0
		case signed:
			return uint32(int32(a<<(32-n)) >> (32 - n))
		}
		return a & (1<<n - 1)
	})
}

// Bmsk makes b ones from bit a on (PTX ISA 9.7.1.23).
func Bmsk(v Variant) Fn {
	return lift2(func(a, b uint32) uint32 {
		if v.Wrap {
			a, b = a&31, b&31
		}
		return (uint32(1)<<b - 1) << a
	})
}

// Dp4a adds the products of four bytes to c; Type is a's, From b's (PTX ISA
// 9.7.1.24).
func Dp4a(v Variant) Fn {
	x, y := subword(8, v.Type.IsSigned()), subword(8, v.From.IsSigned())
	return lift3(func(a, b, c uint32) uint32 {
		for s := 0; s < 32; s += 8 {
			c += uint32(x(a>>s) * y(b>>s))
		}
		return c
	})
}

// Dp2a adds the products of a's halves and two bytes of b, the lower or the
// upper ones (PTX ISA 9.7.1.25).
func Dp2a(v Variant) Fn {
	x, y := subword(16, v.Type.IsSigned()), subword(8, v.From.IsSigned())
	from := 0
	if v.High {
		from = 16
	}
	return lift3(func(a, b, c uint32) uint32 {
		b >>= from
		return c + uint32(x(a)*y(b)) + uint32(x(a>>16)*y(b>>8))
	})
}
