package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/lanes"
	"hyptx/emulator/internal/pages"
	"hyptx/internal/order"
	"hyptx/ir/isa"
)

// Loads, stores and atomics through which origins are followed go lane by lane: what
// a lane loads depends on what the words depend on and on whether their writers are
// in order with it, what it stores takes along what the stored value and the warp's
// decisions so far depend on. The instruction itself runs as ever, in between.

// followMemory accounts for the loads, stores and atomics of the lanes of m, and
// runs them.
func followMemory(w *warp, in *inst, m uint32, from *order.Lanes) {
	t := in.rule
	addr := *w.addresses(in)
	n := uint64(in.width) * uint64(max(in.vec, 1))
	touching := m
	if t.cross { // ldmatrix and stmatrix: lane 8n+r has the address of row r of matrix n
		touching &= fullMask >> (32 - 8*max(len(in.mem.elems), 1))
	}
	w.notePlaces(in, m, &addr)
	if t.op.Reads && !t.op.Writes {
		for rest := touching; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest)
			w.followLoad(in, &t.op, lane, in.mem.space, addr[lane], n, from)
		}
		if t.cross {
			*from = from.Spread(m)
		}
	}
	stored := *from // not what an atomic reads: that is the shadow's to add if it stays
	if t.cross && t.op.Writes {
		w.addOverlap(in, touching, n, &addr, &stored)
	}
	switch {
	case !t.op.Writes:
		t.exec(w, in, m)
	case t.cross || apart(&addr, touching, n):
		for rest := touching; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest)
			w.keepOld(in, lane, addr[lane], n)
			if t.op.Reads {
				w.followLoad(in, &t.op, lane, in.mem.space, addr[lane], n, from)
			}
		}
		t.exec(w, in, m)
		for rest := touching; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest)
			w.followStore(in, lane, in.mem.space, addr[lane], n, &stored)
		}
	default: // one after the other, since each sees what the one before did
		stores := w.worker.stores
		for rest := touching; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest)
			if t.op.Reads {
				w.followLoad(in, &t.op, lane, in.mem.space, addr[lane], n, from)
			}
			w.keepOld(in, lane, addr[lane], n)
			t.exec(w, in, 1<<lane)
			w.followStore(in, lane, in.mem.space, addr[lane], n, &stored)
		}
		w.worker.stores = min(w.worker.stores, stores+1)
	}
}

// apart reports whether the lanes of m access n bytes each in ascending order,
// so that no two touch the same.
func apart(addr *[lanes.Width]uint64, m uint32, n uint64) bool {
	next := uint64(0)
	for rest := m; rest != 0; rest &= rest - 1 {
		a := addr[bits.TrailingZeros32(rest)]
		if a < next {
			return false
		}
		next = a + n
	}
	return true
}

// keepOld keeps what a lane is about to write over: memory, and an atomic's operands,
// one of which may be the register that it returns into.
func (w *warp) keepOld(in *inst, lane int, addr, n uint64) {
	old := &w.worker.old[lane]
	copy(old[:n], w.peek(in, lane, in.mem.space, addr, n))
	if in.rule.op.Atomic {
		for k := range w.worker.hashes[lane][:max(in.vec, 1)] {
			w.worker.hashes[lane][k] = w.operandHash(in, lane, k)
		}
	}
}

// peek returns the n bytes at an address, nil where there is no such memory.
func (w *warp) peek(in *inst, lane int, space isa.Space, addr, n uint64) []byte {
	space, addr = address.Resolve(space, addr)
	base, bytes := w.extent(in, space, addr)
	if off := addr - base; addr%n != 0 || off >= bytes || n > bytes-off {
		return nil
	}
	switch space {
	case isa.Shared:
		c, at := w.sharedOf(addr)
		return c.shared[at:][:n]
	case isa.Local:
		return w.local[int64(lane)*w.localCap:][addr:][:n]
	case isa.Const, isa.Param:
		return nil
	}
	b := w.bufferFor(in, addr)
	off := addr - b.Base
	return b.table.At(off)[off&pages.Mask:][:n]
}

// followLoad accounts for what a lane loads by an access.
func (w *warp) followLoad(in *inst, op *order.Op, lane int, space isa.Space, addr, n uint64, from *order.Lanes) {
	w.followLoadBy(&w.order, in, op, lane, space, addr, n, from)
}

