//go:build goexperiment.simd && amd64

package adder

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

// The loops of kernels.go on AVX2, for machines without AVX-512: 32 lanes are four vectors. An
// instruction of AVX-512 on vectors of 256 bits must not be among them: what masks lanes
// is made of vectors. Nor must old ones of SSE be, which cost a hundred cycles where the upper
// halves of registers hold anything: the compiler moves what words are shifted right by with
// one (so they are shifted as signed ones, or each by its own), and clears arrays with
// them (so these come first).

// apartFrom31 moves the bit of each of eight lanes to the top of a word, apartFrom63 those of
// eight times four to the top of a double word.
var (
	apartFrom31 = [8]uint32{31, 30, 29, 28, 27, 26, 25, 24}
	apartFrom63 = [2][4]uint64{{63, 62, 61, 60}, {59, 58, 57, 56}}
)

// vectors8 views 32 lanes as vectors, vectors4 those of 64 bits.
func vectors8(words []uint64) *[4][8]uint32 {
	return (*[4][8]uint32)(unsafe.Pointer(&words[:Lanes/2][0]))
}

func vectors4(words []uint64) *[8][4]uint64 {
	return (*[8][4]uint64)(unsafe.Pointer(&words[:Lanes][0]))
}

// lanes8 is all ones in those of eight lanes whose bits are set.
func lanes8(mask uint32) archsimd.Uint32x8 {
	return archsimd.BroadcastUint32x8(mask).ShiftLeft(archsimd.LoadUint32x8(&apartFrom31)).AsInt32x8().ShiftAllRight(31).AsUint32x8()
}

// lanes4 is lanes8 for the lower or the upper four, of 64 bits.
func lanes4(mask uint32, upper int) archsimd.Uint64x4 {
	var zero archsimd.Int64x4
	v := archsimd.BroadcastUint64x4(uint64(mask)).ShiftLeft(archsimd.LoadUint64x4(&apartFrom63[upper&1]))
	return zero.Greater(v.AsInt64x4()).ToInt64x4().AsUint64x4()
}

// singles32x8 is singles32x16.
func singles32x8(a, b []uint64, x, y *[Lanes]uint32, sign uint32) (carry uint32) {
	p, q := (*[4][8]uint32)(unsafe.Pointer(x)), (*[4][8]uint32)(unsafe.Pointer(y))
	to, from := vectors8(a), vectors8(b)
	signs, top := archsimd.BroadcastUint32x8(sign), archsimd.BroadcastUint32x8(1<<31)
	hidden, fraction := archsimd.BroadcastUint32x8(1<<23), archsimd.BroadcastUint32x8(1<<23-1)
	one, all := archsimd.BroadcastUint32x8(1), archsimd.BroadcastUint32x8(1<<24-1)
	var zero archsimd.Int32x8
	for i := range 4 {
		u, v := archsimd.LoadUint32x8(&p[i]), archsimd.LoadUint32x8(&q[i]).Xor(signs)
		differ := u.Xor(v).AsInt32x8().Less(zero)
		u, v = u.AndNot(top), v.AndNot(top)
		u, v = u.Max(v), u.Min(v)
		ex, ey := u.AsInt32x8().ShiftAllRight(23).AsUint32x8(), v.AsInt32x8().ShiftAllRight(23).AsUint32x8()
		u = u.And(fraction).Or(hidden.Masked(ex.AsInt32x8().Greater(zero)))
		v = v.And(fraction).Or(hidden.Masked(ey.AsInt32x8().Greater(zero)))
		v = v.ShiftRight(ex.Max(one).Sub(ey.Max(one)))
		u.Store(&to[i])
		v.Xor(all.Masked(differ)).Store(&from[i])
		carry |= uint32(differ.ToBits()) << (8 * i)
	}
	archsimd.ClearAVXUpperBits()
	return carry
}

// narrow32x8 is narrow32x16.
func narrow32x8(to []uint64, x *[Lanes]uint32, flip, low uint32) {
	p, q := (*[4][8]uint32)(unsafe.Pointer(x)), vectors8(to)
	turned, added := archsimd.BroadcastUint32x8(flip), archsimd.BroadcastUint32x8(low)
	for i := range 4 {
		archsimd.LoadUint32x8(&p[i]).Xor(turned).And(added).Store(&q[i])
	}
	archsimd.ClearAVXUpperBits()
}

// bitsOf32 is bitsOf.
func bitsOf32(d archsimd.Uint8x32, table archsimd.Uint8x32) archsimd.Uint8x32 {
	low := archsimd.BroadcastUint8x32(0x0f)
	high := d.AsInt16x16().ShiftAllRight(4).AsUint8x32().And(low)
	return table.PermuteOrZeroGrouped(d.And(low).AsInt8x32()).Add(table.PermuteOrZeroGrouped(high.AsInt8x32()))
}

