package adder

import (
	"fmt"
	mathbits "math/bits"
)

// Widths are those that slices can have: of an adder of 64 bits.
var Widths = []int{2, 4, 8, 16, 32}

// width is a width of slices, and how predictions for it lie in words: an element a
// lane, as many lanes a word as there is room for. The highest bit of an element is
// free, which is what counting needs (speculative.count).
type width struct {
	bits    int
	element int    // bits of an element
	inWord  int    // the logarithm of the elements of a word
	words   int    // of a warp
	lanes   int    // of a word
	ones    uint64 // the lowest bit of each element
	top     uint64 // the highest
}

func newWidth(bits int) (width, error) {
	element := 8
	switch bits {
	case 2:
		element = 32 // 31 predictions
	case 4:
		element = 16 // 15
	case 8, 16, 32:
	default:
		return width{}, fmt.Errorf("slices have 2, 4, 8, 16 or 32 bits, not %d", bits)
	}
	w := width{bits: bits, element: element, words: Lanes * element / 64, lanes: 64 / element}
	w.inWord = mathbits.TrailingZeros(uint(w.lanes))
	for at := 0; at < 64; at += element {
		w.ones |= 1 << at
	}
	w.top = w.ones << (element - 1)
	return w, nil
}

// maxWords is how many words the predictions of a warp take at most.
const maxWords = Lanes * 32 / 64

// Words are predictions of a warp, or masks of them.
type Words [maxWords]uint64
