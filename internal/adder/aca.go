package adder

// ACA, as Kahng and Kang's accuracy-configurable adder [ours: its shape alone], takes
// for the carry into a slice what the slice below carries out with a carry-in of
// 0, and does not correct it. The lowest slice has the true carry-in.
var _ = register("ACA", maker{alone: true, predictor: func(*Point) Predictor { return approximate{} }})

type approximate struct{}

// Step: what a slice carries out depends on its carry-in only where it passes that on.
func (approximate) Step(x *Vectors, predicted *Masks) (doubtful uint32) {
	predicted[0] = x.True[0]
	for i := 1; i < x.Predicted; i++ {
		predicted[i] = x.True[i] &^ x.Pass[i]
		doubtful |= x.True[i] & x.Pass[i]
	}
	return doubtful
}
