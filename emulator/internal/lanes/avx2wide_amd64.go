//go:build goexperiment.simd && amd64

package lanes

import "simd/archsimd"

// The loops of avx2_amd64.go whose results have 64 bits, or whose operands do.

type (
	u64x4    = archsimd.Uint64x4
	s64x4    = archsimd.Int64x4
	mask4    = archsimd.Mask64x4
	doubles4 = [8][4]uint64
	longs4   = [8][4]int64
	words4   = [8][4]uint32
	ints4    = [8][4]int32
)

func u64x4At(s *Slot, i int) u64x4 { return archsimd.LoadUint64x4(&as[doubles4](s)[i]) }
func s64x4At(s *Slot, i int) s64x4 { return archsimd.LoadInt64x4(&as[longs4](s)[i]) }

// zeroAt and signAt extend four lanes of a 32-bit register.
func zeroAt(s *Slot, i int) u64x4 { return archsimd.LoadUint32x4(&as[words4](s)[i]).ExtendToUint64() }
func signAt(s *Slot, i int) s64x4 { return archsimd.LoadInt32x4(&as[ints4](s)[i]).ExtendToInt64() }

// eightDoubles and storeDoubles are fourWords and storeWords for 64-bit registers.
func eightDoubles(d *Slot, f func(i int) u64x4) (to *Slot, r0, r1, r2, r3, r4, r5, r6, r7 u64x4) {
	return d, f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)
}

func storeDoubles(d *Slot, r0, r1, r2, r3, r4, r5, r6, r7 u64x4) {
	p := as[doubles4](d)
	r0.Store(&p[0])
	r1.Store(&p[1])
	r2.Store(&p[2])
	r3.Store(&p[3])
	r4.Store(&p[4])
	r5.Store(&p[5])
	r6.Store(&p[6])
	r7.Store(&p[7])
	endVectors()
}

// mul64 adds up those products of halves that reach below 2^64. MulEvenWiden takes the
// even words, the lower halves; the permutation swaps halves.
func mul64(x, y u64x4) u64x4 {
	p, q := x.AsUint32x8(), y.AsUint32x8()
	upper := p.PermuteScalarsGrouped(1, 0, 3, 2).MulEvenWiden(q).Add(q.PermuteScalarsGrouped(1, 0, 3, 2).MulEvenWiden(p))
	return p.MulEvenWiden(q).Add(upper.ShiftAllLeft(32))
}

func addU64x4(d, a, b, _ *Slot) {
	storeDoubles(eightDoubles(d, func(i int) u64x4 { return u64x4At(a, i).Add(u64x4At(b, i)) }))
}
func subU64x4(d, a, b, _ *Slot) {
	storeDoubles(eightDoubles(d, func(i int) u64x4 { return u64x4At(a, i).Sub(u64x4At(b, i)) }))
}
func mulU64x4(d, a, b, _ *Slot) {
	storeDoubles(eightDoubles(d, func(i int) u64x4 { return mul64(u64x4At(a, i), u64x4At(b, i)) }))
}
func madU64x4(d, a, b, c *Slot) {
	storeDoubles(eightDoubles(d, func(i int) u64x4 { return mul64(u64x4At(a, i), u64x4At(b, i)).Add(u64x4At(c, i)) }))
}

func and64x4(d, a, b, _ *Slot) {
	storeDoubles(eightDoubles(d, func(i int) u64x4 { return u64x4At(a, i).And(u64x4At(b, i)) }))
}
func or64x4(d, a, b, _ *Slot) {
	storeDoubles(eightDoubles(d, func(i int) u64x4 { return u64x4At(a, i).Or(u64x4At(b, i)) }))
}
func xor64x4(d, a, b, _ *Slot) {
	storeDoubles(eightDoubles(d, func(i int) u64x4 { return u64x4At(a, i).Xor(u64x4At(b, i)) }))
}
func shl64x4(d, a, b, _ *Slot) {
	storeDoubles(eightDoubles(d, func(i int) u64x4 { return u64x4At(a, i).ShiftLeft(zeroAt(b, i)) }))
}
func shrU64x4(d, a, b, _ *Slot) {
	storeDoubles(eightDoubles(d, func(i int) u64x4 { return u64x4At(a, i).ShiftRight(zeroAt(b, i)) }))
}

// wideU32 and wideS32 are products of four lanes, extended only because MulEvenWiden
// takes every other word.
func wideU32(a, b *Slot, i int) u64x4 {
	return zeroAt(a, i).AsUint32x8().MulEvenWiden(zeroAt(b, i).AsUint32x8())
}

