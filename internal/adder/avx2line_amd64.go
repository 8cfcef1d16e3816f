//go:build goexperiment.simd && amd64

package adder

import (
	"simd/archsimd"
	"unsafe"
)

// count8 are eight lanes, count4 four.
var (
	count8 = [8]uint32{0, 1, 2, 3, 4, 5, 6, 7}
	count4 = [4]uint64{0, 1, 2, 3}
)

// inLine32x8 compares all lanes with those of the line.
func inLine32x8(x *[Lanes]uint32, first, step, mask uint32) bool {
	words, next := (*[4][8]uint32)(unsafe.Pointer(x)), archsimd.BroadcastUint32x8(8*step)
	v := line32(first, step)
	same := uint32(archsimd.LoadUint32x8(&words[0]).Equal(v).ToBits())
	v = v.Add(next)
	same |= uint32(archsimd.LoadUint32x8(&words[1]).Equal(v).ToBits()) << 8
	v = v.Add(next)
	same |= uint32(archsimd.LoadUint32x8(&words[2]).Equal(v).ToBits()) << 16
	v = v.Add(next)
	same |= uint32(archsimd.LoadUint32x8(&words[3]).Equal(v).ToBits()) << 24
	archsimd.ClearAVXUpperBits()
	return mask&^same == 0
}

// line32 and line64 are the first lanes of a line.
func line32(first, step uint32) archsimd.Uint32x8 {
	return archsimd.LoadUint32x8(&count8).Mul(archsimd.BroadcastUint32x8(step)).Add(archsimd.BroadcastUint32x8(first))
}

func line64(first, step uint64) archsimd.Uint64x4 {
	one, two := archsimd.BroadcastUint64x4(1), archsimd.BroadcastUint64x4(2)
	by, count := archsimd.BroadcastUint64x4(step), archsimd.LoadUint64x4(&count4)
	var zero archsimd.Uint64x4
	odd, upper := zero.Sub(count.And(one)), zero.Sub(count.And(two).ShiftRight(one))
	return archsimd.BroadcastUint64x4(first).Add(by.And(odd)).Add(by.ShiftAllLeft(1).And(upper))
}

// inLine64x4 is inLine32x8 for registers of 64 bits.
func inLine64x4(x *[Lanes]uint64, first, step uint64, mask uint32) bool {
	words, next := (*[8][4]uint64)(unsafe.Pointer(x)), archsimd.BroadcastUint64x4(4*step)
	v, same := line64(first, step), uint32(0)
	for i := range 8 {
		same |= uint32(archsimd.LoadUint64x4(&words[i]).Equal(v).ToBits()) << (4 * i)
		v = v.Add(next)
	}
	archsimd.ClearAVXUpperBits()
	return mask&^same == 0
}

// lanes32x8 is lanesOf.
func lanes32x8(to []uint64, first, step, low uint32) {
	v := line32(first, step)
	keep, next := archsimd.BroadcastUint32x8(low), archsimd.BroadcastUint32x8(8*step)
	words := vectors8(to)
	for i := range 4 {
		v.And(keep).Store(&words[i])
		v = v.Add(next)
	}
	archsimd.ClearAVXUpperBits()
}

// lanes64x4 is lanes64Of.
func lanes64x4(to *[Lanes]uint64, first, step uint64) {
	v, next := line64(first, step), archsimd.BroadcastUint64x4(4*step)
	words := (*[8][4]uint64)(unsafe.Pointer(to))
	for i := range 8 {
		v.Store(&words[i])
		v = v.Add(next)
	}
	archsimd.ClearAVXUpperBits()
}
