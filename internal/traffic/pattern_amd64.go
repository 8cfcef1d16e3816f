//go:build goexperiment.simd && amd64

package traffic

import "simd/archsimd"

// The comparisons of pattern.go on AVX-512, tested against the portable ones.

func init() {
	if archsimd.X86.AVX512() {
		alike64, alike32 = alike64x8, alike32x16
	}
}

func alike64x8(a, rel, sel *[warpLanes]uint64, first uint64) bool {
	f := archsimd.BroadcastUint64x8(first)
	var odd archsimd.Uint64x8
	for i := 0; i < warpLanes; i += 8 {
		x := archsimd.LoadUint64x8((*[8]uint64)(a[i : i+8])).Sub(f)
		r := archsimd.LoadUint64x8((*[8]uint64)(rel[i : i+8]))
		s := archsimd.LoadUint64x8((*[8]uint64)(sel[i : i+8]))
		odd = odd.Or(x.Xor(r).And(s))
	}
	same := odd.Equal(archsimd.Uint64x8{}).ToBits() == 0xff
	archsimd.ClearAVXUpperBits()
	return same
}

func alike32x16(a, rel, sel *[warpLanes]uint32, first uint32) bool {
	f := archsimd.BroadcastUint32x16(first)
	var odd archsimd.Uint32x16
	for i := 0; i < warpLanes; i += 16 {
		x := archsimd.LoadUint32x16((*[16]uint32)(a[i : i+16])).Sub(f)
		r := archsimd.LoadUint32x16((*[16]uint32)(rel[i : i+16]))
		s := archsimd.LoadUint32x16((*[16]uint32)(sel[i : i+16]))
		odd = odd.Or(x.Xor(r).And(s))
	}
	same := odd.Equal(archsimd.Uint32x16{}).ToBits() == 0xffff
	archsimd.ClearAVXUpperBits()
	return same
}
