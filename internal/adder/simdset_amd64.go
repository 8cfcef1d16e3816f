//go:build goexperiment.simd && amd64

package adder

import "simd/archsimd"

// A mask of lanes is wanted for each slice, which is a byte of each lane: so bytes are
// sorted by slice before lanes, in two steps (within 16 bytes, then whole words or double
// words), and the masks of all slices are the top bits of all bytes.

// firstOf4 and thenOf4 sort the bytes of 16 lanes of 32 bits by slice, firstOf8 and thenOf8
// those of 8 lanes of 64. joined sorts words by the byte of a lane that they are of.
var (
	firstOf4, thenOf4 = func() (first [64]int8, then [16]uint32) {
		for i := range first {
			first[i] = int8(i%4*4 + i%16/4)
		}
		for i := range then {
			then[i] = uint32(i%4*4 + i/4)
		}
		return first, then
	}()
	firstOf8, thenOf8 = func() (first [64]int8, then [32]uint16) {
		for i := range first {
			first[i] = int8(i%2*8 + i%16/2)
		}
		for i := range then {
			then[i] = uint16(i%4*8 + i/4)
		}
		return first, then
	}()
	joined = func() (words [16]uint16) {
		for i := range words {
			words[i] = uint16(i%2*8 + i/2)
		}
		return words
	}()
)

// topsOf4 returns the top bits of the bytes of 16 lanes: 16 for each slice.
func topsOf4(v archsimd.Uint32x16, first archsimd.Int8x64, then archsimd.Uint32x16) uint64 {
	var zero archsimd.Int8x64
	return v.AsUint8x64().PermuteOrZeroGrouped(first).AsUint32x16().Permute(then).AsInt8x64().Less(zero).ToBits()
}

// topsOf8 returns those of 8 lanes: 8 for each slice.
func topsOf8(v archsimd.Uint64x8, first archsimd.Int8x64, then archsimd.Uint16x32) uint64 {
	var zero archsimd.Int8x64
	return v.AsUint8x64().PermuteOrZeroGrouped(first).AsUint16x32().Permute(then).AsInt8x64().Less(zero).ToBits()
}

// setPairs32x16 adds, and finds what is known of slices. A carry comes into a slice (True) where
// the bits of a, b and the sum are not what two bits alone make of each other; it depends on one
// from below (Open) where the top bits of the slice below differ; and a slice passes it on
// (Pass) where all bits do, which after steps of 1, 2 and 4 a bit says for itself and
// the seven above it.
func setPairs32x16(x *Vectors) {
	a, b, sum := vectors32(x.A), vectors32(x.B), vectors32(x.Sum[:])
	first, then := archsimd.LoadInt8x64(&firstOf4), archsimd.LoadUint32x16(&thenOf4)
	one, two, four := archsimd.BroadcastUint32x16(1), archsimd.BroadcastUint32x16(2), archsimd.BroadcastUint32x16(4)
	top := archsimd.BroadcastUint32x16(1 << (8*x.Slices - 1) & 0xffffffff)
	var zero archsimd.Uint32x16
	var carries, differ, pass [2]uint64
	x.SignA, x.SignB, x.Long = 0, 0, 0
	for i := range 2 {
		p, q := archsimd.LoadUint32x16(&a[i]), archsimd.LoadUint32x16(&b[i])
		s := p.Add(q).Add(one.Masked(archsimd.Mask32x16FromBits(uint16(x.Carry >> (16 * i)))))
		s.Store(&sum[i])
		d := p.Xor(q)
		carries[i] = topsOf4(d.Xor(s).AsInt32x16().ShiftAllRight(1).AsUint32x16(), first, then)
		differ[i] = topsOf4(d, first, then)
		x.SignA |= uint32(p.And(top).NotEqual(zero).ToBits()) << (16 * i)
		x.SignB |= uint32(q.And(top).NotEqual(zero).ToBits()) << (16 * i)
		d = d.And(d.ShiftRight(one))
		d = d.And(d.ShiftRight(two))
		d = d.And(d.ShiftRight(four))
		long := uint32(d.NotEqual(zero).ToBits())
		if x.Long |= long << (16 * i); long != 0 {
			pass[i] = topsOf4(d.ShiftAllLeft(7), first, then)
		}
	}
	archsimd.ClearAVXUpperBits()
	for k := range x.Predicted {
		at := 16 * k & 63
		x.True[k] = (uint32(carries[0]>>at&0xffff) | uint32(carries[1]>>at)<<16) & x.Mask
		x.Open[k] = (uint32(differ[0]>>at&0xffff) | uint32(differ[1]>>at)<<16) & x.Mask
		x.Pass[k] = uint32(pass[0]>>at&0xffff) | uint32(pass[1]>>at)<<16
	}
}

