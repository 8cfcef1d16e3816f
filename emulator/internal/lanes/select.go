package lanes

import "hyptx/ir/isa"

// Selections turn a predicate's bit into a mask of ones or zeros and combine
// the operands by it: which lane takes which is data, and a branch on it
// would be mispredicted half of the time.

// SelectFn is selp: a where p has a bit, b elsewhere (PTX ISA 9.7.7.3).
type SelectFn func(d, a, b *Slot, p uint32)

// Selp returns the selection for registers of the type's width.
func Selp(v Variant) SelectFn {
	if v.Type.Bits() == 64 {
		return func(d, a, b *Slot, p uint32) {
			x, s, t := Wide(d), Wide(a), Wide(b)
			for i := range x {
				m := -uint64(p >> i & 1)
				x[i] = s[i]&m | t[i]&^m
			}
		}
	}
	return func(d, a, b *Slot, p uint32) {
		for i := range d {
			m := -(p >> i & 1)
			d[i] = a[i]&m | b[i]&^m
		}
	}
}

// Slct is a where c >= 0 and b elsewhere; c is s32 or f32 (From): NaN selects
// b, -0 a (PTX ISA 9.7.7.4).
func Slct(v Variant) Fn {
	pick := Selp(v)
	test := Setp(Variant{Type: v.From, Cmp: isa.GE, FTZ: v.FTZ})
	if test == nil || v.From.Bits() != 32 {
		return nil
	}
	return func(d, a, b, c *Slot) {
		var zero Slot
		pick(d, a, b, test(c, &zero))
	}
}

// SetFn writes the result of set from the outcome of its comparison, after the
// Boolean operator: lo for the value or the low half, hi for the high half.
type SetFn func(d *Slot, lo, hi uint32)

// Set returns the writer for a destination type, Type, and a source type,
// From: 1.0 or all ones where the outcome is true (PTX ISA 9.7.7.1, 9.7.8.1).
func Set(v Variant) SetFn {
	var ones uint32
	switch v.Type {
	case isa.F32:
		ones = 0x3f800000
	case isa.F16, isa.F16x2:
		ones = 0x3c00
	case isa.BF16, isa.BF16x2:
		ones = 0x3f80
	case isa.U16, isa.S16:
		ones = 0xffff
	case isa.U32, isa.S32:
		ones = ^uint32(0)
		if v.From.Lanes() == 2 {
			ones = 0xffff
		}
	default:
		return nil
	}
	if v.From.Lanes() == 2 {
		return func(d *Slot, lo, hi uint32) {
			for i := range d {
				d[i] = ones&-(lo>>i&1) | ones&-(hi>>i&1)<<16
			}
		}
	}
	return func(d *Slot, lo, _ uint32) {
		for i := range d {
			d[i] = ones & -(lo >> i & 1)
		}
	}
}

// SetPacked is set of packed integers: an element is all ones where the comparison holds
// of the two elements in its place, else 0 (PTX ISA 9.7.7.1).
func SetPacked(v Variant) Fn {
	var holds func(a, b int64) bool
	switch v.Cmp {
	case isa.EQ:
		holds = func(a, b int64) bool { return a == b }
	case isa.NE:
		holds = func(a, b int64) bool { return a != b }
	case isa.LT:
		holds = func(a, b int64) bool { return a < b }
	case isa.LE:
		holds = func(a, b int64) bool { return a <= b }
	case isa.GT:
		holds = func(a, b int64) bool { return a > b }
	case isa.GE:
		holds = func(a, b int64) bool { return a >= b }
	default:
		return nil
	}
	ones := int64(-1)
	if !v.Type.IsSigned() {
		_, ones = bounds(v.Type)
	}
	return perElement(v.Type, func(a, b int64) int64 {
		if holds(a, b) {
			return ones
		}
		return 0
	})
}

// Nonzero returns the lanes in which a is not 0, the predicate of lop3.BoolOp.
func Nonzero(a *Slot) uint32 {
	var m uint32
	for i, w := range a {
		m |= bit(w != 0) << i
	}
	return m
}
