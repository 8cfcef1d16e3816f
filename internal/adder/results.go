package adder

import "math/bits"

// resultsOf sums up, over the lanes that add, the longest runs of carries and, in two
// words, the absolute results.
func resultsOf(x *Vectors) (chains, high, low uint64) {
	for rest := x.Mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) % Lanes
		a, b, c := x.Operands(lane)
		sum := a + b + c
		chains += uint64(longestRun((a ^ b ^ sum) >> 1))
		var carry uint64
		low, carry = bits.Add64(low, absolute(x.Kind, sum), 0)
		high += carry
	}
	return chains, high, low
}

// longestRun returns how many ones of x follow each other at most.
func longestRun(x uint64) (n int) {
	for ; x != 0; x &= x << 1 {
		n++
	}
	return n
}

// absolute returns a sum without its sign.
func absolute(k Kind, sum uint64) uint64 {
	unused := 64 - k.Bits()
	if !k.IsInt() {
		return sum
	}
	signed := int64(sum<<unused) >> unused
	return uint64(max(signed, -signed))
}
