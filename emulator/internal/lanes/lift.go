package lanes

import "hyptx/ir/isa"

// The lifts make an Fn of a function of one lane. They cost a call a lane: the
// operations that programs are full of have loops of their own instead.

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

// liftHalves2 lifts a function of halves to packed halves; the function gets
// and returns 16 bits.
func liftHalves2(f func(a, b uint32) uint32) Fn {
	return lift2(func(a, b uint32) uint32 { return f(a&0xffff, b&0xffff) | f(a>>16, b>>16)<<16 })
}

// ints1, ints2 and ints3 hold one integer operation in all six types; at
// returns the one of a type as an Fn, bit types being unsigned.
type ints1 struct {
	u16 func(uint16) uint16
	s16 func(int16) int16
	u32 func(uint32) uint32
	s32 func(int32) int32
	u64 func(uint64) uint64
	s64 func(int64) int64
}

// at returns the operation for a type as an Fn, nil where a type has none.
func (o *ints1) at(t isa.Type) Fn {
	switch {
	case (t == isa.U16 || t == isa.B16) && o.u16 != nil:
		return liftShort1(o.u16)
	case t == isa.S16 && o.s16 != nil:
		return liftShort1(o.s16)
	case (t == isa.U32 || t == isa.B32) && o.u32 != nil:
		return lift1(o.u32)
	case t == isa.S32 && o.s32 != nil:
		return lift1(o.s32)
	case (t == isa.U64 || t == isa.B64) && o.u64 != nil:
		return lift1(o.u64)
	case t == isa.S64 && o.s64 != nil:
		return lift1(o.s64)
	}
	return nil
}

// ints2 holds an operation of two operands.
type ints2 struct {
	u16 func(a, b uint16) uint16
	s16 func(a, b int16) int16
	u32 func(a, b uint32) uint32
	s32 func(a, b int32) int32
	u64 func(a, b uint64) uint64
	s64 func(a, b int64) int64
}

// at returns the operation for a type as an Fn.
func (o *ints2) at(t isa.Type) Fn {
	switch {
	case t == isa.U16 || t == isa.B16:
		return liftShort2(o.u16)
	case t == isa.S16:
		return liftShort2(o.s16)
	case t == isa.U32 || t == isa.B32:
		return lift2(o.u32)
	case t == isa.S32:
		return lift2(o.s32)
	case t == isa.U64 || t == isa.B64:
		return lift2(o.u64)
	case t == isa.S64:
		return lift2(o.s64)
	}
	return nil
}

// ints3 holds an operation of three operands; bit types have none.
type ints3 struct {
	u16 func(a, b, c uint16) uint16
	s16 func(a, b, c int16) int16
	u32 func(a, b, c uint32) uint32
	s32 func(a, b, c int32) int32
	u64 func(a, b, c uint64) uint64
	s64 func(a, b, c int64) int64
}

// at returns the operation for a type as an Fn.
func (o *ints3) at(t isa.Type) Fn {
	switch t {
	case isa.U16:
		return liftShort3(o.u16)
	case isa.S16:
		return liftShort3(o.s16)
	case isa.U32:
		return lift3(o.u32)
	case isa.S32:
		return lift3(o.s32)
	case isa.U64:
		return lift3(o.u64)
	case isa.S64:
		return lift3(o.s64)
	}
	return nil
}