// setWide64x8 is setPairs32x16 for adders of 64 bits, whose lanes are four vectors.
func setWide64x8(x *Vectors) {
	first, then := archsimd.LoadInt8x64(&firstOf8), archsimd.LoadUint16x32(&thenOf8)
	one, two, four := archsimd.BroadcastUint64x8(1), archsimd.BroadcastUint64x8(2), archsimd.BroadcastUint64x8(4)
	top := archsimd.BroadcastUint64x8(1 << (8*x.Slices - 1))
	var zero archsimd.Uint64x8
	var carries, differ, pass [4]uint64
	x.SignA, x.SignB, x.Long = 0, 0, 0
	for i := range 4 {
		p, q := archsimd.LoadUint64x8(eight(x.A, i)), archsimd.LoadUint64x8(eight(x.B, i))
		s := p.Add(q).Add(one.Masked(archsimd.Mask64x8FromBits(uint8(x.Carry >> (8 * i)))))
		s.Store(eight(x.Sum[:], i))
		d := p.Xor(q)
		carries[i] = topsOf8(d.Xor(s).AsInt64x8().ShiftAllRight(1).AsUint64x8(), first, then)
		differ[i] = topsOf8(d, first, then)
		x.SignA |= uint32(p.And(top).NotEqual(zero).ToBits()) << (8 * i)
		x.SignB |= uint32(q.And(top).NotEqual(zero).ToBits()) << (8 * i)
		d = d.And(d.ShiftRight(one))
		d = d.And(d.ShiftRight(two))
		d = d.And(d.ShiftRight(four))
		long := uint32(d.NotEqual(zero).ToBits())
		if x.Long |= long << (8 * i); long != 0 {
			pass[i] = topsOf8(d.ShiftAllLeft(7), first, then)
		}
	}
	lanes := archsimd.BroadcastUint32x8(x.Mask)
	join(&carries, lanes, x.Predicted, &x.True)
	join(&differ, lanes, x.Predicted, &x.Open)
	if x.Long != 0 {
		join(&pass, archsimd.BroadcastUint32x8(^uint32(0)), x.Predicted, &x.Pass)
	} else {
		clear(x.Pass[:x.Predicted])
	}
	archsimd.ClearAVXUpperBits()
}

// join makes masks of 32 lanes of a byte of each of four words.
func join(bytes *[4]uint64, lanes archsimd.Uint32x8, n int, m *Masks) {
	words := archsimd.LoadUint64x4(bytes).AsUint8x32().PermuteOrZeroGrouped(archsimd.LoadInt8x32((*[32]int8)(firstOf8[:32])))
	masks := words.AsUint16x16().Permute(archsimd.LoadUint16x16(&joined)).AsUint32x8()
	masks.And(lanes).StoreMasked((*[8]uint32)(m[:8]), archsimd.Mask32x8FromBits(uint8(1<<n-1)))
}

// eight returns eight of the lanes of adders of 64 bits.
func eight(words []uint64, i int) *[8]uint64 { return (*[8]uint64)(words[8*i:]) }
