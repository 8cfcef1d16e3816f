//go:build goexperiment.simd && amd64

package adder

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// The loops of kernels.go on AVX-512: 32 lanes are two vectors. A machine that lacks it may
// have AVX2 (avx2_amd64.go). All are tested against the portable ones (TestKernels).

func init() {
	if archsimd.X86.AVX2() {
		sets = append(sets, kernels{
			single: singles32x8, narrow: narrow32x8, inLine: inLine32x8, inLine64: inLine64x4, lanes: lanes32x8, lanes64: lanes64x4,
			pairs: setPairs32x8, each: setWide64x4,
			flips: flips32x8, wrong: wrong32x8, results: results32x8, pay: pay32x8, rows: rows32x8,
		})
	}
	if archsimd.X86.AVX512() {
		sets = append(sets, kernels{
			single: singles32x16, narrow: narrow32x16, inLine: inLine32x8, inLine64: inLine64x4, lanes: lanes32x8, lanes64: lanes64x4,
			pairs: setPairs32x16, each: setWide64x8,
			flips: flips32x16, wrong: wrong32x16, results: results32x16, pay: pay32x16, rows: rows32x16,
		})
	}
	use = sets[len(sets)-1]
}

// vectors32 views the operands of a warp, two lanes a word, as vectors.
func vectors32(words []uint64) *[2][16]uint32 {
	return (*[2][16]uint32)(unsafe.Pointer(&words[:16][0]))
}

// singles32x16 makes of two single-precision numbers what their adder is given: the
// significand of the larger one, that of the smaller moved right by the difference of their
// exponents, and turned over where the signs differ. Those that lose their hidden bit are
// subnormal, whose exponent counts as 1. Numbers without signs are ordered as integers are, so
// that the larger one is found without a look at exponents. carry are the lanes that subtract.
func singles32x16(a, b []uint64, x, y *[Lanes]uint32, sign uint32) (carry uint32) {
	p, q := (*[2][16]uint32)(unsafe.Pointer(x)), (*[2][16]uint32)(unsafe.Pointer(y))
	to, from := vectors32(a), vectors32(b)
	signs, top := archsimd.BroadcastUint32x16(sign), archsimd.BroadcastUint32x16(1<<31)
	hidden, fraction := archsimd.BroadcastUint32x16(1<<23), archsimd.BroadcastUint32x16(1<<23-1)
	one, all := archsimd.BroadcastUint32x16(1), archsimd.BroadcastUint32x16(1<<24-1)
	var zero archsimd.Uint32x16
	for i := range 2 {
		u, v := archsimd.LoadUint32x16(&p[i]), archsimd.LoadUint32x16(&q[i]).Xor(signs)
		differ := u.Xor(v).And(top).NotEqual(zero)
		u, v = u.AndNot(top), v.AndNot(top)
		u, v = u.Max(v), u.Min(v)
		ex, ey := u.AsInt32x16().ShiftAllRight(23).AsUint32x16(), v.AsInt32x16().ShiftAllRight(23).AsUint32x16()
		u = u.And(fraction).Or(hidden.Masked(ex.NotEqual(zero)))
		v = v.And(fraction).Or(hidden.Masked(ey.NotEqual(zero)))
		v = v.ShiftRight(ex.Max(one).Sub(ey.Max(one)))
		u.Store(&to[i])
		v.Xor(all.Masked(differ)).Store(&from[i])
		carry |= uint32(differ.ToBits()) << (16 * i)
	}
	archsimd.ClearAVXUpperBits()
	return carry
}

// narrow32x16: two lanes in a word are as lanes lie in a register.
func narrow32x16(to []uint64, x *[Lanes]uint32, flip, low uint32) {
	p, q := (*[2][16]uint32)(unsafe.Pointer(x)), vectors32(to)
	turned, added := archsimd.BroadcastUint32x16(flip), archsimd.BroadcastUint32x16(low)
	for i := range 2 {
		archsimd.LoadUint32x16(&p[i]).Xor(turned).And(added).Store(&q[i])
	}
	archsimd.ClearAVXUpperBits()
}

// nibbles are how many bits are set in each number of four, for each group of 16 bytes.
var nibbles = func() (of [64]uint8) {
	for i := range of {
		of[i] = uint8(bits.OnesCount(uint(i % 16)))
	}
	return of
}()

// bitsOf counts the bits of each byte by its halves: not all processors with vectors of 512
// bits have an instruction that does.
func bitsOf(d archsimd.Uint8x64, table archsimd.Uint8x64) archsimd.Uint8x64 {
	low := archsimd.BroadcastUint8x64(0x0f)
	high := d.AsInt16x32().ShiftAllRight(4).AsUint8x64().And(low)
	return table.PermuteOrZeroGrouped(d.And(low).AsInt8x64()).Add(table.PermuteOrZeroGrouped(high.AsInt8x64()))
}

