package emulator

import (
	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/lanes"
	"hyptx/emulator/internal/pages"
	"hyptx/internal/check"
	"hyptx/ir/isa"
)

// An access names a space and an address in it. What memory that is, how large
// it is and whether it may be written is answered here and nowhere else: for
// accesses lane by lane, for the fast paths, and for requests that are counted
// without being done.

// extent returns where the memory that an address of a space lies in begins, and
// how many bytes it has: none if there is no memory. The space is not generic.
func (w *warp) extent(in *inst, space isa.Space, addr uint64) (base, bytes uint64) {
	switch space {
	case isa.Shared:
		c, at := w.sharedOf(addr)
		return addr - at, uint64(len(c.shared))
	case isa.Local:
		return 0, uint64(w.localCap)
	case isa.Const:
		return 0, uint64(len(w.worker.launch.module.constants))
	case isa.Param:
		return 0, uint64(len(w.worker.launch.Params))
	}
	if b := w.bufferFor(in, addr); b != nil {
		return b.Base, uint64(b.Bytes)
	}
	return 0, 0
}

// bufferFor returns the buffer that holds addr, or nil. The one that an
// instruction found last is tried first.
func (w *warp) bufferFor(in *inst, addr uint64) *Buffer {
	cache := &w.worker.cache[in.index]
	if b := *cache; b != nil && addr-b.Base < uint64(b.Bytes) {
		return b
	}
	b := w.worker.launch.mem.find(addr)
	if b == nil {
		return nil
	}
	if w.worker.views != nil {
		b = w.worker.view(b)
	}
	*cache = b
	return b
}

// checkHit fails for a lane whose n bytes at an address are not all memory, or
// which writes what cannot be written. It reports whether the lane hits memory, which
// only a launch that forgives can ask for.
func (w *warp) checkHit(in *inst, lane int, space isa.Space, addr, n uint64, write bool) bool {
	base, bytes := w.extent(in, space, addr)
	if off := addr - base; off >= bytes || n > bytes-off {
		if w.checks() {
			w.noteAccess(check.OutOfBounds, in, lane, space, addr, int(n), func() string { return w.outOfBounds(space, addr, int(n)) })
			return false
		}
		if w.worker.launch.Forgive {
			return false
		}
		w.fail(in, 1<<lane, "%s", w.outOfBounds(space, addr, int(n)))
	}
	if write && readOnly(space) {
		if w.checks() {
			w.noteAccess(check.OutOfBounds, in, lane, space, addr, int(n), func() string { return "write to " + spaceName(space) + " memory, which is read-only" })
			return false
		}
		w.fail(in, 1<<lane, "write to %s memory, which is read-only", spaceName(space))
	}
	return true
}

// readOnly reports whether no kernel can write to a space.
func readOnly(space isa.Space) bool { return space == isa.Const || space == isa.Param }

// bytesAt returns the n bytes at an address of a space for one lane, for
// reading or writing; a bad address is a fault of that lane. n is a power of two: a division
// would take as long as all the rest. Every byte that is
// not moved by a fast path comes through here, so that what is usual is looked
// at first, and why an access fails only when it does.
func (w *warp) bytesAt(in *inst, lane int, space isa.Space, addr uint64, n int, write bool) []byte {
	if space == isa.Generic {
		space, addr = address.Resolve(space, addr)
	}
	if write && w.worker.prog.blind {
		w.writesUnseen(in, space, addr, uint64(n))
	}
	if addr&uint64(n-1) != 0 {
		w.failMisaligned(in, lane, space, addr, uint64(n))
		return w.nothing(in, n, write) // if it is noted
	}
	var mem []byte
	switch space {
	case isa.Shared:
		mem = w.cta.shared
	case isa.Local:
		mem = w.local[int64(lane)*w.localCap:][:w.localCap]
	case isa.Const:
		mem = w.worker.launch.module.constants
	case isa.Param:
		mem = w.worker.launch.Params
	default:
		if b := w.bufferFor(in, addr); b != nil && addr-b.Base+uint64(n) <= uint64(b.Bytes) {
			off := addr - b.Base
			if write {
				return b.table.ForWriting(off)[off&pages.Mask:][:n]
			}
			return b.table.At(off)[off&pages.Mask:][:n]
		}
	}
	if end := addr + uint64(n); end <= uint64(len(mem)) && addr < end && !(write && readOnly(space)) {
		return mem[addr:end]
	}
	if c, at := w.sharedOf(addr); space == isa.Shared && at != addr && at+uint64(n) <= uint64(len(c.shared)) {
		return c.shared[at:][:n]
	}
	if w.checkHit(in, lane, space, addr, uint64(n), write) {
		panic("BUG: an access that hits memory was refused")
	}
	return w.nothing(in, n, write)
}

// failMisaligned fails for a lane whose address is no multiple of n, or notes it.
func (w *warp) failMisaligned(in *inst, lane int, space isa.Space, addr, n uint64) {
	if w.checks() {
		w.noteAccess(check.Misaligned, in, lane, space, addr, int(n), nil)
		return
	}
	w.fail(in, 1<<lane, "misaligned: %d bytes at %s; the address must be a multiple of %d", n, w.describe(space, addr), n)
}

// addresses computes the byte address of each lane for an access.
func (w *warp) addresses(in *inst) *[lanes.Width]uint64 { return w.addressesOf(&in.mem.location) }

// addressesOf computes each lane's address. Addresses of 32 bits wrap around there.
func (w *warp) addressesOf(l *location) *[lanes.Width]uint64 {
	out := &w.worker.addr
	if l.base64 {
		a, off := wide(w.slot(l.base)), uint64(l.off)
		for i := range out {
			out[i] = a[i] + off
		}
		return out
	}
	a, off := w.slot(l.base), uint32(l.off)
	for i := range out {
		out[i] = uint64(a[i] + off)
	}
	return out
}
