package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/lanes"
	"hyptx/internal/order"
	"hyptx/ir/isa"
)

// A store at an address that the order of threads decides may have hit any other byte
// of that memory in another order. So the memory is marked as a whole.

// notePlaces notes the memory into which lanes store at addresses that depend
// on the order of threads.
func (w *warp) notePlaces(in *inst, m uint32, addr *[lanes.Width]uint64) {
	var from order.Lanes
	for _, place := range in.rule.address {
		from = from.Or(*w.originsOf(w.frame, place))
	}
	for rest := byOrder(&from) & m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		if p := w.placeOf(in, in.mem.space, addr[lane]); p != nil {
			*p = true
		}
	}
}

// byOrder returns the lanes whose value the order of threads decides.
func byOrder(t *order.Lanes) uint32 { return t.By[0] | t.By[1] }

// byOrderOnly are the origins of what the order of threads decides.
const byOrderOnly = order.Scheduled | order.Undefined

// placed returns the origin of bytes in memory that was noted.
func (w *warp) placed(in *inst, space isa.Space, addr uint64) order.Origin {
	if w.worker.prog.order && *w.placeOf(in, space, addr) {
		return order.Scheduled
	}
	return 0
}

// placeOf returns the mark of the memory in which a byte lies; nil for constants
// and parameters, which nothing can store to.
func (w *warp) placeOf(in *inst, space isa.Space, addr uint64) *bool {
	space, addr = address.Resolve(space, addr)
	switch space {
	case isa.Shared:
		return &w.cta.placed
	case isa.Local:
		return &w.localPlaced
	case isa.Const, isa.Param:
		return nil
	}
	return &w.bufferFor(in, addr).origins.placed
}
