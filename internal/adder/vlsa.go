package adder

import "math/bits"

// VLSA, the variable-latency speculative adder, takes the carry into a bit from the 8
// bits below it [ours: the number], and a second cycle where a run of as many bits
// could have passed a carry on. That is more often than one did, and no sum is wrong.
var _ = register("VLSA", maker{alone: true, unit: func(*Point) unit { return variableLatency{} }})

type variableLatency struct{}

func (variableLatency) add(x *Vectors, c *Counts) {
	flagged := 0
	if kinds[x.Kind].wide {
		for rest := x.Mask; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest) & (Lanes - 1)
			if runs(x.A[lane]^x.B[lane], ^uint64(0)) != 0 {
				flagged++
			}
		}
	} else {
		const halves = 0x0000000100000001
		for i, a := range x.A {
			r := runs(a^x.B[i], halves*0x7fffffff)
			r = (r + halves*0x7fffffff) >> 31 & halves // a bit of each half that has any
			flagged += bits.OnesCount64(r & (uint64(x.Mask>>(2*i)&1) | uint64(x.Mask>>(2*i)&2)<<31))
		}
	}
	if flagged > 0 {
		c.Mispredicted += uint64(flagged)
		c.Stalled++
		c.Recomputed += uint64(flagged * x.Slices)
	}
}

// runs returns the ends of runs of 8 bits of p. halves keeps lanes of a word apart: it
// has all bits that a shift by one may reach.
func runs(p, halves uint64) uint64 {
	p &= p >> 1 & halves
	p &= p >> 2 & (halves & (halves >> 1))
	return p & (p >> 4 & (halves & (halves >> 3)))
}
