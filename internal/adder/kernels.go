package adder

// kernels are the loops over the lanes of additions of 32 bits, which a machine with
// vectors has others for (simd_amd64.go) that give the same.
type kernels struct {
	// single makes the significands of x+y and returns which lanes carry in.
	single func(a, b []uint64, x, y *[Lanes]uint32, sign uint32) (carry uint32)
	// pairs finds sums, carries and differences of slices of 8 bits.
	pairs func(x *Vectors)
	// flips changes the edges of adders of which all lanes add.
	flips func(e *edge, x *Vectors) uint64
}

// use are those that are used.
var use = kernels{single: singles, pairs: setPairs, flips: flipsOfAll}

// singles is of significands, lane by lane.
func singles(a, b []uint64, x, y *[Lanes]uint32, sign uint32) (carry uint32) {
	for i := range a {
		a0, b0, c0 := single(x[2*i], y[2*i]^sign)
		a1, b1, c1 := single(x[2*i+1], y[2*i+1]^sign)
		a[i], b[i] = uint64(a0)|uint64(a1)<<32, uint64(b0)|uint64(b1)<<32
		carry |= (c0 | c1<<1) << (2 * i)
	}
	return carry
}

// setPairs goes two lanes at a time.
func setPairs(x *Vectors) {
	var carries, differ [Lanes / 8]uint64
	x.gatherPairs(&carries, &differ)
	x.True.spread(&carries, x.Predicted)
	x.Open.spread(&differ, x.Predicted)
}

// flipsOfAll goes word by word.
func flipsOfAll(e *edge, x *Vectors) (n uint64) {
	for i, a := range x.A {
		n += change(&e.a[i], a, ^uint64(0)) + change(&e.b[i], x.B[i], ^uint64(0)) + change(&e.sum[i], x.Sum[i], ^uint64(0))
	}
	return n
}
