package adder

import "math/bits"

// Level shifters stand at every bit of operands and results of a lane's adder, and take
// energy when a bit changes. So what an adder did before has to be known: each lane of
// a sub-core has one for each kind of numbers.

// subCores are those of an SM, each with units for all lanes (Volta's whitepaper).
const subCores = 4

// edge is what stood at the edges of a sub-core's adders of a kind.
type edge struct{ a, b, sum [Lanes]uint64 }

// flips counts the bits that an addition changes.
func (e *edge) flips(x *Vectors) uint64 { return use.flips(e, x) }

func popcount(m uint32) uint64 { return uint64(bits.OnesCount32(m)) }
