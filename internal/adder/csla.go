package adder

// CSLA, the carry-select adder, computes every slice but the lowest for both
// carry-ins: it is never wrong and takes one cycle.
var _ = register("CSLA", maker{alone: true, unit: func(*Point) unit { return carrySelect{} }})

type carrySelect struct{}

func (carrySelect) work(q *batch, c *[Kinds]Counts) {
	for i := range q.used {
		p := &q.pages[i]
		c[p.kind].Computations += uint64(p.predicted) * p.adds()
	}
}