func wideS32(a, b *Slot, i int) u64x4 {
	return zeroAt(a, i).AsInt32x8().MulEvenWiden(zeroAt(b, i).AsInt32x8()).AsUint64x4()
}

func mulWideU32x4(d, a, b, _ *Slot) {
	storeDoubles(eightDoubles(d, func(i int) u64x4 { return wideU32(a, b, i) }))
}
func mulWideS32x4(d, a, b, _ *Slot) {
	storeDoubles(eightDoubles(d, func(i int) u64x4 { return wideS32(a, b, i) }))
}
func madWideU32x4(d, a, b, c *Slot) {
	storeDoubles(eightDoubles(d, func(i int) u64x4 { return wideU32(a, b, i).Add(u64x4At(c, i)) }))
}
func madWideS32x4(d, a, b, c *Slot) {
	storeDoubles(eightDoubles(d, func(i int) u64x4 { return wideS32(a, b, i).Add(u64x4At(c, i)) }))
}

func zeroExtend32x4(d, a, _, _ *Slot) {
	storeDoubles(eightDoubles(d, func(i int) u64x4 { return zeroAt(a, i) }))
}
func signExtend32x4(d, a, _, _ *Slot) {
	storeDoubles(eightDoubles(d, func(i int) u64x4 { return signAt(a, i).AsUint64x4() }))
}

// evens puts the words in order that SelectFromPairGrouped takes from two vectors.
var evens = [8]uint32{0, 1, 4, 5, 2, 3, 6, 7}

func low32x8(d, a, _, _ *Slot) {
	order := archsimd.LoadUint32x8(&evens)
	storeWords(fourWords(d, func(i int) u32x8 {
		lo, hi := u64x4At(a, 2*i).AsUint32x8(), u64x4At(a, 2*i+1).AsUint32x8()
		return lo.SelectFromPairGrouped(0, 2, 4, 6, hi).Permute(order)
	}))
}

// eightMasks and joinedEight are fourMasks and joinedFour for 64-bit registers.
func eightMasks(f func(i int) mask4) (m0, m1, m2, m3, m4, m5, m6, m7 mask4) {
	return f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)
}

func joinedEight(m0, m1, m2, m3, m4, m5, m6, m7 mask4) uint32 {
	lo := uint32(m0.ToBits()) | uint32(m1.ToBits())<<4 | uint32(m2.ToBits())<<8 | uint32(m3.ToBits())<<12
	hi := uint32(m4.ToBits()) | uint32(m5.ToBits())<<4 | uint32(m6.ToBits())<<8 | uint32(m7.ToBits())<<12
	endVectors()
	return lo | hi<<16
}

func equal64x4(a, b *Slot) uint32 {
	return joinedEight(eightMasks(func(i int) mask4 { return u64x4At(a, i).Equal(u64x4At(b, i)) }))
}
func lessU64x4(a, b *Slot) uint32 {
	return joinedEight(eightMasks(func(i int) mask4 { return u64x4At(a, i).Less(u64x4At(b, i)) }))
}
func lessS64x4(a, b *Slot) uint32 {
	return joinedEight(eightMasks(func(i int) mask4 { return s64x4At(a, i).Less(s64x4At(b, i)) }))
}

// toTop32 and toTop64 move the bit of each lane to the top of its word.
var (
	toTop32 = func() (of words8) {
		for lane := range Width {
			of[lane/8][lane%8] = uint32(Width - 1 - lane)
		}
		return of
	}()
	toTop64 = func() (of doubles4) {
		for lane := range Width {
			of[lane/4][lane%4] = uint64(63 - lane)
		}
		return of
	}()
)

func merge32x8(d, t *Slot, m uint32) {
	lanes := archsimd.BroadcastUint32x8(m)
	storeWords(fourWords(d, func(i int) u32x8 {
		on := lanes.ShiftLeft(archsimd.LoadUint32x8(&toTop32[i])).AsInt32x8().ShiftAllRight(31).AsUint32x8()
		was := u32x8At(d, i)
		return was.Xor(u32x8At(t, i)).And(on).Xor(was)
	}))
}

func merge64x4(d, t *Slot, m uint32) {
	lanes, to := archsimd.BroadcastUint64x4(uint64(m)), as[doubles4](d)
	var zero s64x4
	for i := range to {
		on := zero.Greater(lanes.ShiftLeft(archsimd.LoadUint64x4(&toTop64[i])).AsInt64x4()).ToInt64x4().AsUint64x4()
		was := u64x4At(d, i)
		was.Xor(u64x4At(t, i)).And(on).Xor(was).Store(&to[i])
	}
	endVectors()
}
