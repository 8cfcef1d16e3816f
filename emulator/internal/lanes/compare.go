package lanes

import (
	"math"

	"hyptx/ir/isa"
)

// A comparison gives a mask, a bit a lane, and there are eighteen operators on
// thirteen types. They are derived from few loops: integers need equal and
// less, floating-point values also less-or-equal and ordered, because a NaN
// makes both a comparison and its opposite false. What is left is swapping the
// operands and taking the complement: a >= b of integers is not (a < b); of
// floats it is b <= a, and not (a < b) is .geu, which holds for a NaN as well.
//
// Narrow and half types are widened first, exactly, and then compared as
// words or floats.

// Setp is the comparison of setp and set, without their Boolean operator (PTX
// ISA 9.7.7.2, 9.7.8.2). Packed types have Setp2.
func Setp(v Variant) PredFn {
	switch v.Type {
	case isa.B32, isa.U32:
		return compareInts(unsigned(v.Cmp), use.equal32, use.lessU32)
	case isa.S32:
		return compareInts(v.Cmp, use.equal32, use.lessS32)
	case isa.B64, isa.U64:
		return compareInts(unsigned(v.Cmp), use.equal64, use.lessU64)
	case isa.S64:
		return compareInts(v.Cmp, use.equal64, use.lessS64)
	case isa.B16, isa.U16:
		return extended(compareInts(unsigned(v.Cmp), use.equal32, use.lessU32), func(w uint32) uint32 { return w & 0xffff })
	case isa.S16:
		signed := func(w uint32) uint32 { return uint32(int32(int16(w))) }
		return extended(compareInts(v.Cmp, use.equal32, use.lessS32), signed)
	case isa.F32:
		f := compareF32(v.Cmp)
		if v.FTZ && f != nil {
			return func(a, b *Slot) uint32 {
				var x, y Slot
				flushF32(&x, a)
				flushF32(&y, b)
				return f(&x, &y)
			}
		}
		return f
	case isa.F64:
		return compareFloats(v.Cmp, equal[float64], less[float64], lessEqual[float64], ordered[float64])
	case isa.F16, isa.BF16:
		return extended(compareF32(v.Cmp), halfBits(v))
	}
	return nil
}

// Setp2 compares packed halves, of which setp makes p and q.
func Setp2(v Variant) Pred2Fn {
	if v.Type != isa.F16x2 && v.Type != isa.BF16x2 {
		return nil
	}
	f, bits := compareF32(v.Cmp), halfBits(v)
	if f == nil {
		return nil
	}
	low := extended(f, bits)
	high := extended(f, func(w uint32) uint32 { return bits(w >> 16) })
	return func(a, b *Slot) (uint32, uint32) { return low(a, b), high(a, b) }
}

// halfBits converts a half to the bits of a float.
func halfBits(v Variant) func(uint32) uint32 {
	if v.Type.Elem() == isa.BF16 {
		return func(w uint32) uint32 { return w << 16 }
	}
	return func(w uint32) uint32 {
		w &= 0xffff
		if v.FTZ {
			w = flushF16(w)
		}
		return math.Float32bits(f16ToF32(w))
	}
}

// extended compares words after a conversion.
func extended(f PredFn, convert func(uint32) uint32) PredFn {
	if f == nil {
		return nil
	}
	return func(a, b *Slot) uint32 {
		var x, y Slot
		for i := range x {
			x[i], y[i] = convert(a[i]), convert(b[i])
		}
		return f(&x, &y)
	}
}

// unsigned replaces lo, ls, hi, hs by the comparisons they are for unsigned
// types.
func unsigned(c isa.Cmp) isa.Cmp {
	switch c {
	case isa.LO:
		return isa.LT
	case isa.LS:
		return isa.LE
	case isa.HI:
		return isa.GT
	case isa.HS:
		return isa.GE
	}
	return c
}

// compareInts derives the comparisons of a type from two.
func compareInts(c isa.Cmp, equal, less PredFn) PredFn {
	switch c {
	case isa.EQ:
		return equal
	case isa.NE:
		return complement(equal)
	case isa.LT:
		return less
	case isa.LE:
		return complement(swapped(less))
	case isa.GT:
		return swapped(less)
	case isa.GE:
		return complement(less)
	}
	return nil
}

// compareF32 derives a comparison of f32 from the loops of the machine at
// hand.
func compareF32(c isa.Cmp) PredFn {
	return compareFloats(c, use.equalF32, use.lessF32, use.lessEqualF32, use.orderedF32)
}

