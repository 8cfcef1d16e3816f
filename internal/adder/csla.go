package adder

// CSLA, the carry-select adder, computes every slice but the lowest for both
// carry-ins: it is never wrong and takes one cycle.
var _ = register("CSLA", maker{alone: true, unit: func(*Point) unit { return carrySelect{} }})

type carrySelect struct{}

func (carrySelect) add(x *Vectors, c *Counts) {
	c.Computations += uint64(x.Predicted) * popcount(x.Mask)
}
