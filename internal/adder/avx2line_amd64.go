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

// inLine32x8 compares each lane with the next one.
func inLine32x8(x *[Lanes]uint32, step uint32) bool {
	apart := archsimd.BroadcastUint32x8(step)
	p, q := apart32(x[:9]).Xor(apart), apart32(x[8:17]).Xor(apart)
	r, s := apart32(x[16:25]).Xor(apart), apart32(x[23:]).Xor(apart)
	is := p.Or(q).Or(r.Or(s)).IsZero()
	archsimd.ClearAVXUpperBits()
	return is
}

// apart32 is how far the first eight lanes of nine are from the next ones.
func apart32(x []uint32) archsimd.Uint32x8 {
	return archsimd.LoadUint32x8((*[8]uint32)(x[1:])).Sub(archsimd.LoadUint32x8((*[8]uint32)(x)))
}

// inLine64x4 is inLine32x8 for registers of 64 bits.
func inLine64x4(x *[Lanes]uint64, step uint64) bool {
	apart := archsimd.BroadcastUint64x4(step)
	p, q := apart64(x[:5]).Xor(apart), apart64(x[4:9]).Xor(apart)
	p, q = p.Or(apart64(x[8:13]).Xor(apart)), q.Or(apart64(x[12:17]).Xor(apart))
	p, q = p.Or(apart64(x[16:21]).Xor(apart)), q.Or(apart64(x[20:25]).Xor(apart))
	p, q = p.Or(apart64(x[24:29]).Xor(apart)), q.Or(apart64(x[27:]).Xor(apart))
	is := p.Or(q).IsZero()
	archsimd.ClearAVXUpperBits()
	return is
}

// apart64 is apart32 of four lanes of five.
func apart64(x []uint64) archsimd.Uint64x4 {
	return archsimd.LoadUint64x4((*[4]uint64)(x[1:])).Sub(archsimd.LoadUint64x4((*[4]uint64)(x)))
}

// lanes32x8 is lanesOf.
func lanes32x8(to []uint64, first, step, low uint32) {
	v := archsimd.LoadUint32x8(&count8).Mul(archsimd.BroadcastUint32x8(step)).Add(archsimd.BroadcastUint32x8(first))
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
	one, two := archsimd.BroadcastUint64x4(1), archsimd.BroadcastUint64x4(2)
	by, count := archsimd.BroadcastUint64x4(step), archsimd.LoadUint64x4(&count4)
	var zero archsimd.Uint64x4
	odd, upper := zero.Sub(count.And(one)), zero.Sub(count.And(two).ShiftRight(one))
	v := archsimd.BroadcastUint64x4(first).Add(by.And(odd)).Add(by.ShiftAllLeft(1).And(upper))
	next := by.ShiftAllLeft(2)
	words := (*[8][4]uint64)(unsafe.Pointer(to))
	for i := range 8 {
		v.Store(&words[i])
		v = v.Add(next)
	}
	archsimd.ClearAVXUpperBits()
}