// sumOf adds bytes up.
func sumOf(bytes archsimd.Uint8x64) (n uint64) {
	var zero archsimd.Uint8x64
	var sums [8]uint64
	bytes.SumAbsDiff(zero).AsUint64x8().Store(&sums)
	archsimd.ClearAVXUpperBits()
	for _, s := range sums {
		n += s
	}
	return n
}

// flips32x16 counts the bits in which operands and sums of the lanes of x differ from those that the
// same adder had before, which is what its wires' energy goes by, and keeps the new ones.
func flips32x16(e *edge, x *Vectors) uint64 {
	if kinds[x.Kind].wide {
		return flips64x8(e, x)
	}
	low := archsimd.BroadcastUint32x16(0xffffffff >> (32 - x.Kind.Bits()))
	table := archsimd.LoadUint8x64(&nibbles)
	a, b, sum := vectors32(x.A), vectors32(x.B), vectors32(x.Sum[:])
	wasA, wasB, wasSum := vectors32(e.a[:]), vectors32(e.b[:]), vectors32(e.sum[:])
	var n archsimd.Uint8x64 // a byte is 48 at most
	for i := range 2 {
		on := low.Masked(archsimd.Mask32x16FromBits(uint16(x.Mask >> (16 * i))))
		n = n.Add(bitsOf(changed(&wasA[i], &a[i], on), table)).Add(bitsOf(changed(&wasB[i], &b[i], on), table)).Add(bitsOf(changed(&wasSum[i], &sum[i], on), table))
	}
	return sumOf(n)
}

// changed makes bits of 16 lanes new and returns those that differ.
func changed(old, now *[16]uint32, on archsimd.Uint32x16) archsimd.Uint8x64 {
	was := archsimd.LoadUint32x16(old)
	d := archsimd.LoadUint32x16(now).Xor(was).And(on)
	d.Xor(was).Store(old)
	return d.AsUint8x64()
}

func flips64x8(e *edge, x *Vectors) uint64 {
	low := archsimd.BroadcastUint64x8(^uint64(0) >> (64 - x.Kind.Bits()))
	table := archsimd.LoadUint8x64(&nibbles)
	var n archsimd.Uint8x64 // a byte is 96 at most
	for i := range 4 {
		on := low.Masked(archsimd.Mask64x8FromBits(uint8(x.Mask >> (8 * i))))
		n = n.Add(bitsOf(changed64(eight(e.a[:], i), eight(x.A, i), on), table)).Add(bitsOf(changed64(eight(e.b[:], i), eight(x.B, i), on), table))
		n = n.Add(bitsOf(changed64(eight(e.sum[:], i), eight(x.Sum[:], i), on), table))
	}
	return sumOf(n)
}

// changed64 is changed of 8 lanes of adders of 64 bits.
func changed64(old, now *[8]uint64, on archsimd.Uint64x8) archsimd.Uint8x64 {
	was := archsimd.LoadUint64x8(old)
	d := archsimd.LoadUint64x8(now).Xor(was).And(on)
	d.Xor(was).Store(old)
	return d.AsUint8x64()
}

