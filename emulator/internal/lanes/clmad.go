package lanes

import "hyptx/ir/isa"

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
