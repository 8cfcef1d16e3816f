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
	switch {
	case of.slices == 0 || of.on == 0:
		return
	case of.slices == 3 && r.predicted == 2 && !of.untrusted: // most additions
		pay2of8(r, of, a)
		return
	}
	table := nibbles32()
	pn, mn := rows(of.same), rows(of.sameToo)
	var none, missed, others archsimd.Uint32x8 // lanes of the halves that missed
	var all, again, wrong archsimd.Uint64x4
	on, onToo := lanes8(of.on), lanes8(of.on>>8)
	for i := range r.predicted {
		if of.slices>>i&1 != 0 {
			p, truth, matter := &of.p[i&pn], &r.truth[i], &of.matter[i&mn]
			d := half(p, 0).Xor(half(truth, 0)).And(half(matter, 0)).And(on)
			e := half(p, 1).Xor(half(truth, 1)).And(half(matter, 1)).And(onToo)
			if !d.Or(e).IsZero() { // few slices of integers are wrong
				missed, others = missed.Or(d), others.Or(e)
				wrong = wrong.Add(bitsOf2(d, e, table))
				all = bitsOf2(missed, others, table)
			}
		}
		n := all
		if of.untrusted {
			n = bitsOf2(missed.And(half(&r.open[i], 0)), others.And(half(&r.open[i], 1)), table)
		}
		again = again.Add(n)
	}
	a.stalled += uint64(16 - bits.OnesCount8(missed.Equal(none).ToBits()) - bits.OnesCount8(others.Equal(none).ToBits()))
	sumTo4(&a.missed, all)
	sumTo4(&a.again, again)
	sumTo4(&a.wrong, wrong)
	archsimd.ClearAVXUpperBits()
}

// bitsOf2 counts the bits of two vectors.
func bitsOf2(d, e archsimd.Uint32x8, table archsimd.Uint8x32) archsimd.Uint64x4 {
	var zero archsimd.Uint8x32
	return bitsOf32(d.AsUint8x32(), table).Add(bitsOf32(e.AsUint8x32(), table)).SumAbsDiff(zero).AsUint64x4()
}

// pay2of8 is pay32x8 of two slices.
func pay2of8(r *page, of *predictions, a *account) {
	table := nibbles32()
	pn, mn := rows(of.same)&1, rows(of.sameToo)&1
	var zero archsimd.Uint8x32
	var none archsimd.Uint32x8
	var all, first, second archsimd.Uint8x32 // a byte is 16 at most
	stalled := 0
	for h := range 2 {
		on := lanes8(of.on >> (8 * h))
		d := half(&of.p[0], h&1).Xor(half(&r.truth[0], h&1)).And(half(&of.matter[0], h&1)).And(on)
		e := half(&of.p[pn], h&1).Xor(half(&r.truth[1], h&1)).And(half(&of.matter[mn], h&1)).And(on)
		missed := d.Or(e)
		stalled += 8 - bits.OnesCount8(missed.Equal(none).ToBits())
		first, second = first.Add(bitsOf32(d.AsUint8x32(), table)), second.Add(bitsOf32(e.AsUint8x32(), table))
		all = all.Add(bitsOf32(missed.AsUint8x32(), table))
	}
	a.stalled += uint64(stalled)
	sumTo4(&a.missed, all.SumAbsDiff(zero).AsUint64x4())
	sumTo4(&a.again, first.Add(all).SumAbsDiff(zero).AsUint64x4())
	sumTo4(&a.wrong, first.Add(second).SumAbsDiff(zero).AsUint64x4())
	archsimd.ClearAVXUpperBits()
}

// sumTo4 adds sums to the first four.
func sumTo4(sums *[8]uint64, n archsimd.Uint64x4) {
	first := (*[4]uint64)(sums[:4])
	archsimd.LoadUint64x4(first).Add(n).Store(first)
}

// rows32x8 is rows32x16, which takes the halves of a page that a run has additions in. What is not
// of the run stays as it is, even beyond a row.
func rows32x8(r *page, words []uint32, at int, predicted *block, onMiss bool) {
	const few = 2 // additions, which are sooner done one by one
	if !r.inStep || r.n-r.from <= few {
		rowsOf(r, words, at, predicted, onMiss)
		return
	}
	at += int(r.warps[r.from]%smWarps) - r.from
	h := r.from / 8
	for on := uint32(1<<r.n-1<<r.from) >> (8 * h); on != 0; h++ {
		r.rows8(words[at+8*h:], predicted, h&1, onMiss, on)
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
