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
		use = kernels{single: singles32x16, pairs: setPairs32x16, flips: flips64x8}
	}
}

// vectors32 and vectors64 view the operands of a warp, two lanes a word, as vectors.
func vectors32(words []uint64) *[2][16]uint32 {
	return (*[2][16]uint32)(unsafe.Pointer(&words[:16][0]))
}
func vectors64(words []uint64) *[2][8]uint64 { return (*[2][8]uint64)(unsafe.Pointer(&words[:16][0])) }

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

func flips64x8(e *edge, x *Vectors) uint64 {
	if kinds[x.Kind].wide {
		return flipsOfAll(e, x)
	}
	var n archsimd.Uint64x8
	for i := range 2 {
		for _, side := range [3][2]*[2][8]uint64{
			{vectors64(e.a[:]), vectors64(x.A)}, {vectors64(e.b[:]), vectors64(x.B)}, {vectors64(e.sum[:]), vectors64(x.Sum[:])},
		} {
			now := archsimd.LoadUint64x8(&side[1][i])
			n = n.Add(now.Xor(archsimd.LoadUint64x8(&side[0][i])).OnesCount())
			now.Store(&side[0][i])
		}
	}
	var sums [8]uint64
	n.Store(&sums)
	archsimd.ClearAVXUpperBits()
	total := uint64(0)
	for _, s := range sums {
		total += s
	}
	return total
}
