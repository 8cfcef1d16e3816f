package adder

import "math/bits"

// Operands of integers are often lines: the same in all lanes that add, or as far apart as indices and
// addresses are. A stream keeps the first lane and the step, which are a word or two where all lanes
// are sixteen or thirty-two: what waits is more than caches hold. The other lanes, whose registers hold
// anything, then lie on the line, too: nobody asks what they would add.

// lineShare is how many times as long an operand is that is none.
const lineShare = 16

// line is an operand of registers of 32 or 64 bits, if it is one.
type line[T uint32 | uint64] struct {
	first, step T
	is          bool
}

// lineOf returns that of the lanes of a mask, which in has to confirm.
func lineOf[T uint32 | uint64](x *[Lanes]T, mask uint32, in func(x *[Lanes]T, first, step T, mask uint32) bool) line[T] {
	from, to, next := ends(mask)
	first, step := x[from], x[next]-x[from]
	if x[to]-first != T(to-from)*step {
		return line[T]{}
	}
	first -= T(from) * step
	return line[T]{first, step, in(x, first, step, mask)}
}

// ends returns the first and the last lane of a mask, and the one behind the first, or that again if it
// is not of the mask: a step of 0 is then all that there may be.
func ends(mask uint32) (from, to, next int) {
	from, to = bits.TrailingZeros32(mask)&(Lanes-1), (31-bits.LeadingZeros32(mask))&(Lanes-1)
	return from, to, (from + int(mask>>from>>1&1)) & (Lanes - 1)
}

// putNarrow and putWide write an operand, or its line, bits turned over or not.
func putNarrow(l line[uint32], to []uint64, x *[Lanes]uint32, flip, low uint32) {
	if !l.is {
		use.narrow(to, x, flip, low)
		return
	}
	to[0] = uint64(l.first^flip) | uint64((l.step^flip)-flip)<<32
}

func putWide(l line[uint64], to []uint64, x *[Lanes]uint64, flip uint64) {
	if l.is {
		to[0], to[1] = l.first^flip, (l.step^flip)-flip
		return
	}
	for i := range to {
		to[i] = x[i&(Lanes-1)] ^ flip
	}
}

// operand returns one that is kept as a line or not, and how many words it takes. room is for its lanes.
func (k Kind) operand(words []uint64, line bool, room *[Lanes]uint64) ([]uint64, int) {
	n := k.words()
	switch {
	case !line:
		return words[:n:n], n
	case n == Lanes:
		use.lanes64(room, words[0], words[1])
		return room[:], 2
	}
	use.lanes(room[:n:n], uint32(words[0]), uint32(words[0]>>32), uint32(1)<<(kinds[k].bits-1)<<1-1)
	return room[:n:n], 1
}

// inLine reports whether the lanes of a mask lie on a line.
func inLine[T uint32 | uint64](x *[Lanes]T, first, step T, mask uint32) bool {
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros32(mask) % Lanes
		if x[lane] != first+T(lane)*step {
			return false
		}
	}
	return true
}

// lanesOf makes the lanes of a line, two in a word.
func lanesOf(to []uint64, first, step, low uint32) {
	for i := range to {
		to[i] = uint64(first&low) | uint64((first+step)&low)<<32
		first += 2 * step
	}
}

func lanes64Of(to *[Lanes]uint64, first, step uint64) {
	for i := range to {
		to[i] = first
		first += step
	}
}
