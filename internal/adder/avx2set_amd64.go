//go:build goexperiment.simd && amd64

package adder

import (
	"simd/archsimd"
	"unsafe"
)

// Few instructions on 256 bits cross the middle. So a vector here has lanes 4i to 4i+3 in its
// lower half and 16+4i to 16+4i+3 in its upper one: once bytes are sorted by slice within
// halves, those of a slice lie in the order of lanes.

// bytesOf4 puts byte k of each lane of a half first, the next byte of each behind; apart4 and
// apart8 are the lanes of vectors.
var (
	bytesOf4 = func() (of [4][32]int8) {
		for k := range of {
			for i := range of[k] {
				of[k][i] = int8(i%4*4 + (k+i%16/4)%4)
			}
		}
		return of
	}()
	apart4 = func() (of [4][8]uint32) {
		for i := range of {
			for l := range of[i] {
				of[i][l] = uint32(4*i + l%4 + l/4*16)
			}
		}
		return of
	}()
	apart8 = func() (of [8][4]uint64) {
		for i := range of {
			for l := range of[i] {
				of[i][l] = uint64(2*i + l%2 + l/2*16)
			}
		}
		return of
	}()
)

// lanes32 views the operands of a warp, two lanes a word.
func lanes32(words []uint64) *[Lanes]uint32 {
	return (*[Lanes]uint32)(unsafe.Pointer(&words[:Lanes/2][0]))
}

// load4 loads vector i of a warp.
func load4(v *[Lanes]uint32, i int) archsimd.Uint32x8 {
	return archsimd.LoadUint32x8((*[8]uint32)(v[4*i:])).SetHi(archsimd.LoadUint32x4((*[4]uint32)(v[16+4*i:])))
}

// load8 is load4 for adders of 64 bits.
func load8(v *[Lanes]uint64, i int) archsimd.Uint64x4 {
	return archsimd.LoadUint64x4((*[4]uint64)(v[2*i:])).SetHi(archsimd.LoadUint64x2((*[2]uint64)(v[16+2*i:])))
}

// tops returns the top bits of bytes.
func tops(v archsimd.Uint64x4) uint32 {
	var zero archsimd.Int8x32
	return v.AsInt8x32().Less(zero).ToBits()
}

// sorted sorts the bytes of lanes.
func sorted(p, q, r, s archsimd.Uint32x8, bytes archsimd.Int8x32) (w, x, y, z archsimd.Uint32x8) {
	w, x = p.AsUint8x32().PermuteOrZeroGrouped(bytes).AsUint32x8(), q.AsUint8x32().PermuteOrZeroGrouped(bytes).AsUint32x8()
	y, z = r.AsUint8x32().PermuteOrZeroGrouped(bytes).AsUint32x8(), s.AsUint8x32().PermuteOrZeroGrouped(bytes).AsUint32x8()
	return w, x, y, z
}

// first and second return the top bits of the bytes that were sorted first and second, third and
// fourth those of the others.
func first(w, x, y, z archsimd.Uint32x8) uint32 {
	return tops(w.InterleaveLoGrouped(x).AsUint64x4().InterleaveLoGrouped(y.InterleaveLoGrouped(z).AsUint64x4()))
}

func second(w, x, y, z archsimd.Uint32x8) uint32 {
	return tops(w.InterleaveLoGrouped(x).AsUint64x4().InterleaveHiGrouped(y.InterleaveLoGrouped(z).AsUint64x4()))
}

func third(w, x, y, z archsimd.Uint32x8) uint32 {
	return tops(w.InterleaveHiGrouped(x).AsUint64x4().InterleaveLoGrouped(y.InterleaveHiGrouped(z).AsUint64x4()))
}

func fourth(w, x, y, z archsimd.Uint32x8) uint32 {
	return tops(w.InterleaveHiGrouped(x).AsUint64x4().InterleaveHiGrouped(y.InterleaveHiGrouped(z).AsUint64x4()))
}

// added adds vector i, and returns where operands differ and carries, each at the bit below.
func added(a, b, sum *[Lanes]uint32, i int, carry archsimd.Uint32x8) (differ, carries archsimd.Uint32x8) {
	p, q := load4(a, i), load4(b, i)
	one := archsimd.BroadcastUint32x8(1)
	s := p.Add(q).Add(carry.ShiftRight(archsimd.LoadUint32x8(&apart4[i])).And(one))
	s.GetLo().Store((*[4]uint32)(sum[4*i:]))
	s.GetHi().Store((*[4]uint32)(sum[16+4*i:]))
	d := p.Xor(q)
	return d, d.Xor(s).AsInt32x8().ShiftAllRight(1).AsUint32x8()
}

// runs4 returns the upper ends of runs of 8 bits.
func runs4(d archsimd.Uint32x8) archsimd.Uint32x8 {
	d = d.And(d.ShiftAllLeft(1))
	d = d.And(d.ShiftAllLeft(2))
	return d.And(d.ShiftAllLeft(4))
}

// none4 is all ones in lanes that have none.
func none4(d archsimd.Uint32x8) archsimd.Uint32x8 {
	var zero archsimd.Uint32x8
	return d.Equal(zero).ToInt32x8().AsUint32x8()
}