// followLoadBy is followLoad by the warp itself or its asynchronous work.
func (w *warp) followLoadBy(by *order.Warp, in *inst, op *order.Op, lane int, space isa.Space, addr, n uint64, from *order.Lanes) {
	space, addr = address.Resolve(space, addr)
	switch space {
	case isa.Local:
		origins := w.localOriginsAt(lane, int64(addr), int64(n))
		if origins == nil {
			from.Add(1<<lane, order.Assumed, 0) // beyond the stack, if that is forgiven
		}
		state := order.State // if all of it is one
		for _, o := range origins {
			from.Add(1<<lane, o&^order.State, 0)
			state &= o
		}
		from.Add(1<<lane, state, 0)
		w.addMisplaced(in, op, lane, from)
		return
	case isa.Const, isa.Param:
		for i := range n {
			from.Add(1<<lane, w.paramOrigin(space, addr+i), 0)
		}
		return
	}
	s, off := w.shadowAt(in, space, addr, n)
	if s == nil { // the access itself fails, or is forgiven
		from.Add(1<<lane, order.Assumed, 0)
		return
	}
	w.tellPlace(space, addr, n)
	w.visit(in, op, by, lane, space, addr, from)
	o, cause, asGiven := s.Load(by, lane, op, off, n)
	if asGiven && o&order.Assumed != 0 && space == isa.Global {
		w.bufferFor(in, addr).ReadUnspecified = true
	}
	if op.Strong && !op.Writes && in.mem.object == nil {
		owner, at := w.ownerOf(space, addr)
		w.order.Strong(lane, op, false, owner, at)
	}
	w.noteReader(in, op, lane, space, addr)
	if op.Async && !op.Writes {
		by.Reading(lane, s, off, n)
	}
	from.Add(1<<lane, o, cause)
	o, cause = w.placed(in, space, addr)
	from.Add(1<<lane, o, cause)
	w.addObject(in, lane, space, addr, n, from)
}

// tellPlace says where the access lies that is about to be accounted for, for facts.
func (w *warp) tellPlace(space isa.Space, addr, n uint64) {
	w.worker.launch.log.At = order.Place{Space: uint8(space), Addr: addr, Bytes: uint8(n)}
}

// followStore accounts for what a lane has stored, of which keepOld has kept what was
// there before.
func (w *warp) followStore(in *inst, lane int, space isa.Space, addr, n uint64, from *order.Lanes) {
	w.followStoreBy(&w.order, in, &in.rule.op, lane, space, addr, n, from)
}

// followStoreBy accounts for what a lane of the warp itself, or of its asynchronous work, has
// stored by an access.
func (w *warp) followStoreBy(by *order.Warp, in *inst, op *order.Op, lane int, space isa.Space, addr, n uint64, from *order.Lanes) {
	value := from.Of(lane) | w.implicit
	space, addr = address.Resolve(space, addr)
	switch space {
	case isa.Local:
		var there order.Lanes
		w.addMisplaced(in, op, lane, &there)
		value |= there.Of(lane)
		for i := range w.localOriginsAt(lane, int64(addr), int64(n)) {
			w.localOrigins[int64(lane)*w.localCap+int64(addr)+int64(i)] = value
		}
		return
	case isa.Const, isa.Param:
		return
	}
	s, off := w.shadowAt(in, space, addr, n)
	if s == nil {
		return
	}
	w.tellPlace(space, addr, n)
	var there order.Lanes
	w.visit(in, op, by, lane, space, addr, &there)
	w.addObject(in, lane, space, addr, n, &there)
	value |= there.Of(lane)
	diff, now := uint32(0), w.peek(in, lane, space, addr, n)
	for i := range now {
		if now[i] != w.worker.old[lane][i] {
			diff |= 1 << i
		}
	}
	size := n
	if op.Atomic && in.vec > 1 { // the elements have nothing to do with each other
		size = uint64(in.width)
	}
	for k := uint64(0); k*size < n; k++ {
		arg := uint32(0)
		if op.Atomic {
			arg = w.worker.hashes[lane][k]
		}
		overtaken, why := s.Store(by, lane, op, off+k*size, size, value, max(from.Cause, there.Cause), diff>>(k*size), arg)
		if overtaken != 0 {
			w.decide(in, overtaken, why)
		}
	}
	if op.Async {
		by.Copying(lane, s, off, n)
	}
	if op.Strong && in.mem.object == nil { // of mbarrier objects: followObject
		owner, at := w.ownerOf(space, addr)
		w.order.Strong(lane, op, from.Of(lane)&byOrderOnly != 0, owner, at)
	}
}

