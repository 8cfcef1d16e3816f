package adder

import "math/bits"

// kernels are the loops over the lanes of an addition, which a machine with vectors has
// others for (simd_amd64.go) that give the same.
type kernels struct {
	// single makes the significands of x+y and returns which lanes carry in.
	single func(a, b []uint64, x, y *[Lanes]uint32, sign uint32) (carry uint32)
	// narrow makes an operand of integers: bits of flip are turned over, and low are those that
	// are added.
	narrow func(to []uint64, x *[Lanes]uint32, flip, low uint32)
	// inLine reports whether lanes of a mask are a step apart, lanes makes those that are.
	inLine   func(x *[Lanes]uint32, first, step, mask uint32) bool
	inLine64 func(x *[Lanes]uint64, first, step uint64, mask uint32) bool
	lanes    func(to []uint64, first, step, low uint32)
	lanes64  func(to *[Lanes]uint64, first, step uint64)
	// pairs finds sums, and masks of lanes for slices of 8 bits.
	pairs func(x *Vectors)
	// each finds them in adders of 64.
	each func(x *Vectors)
	// flips changes the edges of the adders of lanes that add.
	flips func(e *edge, x *Vectors) uint64
	// wrong sums up how far off lanes are in which some of x.misses are wrong.
	wrong func(x *Vectors, missed uint32, n *Errors)
	// results sums up the runs of carries and the absolute results.
	results func(x *Vectors) (chains, high, low uint64)
	// pay counts what predictions of a run cost.
	pay func(r *page, of *predictions, a *account)
	// rows has the rows of a run's warps predict and learn, which begin at a word.
	rows func(r *page, words []uint32, at int, predicted *block, onMiss bool)
}

// sets are those that this machine can run, the fastest last; use are those that are used.
var (
	sets = []kernels{{
		single: singles, narrow: narrows, inLine: inLine[uint32], inLine64: inLine[uint64], lanes: lanesOf, lanes64: lanes64Of,
		pairs: setPairs, each: setWide, flips: flipsOf, wrong: wrongSums, results: resultsOf, pay: pay, rows: rowsOf,
	}}
	use = sets[0]
)

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

// narrows puts two lanes in a word.
func narrows(to []uint64, x *[Lanes]uint32, flip, low uint32) {
	for i := range to {
		to[i] = uint64((x[2*i]^flip)&low) | uint64((x[2*i+1]^flip)&low)<<32
	}
}

// setPairs goes two lanes at a time.
func setPairs(x *Vectors) {
	var l laneBytes
	l.gatherPairs(x)
	l.set(x)
}

// setWide goes lane by lane.
func setWide(x *Vectors) {
	var l laneBytes
	l.gatherEach(x)
	l.set(x)
}

func signsOf(x *Vectors, top int) (signA, signB uint32) {
	if kinds[x.Kind].wide {
		for i, a := range x.A {
			signA |= uint32(a>>top&1) << i
			signB |= uint32(x.B[i]>>top&1) << i
		}
		return signA, signB
	}
	for i, a := range x.A {
		b := x.B[i]
		signA |= uint32(a>>top&1|a>>(top+31)&2) << (2 * i)
		signB |= uint32(b>>top&1|b>>(top+31)&2) << (2 * i)
	}
	return signA, signB
}

func runsIn(x *Vectors) (lanes uint32) {
	if kinds[x.Kind].wide {
		for i, a := range x.A {
			if runs(a^x.B[i], ^uint64(0)) != 0 {
				lanes |= 1 << i
			}
		}
		return lanes
	}
	const halves = 0x0000000100000001
	for i, a := range x.A {
		r := runs(a^x.B[i], halves*0x7fffffff)
		r = (r + halves*0x7fffffff) >> 31 & halves // a bit of each half that has any
		lanes |= uint32(r|r>>31) & 3 << (2 * i)
	}
	return lanes
}

// flipsOf goes word by word.
func flipsOf(e *edge, x *Vectors) (n uint64) {
	low, of := ^uint64(0)>>(64-x.Kind.Bits()), Lanes/len(x.A)
	for i, a := range x.A {
		on := -uint64(x.Mask>>(i*of)&1) & low
		if of == 2 {
			on |= -uint64(x.Mask>>(2*i+1)&1) & low << 32
		}
		n += change(&e.a[i], a, on) + change(&e.b[i], x.B[i], on) + change(&e.sum[i], x.Sum[i], on)
	}
	return n
}

// change makes bits of a word new and counts those that differ.
func change(old *uint64, now, on uint64) uint64 {
	d := (*old ^ now) & on
	*old ^= d
	return uint64(bits.OnesCount64(d))
}