// setPairs32x8 is setPairs32x16 on vectors of 256 bits.
func setPairs32x8(x *Vectors) {
	a, b, sum := lanes32(x.A), lanes32(x.B), lanes32(x.Sum[:])
	carry := archsimd.BroadcastUint32x8(x.Carry)
	d0, e0 := added(a, b, sum, 0, carry)
	d1, e1 := added(a, b, sum, 1, carry)
	d2, e2 := added(a, b, sum, 2, carry)
	d3, e3 := added(a, b, sum, 3, carry)
	bytes, top := archsimd.LoadInt8x32(&bytesOf4[0]), archsimd.LoadInt8x32(&bytesOf4[(x.Slices-1)&3])
	masks4(&x.True, x.Predicted, x.Mask, e0, e1, e2, e3, bytes)
	masks4(&x.Open, x.Predicted, x.Mask, d0, d1, d2, d3, bytes)
	x.SignA = first(sorted(load4(a, 0), load4(a, 1), load4(a, 2), load4(a, 3), top))
	x.SignB = x.SignA ^ first(sorted(d0, d1, d2, d3, top))
	d0, d1, d2, d3 = runs4(d0), runs4(d1), runs4(d2), runs4(d3)
	if x.Long = ^first(sorted(none4(d0), none4(d1), none4(d2), none4(d3), bytes)); x.Long == 0 {
		x.Pass[0], x.Pass[1], x.Pass[2] = 0, 0, 0 // no more are predicted, and to clear so many as are takes a call
	} else {
		masks4(&x.Pass, x.Predicted, ^uint32(0), d0, d1, d2, d3, bytes)
	}
	archsimd.ClearAVXUpperBits()
}

// masks4 sets masks of the top bits of bytes: adders of up to 32 bits have 1 to 3.
func masks4(m *Masks, n int, lanes uint32, p, q, r, s archsimd.Uint32x8, bytes archsimd.Int8x32) {
	w, x, y, z := sorted(p, q, r, s, bytes)
	m[0] = first(w, x, y, z) & lanes
	if n > 1 {
		m[1] = second(w, x, y, z) & lanes
	}
	if n > 2 {
		m[2] = third(w, x, y, z) & lanes
	}
}

// low and high return the lower and the upper 32 bits of the lanes of two vectors.
func low(v *[8][4]uint64, i int) archsimd.Uint32x8 {
	return archsimd.LoadUint64x4(&v[2*i]).AsUint32x8().SelectFromPairGrouped(0, 2, 4, 6, archsimd.LoadUint64x4(&v[2*i+1]).AsUint32x8())
}

func high(v *[8][4]uint64, i int) archsimd.Uint32x8 {
	return archsimd.LoadUint64x4(&v[2*i]).AsUint32x8().SelectFromPairGrouped(1, 3, 5, 7, archsimd.LoadUint64x4(&v[2*i+1]).AsUint32x8())
}

// masks8 is masks4 for adders of 53 or 64 bits, which have 6 or 7.
func masks8(m *Masks, n int, lanes uint32, v *[8][4]uint64) {
	bytes := archsimd.LoadInt8x32(&bytesOf4[0])
	w, x, y, z := sorted(low(v, 0), low(v, 1), low(v, 2), low(v, 3), bytes)
	m[0], m[1] = first(w, x, y, z)&lanes, second(w, x, y, z)&lanes
	m[2], m[3] = third(w, x, y, z)&lanes, fourth(w, x, y, z)&lanes
	w, x, y, z = sorted(high(v, 0), high(v, 1), high(v, 2), high(v, 3), bytes)
	m[4], m[5] = first(w, x, y, z)&lanes, second(w, x, y, z)&lanes
	if n > 6 {
		m[6] = third(w, x, y, z) & lanes
	}
}

// setWide64x4 is setPairs32x8 for adders of 64 bits.
func setWide64x4(x *Vectors) {
	a, b, sum := (*[Lanes]uint64)(x.A), (*[Lanes]uint64)(x.B), &x.Sum
	carry, one := archsimd.BroadcastUint64x4(uint64(x.Carry)), archsimd.BroadcastUint64x4(1)
	signs, differ, carries, runs := &x.apart[0], &x.apart[1], &x.apart[2], &x.apart[3]
	var any archsimd.Uint64x4
	for i := range 8 {
		p, q := load8(a, i&7), load8(b, i&7)
		s := p.Add(q).Add(carry.ShiftRight(archsimd.LoadUint64x4(&apart8[i])).And(one))
		s.GetLo().Store((*[2]uint64)(sum[2*i&15:]))
		s.GetHi().Store((*[2]uint64)(sum[16+2*i&15:]))
		d := p.Xor(q)
		p.Store(&signs[i])
		d.Store(&differ[i])
		d.Xor(s).ShiftRight(one).Store(&carries[i])
		d = d.And(d.ShiftAllLeft(1))
		d = d.And(d.ShiftAllLeft(2))
		d = d.And(d.ShiftAllLeft(4))
		d.Store(&runs[i])
		any = any.Or(d)
	}
	masks8(&x.True, x.Predicted, x.Mask, carries)
	masks8(&x.Open, x.Predicted, x.Mask, differ)
	top := archsimd.LoadInt8x32(&bytesOf4[(x.Slices-1)&3]) // of the upper 32 bits
	x.SignA = first(sorted(high(signs, 0), high(signs, 1), high(signs, 2), high(signs, 3), top))
	x.SignB = x.SignA ^ first(sorted(high(differ, 0), high(differ, 1), high(differ, 2), high(differ, 3), top))
	if x.Long = 0; any.IsZero() {
		for i := range 7 {
			x.Pass[i] = 0
		}
	} else {
		x.Long = ^first(sorted(none4(low(runs, 0).Or(high(runs, 0))), none4(low(runs, 1).Or(high(runs, 1))),
			none4(low(runs, 2).Or(high(runs, 2))), none4(low(runs, 3).Or(high(runs, 3))), archsimd.LoadInt8x32(&bytesOf4[0])))
		masks8(&x.Pass, x.Predicted, ^uint32(0), runs)
	}
	archsimd.ClearAVXUpperBits()
}
