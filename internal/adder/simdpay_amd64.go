//go:build goexperiment.simd && amd64

package adder

import (
	"math/bits"
	"simd/archsimd"
)

// pay32x16 counts what predictions of a run cost: its additions are the words of a vector.
func pay32x16(r *run, of *predictions, a *account) {
	on := archsimd.Mask32x16FromBits(uint16((1<<of.to - 1) &^ (1<<of.from - 1)))
	table := archsimd.LoadUint8x64(&nibbles)
	pn, mn := rows(of.same), rows(of.sameToo)
	var missed, zero archsimd.Uint32x16
	var all, again, wrong archsimd.Uint8x64 // a byte is 31 times 8 at most
	for i := range r.predicted {
		d := archsimd.LoadUint32x16(&of.p[i&pn]).Xor(archsimd.LoadUint32x16(&r.truth[i])).And(archsimd.LoadUint32x16(&of.matter[i&mn])).Masked(on)
		missed = missed.Or(d)
		n := bitsOf(d.AsUint8x64(), table)
		wrong = wrong.Add(n)
		if i > 0 {
			n = bitsOf(missed.AsUint8x64(), table)
		}
		all = n
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

// sumTo adds bytes to sums of eight each.
func sumTo(sums *[8]uint64, bytes archsimd.Uint8x64) {
	var zero archsimd.Uint8x64
	archsimd.LoadUint64x8(sums).Add(bytes.SumAbsDiff(zero).AsUint64x8()).Store(sums)
}
