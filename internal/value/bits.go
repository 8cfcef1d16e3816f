package value

import "hyptx/ir/isa"

// Truncate keeps the low bits of x.
func Truncate(x uint64, bits int) uint64 {
	if bits >= 64 {
		return x
	}
	return x & (1<<bits - 1)
}

// SignExtend reads the low bits of x as a signed number.
func SignExtend(x uint64, bits int) int64 {
	if bits >= 64 {
		return int64(x)
	}
	return int64(x<<(64-bits)) >> (64 - bits)
}

// Extend takes the low bits of x for a value of type t and extends it to 64
// bits, by its sign if t is signed.
func Extend(x uint64, t isa.Type) uint64 {
	switch bits := t.Bits(); {
	case bits == 0:
		return x
	case t.IsSigned():
		return uint64(SignExtend(x, bits))
	default:
		return Truncate(x, bits)
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
