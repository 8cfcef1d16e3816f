package emulator

import (
	"math/bits"

	"hyptx/ir/isa"
)

// A profile of the memory traffic does not do an access of which it needs the
// address alone. That it would hit no memory is a fault all the same, and the
// same one. A shape knows from where to where its first lane may lie, so that a
// request costs a comparison.

// bounds are the addresses of the first lane for which all lanes lie in one
// buffer, or in the space: count of them from first on.
type bounds struct{ first, count uint64 }

// has reports whether an address is among them.
func (b bounds) has(addr uint64) bool { return addr-b.first < b.count }

// checkBounds finds the bounds of a shape around an address; it fails for a
// lane that accesses what is no memory, as the access itself would.
func (w *warp) checkBounds(sh *shape, s *trafficSite, p *pattern, space isa.Space, addr uint64) {
	low, span := addr+uint64(p.low), uint64(p.high-p.low)+uint64(s.size)
	base, bytes := uint64(0), uint64(0)
	switch space {
	case isa.Shared:
		bytes = uint64(len(w.cta.shared))
	case isa.Local:
		bytes = uint64(w.localCap)
	case isa.Const:
		bytes = uint64(len(w.worker.launch.module.constants))
	default:
		if b := w.worker.launch.mem.find(low); b != nil {
			base, bytes = b.Base, uint64(b.Bytes)
		}
	}
	if span < uint64(s.size) || span > bytes || low-base > bytes-span {
		w.checkLanes(s, p, space, addr)
		return
	}
	sh.bounds = bounds{base - uint64(p.low), bytes - span + 1}
}

// within reports whether the bytes from low to before high lie in a memory.
func within(low, high, base uint64, bytes int64) bool {
	return low-base < high-base && high-base <= uint64(bytes)
}

// checkLanes fails for the first lane that accesses what is no memory: a load
// takes element after element, anything else lane after lane.
func (w *warp) checkLanes(s *trafficSite, p *pattern, space isa.Space, addr uint64) {
	elements, inner := uint64(s.size/s.width), uint64(1)
	if s.kind != AccessLoad {
		elements, inner = inner, elements
	}
	for v := range elements {
		for rest := p.mask; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest) & 31
			at := addr + p.rel[lane]
			if !s.base64 {
				at = uint64(uint32(at))
			}
			for u := range inner {
				w.checkLane(s, lane, space, at+(v+u)*uint64(s.width))
			}
		}
	}
}

// checkLane fails if a lane accesses what is no memory, or writes what is
// read-only.
func (w *warp) checkLane(s *trafficSite, lane int, space isa.Space, at uint64) {
	var ok, readOnly bool
	end := at + uint64(s.width)
	switch space {
	case isa.Shared:
		ok = within(at, end, 0, int64(len(w.cta.shared)))
	case isa.Local:
		ok = within(at, end, 0, w.localCap)
	case isa.Const:
		ok, readOnly = within(at, end, 0, int64(len(w.worker.launch.module.constants))), true
	case isa.Param:
		ok, readOnly = within(at, end, 0, int64(len(w.worker.launch.Params))), true
	default:
		b := w.worker.launch.mem.find(at)
		ok = b != nil && within(at, end, b.Base, b.Bytes)
	}
	in := &inst{pc: s.pc}
	switch {
	case !ok:
		w.fail(in, 1<<lane, "%s", w.outOfBounds(space, at, int(s.width)))
	case readOnly && s.kind != AccessLoad:
		w.fail(in, 1<<lane, "write to %s memory, which is read-only", spaceName(space))
	}
}
