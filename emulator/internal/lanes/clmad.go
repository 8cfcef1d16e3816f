package lanes

import "hyptx/ir/isa"

// Carry-less multiplication is what CRCs and the Galois/Counter Mode are made
// of: addition is exclusive or, so that no bit influences its neighbour. A
// loop over the bits of one factor is plain and as fast as a rare instruction
// needs.

// Clmad multiplies without carries, as polynomials over two elements, takes
// the lower or upper 64 bits and adds c, which is an exclusive or (PTX ISA
// 9.7.1.5).
func Clmad(v Variant) Fn {
	return lift3(func(a, b, c uint64) uint64 {
		var lo, hi uint64
		for i := range 64 {
			if b>>i&1 != 0 {
				lo ^= a << i
				hi ^= a >> (64 - i)
			}
		}
		if v.Mul == isa.HI_ {
			return hi ^ c
		}
		return lo ^ c
	})
}
