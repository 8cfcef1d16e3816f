//go:build goexperiment.simd && amd64

package traffic

import "simd/archsimd"

// The comparisons of pattern.go on AVX2 and AVX-512, tested against the portable ones.

func init() {
	if archsimd.X86.AVX2() {
		comparisons = append(comparisons, comparison{alike64x4, alike32x8})
	}
	if archsimd.X86.AVX512() {
		comparisons = append(comparisons, comparison{alike64x8, alike32x16})
	}
	last := comparisons[len(comparisons)-1]
	alike64, alike32 = last.alike64, last.alike32
}

func alike64x4(a *[warpLanes]uint64, rel *[warpLanes]int32, m uint32, first uint64) bool {
	f := archsimd.BroadcastUint64x4(first)
	var same uint32
	for i := 0; i < warpLanes; i += 4 {
		x := archsimd.LoadUint64x4((*[4]uint64)(a[i : i+4])).Sub(f)
		r := archsimd.LoadInt32x4((*[4]int32)(rel[i : i+4])).ExtendToInt64().AsUint64x4()
		same |= uint32(x.Equal(r).ToBits()) << i
	}
	archsimd.ClearAVXUpperBits()
	return same&m == m
}

func alike32x8(a *[warpLanes]uint32, rel *[warpLanes]int32, m, first uint32) bool {
	f := archsimd.BroadcastUint32x8(first)
	var same uint32
	for i := 0; i < warpLanes; i += 8 {
		x := archsimd.LoadUint32x8((*[8]uint32)(a[i : i+8])).Sub(f)
		r := archsimd.LoadInt32x8((*[8]int32)(rel[i : i+8])).AsUint32x8()
		same |= uint32(x.Equal(r).ToBits()) << i
	}
	archsimd.ClearAVXUpperBits()
	return same&m == m
}

func alike64x8(a *[warpLanes]uint64, rel *[warpLanes]int32, m uint32, first uint64) bool {
	f := archsimd.BroadcastUint64x8(first)
	var other uint32
	for i := 0; i < warpLanes; i += 8 {
		x := archsimd.LoadUint64x8((*[8]uint64)(a[i : i+8])).Sub(f)
		r := archsimd.LoadInt32x8((*[8]int32)(rel[i : i+8])).ExtendToInt64().AsUint64x8()
		other |= uint32(x.NotEqual(r).ToBits()) << i
	}
	archsimd.ClearAVXUpperBits()
	return other&m == 0
}

func alike32x16(a *[warpLanes]uint32, rel *[warpLanes]int32, m, first uint32) bool {
	f := archsimd.BroadcastUint32x16(first)
	var other uint32
	for i := 0; i < warpLanes; i += 16 {
		x := archsimd.LoadUint32x16((*[16]uint32)(a[i : i+16])).Sub(f)
		r := archsimd.LoadInt32x16((*[16]int32)(rel[i : i+16])).AsUint32x16()
		other |= uint32(x.NotEqual(r).ToBits()) << i
	}
	archsimd.ClearAVXUpperBits()
	return other&m == 0
}
