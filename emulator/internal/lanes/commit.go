package lanes

import "math/bits"

// MaskFn does something with the lanes of m, which are some of a warp.
type MaskFn func(d, t *Slot, m uint32)

// Merge32 copies the lanes of m from t to d, as Commit32, by vectors where the machine has them: it is
// called through a variable, so that slots on the stack would move to the heap.
func Merge32(d, t *Slot, m uint32) { use.merge32(d, t, m) }

// Merge64 is Merge32 of a 64-bit register.
func Merge64(d, t *Slot, m uint32) { use.merge64(d, t, m) }

// Commit32 copies the lanes of m from t to d: where not all execute, results are computed apart.
func Commit32(d, t *Slot, m uint32) {
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (Width - 1)
		d[lane] = t[lane]
	}
}

// Commit64 is Commit32 of a 64-bit register.
func Commit64(d, t *Slot, m uint32) {
	to, from := Wide(d), Wide(t)
	for ; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (Width - 1)
		to[lane] = from[lane]
	}
}
