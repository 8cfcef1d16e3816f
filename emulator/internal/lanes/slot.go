package lanes

// Width is the number of lanes of a warp.
const Width = 32

// Registers are kept by register, not by thread: the 32 values of one register
// lie side by side, so that an operation is one loop over three arrays, which
// caches and vector units like, and an instruction is decoded once for all
// lanes. Doubles are not split into two halves for the same reason: a loop over
// 64-bit values would have to put each of them together.

// Slot is one 32-bit register of a warp, a word a lane. A 64-bit register is
// two consecutive slots holding [32]uint64 (not split into halves), a 128-bit
// one four holding [32][2]uint64; 8- and 16-bit registers sit zero-extended in
// the words of one slot. Slots lie in an arena aligned to 8 bytes.
type Slot [Width]uint32

// Fn computes all 32 lanes of d from a, b and c; sources that the operation
// lacks are nil. d may be the same slot as a source, never a partial overlap.
// An Fn knows no mask: lanes that do not execute are computed too and thrown
// away by the caller, so an Fn must not fail on any bits.
type Fn func(d, a, b, c *Slot)

// PredFn computes a predicate for all lanes, bit i of the result for lane i.
type PredFn func(a, b *Slot) uint32

// CarryFn is an Fn with the condition code CC.CF as carry or borrow in and
// out, bit i for lane i.
type CarryFn func(d, a, b, c *Slot, in uint32) (out uint32)

// Fn4 is an Fn with four sources (bfi).
type Fn4 func(d, a, b, c, e *Slot)

// Pred2Fn compares packed halves: lo has the bits of the low halves, hi those
// of the high ones.
type Pred2Fn func(a, b *Slot) (lo, hi uint32)
