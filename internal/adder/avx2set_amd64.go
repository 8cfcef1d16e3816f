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

// firstBytes sorts the bytes of 32 lanes as bytes says, of which the first four of a half and the
// next four are of use.
func firstBytes(v0, v1, v2, v3 archsimd.Uint32x8, bytes archsimd.Int8x32) (p, q archsimd.Uint64x4) {
	v0, v1 = v0.AsUint8x32().PermuteOrZeroGrouped(bytes).AsUint32x8(), v1.AsUint8x32().PermuteOrZeroGrouped(bytes).AsUint32x8()
	v2, v3 = v2.AsUint8x32().PermuteOrZeroGrouped(bytes).AsUint32x8(), v3.AsUint8x32().PermuteOrZeroGrouped(bytes).AsUint32x8()
	return v0.InterleaveLoGrouped(v1).AsUint64x4(), v2.InterleaveLoGrouped(v3).AsUint64x4()
}

// oneOf4 returns the top bits of the first byte of lanes.
func oneOf4(v0, v1, v2, v3 archsimd.Uint32x8, bytes archsimd.Int8x32) uint32 {
	p, q := firstBytes(v0, v1, v2, v3, bytes)
	return tops(p.InterleaveLoGrouped(q))
}

// twoOf4 returns those of the byte behind, too.
func twoOf4(v0, v1, v2, v3 archsimd.Uint32x8, bytes archsimd.Int8x32) (first, second uint32) {
	p, q := firstBytes(v0, v1, v2, v3, bytes)
	return tops(p.InterleaveLoGrouped(q)), tops(p.InterleaveHiGrouped(q))
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
	low, high, top := archsimd.LoadInt8x32(&bytesOf4[0]), archsimd.LoadInt8x32(&bytesOf4[2]), archsimd.LoadInt8x32(&bytesOf4[(x.Slices-1)&3])
	n, lanes := x.Predicted, x.Mask
	t0, t1 := twoOf4(e0, e1, e2, e3, low)
	o0, o1 := twoOf4(d0, d1, d2, d3, low)
	x.True[0], x.Open[0] = t0&lanes, o0&lanes
	if n > 1 {
		x.True[1], x.Open[1] = t1&lanes, o1&lanes
	}
	if n > 2 {
		x.True[2], x.Open[2] = oneOf4(e0, e1, e2, e3, high)&lanes, oneOf4(d0, d1, d2, d3, high)&lanes
	}
	x.SignA = oneOf4(load4(a, 0), load4(a, 1), load4(a, 2), load4(a, 3), top)
	x.SignB = x.SignA ^ oneOf4(d0, d1, d2, d3, top)
	d0, d1, d2, d3 = runs4(d0), runs4(d1), runs4(d2), runs4(d3)
	if x.Long = ^oneOf4(none4(d0), none4(d1), none4(d2), none4(d3), low); x.Long == 0 {
		clear(x.Pass[:n])
		archsimd.ClearAVXUpperBits()
		return
	}
	p0, p1 := twoOf4(d0, d1, d2, d3, low)
	x.Pass[0] = p0
	if n > 1 {
		x.Pass[1] = p1
	}
	if n > 2 {
		x.Pass[2] = oneOf4(d0, d1, d2, d3, high)
	}
	archsimd.ClearAVXUpperBits()
}

// eight4 are the vectors of a warp whose lanes have 64 bits.
type eight4 [8][4]uint64

// low and high return the lower and the upper 32 bits of the lanes of two vectors.
func (v *eight4) low(i int) archsimd.Uint32x8 {
	return archsimd.LoadUint64x4(&v[2*i]).AsUint32x8().SelectFromPairGrouped(0, 2, 4, 6, archsimd.LoadUint64x4(&v[2*i+1]).AsUint32x8())
}

func (v *eight4) high(i int) archsimd.Uint32x8 {
	return archsimd.LoadUint64x4(&v[2*i]).AsUint32x8().SelectFromPairGrouped(1, 3, 5, 7, archsimd.LoadUint64x4(&v[2*i+1]).AsUint32x8())
}

// masks sets masks of the top bits of bytes: adders of 53 or 64 bits have 6 or 7 of them.
func (v *eight4) masks(m *Masks, n int, lanes uint32) {
	low, high := archsimd.LoadInt8x32(&bytesOf4[0]), archsimd.LoadInt8x32(&bytesOf4[2])
	v0, v1, v2, v3 := v.low(0), v.low(1), v.low(2), v.low(3)
	p, q := twoOf4(v0, v1, v2, v3, low)
	m[0], m[1] = p&lanes, q&lanes
	p, q = twoOf4(v0, v1, v2, v3, high)
	m[2], m[3] = p&lanes, q&lanes
	v0, v1, v2, v3 = v.high(0), v.high(1), v.high(2), v.high(3)
	p, q = twoOf4(v0, v1, v2, v3, low)
	m[4], m[5] = p&lanes, q&lanes
	if n > 6 {
		m[6] = oneOf4(v0, v1, v2, v3, high) & lanes
	}
}

// setWide64x4 is setPairs32x8 for adders of 64 bits.
func setWide64x4(x *Vectors) {
	a, b, sum := (*[Lanes]uint64)(x.A), (*[Lanes]uint64)(x.B), &x.Sum
	var signs, differ, carries eight4
	carry, one := archsimd.BroadcastUint64x4(uint64(x.Carry)), archsimd.BroadcastUint64x4(1)
	for i := range 8 {
		p, q := load8(a, i&7), load8(b, i&7)
		s := p.Add(q).Add(carry.ShiftRight(archsimd.LoadUint64x4(&apart8[i])).And(one))
		s.GetLo().Store((*[2]uint64)(sum[2*i&15:]))
		s.GetHi().Store((*[2]uint64)(sum[16+2*i&15:]))
		d := p.Xor(q)
		p.Store(&signs[i])
		d.Store(&differ[i])
		d.Xor(s).ShiftRight(one).Store(&carries[i])
	}
	n := x.Predicted
	carries.masks(&x.True, n, x.Mask)
	differ.masks(&x.Open, n, x.Mask)
	top := archsimd.LoadInt8x32(&bytesOf4[(x.Slices-1)&3]) // of the upper 32 bits
	x.SignA = oneOf4(signs.high(0), signs.high(1), signs.high(2), signs.high(3), top)
	x.SignB = x.SignA ^ oneOf4(differ.high(0), differ.high(1), differ.high(2), differ.high(3), top)
	var any archsimd.Uint64x4
	for i := range 8 {
		d := archsimd.LoadUint64x4(&differ[i])
		d = d.And(d.ShiftAllLeft(1))
		d = d.And(d.ShiftAllLeft(2))
		d = d.And(d.ShiftAllLeft(4))
		d.Store(&differ[i])
		any = any.Or(d)
	}
	if x.Long = 0; any.IsZero() {
		clear(x.Pass[:n])
	} else {
		x.Long = ^oneOf4(none4(differ.low(0).Or(differ.high(0))), none4(differ.low(1).Or(differ.high(1))),
			none4(differ.low(2).Or(differ.high(2))), none4(differ.low(3).Or(differ.high(3))), archsimd.LoadInt8x32(&bytesOf4[0]))
		differ.masks(&x.Pass, n, ^uint32(0))
	}
	archsimd.ClearAVXUpperBits()
}
