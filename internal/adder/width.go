package adder

import "fmt"

// Widths are those that slices can have: of an adder of 64 bits.
var Widths = []int{2, 4, 8, 16, 32}

// mostPredictions is how many carry-ins of an adder are predicted at most: those of all
// slices but the lowest, of 2 bits each.
const mostPredictions = generalBits/2 - 1

// Masks are predictions of a warp, or what is true: the bit of a lane in mask i is of
// its slice i+1. So all lanes are worked on at once, and an add of slices of 8 bits
// has two masks to seven.
type Masks [mostPredictions]uint32

func checkWidth(bits int) error {
	switch bits {
	case 2, 4, 8, 16, 32:
		return nil
	}
	return fmt.Errorf("slices have 2, 4, 8, 16 or 32 bits, not %d", bits)
}
