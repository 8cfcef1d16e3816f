package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/lanes"
	"hyptx/ir/isa"
)

// What follows runs beside the instructions of programs that follow origins.
// Those that follow the order of threads (vary.Variation.Order) do so through
// all instructions, and beyond what exactness needs keep three things: a
// floating-point sum counts as one whatever its order, for that has a bound of
// its own (orderOf); a store whose address depends on the order makes all of
// that memory depend on it, since in another order it goes elsewhere
// (notePlaces); and what a buffer holds at the end can be asked for
// (Buffer.Scheduled).

// newOrigins returns the origins of a fresh frame: registers that nobody has
// written are assumed, what the frame holds from its start is exact.
func (f *frame) newOrigins() {
	n := f.fn.slots + f.fn.preds
	if cap(f.origins) < n {
		f.origins = make([]laneOrigins, n)
	}
	f.origins = f.origins[:n]
	for i := range f.origins {
		f.origins[i] = laneOrigins{assumed: fullMask}
	}
	for _, s := range f.fn.sregs {
		f.origins[s.off] = laneOrigins{}
	}
}

// originsOf returns the origins of a register of a frame.
func (w *warp) originsOf(f *frame, place int32) *laneOrigins {
	if place < 0 {
		return &f.origins[f.fn.slots+int(^place)]
	}
	return &f.origins[place]
}

// execDecision counts decisions on values that are not exact.
func execDecision(w *warp, in *inst, m uint32) {
	t := w.originsOf(w.frame, in.rule.uses[0]).and(m)
	base := w.worker.prog.decisions
	if t.assumed != 0 {
		w.counts[base]++
		w.implicit |= assumed
	}
	if t.scheduled != 0 {
		w.counts[base+1]++
		w.implicit |= scheduled
	}
}

// execFollowed runs an instruction and passes on the origins of its operands.
func execFollowed(w *warp, in *inst, m uint32) {
	t := in.rule
	var from laneOrigins
	for _, u := range t.uses {
		from = from.or(*w.originsOf(w.frame, u))
	}
	from = from.and(m)
	if t.cross {
		from = spread(from, m)
	}
	if t.clock {
		from.scheduled = m
	}
	var addr [lanes.Width]uint64
	if t.memory {
		addr = *w.addresses(in)
	}
	t.exec(w, in, m)
	if t.memory {
		w.passMemoryOrigins(in, m, &addr, &from)
	}
	for _, d := range t.defs {
		p := w.originsOf(w.frame, d)
		p.assumed = p.assumed&^m | from.assumed
		p.scheduled = p.scheduled&^m | from.scheduled
	}
}

// passMemoryOrigins accounts for the bytes that an access touched.
func (w *warp) passMemoryOrigins(in *inst, m uint32, addr *[lanes.Width]uint64, from *laneOrigins) {
	t := in.rule
	by := w.visit()
	n := uint64(in.width) * uint64(max(in.vec, 1))
	w.notePlaces(in, m, addr)
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		lf := from.of(lane)
		for i := range n {
			c := w.byteOriginAt(in, addr[lane]+i, lane)
			if c == nil {
				lf |= w.paramOrigin(in.mem.space, addr[lane]+i)
				continue
			}
			was := origin(0)
			if t.load {
				if was = c.read(by); was&assumed != 0 && c.writer.launch == 0 {
					w.noteUnspecified(in, addr[lane]+i)
				}
			}
			if t.store {
				if c.overtaken(by) && !t.atomic {
					w.counts[w.worker.prog.decisions+1]++
				}
				c.write(by, from.of(lane)|w.implicit, t.how)
			}
			lf |= w.placed(in, addr[lane]+i)
			lf |= was
		}
		if t.atomic {
			lf |= scheduled
		}
		from.add(lane, lf)
	}
}

// noteUnspecified notes that a byte was read that nobody has written. Launches
// that follow origins run on one worker.
func (w *warp) noteUnspecified(in *inst, addr uint64) {
	if space, addr := resolve(in.mem.space, addr); space == isa.Global {
		w.bufferFor(in, addr).ReadUnspecified = true
	}
}

// visit identifies the warp and the present stretch between barriers.
func (w *warp) visit() visit {
	return visit{launch: uint32(w.worker.launch.GridID), epoch: w.cta.epoch, cta: w.cta.linear, warp: int32(w.number)}
}

// byteOriginAt returns the origin of a byte; nil for constants and parameters.
func (w *warp) byteOriginAt(in *inst, addr uint64, lane int) *byteOrigin {
	space, addr := resolve(in.mem.space, addr)
	switch space {
	case isa.Shared:
		return &w.cta.sharedOrigins.bytes[addr]
	case isa.Local:
		return w.localOrigin(lane, addr)
	case isa.Const, isa.Param:
		return nil
	}
	b := w.bufferFor(in, addr)
	return b.originAt(addr - b.Base)
}

// localOrigin returns the origin of a byte of a thread's local memory.
func (w *warp) localOrigin(lane int, addr uint64) *byteOrigin {
	return &w.localByteOrigins().bytes[int64(lane)*w.localCap+int64(addr)]
}

// localByteOrigins returns the origins of the local memory, as large as that is.
func (w *warp) localByteOrigins() *byteOrigins {
	if w.localOrigins == nil || int64(len(w.localOrigins.bytes)) < w.localCap*lanes.Width {
		bigger := newByteOrigins(w.localCap*lanes.Width, assumed)
		if w.localOrigins != nil {
			old := int64(len(w.localOrigins.bytes)) / lanes.Width
			bigger.placed = w.localOrigins.placed
			for l := range int64(lanes.Width) {
				copy(bigger.bytes[l*w.localCap:], w.localOrigins.bytes[l*old:(l+1)*old])
			}
		}
		w.localOrigins = bigger
	}
	return w.localOrigins
}

// paramOrigin says whether a byte of the parameter block was given.
func (w *warp) paramOrigin(space isa.Space, addr uint64) origin {
	if space, addr = resolve(space, addr); space != isa.Param {
		return 0
	}
	for _, r := range w.worker.launch.AssumedParams {
		if addr >= uint64(r[0]) && addr < uint64(r[1]) {
			return assumed
		}
	}
	return 0
}

// passResultOrigins passes the predicates' origins on to the result of bar.red.
func (w *warp) passResultOrigins(p *path, r *barrierInfo, from origin) {
	place := ^p.wait.in.pd
	if r.popc {
		place = p.wait.in.d.off
	}
	t := w.originsOf(p.frame, place)
	t.assumed &^= p.mask
	t.scheduled &^= p.mask
	for rest := p.mask; rest != 0; rest &= rest - 1 {
		t.add(bits.TrailingZeros32(rest), from)
	}
}

// notePlaces notes the memory into which lanes store at addresses that depend
// on the order of threads.
func (w *warp) notePlaces(in *inst, m uint32, addr *[lanes.Width]uint64) {
	var from laneOrigins
	for _, place := range in.rule.address {
		from = from.or(*w.originsOf(w.frame, place))
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
	space, addr := resolve(in.mem.space, addr)
	switch space {
	case isa.Shared:
		return &w.cta.sharedOrigins.placed
	case isa.Local:
		return &w.localByteOrigins().placed
	case isa.Const, isa.Param:
		return nil
	}
	return &w.bufferFor(in, addr).origins.placed
}
