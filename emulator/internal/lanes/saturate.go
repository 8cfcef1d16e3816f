package lanes

import "hyptx/ir/isa"

// Saturating and packed integer arithmetic goes through 64 bits, element by
// element, where no sum of two elements can overflow, and is clamped to the
// element's type afterwards.

// bounds are the least and the largest value of a packed or 32-bit integer.
func bounds(t isa.Type) (lo, hi int64) {
	n := t.Elem().Bits()
	if t.IsSigned() {
		return -1 << (n - 1), 1<<(n-1) - 1
	}
	return 0, 1<<n - 1
}

// extend reads the low bits of w as an element of type t.
func extend(t isa.Type, w uint32) int64 {
	n := 64 - t.Elem().Bits()
	if t.IsSigned() {
		return int64(w) << n >> n
	}
	return int64(uint64(w) << n >> n)
}

// perElement lifts f, clamped to the type's bounds, to each packed element.
func perElement(t isa.Type, f func(a, b int64) int64) Fn {
	if t.Bits() != 32 {
		return nil
	}
	lo, hi := bounds(t)
	n := t.Elem().Bits()
	return lift2(func(a, b uint32) (r uint32) {
		for s := 0; s < 32; s += n {
			e := max(lo, min(hi, f(extend(t, a>>s), extend(t, b>>s))))
			r |= uint32(uint64(e)<<(64-n)>>(64-n)) << s
		}
		return r
	})
}

// addSat and subSat are add.sat and sub.sat.
func addSat(t isa.Type) Fn { return perElement(t, func(a, b int64) int64 { return a + b }) }
func subSat(t isa.Type) Fn { return perElement(t, func(a, b int64) int64 { return a - b }) }
