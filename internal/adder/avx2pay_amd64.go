//go:build goexperiment.simd && amd64

package adder

import (
	"math/bits"
	"simd/archsimd"
)

// half is half of a row of a block.
func half(row *[pageLength]uint32, h int) archsimd.Uint32x8 {
	return archsimd.LoadUint32x8((*[8]uint32)(row[8*h:]))
}

// pay32x8 is pay32x16: a page is two vectors.
func pay32x8(r *page, of *predictions, a *account) {
	if of.slices == 0 || of.on == 0 {
		return
	}
	table := nibbles32()
	pn, mn := rows(of.same), rows(of.sameToo)
	var zero archsimd.Uint8x32
	var none archsimd.Uint32x8
	var sums, sumsAgain, sumsWrong archsimd.Uint64x4
	slices, stalled := of.slices, 0
	for h := range 2 {
		on := lanes8(of.on >> (8 * h))
		var missed archsimd.Uint32x8
		var all, again, wrong archsimd.Uint8x32 // a byte is 31 times 8 at most
		for i := range r.predicted {
			if slices>>i&1 != 0 {
				d := half(&of.p[i&pn], h&1).Xor(half(&r.truth[i], h&1)).And(half(&of.matter[i&mn], h&1)).And(on)
				missed = missed.Or(d)
				n := bitsOf32(d.AsUint8x32(), table)
				wrong = wrong.Add(n)
				if all = n; slices&(1<<i-1) != 0 { // others missed before
					all = bitsOf32(missed.AsUint8x32(), table)
				}
			}
			n := all
			if of.untrusted {
				n = bitsOf32(missed.And(half(&r.open[i], h&1)).AsUint8x32(), table)
			}
			again = again.Add(n)
		}
		stalled += 8 - bits.OnesCount8(missed.Equal(none).ToBits())
		sums = sums.Add(all.SumAbsDiff(zero).AsUint64x4())
		sumsAgain = sumsAgain.Add(again.SumAbsDiff(zero).AsUint64x4())
		sumsWrong = sumsWrong.Add(wrong.SumAbsDiff(zero).AsUint64x4())
	}
	a.stalled += uint64(stalled)
	sumTo4(&a.missed, sums)
	sumTo4(&a.again, sumsAgain)
	sumTo4(&a.wrong, sumsWrong)
	archsimd.ClearAVXUpperBits()
}

// sumTo4 adds sums to the first four.
func sumTo4(sums *[8]uint64, n archsimd.Uint64x4) {
	first := (*[4]uint64)(sums[:4])
	archsimd.LoadUint64x4(first).Add(n).Store(first)
}

// rows32x8 is rows32x16, which takes the halves of a page that a run has additions in, if these lie in
// the row.
func rows32x8(r *page, words []uint32, predicted *block, onMiss bool) {
	const few = 2 // additions, which are sooner done one by one
	first := int(r.warps[r.from]%smWarps) - r.from
	h, end := r.from/8, (r.n+7)/8
	if !r.inStep || r.n-r.from <= few || first+8*h < 0 || first+8*end > smWarps {
		rowsOf(r, words, predicted, onMiss)
		return
	}
	for on := uint32(1<<r.n-1<<r.from) >> (8 * h); h < end; h++ {
		r.rows8(words[first+8*h:], predicted, h&1, onMiss, on)
		on >>= 8
	}
	archsimd.ClearAVXUpperBits()
}

// rows8 is of half a page, of which some additions are of the run.
func (r *page) rows8(words []uint32, predicted *block, h int, onMiss bool, of uint32) {
	on := lanes8(of)
	learn := half(&r.lanes[0], h).And(on)
	if onMiss {
		var missed archsimd.Uint32x8
		for rest := r.opened; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros32(rest)
			p := archsimd.LoadUint32x8((*[8]uint32)(words[i*smWarps:]))
			missed = missed.Or(p.Xor(half(&r.truth[i], h)).And(half(&r.open[i], h)))
		}
		learn = learn.And(missed)
	}
	for i := range r.predicted {
		row, to := (*[8]uint32)(words[i*smWarps:]), (*[8]uint32)(predicted[i][8*h:])
		p, was := archsimd.LoadUint32x8(row), archsimd.LoadUint32x8(to)
		p.Xor(was).And(on).Xor(was).Store(to)
		p.Xor(p.Xor(half(&r.truth[i], h)).And(learn)).Store(row)
	}
}
