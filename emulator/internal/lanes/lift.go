package lanes

import "hyptx/ir/isa"

// The lifts make an Fn of a function of one lane. They cost a call a lane, which
// makes an addition four times as slow: the operations that programs are full of
// have loops of their own instead, and all others are as short as the manual's
// definition of them.

// integer is a type of integer arithmetic. The 8-bit ones occur in cvt only.
type integer interface {
	~uint16 | ~int16 | ~uint32 | ~int32 | ~uint64 | ~int64
}

// lift1 lifts a function of one operand.
func lift1[D, A word](f func(A) D) Fn {
	return func(d, a, _, _ *Slot) {
		x, p := view[D](d), view[A](a)
		for i := range x {
			x[i] = f(p[i])
		}
	}
}

// lift2 lifts a function of two operands.
func lift2[D, A, B word](f func(A, B) D) Fn {
	return func(d, a, b, _ *Slot) {
		x, p, q := view[D](d), view[A](a), view[B](b)
		for i := range x {
			x[i] = f(p[i], q[i])
		}
	}
}

// lift3 lifts a function of three operands.
func lift3[D, A, B, C word](f func(A, B, C) D) Fn {
	return func(d, a, b, c *Slot) {
		x, p, q, r := view[D](d), view[A](a), view[B](b), view[C](c)
		for i := range x {
			x[i] = f(p[i], q[i], r[i])
		}
	}
}

// short is a type that sits zero-extended in a slot.
type short interface{ ~uint16 | ~int16 }

// liftShort1, liftShort2 and liftShort3 lift functions of 16-bit operands,
// whose upper halves read and stay zero.
func liftShort1[T short](f func(T) T) Fn {
	return func(d, a, _, _ *Slot) {
		for i := range d {
			d[i] = uint32(uint16(f(T(a[i]))))
		}
	}
}

func liftShort2[T short](f func(a, b T) T) Fn {
	return func(d, a, b, _ *Slot) {
		for i := range d {
			d[i] = uint32(uint16(f(T(a[i]), T(b[i]))))
		}
	}
}

func liftShort3[T short](f func(a, b, c T) T) Fn {
	return func(d, a, b, c *Slot) {
		for i := range d {
			d[i] = uint32(uint16(f(T(a[i]), T(b[i]), T(c[i]))))
		}
	}
}

// liftPacked2 lifts a function of elements of n bits to words that are packed
// with them; its result is cut to the element.
func liftPacked2(n int, f func(a, b uint32) uint32) Fn {
	mask := uint32(1)<<n - 1
	return lift2(func(a, b uint32) (r uint32) {
		for s := 0; s < 32; s += n {
			r |= f(a>>s&mask, b>>s&mask) & mask << s
		}
		return r
	})
}

// ints holds one operation in the six types of integers, nil where a type has
// none.
type ints struct{ u16, s16, u32, s32, u64, s64 Fn }

// at returns the operation for a type, bit types being unsigned.
func (o *ints) at(t isa.Type) Fn {
	switch t {
	case isa.U16, isa.B16:
		return o.u16
	case isa.S16:
		return o.s16
	case isa.U32, isa.B32:
		return o.u32
	case isa.S32:
		return o.s32
	case isa.U64, isa.B64:
		return o.u64
	case isa.S64:
		return o.s64
	}
	return nil
}