// operandHash tells the operands of atomics apart: two that are one instruction, or do the same,
// with equal operands are the same function of what they find. Of a vector it is of one element.
func (w *warp) operandHash(in *inst, lane, element int) uint32 {
	h := uint64(14695981039346656037)
	mix := func(o operand) {
		if o.off < 0 {
			return
		}
		s := w.slot(o)
		switch in.width {
		case 8:
			h = (h ^ wide(s)[lane]) * 1099511628211
		case 16:
			q := quad(s)[lane]
			h = ((h^q[0])*1099511628211 ^ q[1]) * 1099511628211
		default:
			h = (h ^ uint64(s[lane])) * 1099511628211
		}
	}
	if t := in.mem.texture; t != nil {
		mix(t.surface.elems[0])
	}
	if a := in.mem.atomic; a != nil {
		if element < len(in.mem.elems) {
			mix(in.mem.elems[element])
		}
		if a.hasThird {
			mix(a.third)
		}
	}
	return uint32(h>>32) ^ uint32(h)
}

// shadowAt returns the shadow of an address in shared or global memory and the
// offset in it; nil where n bytes there are no memory.
func (w *warp) shadowAt(in *inst, space isa.Space, addr, n uint64) (*order.Shadow, uint64) {
	if addr%n != 0 {
		return nil, 0
	}
	if space == isa.Shared {
		c, at := w.sharedOf(addr)
		if bytes := uint64(len(c.shared)); at >= bytes || n > bytes-at {
			return nil, 0
		}
		return c.shadow, at
	}
	b := w.bufferFor(in, addr)
	if b == nil || addr-b.Base+n > uint64(b.Bytes) {
		return nil, 0
	}
	off := addr - b.Base
	return b.shadowAt(off), off & shadowMask
}

// ownerOf returns in whose shared memory an address is, and where there; nil for global
// memory.
func (w *warp) ownerOf(space isa.Space, addr uint64) (*order.CTA, uint64) {
	if space != isa.Shared {
		return nil, addr
	}
	c, at := w.sharedOf(addr)
	return &c.order, at
}

// followUnseen notes where a store that is not done would have stored.
func followUnseen(w *warp, in *inst, m uint32, _ *order.Lanes) {
	w.noteUnseen(in, m, w.addresses(in), uint64(in.width)*uint64(max(in.vec, 1)))
}

// noteUnseen notes n bytes of each lane that are not stored.
func (w *warp) noteUnseen(in *inst, m uint32, addr *[lanes.Width]uint64, n uint64) {
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		space, at := address.Resolve(in.mem.space, addr[lane])
		if space != isa.Shared && space != isa.Global {
			continue
		}
		if space == isa.Global {
			if b := w.bufferFor(in, at); b == nil || !b.Watched {
				continue
			}
		}
		if s, off := w.shadowAt(in, space, at, n); s != nil {
			s.Unseen(off, n, w.worker.launch.log.Note(order.Unseen, uint32(in.pc)))
		}
	}
}

// addMisplaced says that what an atomic makes of local memory is undefined: a generic address of its has
// to be of global or shared memory (PTX ISA 9.7.15.5).
func (w *warp) addMisplaced(in *inst, op *order.Op, lane int, from *order.Lanes) {
	if op.Atomic {
		from.Add(1<<lane, order.Undefined, w.worker.launch.log.Note(order.Invalid, uint32(in.pc)))
	}
}

// localOriginsAt returns the origins of n bytes of a thread's local memory.
func (w *warp) localOriginsAt(lane int, addr, n int64) []order.Origin {
	w.growLocalOrigins()
	if addr < 0 || addr > w.localCap-n {
		return nil
	}
	return w.localOrigins[int64(lane)*w.localCap+addr:][:n]
}

// growLocalOrigins makes the origins of the local memory as large as that is.
func (w *warp) growLocalOrigins() {
	old := int64(len(w.localOrigins)) / lanes.Width
	if old >= w.localCap {
		return
	}
	w.worker.hold((w.localCap - old) * lanes.Width)
	bigger := make([]order.Origin, w.localCap*lanes.Width)
	for i := range bigger {
		bigger[i] = order.Assumed
	}
	for l := range int64(lanes.Width) {
		copy(bigger[l*w.localCap:], w.localOrigins[l*old:(l+1)*old])
	}
	w.localOrigins = bigger
}

// paramOrigin says whether a byte of the parameter block was given.
func (w *warp) paramOrigin(space isa.Space, addr uint64) order.Origin {
	l := w.worker.launch
	switch {
	case space == isa.Const && addr >= uint64(len(l.module.constants)), space == isa.Param && addr >= uint64(len(l.Params)):
		return order.Assumed // beyond its end, if that is forgiven
	case space != isa.Param:
		for _, u := range l.module.unknown {
			if int64(addr) >= u[0] && int64(addr) < u[1] {
				return order.Assumed
			}
		}
		return 0
	}
	for _, r := range w.worker.launch.AssumedParams {
		if addr >= uint64(r[0]) && addr < uint64(r[1]) {
			return order.Assumed
		}
	}
	return 0
}
