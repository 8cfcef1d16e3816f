//go:build goexperiment.simd && amd64

package adder

import (
	"math/bits"
	"simd/archsimd"
)

// pay32x16 counts what predictions of a page cost: its additions are the words of a vector.
func pay32x16(r *page, of *predictions, a *account) {
	if of.slices == 0 || of.on == 0 {
		return
	}
	on := archsimd.Mask32x16FromBits(uint16(of.on))
	table := archsimd.LoadUint8x64(&nibbles)
	pn, mn := rows(of.same), rows(of.sameToo)
	var missed, zero archsimd.Uint32x16
	var all, again, wrong archsimd.Uint8x64 // a byte is 31 times 8 at most
	slices := of.slices
	for i := range r.predicted {
		if slices>>i&1 != 0 {
			d := archsimd.LoadUint32x16(&of.p[i&pn]).Xor(archsimd.LoadUint32x16(&r.truth[i])).And(archsimd.LoadUint32x16(&of.matter[i&mn])).Masked(on)
			missed = missed.Or(d)
			n := bitsOf(d.AsUint8x64(), table)
			wrong = wrong.Add(n)
			if all = n; slices&(1<<i-1) != 0 { // others missed before
				all = bitsOf(missed.AsUint8x64(), table)
			}
		}
		n := all
		if of.untrusted {
			n = bitsOf(missed.And(archsimd.LoadUint32x16(&r.open[i])).AsUint8x64(), table)
		}
		again = again.Add(n)
	}
	if stalled := missed.NotEqual(zero).ToBits(); stalled != 0 {
		a.stalled += uint64(bits.OnesCount16(stalled))
		sumTo(&a.missed, all)
		sumTo(&a.again, again)
		sumTo(&a.wrong, wrong)
	}
	archsimd.ClearAVXUpperBits()
}

// rows32x16 has the rows of warps that follow each other predict and learn: they are the words of a
// vector.
func rows32x16(r *page, words []uint32, at int, predicted *block, onMiss bool) {
	if !r.inStep || r.from != 0 || r.warps[0]%smWarps > smWarps-pageLength {
		rowsOf(r, words, at, predicted, onMiss)
		return
	}
	words = words[at+int(r.warps[0]%smWarps):]
	learn := archsimd.LoadUint32x16(&r.lanes[0]).Masked(archsimd.Mask32x16FromBits(uint16(1<<r.n - 1)))
	if onMiss {
		var missed archsimd.Uint32x16
		for rest := r.opened; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros32(rest)
			p := archsimd.LoadUint32x16((*[pageLength]uint32)(words[i*smWarps:]))
			missed = missed.Or(p.Xor(archsimd.LoadUint32x16(&r.truth[i])).And(archsimd.LoadUint32x16(&r.open[i])))
		}
		learn = learn.And(missed)
	}
	for i := range r.predicted {
		row := (*[pageLength]uint32)(words[i*smWarps:])
		p := archsimd.LoadUint32x16(row)
		p.Store(&predicted[i])
		p.Xor(p.Xor(archsimd.LoadUint32x16(&r.truth[i])).And(learn)).Store(row)
	}
	archsimd.ClearAVXUpperBits()
}

// sumTo adds bytes to sums of eight each.
func sumTo(sums *[8]uint64, bytes archsimd.Uint8x64) {
	var zero archsimd.Uint8x64
	archsimd.LoadUint64x8(sums).Add(bytes.SumAbsDiff(zero).AsUint64x8()).Store(sums)
}

// results32x16 is of adders of up to 32 bits: all lanes shorten their runs at once.
func results32x16(x *Vectors) (chains, high, low uint64) {
	if kinds[x.Kind].wide {
		return resultsOf(x)
	}
	unused := uint64(32 - kinds[x.Kind].bits)
	a, b, sum := vectors32(x.A), vectors32(x.B), vectors32(x.Sum[:])
	var parts [8]uint64
	var zero archsimd.Uint32x16
	var sums archsimd.Uint64x8
	for i := range 2 {
		p, q, s := archsimd.LoadUint32x16(&a[i]), archsimd.LoadUint32x16(&b[i]), archsimd.LoadUint32x16(&sum[i])
		lanes := archsimd.Mask32x16FromBits(uint16(x.Mask >> (16 * i)))
		carries := p.And(q).Or(p.Or(q).AndNot(s)).Masked(lanes) // out of each bit
		for {
			n := bits.OnesCount16(carries.NotEqual(zero).ToBits())
			if n == 0 {
				break
			}
			chains += uint64(n)
			carries = carries.And(carries.ShiftAllLeft(1))
		}
		if x.Kind.IsInt() {
			s = s.ShiftAllLeft(unused).AsInt32x16().ShiftAllRight(unused).Abs().AsUint32x16()
		}
		s = s.Masked(lanes)
		sums = sums.Add(s.GetLo().ExtendToUint64()).Add(s.GetHi().ExtendToUint64())
	}
	sums.Store(&parts)
	archsimd.ClearAVXUpperBits()
	for _, s := range parts {
		low += s
	}
	return chains, 0, low
}
