package adder

// VLSA, the variable-latency speculative adder, takes the carry into a bit from the 8
// bits below it [ours: the number], and a second cycle where a run of as many bits
// could have passed a carry on. That is more often than one did, and no sum is wrong.
var _ = register("VLSA", maker{alone: true, unit: func(*Point) unit { return variableLatency{} }})

type variableLatency struct{}

func (variableLatency) work(q *batch, c *[Kinds]Counts) {
	for i := range q.used {
		p := &q.pages[i]
		of := &c[p.kind]
		for _, flagged := range p.long[:p.count] {
			if flagged != 0 {
				of.Mispredicted += popcount(flagged)
				of.Stalled++
				of.Recomputed += popcount(flagged) * uint64(p.predicted+1)
			}
		}
	}
}

// runs returns the ends of runs of 8 bits of p. halves keeps lanes of a word apart: it
// has all bits that a shift by one may reach.
func runs(p, halves uint64) uint64 {
	p &= p >> 1 & halves
	p &= p >> 2 & (halves & (halves >> 1))
	return p & (p >> 4 & (halves & (halves >> 3)))
}
