package lanes

import (
	"math/bits"

	"hyptx/ir/isa"
)

// The condition code CC.CF is a register of each thread that the extended
// precision instructions chain through: a 128-bit sum is add.cc.u64 of the lower
// halves and addc.u64 of the upper ones. Here it is a mask, like a predicate.
//
// The carry forms add or subtract with CC.CF (PTX ISA 9.7.2). The form without
// a carry in (add.cc) gets in = 0, the one without .cc drops the carry out;
// in and out have a bit a lane. Signed types carry as unsigned ones.

// AddCarry is add.cc, addc and addc.cc.
func AddCarry(v Variant) CarryFn {
	if v.Type.Bits() == 64 {
		return liftCarry(bits.Add64)
	}
	return liftCarry(bits.Add32)
}

// SubCarry is sub.cc, subc and subc.cc; CC.CF is the borrow.
func SubCarry(v Variant) CarryFn {
	if v.Type.Bits() == 64 {
		return liftCarry(bits.Sub64)
	}
	return liftCarry(bits.Sub32)
}

// liftCarry lifts a sum, or a difference, of one lane.
func liftCarry[T uint32 | uint64](f func(a, b, in T) (r, out T)) CarryFn {
	return func(d, a, b, _ *Slot, in uint32) (out uint32) {
		x, p, q := view[T](d), view[T](a), view[T](b)
		for i := range x {
			r, carry := f(p[i], q[i], T(in>>i&1))
			x[i] = r
			out |= uint32(carry) << i
		}
		return out
	}
}

// MadCarry is mad.cc and madc, .lo and .hi: the carry is that of the addition
// to the chosen half of the product.
func MadCarry(v Variant) CarryFn {
	add := AddCarry(v)
	mode := v
	mode.Rnd, mode.Sat = isa.NoRnd, false
	mul := Mul(mode)
	if mul == nil || v.Mul == isa.WIDE {
		return nil
	}
	return func(d, a, b, c *Slot, in uint32) uint32 {
		var t [2]Slot
		mul(&t[0], a, b, nil)
		return add(d, &t[0], c, nil, in)
	}
}