// sumOf32 adds bytes up.
func sumOf32(bytes archsimd.Uint8x32) uint64 {
	var zero archsimd.Uint8x32
	v := bytes.SumAbsDiff(zero).AsUint64x4()
	w := v.GetLo().Add(v.GetHi())
	n := w.GetElem(0) + w.GetElem(1)
	archsimd.ClearAVXUpperBits()
	return n
}

// nibbles32 is the table of bitsOf32.
func nibbles32() archsimd.Uint8x32 { return archsimd.LoadUint8x32((*[32]uint8)(nibbles[:32])) }

// flips32x8 is flips32x16.
func flips32x8(e *edge, x *Vectors) uint64 {
	if kinds[x.Kind].wide {
		return flips64x4(e, x)
	}
	low := archsimd.BroadcastUint32x8(0xffffffff >> (32 - x.Kind.Bits()))
	table := nibbles32()
	a, b, sum := vectors8(x.A), vectors8(x.B), vectors8(x.Sum[:])
	wasA, wasB, wasSum := vectors8(e.a[:]), vectors8(e.b[:]), vectors8(e.sum[:])
	var n archsimd.Uint8x32 // a byte is 96 at most
	for i := range 4 {
		on := lanes8(x.Mask >> (8 * i)).And(low)
		n = n.Add(bitsOf32(changed8(&wasA[i], &a[i], on), table)).Add(bitsOf32(changed8(&wasB[i], &b[i], on), table)).Add(bitsOf32(changed8(&wasSum[i], &sum[i], on), table))
	}
	return sumOf32(n)
}

// changed8 is changed of 8 lanes.
func changed8(old, now *[8]uint32, on archsimd.Uint32x8) archsimd.Uint8x32 {
	was := archsimd.LoadUint32x8(old)
	d := archsimd.LoadUint32x8(now).Xor(was).And(on)
	d.Xor(was).Store(old)
	return d.AsUint8x32()
}

func flips64x4(e *edge, x *Vectors) uint64 {
	low := archsimd.BroadcastUint64x4(^uint64(0) >> (64 - x.Kind.Bits()))
	table := nibbles32()
	a, b, sum := vectors4(x.A), vectors4(x.B), vectors4(x.Sum[:])
	wasA, wasB, wasSum := vectors4(e.a[:]), vectors4(e.b[:]), vectors4(e.sum[:])
	var n archsimd.Uint8x32 // a byte is 192 at most
	for i := range 8 {
		on := lanes4(x.Mask>>(i/2*8), i).And(low)
		n = n.Add(bitsOf32(changed4(&wasA[i], &a[i], on), table)).Add(bitsOf32(changed4(&wasB[i], &b[i], on), table)).Add(bitsOf32(changed4(&wasSum[i], &sum[i], on), table))
	}
	return sumOf32(n)
}

// changed4 is changed of 4 lanes of adders of 64 bits.
func changed4(old, now *[4]uint64, on archsimd.Uint64x4) archsimd.Uint8x32 {
	was := archsimd.LoadUint64x4(old)
	d := archsimd.LoadUint64x4(now).Xor(was).And(on)
	d.Xor(was).Store(old)
	return d.AsUint8x32()
}

// results32x8 is results32x16.
func results32x8(x *Vectors) (chains, high, low uint64) {
	if kinds[x.Kind].wide {
		return resultsOf(x)
	}
	unused := uint32(32 - kinds[x.Kind].bits)
	a, b, sum := vectors8(x.A), vectors8(x.B), vectors8(x.Sum[:])
	var parts [4]uint64
	low32, bits32 := archsimd.BroadcastUint64x4(1<<32-1), archsimd.BroadcastUint64x4(32)
	left, right := archsimd.BroadcastUint32x8(unused), archsimd.BroadcastInt32x8(int32(unused))
	var zero archsimd.Uint32x8
	var sums archsimd.Uint64x4
	for i := range 4 {
		p, q, s := archsimd.LoadUint32x8(&a[i]), archsimd.LoadUint32x8(&b[i]), archsimd.LoadUint32x8(&sum[i])
		lanes := lanes8(x.Mask >> (8 * i))
		carries := p.And(q).Or(p.Or(q).AndNot(s)).And(lanes) // out of each bit
		for {
			n := 8 - bits.OnesCount8(carries.Equal(zero).ToBits())
			if n == 0 {
				break
			}
			chains += uint64(n)
			carries = carries.And(carries.ShiftAllLeft(1))
		}
		if x.Kind.IsInt() {
			s = s.ShiftLeft(left).AsInt32x8().ShiftRight(right).Abs().AsUint32x8()
		}
		pairs := s.And(lanes).AsUint64x4()
		sums = sums.Add(pairs.And(low32)).Add(pairs.ShiftRight(bits32))
	}
	sums.Store(&parts)
	archsimd.ClearAVXUpperBits()
	return chains, 0, parts[0] + parts[1] + parts[2] + parts[3]
}
