package words

import (
	"encoding/binary"

	"hyptx/emulator/internal/lanes"
)

// HalfLanes is half a warp. The access of a full warp is often not regular, but
// that of its halves is: 16 threads to a row of a matrix, two rows to a warp.
const HalfLanes = lanes.Width / 2

// Half is the access of half a warp: lane i of it at First + i*Stride, in bytes.
type Half struct{ First, Stride uint64 }

// Halves recognises the halves of a 64-bit address register; ok if each has
// stride 0 or n.
func Halves(a *[lanes.Width]uint64, n uint64) (h [2]Half, ok bool) {
	for k := range h {
		if h[k], ok = half64((*[HalfLanes]uint64)(a[k*HalfLanes:]), n); !ok {
			return h, false
		}
	}
	return h, true
}

// NarrowHalves is Halves of a 32-bit register.
func NarrowHalves(a *lanes.Slot, n uint64) (h [2]Half, ok bool) {
	for k := range h {
		if h[k], ok = half32((*[HalfLanes]uint32)(a[k*HalfLanes:]), n); !ok {
			return h, false
		}
	}
	return h, true
}

// half64 compares all lanes with what the first two make of them. The
// differences are gathered, not tested: a loop without branches is one that the
// compiler unrolls.
func half64(a *[HalfLanes]uint64, n uint64) (Half, bool) {
	h := Half{a[0], a[1] - a[0]}
	if h.Stride != 0 && h.Stride != n {
		return h, false
	}
	var odd uint64
	next := h.First
	for i := range a {
		odd |= a[i] ^ next
		next += h.Stride
	}
	return h, odd == 0
}

func half32(a *[HalfLanes]uint32, n uint64) (Half, bool) {
	first, stride := a[0], a[1]-a[0]
	if stride != 0 && uint64(stride) != n {
		return Half{}, false
	}
	var odd uint32
	next := first
	for i := range a {
		odd |= a[i] ^ next
		next += stride
	}
	return Half{uint64(first), uint64(stride)}, odd == 0
}

// LoadHalf loads one word for each lane of half a warp from memory that begins
// at the first lane's address.
func LoadHalf(d *[HalfLanes]uint32, mem []byte, stride uint64) {
	switch stride {
	case 0:
		x := binary.LittleEndian.Uint32(mem)
		for i := range d {
			d[i] = x
		}
	case 4:
		mem = mem[:4*HalfLanes]
		for i := range d {
			d[i] = binary.LittleEndian.Uint32(mem[4*i:])
		}
	default:
		for i := range d {
			d[i] = binary.LittleEndian.Uint32(mem[uint64(i)*stride:])
		}
	}
}
