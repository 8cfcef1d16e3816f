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
		return func(d, a, b, _ *Slot, in uint32) (out uint32) {
			x, p, q := Wide(d), Wide(a), Wide(b)
			for i := range x {
				sum, carry := bits.Add64(p[i], q[i], uint64(in>>i&1))
				x[i] = sum
				out |= uint32(carry) << i
			}
			return out
		}
	}
	return func(d, a, b, _ *Slot, in uint32) (out uint32) {
		for i := range d {
			sum, carry := bits.Add32(a[i], b[i], in>>i&1)
			d[i] = sum
			out |= carry << i
		}
		return out
	}
}

// SubCarry is sub.cc, subc and subc.cc; CC.CF is the borrow.
func SubCarry(v Variant) CarryFn {
	if v.Type.Bits() == 64 {
		return func(d, a, b, _ *Slot, in uint32) (out uint32) {
			x, p, q := Wide(d), Wide(a), Wide(b)
			for i := range x {
				diff, borrow := bits.Sub64(p[i], q[i], uint64(in>>i&1))
				x[i] = diff
				out |= uint32(borrow) << i
			}
			return out
		}
	}
	return func(d, a, b, _ *Slot, in uint32) (out uint32) {
		for i := range d {
			diff, borrow := bits.Sub32(a[i], b[i], in>>i&1)
			d[i] = diff
			out |= borrow << i
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
