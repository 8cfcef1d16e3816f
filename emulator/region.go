package emulator

import "hyptx/ir/isa"

// An access names a space and an address in it. What memory that is, how large
// it is and whether it may be written is answered here and nowhere else: for
// accesses lane by lane, for the fast paths, and for requests that are counted
// without being done.

// resolve returns the space that an address lies in and the address there. Only
// a generic address does not say so itself: each space but the global one has a
// window of the generic addresses (PTX ISA 5.1, cvta).
func resolve(space isa.Space, addr uint64) (isa.Space, uint64) {
	if space != isa.Generic {
		return space, addr
	}
	switch {
	case addr-sharedBase < windowBytes:
		return isa.Shared, addr - sharedBase
	case addr-localBase < windowBytes:
		return isa.Local, addr - localBase
	case addr-constBase < windowBytes:
		return isa.Const, addr - constBase
	case addr-paramBase < windowBytes:
		return isa.Param, addr - paramBase
	}
	return isa.Global, addr
}

// region is a memory: the addresses of its space from base on, bytes of them. A
// buffer has pages; what all other memories hold is data.
type region struct {
	base, bytes uint64
	buffer      *Buffer
	data        []byte
	readOnly    bool
}

// holds reports whether n bytes, one at least, lie in the region.
func (r *region) holds(addr, n uint64) bool {
	off := addr - r.base
	return off < r.bytes && n <= r.bytes-off
}

// region returns the memory that an address of a space lies in, as a lane sees
// it; one of no bytes if there is none. The space is not generic.
func (w *warp) region(in *inst, lane int, space isa.Space, addr uint64) region {
	switch space {
	case isa.Shared:
		return region{bytes: uint64(len(w.cta.shared)), data: w.cta.shared}
	case isa.Local:
		return region{bytes: uint64(w.localCap), data: w.local[int64(lane)*w.localCap:]}
	case isa.Const:
		data := w.worker.launch.module.constants
		return region{bytes: uint64(len(data)), data: data, readOnly: true}
	case isa.Param:
		data := w.worker.launch.Params
		return region{bytes: uint64(len(data)), data: data, readOnly: true}
	}
	b := w.bufferFor(in, addr)
	if b == nil {
		return region{}
	}
	return region{base: b.Base, bytes: uint64(b.Bytes), buffer: b}
}

// bufferFor returns the buffer that holds addr, or nil. The one that an
// instruction found last is tried first.
func (w *warp) bufferFor(in *inst, addr uint64) *Buffer {
	cache := &w.worker.cache[in.index]
	if b := *cache; b != nil && addr-b.Base < uint64(b.Bytes) {
		return b
	}
	b := w.worker.launch.mem.find(addr)
	if b != nil {
		*cache = b
	}
	return b
}

// regionFor returns the memory of n bytes at an address for one lane. To hit
// none is a fault of that lane, as is writing what cannot be written.
func (w *warp) regionFor(in *inst, lane int, space isa.Space, addr, n uint64, write bool) region {
	r := w.region(in, lane, space, addr)
	switch {
	case !r.holds(addr, n):
		w.fail(in, 1<<lane, "%s", w.outOfBounds(space, addr, int(n)))
	case write && r.readOnly:
		w.fail(in, 1<<lane, "write to %s memory, which is read-only", spaceName(space))
	}
	return r
}

// bytesAt returns the n bytes at an address of a space for one lane, for
// reading or writing; a bad address is a fault of that lane.
func (w *warp) bytesAt(in *inst, lane int, space isa.Space, addr uint64, n int, write bool) []byte {
	space, addr = resolve(space, addr)
	if addr%uint64(n) != 0 {
		w.failMisaligned(in, lane, space, addr, uint64(n))
	}
	r := w.regionFor(in, lane, space, addr, uint64(n), write)
	if b := r.buffer; b != nil {
		off := addr - r.base
		return b.pageAt(off)[off&pageMask:][:n]
	}
	return r.data[addr:][:n]
}

// failMisaligned fails for a lane whose address is no multiple of n.
func (w *warp) failMisaligned(in *inst, lane int, space isa.Space, addr, n uint64) {
	w.fail(in, 1<<lane, "misaligned: %d bytes at %s; the address must be a multiple of %d", n, w.describe(space, addr), n)
}
