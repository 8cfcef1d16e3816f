//go:build goexperiment.simd && amd64

package words

import (
	"simd/archsimd"

	"hyptx/emulator/internal/lanes"
)

func init() {
	if archsimd.X86.AVX2() {
		spreads = append(spreads, spreadx8)
	}
	if archsimd.X86.AVX512() {
		spreads = append(spreads, spreadx16)
	}
	spread = spreads[len(spreads)-1]
}

func spreadx8(d *lanes.Slot, word uint32) {
	v := archsimd.BroadcastUint32x8(word)
	v.Store((*[8]uint32)(d[:8]))
	v.Store((*[8]uint32)(d[8:]))
	v.Store((*[8]uint32)(d[16:]))
	v.Store((*[8]uint32)(d[24:]))
	archsimd.ClearAVXUpperBits()
}

func spreadx16(d *lanes.Slot, word uint32) {
	v := archsimd.BroadcastUint32x16(word)
	v.Store((*[16]uint32)(d[:16]))
	v.Store((*[16]uint32)(d[16:]))
	archsimd.ClearAVXUpperBits()
}
