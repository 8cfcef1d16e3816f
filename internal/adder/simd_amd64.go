//go:build goexperiment.simd && amd64

package adder

import (
	"simd/archsimd"
	"unsafe"
)

// The loops of kernels.go on AVX-512: 32 lanes are two vectors. Tested against the
// portable ones (TestKernels).

func init() {
	if archsimd.X86.AVX512() && archsimd.X86.AVX512VPOPCNTDQ() {
		use = kernels{
			single: singles32x16, pairs: setPairs32x16, each: setWide64x8, signs: signs32x16, passing: passing32x16,
			runs: runs32x16, flips: flips32x16,
		}
	}
}

// vectors32 views the operands of a warp, two lanes a word, as vectors.
func vectors32(words []uint64) *[2][16]uint32 {
	return (*[2][16]uint32)(unsafe.Pointer(&words[:16][0]))
}

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
		ex, ey := u.ShiftAllRight(23), v.ShiftAllRight(23)
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

func setPairs32x16(x *Vectors) {
	a, b, sum := vectors32(x.A), vectors32(x.B), vectors32(x.Sum[:])
	one := archsimd.BroadcastUint32x16(1)
	var zero archsimd.Uint32x16
	for i := range x.Predicted {
		x.True[i], x.Open[i] = 0, 0
	}
	for i := range 2 {
		p, q := archsimd.LoadUint32x16(&a[i]), archsimd.LoadUint32x16(&b[i])
		s := p.Add(q).Add(one.Masked(archsimd.Mask32x16FromBits(uint16(x.Carry >> (16 * i)))))
		s.Store(&sum[i])
		d := p.Xor(q)
		carries := d.Xor(s)
		for k := range x.Predicted {
			bit := archsimd.BroadcastUint32x16(1 << (8*k + 7) & 0xffffffff)
			x.Open[k] |= uint32(d.And(bit).NotEqual(zero).ToBits()) << (16 * i)
			x.True[k] |= uint32(carries.And(bit.Add(bit)).NotEqual(zero).ToBits()) << (16 * i)
		}
	}
	archsimd.ClearAVXUpperBits()
}

func setWide64x8(x *Vectors) {
	one := archsimd.BroadcastUint64x8(1)
	var zero archsimd.Uint64x8
	for i := range x.Predicted {
		x.True[i], x.Open[i] = 0, 0
	}
	for i := range 4 {
		p, q := archsimd.LoadUint64x8(eight(x.A, i)), archsimd.LoadUint64x8(eight(x.B, i))
		s := p.Add(q).Add(one.Masked(archsimd.Mask64x8FromBits(uint8(x.Carry >> (8 * i)))))
		s.Store(eight(x.Sum[:], i))
		d := p.Xor(q)
		carries := d.Xor(s)
		for k := range x.Predicted {
			bit := archsimd.BroadcastUint64x8(1 << (8*k + 7) & ^uint64(0))
			x.Open[k] |= uint32(d.And(bit).NotEqual(zero).ToBits()) << (8 * i)
			x.True[k] |= uint32(carries.And(bit.Add(bit)).NotEqual(zero).ToBits()) << (8 * i)
		}
	}
	archsimd.ClearAVXUpperBits()
}

// eight returns eight of the lanes of adders of 64 bits.
func eight(words []uint64, i int) *[8]uint64 { return (*[8]uint64)(words[8*i:]) }

func signs32x16(x *Vectors, top int) (signA, signB uint32) {
	if kinds[x.Kind].wide {
		return signsOf(x, top)
	}
	a, b := vectors32(x.A), vectors32(x.B)
	bit := archsimd.BroadcastUint32x16(1 << top & 0xffffffff)
	var zero archsimd.Uint32x16
	for i := range 2 {
		signA |= uint32(archsimd.LoadUint32x16(&a[i]).And(bit).NotEqual(zero).ToBits()) << (16 * i)
		signB |= uint32(archsimd.LoadUint32x16(&b[i]).And(bit).NotEqual(zero).ToBits()) << (16 * i)
	}
	archsimd.ClearAVXUpperBits()
	return signA, signB
}

func passing32x16(x *Vectors) (lanes uint32) {
	if kinds[x.Kind].wide {
		return passingIn(x)
	}
	a, b := vectors32(x.A), vectors32(x.B)
	ones, tops := archsimd.BroadcastUint32x16(0x01010101), archsimd.BroadcastUint32x16(0x80808080)
	var zero archsimd.Uint32x16
	for i := range 2 {
		same := archsimd.LoadUint32x16(&a[i]).Xor(archsimd.LoadUint32x16(&b[i])).Not()
		lanes |= uint32(same.Sub(ones).AndNot(same).And(tops).NotEqual(zero).ToBits()) << (16 * i)
	}
	archsimd.ClearAVXUpperBits()
	return lanes
}

func runs32x16(x *Vectors) (lanes uint32) {
	if kinds[x.Kind].wide {
		return runsIn(x)
	}
	a, b := vectors32(x.A), vectors32(x.B)
	var zero archsimd.Uint32x16
	for i := range 2 {
		p := archsimd.LoadUint32x16(&a[i]).Xor(archsimd.LoadUint32x16(&b[i]))
		p = p.And(p.ShiftAllRight(1))
		p = p.And(p.ShiftAllRight(2))
		p = p.And(p.ShiftAllRight(4))
		lanes |= uint32(p.NotEqual(zero).ToBits()) << (16 * i)
	}
	archsimd.ClearAVXUpperBits()
	return lanes
}

func flips32x16(e *edge, x *Vectors) uint64 {
	if kinds[x.Kind].wide {
		return flipsOf(e, x)
	}
	low := archsimd.BroadcastUint32x16(0xffffffff >> (32 - x.Kind.Bits()))
	a, b, sum := vectors32(x.A), vectors32(x.B), vectors32(x.Sum[:])
	wasA, wasB, wasSum := vectors32(e.a[:]), vectors32(e.b[:]), vectors32(e.sum[:])
	var n archsimd.Uint32x16
	for i := range 2 {
		on := low.Masked(archsimd.Mask32x16FromBits(uint16(x.Mask >> (16 * i))))
		n = n.Add(changed(&wasA[i], &a[i], on)).Add(changed(&wasB[i], &b[i], on)).Add(changed(&wasSum[i], &sum[i], on))
	}
	var sums [16]uint32
	n.Store(&sums)
	archsimd.ClearAVXUpperBits()
	total := uint64(0)
	for _, s := range sums {
		total += uint64(s)
	}
	return total
}

// changed is change of 16 lanes.
func changed(old, now *[16]uint32, on archsimd.Uint32x16) archsimd.Uint32x16 {
	was := archsimd.LoadUint32x16(old)
	d := archsimd.LoadUint32x16(now).Xor(was).And(on)
	d.Xor(was).Store(old)
	return d.OnesCount()
}