// wrong32x16 adds up how far off the sums of lanes would be whose predictions missed if nothing
// mended them. A carry that was predicted and did not come adds one at its place, a missing
// one takes one away, which is a slice of ones within the slices' own width: off has these for
// all slices, and is added to the sum slice by slice (the top bits by exclusive or, so
// that nothing is carried over). Distances are summed as integers, and as parts of the true sums
// where these are not 0.
func wrong32x16(x *Vectors, missed uint32, n *Errors) {
	const few = 4 // lanes, which are sooner done one by one
	switch {
	case bits.OnesCount32(missed) <= few:
		wrongSums(x, missed, n)
		return
	case kinds[x.Kind].wide && x.Bits == 8:
		wrong64x8(x, missed, n)
		return
	case kinds[x.Kind].wide || x.Bits >= 32 || x.Slices*x.Bits > 32:
		wrongSums(x, missed, n)
		return
	}
	// Arrays are cleared by instructions older than AVX, which wait for vectors in use.
	var low [8]uint64
	var largest [16]uint32
	keep := archsimd.BroadcastUint32x16(0xffffffff >> (32 - x.Slices*x.Bits))
	tops := archsimd.BroadcastUint32x16(uint32(topBits[x.Bits]))
	var zero, most archsimd.Uint32x16
	var sums archsimd.Uint64x8
	var relative archsimd.Float64x8
	sum := vectors32(x.Sum[:])
	for i := range 2 {
		lanes := uint16(missed >> (16 * i))
		off := zero
		for k, bad := range x.misses[:x.Predicted] {
			more, less, at := bad&^x.True[k], bad&x.True[k], x.Bits*(k+1)&31
			off = off.Or(archsimd.BroadcastUint32x16(1 << at).Masked(archsimd.Mask32x16FromBits(uint16(more >> (16 * i)))))
			off = off.Or(archsimd.BroadcastUint32x16((1<<x.Bits - 1) << at).Masked(archsimd.Mask32x16FromBits(uint16(less >> (16 * i)))))
		}
		want := archsimd.LoadUint32x16(&sum[i])
		got := want.AndNot(tops).Add(off.AndNot(tops)).Xor(want.Xor(off).And(tops)).And(keep)
		want = want.And(keep)
		d := got.Max(want).Sub(got.Min(want)).Masked(archsimd.Mask32x16FromBits(lanes))
		most = most.Max(d)
		not0 := want.NotEqual(zero).ToBits() & lanes
		n.Wrong += uint64(bits.OnesCount16(lanes))
		n.against += uint64(bits.OnesCount16(not0))
		for half := range 2 {
			p, q := d.GetLo(), want.GetLo()
			if half == 1 {
				p, q = d.GetHi(), want.GetHi()
			}
			sums = sums.Add(p.ExtendToUint64())
			if uint8(not0>>(8*half)) == 0 {
				continue
			}
			relative = relative.Add(p.ConvertToFloat64().Div(q.ConvertToFloat64()).Masked(archsimd.Mask64x8FromBits(uint8(not0 >> (8 * half)))))
		}
	}
	sums.Store(&low)
	most.Store(&largest)
	archsimd.LoadFloat64x8(&n.relative).Add(relative).Store(&n.relative)
	archsimd.ClearAVXUpperBits()
	all := uint64(0)
	for _, s := range low {
		all += s
	}
	n.add(all, 0)
	for _, m := range largest {
		n.Max = max(n.Max, uint64(m))
	}
}

// wrong64x8 is wrong32x16 for adders of 64 bits. Distances are summed in halves, which do not
// overflow.
func wrong64x8(x *Vectors, missed uint32, n *Errors) {
	var low, high, largest [8]uint64
	keep, tops := archsimd.BroadcastUint64x8(^uint64(0)>>(64-8*x.Slices)), archsimd.BroadcastUint64x8(topBits[8])
	low32, half := archsimd.BroadcastUint64x8(1<<32-1), archsimd.BroadcastUint64x8(32)
	var zero, most, lows, highs archsimd.Uint64x8
	var relative archsimd.Float64x8
	for i := range 4 {
		lanes := uint8(missed >> (8 * i))
		if lanes == 0 {
			continue
		}
		off := zero
		for k, bad := range x.misses[:x.Predicted] {
			more, less, at := uint8(bad&^x.True[k]>>(8*i)), uint8(bad&x.True[k]>>(8*i)), 8*(k+1)&63
			off = off.Or(archsimd.BroadcastUint64x8(1 << at).Masked(archsimd.Mask64x8FromBits(more)))
			off = off.Or(archsimd.BroadcastUint64x8(0xff << at).Masked(archsimd.Mask64x8FromBits(less)))
		}
		want := archsimd.LoadUint64x8(eight(x.Sum[:], i))
		got := want.AndNot(tops).Add(off.AndNot(tops)).Xor(want.Xor(off).And(tops)).And(keep)
		want = want.And(keep)
		d := got.Max(want).Sub(got.Min(want)).Masked(archsimd.Mask64x8FromBits(lanes))
		most, lows, highs = most.Max(d), lows.Add(d.And(low32)), highs.Add(d.ShiftRight(half))
		not0 := want.NotEqual(zero).ToBits() & lanes
		n.Wrong += uint64(bits.OnesCount8(lanes))
		n.against += uint64(bits.OnesCount8(not0))
		relative = relative.Add(d.ConvertToFloat64().Div(want.ConvertToFloat64()).Masked(archsimd.Mask64x8FromBits(not0)))
	}
	lows.Store(&low)
	highs.Store(&high)
	most.Store(&largest)
	archsimd.LoadFloat64x8(&n.relative).Add(relative).Store(&n.relative)
	archsimd.ClearAVXUpperBits()
	var sums [2]uint64
	for i := range low {
		sums[0] += low[i]
		sums[1] += high[i]
		n.Max = max(n.Max, largest[i])
	}
	n.add(sums[0], sums[1])
}
