package lanes

import "hyptx/ir/isa"

// Two kinds of instructions are no operations of their own, but another one with
// its operands brought into shape first: those that mix precisions, and those on
// pairs of floats. Both are made of the f32 function, so that there is one place
// where f32 rounds.

// mixed is add, sub or fma of type f32 whose first operands are halves (PTX
// ISA 9.7.5): they are converted, exactly, and op does the rest. both says that
// b is a half too, as in fma.
func mixed(v Variant, op func(Variant) Fn, both bool) Fn {
	widen := f16ToF32
	switch {
	case v.Type != isa.F32 || v.From != isa.F16 && v.From != isa.BF16:
		return nil
	case v.From == isa.BF16:
		widen = bf16ToF32
	}
	v.From = isa.NoType
	f := op(v)
	return func(d, a, b, c *Slot) {
		var x, y Slot
		toSingle(&x, a, widen)
		if both {
			toSingle(&y, b, widen)
			b = &y
		}
		f(d, &x, b, c)
	}
}

// toSingle widens the low halves of a register, exactly.
func toSingle(d, a *Slot, widen func(uint32) float32) {
	x := view[float32](d)
	for i := range x {
		x[i] = widen(a[i] & 0xffff)
	}
}

// pairs runs an f32 operation on the halves of f32x2 registers.
func pairs(op func(Variant) Fn, v Variant) Fn {
	v.Type = isa.F32
	f := op(v)
	return func(d, a, b, c *Slot) {
		var lo, hi [3]Slot
		var l, h [3]*Slot
		for i, s := range [3]*Slot{a, b, c} {
			if s != nil {
				l[i], h[i] = &lo[i], &hi[i]
				for j, w := range Wide(s) {
					lo[i][j], hi[i][j] = uint32(w), uint32(w>>32)
				}
			}
		}
		f(&lo[0], l[0], l[1], l[2])
		f(&hi[0], h[0], h[1], h[2])
		for j, w := range lo[0] {
			Wide(d)[j] = uint64(w) | uint64(hi[0][j])<<32
		}
	}
}
