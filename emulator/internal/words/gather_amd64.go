//go:build goexperiment.simd && amd64

package words

import (
	"simd/archsimd"

	"hyptx/emulator/internal/lanes"
)

func init() {
	if archsimd.X86.AVX512() {
		spread = spreadx16
	}
}

func spreadx16(d *lanes.Slot, word uint32) {
	v := archsimd.BroadcastUint32x16(word)
	v.Store((*[16]uint32)(d[:16]))
	v.Store((*[16]uint32)(d[16:]))
	archsimd.ClearAVXUpperBits()
}
