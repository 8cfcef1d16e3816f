//go:build goexperiment.simd && amd64

package adder

import (
	"math/bits"
	"simd/archsimd"
)

// Wrong slices of lanes are made of masks of slices by sorting bytes: those of eight lanes make a
// word, which has the bits of a lane at one place in all of its bytes.

// octets sorts the bytes of four masks by lane; inTurn joins what two halves have of each.
var (
	octets = func() (of [32]int8) {
		for i := range of {
			of[i] = int8(i%4*4 + i/4%4)
		}
		return of
	}()
	inTurn = [8]uint32{0, 4, 1, 5, 2, 6, 3, 7}
	// laneIn4 and laneIn8 are the bits of eight lanes in all bytes of a word.
	laneIn4 = func() (of [8]uint32) {
		for i := range of {
			of[i] = 0x01010101 << i
		}
		return of
	}()
	laneIn8 = func() (of [2][4]uint64) {
		for i := range 8 {
			of[i/4][i%4] = 0x0101010101010101 << i
		}
		return of
	}()
)

// slicesOf sets words of eight lanes each: of predictions that were wrong, and of those of them
// that should have carried. What is beyond the slices is beyond the sums, too.
func (x *Vectors) slicesOf(bad, less *[4]uint64) {
	sorted, turn := archsimd.LoadInt8x32(&octets), archsimd.LoadUint32x8(&inTurn)
	wrong, truth := archsimd.LoadUint32x8((*[8]uint32)(x.misses[:8])), archsimd.LoadUint32x8((*[8]uint32)(x.True[:8]))
	b := wrong.AsUint8x32().PermuteOrZeroGrouped(sorted).AsUint32x8().Permute(turn).AsUint64x4()
	l := wrong.And(truth).AsUint8x32().PermuteOrZeroGrouped(sorted).AsUint32x8().Permute(turn).AsUint64x4()
	b.ShiftAllLeft(8).Store(bad)
	l.ShiftAllLeft(8).Store(less)
}

// off is what wrong slices add: one, or all ones where a carry was missing.
func off(bad, less, lane archsimd.Uint8x32) archsimd.Uint8x32 {
	one := archsimd.BroadcastUint8x32(1)
	more := bad.And(lane).Equal(lane).ToInt8x32().AsUint8x32()
	return more.And(one).Or(less.And(lane).Equal(lane).ToInt8x32().AsUint8x32())
}

// quotients adds those of whole numbers below 2^52, where what is divided by is not 0.
func quotients(sum archsimd.Float64x4, d, by archsimd.Uint64x4) archsimd.Float64x4 {
	const two52 = 0x4330000000000000
	var zero archsimd.Uint64x4
	exponent := archsimd.BroadcastUint64x4(two52)
	base := exponent.AsFloat64x4()
	q := d.Or(exponent).AsFloat64x4().Sub(base).Div(by.Or(exponent).AsFloat64x4().Sub(base))
	return sum.Add(q.AsUint64x4().AndNot(by.Equal(zero).ToInt64x4().AsUint64x4()).AsFloat64x4())
}

// wrong32x8 is wrong32x16, of slices of 8 bits.
func wrong32x8(x *Vectors, missed uint32, n *Errors) {
	const few = 4 // lanes, which are sooner done one by one
	switch {
	case x.Bits != 8 || bits.OnesCount32(missed) <= few:
		wrongSums(x, missed, n)
		return
	case kinds[x.Kind].wide:
		wrong64x4(x, missed, n)
		return
	}
	var low [4]uint64
	var bad, less [4]uint32
	x.fourOf(&bad, &less)
	keep := archsimd.BroadcastUint32x8(0xffffffff >> (32 - 8*x.Slices))
	tops := archsimd.BroadcastUint32x8(0x80808080)
	lane := archsimd.LoadUint32x8(&laneIn4).AsUint8x32()
	var zero, most archsimd.Uint32x8
	low32, bits32, one := archsimd.BroadcastUint64x4(1<<32-1), archsimd.BroadcastUint64x4(32), archsimd.BroadcastUint32x8(1)
	var sums archsimd.Uint64x4
	var first, second archsimd.Float64x4
	sum := vectors8(x.Sum[:])
	for i := range 4 {
		lanes := uint8(missed >> (8 * i))
		e := off(archsimd.BroadcastUint32x8(bad[i]).AsUint8x32(), archsimd.BroadcastUint32x8(less[i]).AsUint8x32(), lane).AsUint32x8()
		want := archsimd.LoadUint32x8(&sum[i])
		got := want.AndNot(tops).Add(e.AndNot(tops)).Xor(want.Xor(e).And(tops)).And(keep)
		want = want.And(keep)
		d := got.Max(want).Sub(got.Min(want)) // 0 where nothing is wrong
		most = most.Max(d)
		none := want.Equal(zero)
		n.against += uint64(bits.OnesCount8(lanes &^ none.ToBits()))
		sums = sums.Add(d.AsUint64x4().And(low32)).Add(d.AsUint64x4().ShiftRight(bits32))
		if x.Slices < 4 { // below 2^31
			none := none.ToInt32x8().AsUint32x8()
			p, q := d.AndNot(none).AsInt32x8(), want.Or(none.And(one)).AsInt32x8()
			first = first.Add(p.GetLo().ConvertToFloat64().Div(q.GetLo().ConvertToFloat64()))
			second = second.Add(p.GetHi().ConvertToFloat64().Div(q.GetHi().ConvertToFloat64()))
			continue
		}
		first = quotients(first, d.GetLo().ExtendToUint64(), want.GetLo().ExtendToUint64())
		second = quotients(second, d.GetHi().ExtendToUint64(), want.GetHi().ExtendToUint64())
	}
	n.addRelative(first, second)
	sums.Store(&low)
	if larger := most.Max(archsimd.BroadcastUint32x8(uint32(n.Max))).Xor(archsimd.BroadcastUint32x8(uint32(n.Max))); !larger.IsZero() {
		var largest [8]uint32
		most.Store(&largest)
		for _, m := range largest {
			n.Max = max(n.Max, uint64(m))
		}
	}
	archsimd.ClearAVXUpperBits()
	n.Wrong += uint64(bits.OnesCount32(missed))
	n.add(low[0]+low[1]+low[2]+low[3], 0)
}

