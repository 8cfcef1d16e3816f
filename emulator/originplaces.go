package emulator

import (
	"math/bits"
	"slices"

	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/lanes"
	"hyptx/internal/order"
	"hyptx/ir/isa"
)

// A store at an address that the order of threads decides may have hit any other byte
// of that memory in another order. So the memory is marked as a whole: what is read of it
// later, and what has been read by threads that the store does not come after.

// place is a piece of memory as a whole: a buffer, a variable in the shared memory of a
// CTA, or the local memory of a thread.
type place struct {
	// stored: something was stored at an address that depends on the order of threads,
	// so that every byte may be another's.
	stored  bool
	cause   order.Cause
	readers order.Readers
}

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
			p.stored, p.cause = true, w.worker.launch.log.Note(order.Displaced, uint32(in.pc))
			if over := p.readers.Overtaken(&w.order, lane, &in.rule.op); over != 0 {
				w.decide(in, over, p.cause)
			}
		}
	}
}

// byOrder returns the lanes whose value the order of threads decides.
func byOrder(t *order.Lanes) uint32 { return t.By[0] | t.By[1] }

// byOrderOnly are the origins of what the order of threads decides.
const byOrderOnly = order.Scheduled | order.Undefined

// placed returns the origin of bytes in memory that was noted, and why.
func (w *warp) placed(in *inst, space isa.Space, addr uint64) (order.Origin, order.Cause) {
	if p := w.placeOf(in, space, addr); p != nil && p.stored {
		return order.Scheduled, p.cause
	}
	return 0, 0
}

// noteReader notes that a lane reads memory for what a decision may depend on.
func (w *warp) noteReader(in *inst, op *order.Op, lane int, space isa.Space, addr uint64) {
	if op.Decides {
		if p := w.placeOf(in, space, addr); p != nil {
			p.readers.Note(&w.order, lane, op)
		}
	}
}

// placeOf returns the memory in which a byte lies; nil for constants and parameters, which
// nothing can store to, and where there is no memory, which is a fault or forgiven.
func (w *warp) placeOf(in *inst, space isa.Space, addr uint64) *place {
	space, addr = address.Resolve(space, addr)
	switch space {
	case isa.Shared:
		c, at := w.sharedOf(addr)
		return c.place(at, w.worker.prog.sharedAt)
	case isa.Local:
		return &w.localPlace
	case isa.Const, isa.Param:
		return nil
	}
	if b := w.bufferFor(in, addr); b != nil {
		return &b.origins.place
	}
	return nil
}

// place returns the place of a byte in shared memory; at are where its variables begin.
func (c *cta) place(addr uint64, at []uint64) *place {
	if len(c.places) == 0 {
		c.places = make([]place, len(at)+1)
	}
	n, found := slices.BinarySearch(at, addr)
	if found {
		n++
	}
	return &c.places[n]
}
