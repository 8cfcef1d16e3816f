package emulator

import (
	"encoding/binary"

	"hyptx/emulator/internal/lanes"
	"hyptx/ir/isa"
)

// Most accesses of a full warp are regular: each half of it reads one word, or
// words that follow each other (a row of a matrix, 16 threads to a row). They
// are recognised from the address register before any lane's address is
// computed.

// half is the access of half a warp: lane i of it at first + i*stride.
type half struct{ first, stride uint64 }

const halfLanes = lanes.Width / 2

// halves returns the pattern of an address register, if each half has one with
// stride 0 or n.
func (w *warp) halves(in *inst, n uint64) (h [2]half, ok bool) {
	off := uint64(in.off)
	if !in.mem.base64 {
		a := w.slot(in.a)
		for k := range h {
			if h[k], ok = half32((*[halfLanes]uint32)(a[k*halfLanes:]), n); !ok {
				return h, false
			}
			h[k].first = uint64(uint32(h[k].first) + uint32(off))
		}
		return h, true
	}
	a := wide(w.slot(in.a))
	for k := range h {
		if h[k], ok = half64((*[halfLanes]uint64)(a[k*halfLanes:]), n); !ok {
			return h, false
		}
		h[k].first += off
	}
	return h, true
}

func half64(a *[halfLanes]uint64, n uint64) (half, bool) {
	h := half{a[0], a[1] - a[0]}
	if h.stride != 0 && h.stride != n {
		return h, false
	}
	var odd uint64
	next := h.first
	for i := range a {
		odd |= a[i] ^ next
		next += h.stride
	}
	return h, odd == 0
}

func half32(a *[halfLanes]uint32, n uint64) (half, bool) {
	first, stride := a[0], a[1]-a[0]
	if stride != 0 && uint64(stride) != n {
		return half{}, false
	}
	var odd uint32
	next := first
	for i := range a {
		odd |= a[i] ^ next
		next += stride
	}
	return half{uint64(first), uint64(stride)}, odd == 0
}

// loadRegular loads words for a full warp whose halves are regular. It reports
// false if they are not, or for anything but plain loads within one page of a
// buffer or within shared memory.
func (w *warp) loadRegular(in *inst) bool {
	e := in.mem
	n := uint64(4 * len(e.elems))
	h, ok := w.halves(in, n)
	if !ok {
		return false
	}
	for k := range h {
		mem := w.stretch(in, h[k].first, h[k].stride*(halfLanes-1)+n, n)
		if mem == nil {
			return false
		}
		for v, o := range e.elems {
			d := (*[halfLanes]uint32)(w.slot(o)[k*halfLanes:])
			loadHalf(d, mem[4*v:], h[k].stride)
		}
	}
	return true
}

// loadHalf loads one word for each lane of half a warp.
func loadHalf(d *[halfLanes]uint32, mem []byte, stride uint64) {
	switch stride {
	case 0:
		x := binary.LittleEndian.Uint32(mem)
		for i := range d {
			d[i] = x
		}
	case 4:
		mem = mem[:4*halfLanes]
		for i := range d {
			d[i] = binary.LittleEndian.Uint32(mem[4*i:])
		}
	default:
		for i := range d {
			d[i] = binary.LittleEndian.Uint32(mem[uint64(i)*stride:])
		}
	}
}

// stretch says for most loads of a kernel what bytesAt says for one lane: it
// returns the memory of bytes addresses from first on, nil unless it
// lies within shared memory or one page of a buffer and first is a multiple of
// align, a power of two.
func (w *warp) stretch(in *inst, first, bytes, align uint64) []byte {
	if first&(align-1) != 0 {
		return nil
	}
	space := in.mem.space
	if space == isa.Generic {
		if space, _ = resolve(space, first); space != isa.Global {
			return nil
		}
	}
	switch space {
	case isa.Shared:
		if mem := w.cta.shared; first+bytes <= uint64(len(mem)) {
			return mem[first : first+bytes]
		}
	case isa.Global:
		b := w.bufferFor(in, first)
		if b == nil {
			return nil
		}
		off := first - b.Base
		if off+bytes > uint64(b.Bytes) || off&pageMask+bytes > pageBytes {
			return nil
		}
		return b.pageAt(off)[off&pageMask:][:bytes]
	}
	return nil
}