// fourOf is slicesOf of adders of up to 32 bits, whose masks are put into a vector one by one: one
// that was stored in pieces waits for all of them.
func (x *Vectors) fourOf(bad, less *[4]uint32) {
	var b, l archsimd.Uint32x4
	sorted := archsimd.LoadInt8x16((*[16]int8)(octets[:16]))
	m, t := x.misses[:3], x.True[:3]
	b = b.SetElem(1, m[0]).SetElem(2, m[1]).SetElem(3, m[2])
	l = l.SetElem(1, m[0]&t[0]).SetElem(2, m[1]&t[1]).SetElem(3, m[2]&t[2])
	b.AsUint8x16().PermuteOrZero(sorted).AsUint32x4().Store(bad)
	l.AsUint8x16().PermuteOrZero(sorted).AsUint32x4().Store(less)
}

// addRelative adds errors against right sums.
func (e *Errors) addRelative(first, second archsimd.Float64x4) {
	p, q := (*[4]float64)(e.relative[:4]), (*[4]float64)(e.relative[4:])
	archsimd.LoadFloat64x4(p).Add(first).Store(p)
	archsimd.LoadFloat64x4(q).Add(second).Store(q)
}

// toFloats converts whole numbers, rounded once: halves are exact, each with the exponent that puts
// it at its place.
func toFloats(v archsimd.Uint64x4) archsimd.Float64x4 {
	const two52, two84, both = 0x4330000000000000, 0x4530000000000000, 0x4530000000100000
	low := v.And(archsimd.BroadcastUint64x4(1<<32 - 1)).Or(archsimd.BroadcastUint64x4(two52)).AsFloat64x4()
	high := v.ShiftRight(archsimd.BroadcastUint64x4(32)).Or(archsimd.BroadcastUint64x4(two84)).AsFloat64x4()
	return high.Sub(archsimd.BroadcastUint64x4(both).AsFloat64x4()).Add(low)
}

// wrong64x4 is wrong64x8.
func wrong64x4(x *Vectors, missed uint32, n *Errors) {
	var bad, less, low, high, largest [4]uint64
	var relative [2]archsimd.Float64x4
	x.slicesOf(&bad, &less)
	keep, tops := archsimd.BroadcastUint64x4(^uint64(0)>>(64-8*x.Slices)), archsimd.BroadcastUint64x4(topBits[8])
	low32, bits32, sign := archsimd.BroadcastUint64x4(1<<32-1), archsimd.BroadcastUint64x4(32), archsimd.BroadcastUint64x4(1<<63)
	var zero, most, lows, highs archsimd.Uint64x4
	sum := vectors4(x.Sum[:])
	for i := range 8 {
		lanes := uint8(missed>>(4*i)) & 0xf
		if lanes == 0 {
			continue
		}
		lane := archsimd.LoadUint64x4(&laneIn8[i&1]).AsUint8x32()
		e := off(archsimd.BroadcastUint64x4(bad[i/2]).AsUint8x32(), archsimd.BroadcastUint64x4(less[i/2]).AsUint8x32(), lane).AsUint64x4()
		want := archsimd.LoadUint64x4(&sum[i])
		got := want.AndNot(tops).Add(e.AndNot(tops)).Xor(want.Xor(e).And(tops)).And(keep)
		want = want.And(keep)
		below := want.Xor(sign).AsInt64x4().Greater(got.Xor(sign).AsInt64x4()).ToInt64x4().AsUint64x4()
		d := got.Sub(want).Xor(below).Sub(below)
		larger := d.Xor(sign).AsInt64x4().Greater(most.Xor(sign).AsInt64x4())
		most, lows, highs = d.Merge(most, larger), lows.Add(d.And(low32)), highs.Add(d.ShiftRight(bits32))
		none := want.Equal(zero)
		n.against += uint64(bits.OnesCount8(lanes &^ none.ToBits()))
		q := toFloats(d).Div(toFloats(want)).AsUint64x4().AndNot(none.ToInt64x4().AsUint64x4())
		relative[i&1] = relative[i&1].Add(q.AsFloat64x4())
	}
	lows.Store(&low)
	highs.Store(&high)
	most.Store(&largest)
	n.addRelative(relative[0], relative[1])
	archsimd.ClearAVXUpperBits()
	n.Wrong += uint64(bits.OnesCount32(missed))
	n.Max = max(n.Max, largest[0], largest[1], largest[2], largest[3])
	n.add(low[0]+low[1]+low[2]+low[3], high[0]+high[1]+high[2]+high[3])
}
