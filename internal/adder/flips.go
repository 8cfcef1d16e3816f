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
func (e *edge) flips(x *Vectors) (n uint64) {
	if x.full() {
		return use.flips(e, x)
	}
	words := len(x.A)
	low := uint64(1)<<(x.Kind.Bits()-1)<<1 - 1
	lanes := 1
	if !kinds[x.Kind].wide {
		low |= low << 32
		lanes = 2
	}
	for i := range words {
		on := uint64(0)
		for l := range lanes {
			if x.Mask>>(i*lanes+l)&1 != 0 {
				on |= low >> (64 - 64/lanes) << (l * 32)
			}
		}
		n += change(&e.a[i], x.A[i], on) + change(&e.b[i], x.B[i], on) + change(&e.sum[i], x.Sum[i], on)
	}
	return n
}

// change makes bits of a word new and counts those that differ.
func change(old *uint64, now, on uint64) uint64 {
	d := (*old ^ now) & on
	*old ^= d
	return uint64(bits.OnesCount64(d))
}

func popcount(m uint32) uint64 { return uint64(bits.OnesCount32(m)) }
