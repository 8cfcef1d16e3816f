package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/lanes"
	"hyptx/ir/isa"
)

// Programs that follow the order of threads (vary.Variation.Order) follow
// origins through all instructions, and beyond what exactness needs keep three
// things: a floating-point sum counts as one whatever its order, for that has a
// bound of its own; a store whose address depends on the order makes all of
// that memory depend on it, since in another order it goes elsewhere; and what
// a buffer holds at the end can be asked for.

// orderOf numbers atomic operations that commute, sums of floating-point
// numbers among them.
func orderOf(x *isa.Inst, how uint8) uint8 {
	if x.Open() == isa.Reordered {
		return plainStore + 100
	}
	return how
}

// notePlaces notes the memory into which lanes store at addresses that depend
// on the order of threads.
func (w *warp) notePlaces(in *inst, m uint32, addr *[lanes.Width]uint64) {
	var from taint
	for _, place := range in.track.address {
		from = from.or(*w.taintOf(w.frame, place))
	}
	for rest := from.scheduled & m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		if p := w.placeOf(in, addr[lane]); p != nil {
			*p = true
		}
	}
}

// placed returns scheduled where a byte lies in memory that was noted.
func (w *warp) placed(in *inst, addr uint64) origin {
	if w.worker.prog.order && *w.placeOf(in, addr) {
		return scheduled
	}
	return 0
}

// placeOf returns the mark of the memory in which a byte lies; nil for constants
// and parameters, which nothing can store to.
func (w *warp) placeOf(in *inst, addr uint64) *bool {
	space, addr := resolve(in.ext.space, addr)
	switch space {
	case isa.Shared:
		return &w.cta.shadow.placed
	case isa.Local:
		return &w.localCells().placed
	case isa.Const, isa.Param:
		return nil
	}
	return &w.bufferFor(in, addr).shadow.placed
}

// Scheduled reports whether any of n bytes at an offset may depend on the order
// in which threads ran, as far as programs with vary.Variation.Order saw.
func (b *Buffer) Scheduled(off, n int64) bool {
	if b.shadow.pages == nil {
		return false
	}
	if b.shadow.placed {
		return true
	}
	for end := off + n; off < end; off++ {
		if s := b.shadow.pages[off>>pageShift]; s != nil && s.cells[off&pageMask].from&scheduled != 0 {
			return true
		}
	}
	return false
}
