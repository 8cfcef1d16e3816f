package adder

import "math/bits"

// ACA, as Kahng and Kang's accuracy-configurable adder [ours: its shape alone], takes
// for the carry into a slice what the slice below carries out with a carry-in of
// 0, and does not correct it. The lowest slice has the true carry-in.
var _ = register("ACA", maker{uncorrected: true, alone: true, predictor: func(*Point) Predictor { return approximate{} }})

type approximate struct{}

// Step: what a slice carries out depends on its carry-in only where its operands differ
// in all bits, which is rare.
func (approximate) Step(x *Vectors, _, predicted *Masks) {
	copy(predicted[:x.Predicted], x.True[:])
	lanes := uint32(0) // into which anything is carried
	for _, t := range x.True[:x.Predicted] {
		lanes |= t
	}
	if lanes != 0 && x.Bits == 8 {
		lanes &= use.passing(x)
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		x.passing(bits.TrailingZeros32(lanes), predicted)
	}
}

// passing takes the carry-ins of a lane back that a slice would only have passed on.
func (x *Vectors) passing(lane int, predicted *Masks) {
	a, b, _ := x.Operands(lane)
	all := uint64(1)<<x.Bits - 1
	for i := 1; i < x.Predicted; i++ {
		if (a^b)>>(i*x.Bits)&all == all && x.True[i-1]>>lane&1 != 0 {
			predicted[i] &^= 1 << lane
		}
	}
}
