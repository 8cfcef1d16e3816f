package adder

// ACA, as Kahng and Kang's accuracy-configurable adder [ours: its shape alone], takes
// for the carry into a slice what the slice below carries out with a carry-in of
// 0, and does not correct it. The lowest slice has the true carry-in.
var _ = register("ACA", maker{uncorrected: true, alone: true, predictor: func(*Point, *width) Predictor { return approximate{} }})

type approximate struct{}

func (approximate) Step(x *Vectors, _, predicted *Words) {
	w := x.bits
	top := uint64(0) // the highest bit of each slice
	for at := w - 1; at < 64; at += w {
		top |= 1 << at
	}
	for i := range x.words {
		predicted[i] = 0
	}
	for lane := range Lanes {
		a, b, c := x.Operands(lane)
		below := a&^top + b&^top + c // what comes to the highest bit of each slice
		out := a&b | (a|b)&below
		x.put(predicted, lane, gather(out&top<<1, w))
	}
}