// compareFloats: the unordered comparisons, true for a NaN, are complements
// of the ordered opposites.
func compareFloats(c isa.Cmp, equal, less, lessEqual, ordered PredFn) PredFn {
	switch c {
	case isa.EQ:
		return equal
	case isa.NEU:
		return complement(equal)
	case isa.LT:
		return less
	case isa.GEU:
		return complement(less)
	case isa.GT:
		return swapped(less)
	case isa.LEU:
		return complement(swapped(less))
	case isa.LE:
		return lessEqual
	case isa.GTU:
		return complement(lessEqual)
	case isa.GE:
		return swapped(lessEqual)
	case isa.LTU:
		return complement(swapped(lessEqual))
	case isa.NUM:
		return ordered
	case isa.NAN:
		return complement(ordered)
	case isa.NE:
		return func(a, b *Slot) uint32 { return ordered(a, b) &^ equal(a, b) }
	case isa.EQU:
		return func(a, b *Slot) uint32 { return equal(a, b) | ^ordered(a, b) }
	}
	return nil
}

// complement and swapped derive a comparison from another.
func complement(f PredFn) PredFn { return func(a, b *Slot) uint32 { return ^f(a, b) } }
func swapped(f PredFn) PredFn    { return func(a, b *Slot) uint32 { return f(b, a) } }

// The loops build the mask from the last lane to the first, a shift by one a
// lane, in two halves that do not wait for each other.

// equal, less and lessEqual compare all lanes. Of floating-point types they
// are ordered: false where an operand is NaN.
func equal[T word](a, b *Slot) uint32 {
	p, q := view[T](a), view[T](b)
	var lo, hi uint32
	for i := Width/2 - 1; i >= 0; i-- {
		lo = lo*2 + bit(p[i] == q[i])
		hi = hi*2 + bit(p[i+16] == q[i+16])
	}
	return hi<<16 | lo
}

func less[T word](a, b *Slot) uint32 {
	p, q := view[T](a), view[T](b)
	var lo, hi uint32
	for i := Width/2 - 1; i >= 0; i-- {
		lo = lo*2 + bit(p[i] < q[i])
		hi = hi*2 + bit(p[i+16] < q[i+16])
	}
	return hi<<16 | lo
}

func lessEqual[T word](a, b *Slot) uint32 {
	p, q := view[T](a), view[T](b)
	var lo, hi uint32
	for i := Width/2 - 1; i >= 0; i-- {
		lo = lo*2 + bit(p[i] <= q[i])
		hi = hi*2 + bit(p[i+16] <= q[i+16])
	}
	return hi<<16 | lo
}

// ordered finds the lanes in which neither operand is NaN.
func ordered[T word](a, b *Slot) uint32 {
	p, q := view[T](a), view[T](b)
	var m uint32
	for i := Width - 1; i >= 0; i-- {
		m = m*2 + bit(p[i] == p[i] && q[i] == q[i])
	}
	return m
}

// bit returns a truth as a bit. The compiler makes it an instruction without
// a branch, which data that changes from lane to lane would mispredict.
func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// Testp tests a property of floating-point values (PTX ISA 9.7.3.1).
func Testp(v Variant) PredFn {
	var inf, least uint64 // infinity's magnitude, the least normal one
	load := func(s *Slot, i int) uint64 { return uint64(s[i] &^ (1 << 31)) }
	switch v.Type {
	case isa.F32:
		inf, least = formatF32.inf(), 1<<23
	case isa.F64:
		inf, least = formatF64.inf(), 1<<52
		load = func(s *Slot, i int) uint64 { return Wide(s)[i] &^ (1 << 63) }
	default:
		return nil
	}
	test := func(m uint64) bool { return m < inf }
	switch v.Test {
	case Infinite:
		test = func(m uint64) bool { return m == inf }
	case Number:
		test = func(m uint64) bool { return m <= inf }
	case NotANumber:
		test = func(m uint64) bool { return m > inf }
	case Normal: // the manual counts zeros in
		test = func(m uint64) bool { return m == 0 || m >= least && m < inf }
	case Subnormal:
		test = func(m uint64) bool { return m > 0 && m < least }
	}
	return func(a, _ *Slot) (r uint32) {
		for i := range Width {
			r |= bit(test(load(a, i))) << i
		}
		return r
	}
}
