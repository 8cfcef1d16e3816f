package emulator

import (
	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/mbarrier"
	"hyptx/emulator/internal/words"
	"hyptx/internal/order"
	"hyptx/ir/isa"
)

// Asynchronous work belongs to no thread. It comes after what the thread that asked for
// it had done, and what it does comes before nobody until somebody has waited for it, the
// thread itself included. So origins have a second warp beside each, w.async: work that a
// lane asks for is done by the same lane of that one, which knows what the lane knew, and
// tells what it has done to an mbarrier or to who waits for the group. Until then what it
// has written belongs to nobody, and so does what it does to the mbarrier.

// asyncWork is what one lane has asked for. follow: its origins are followed.
type asyncWork struct {
	w        *warp
	in       *inst
	lane     int
	follow   bool
	since    uint32      // the last tick before it
	mapped   bool        // it reads a tensor map, by another proxy
	from     order.Lanes // what its operands depend on
	value    order.Lanes // and what it has read since a write
	previous [chunk]byte
	report   report // of what it copies
	look     bool   // it is looked at (checkbulk.go)
	place    globalPlace
}

// begin begins asynchronous work of a lane.
func (w *warp) begin(in *inst, lane int) *asyncWork {
	a := &w.worker.async
	*a = asyncWork{w: w, in: in, lane: lane, follow: in.rule != nil && w.worker.asyncFrom != nil}
	if a.look = w.cta.cells != nil; a.look {
		w.worker.moved = w.worker.moved[:0]
	}
	if w.worker.counting != nil {
		w.worker.counting.opaque = true
	}
	if a.follow {
		a.from = *w.worker.asyncFrom
		a.value = a.from
		w.async.Acquire(1<<lane, w.order.Release(1<<lane))
		a.since = w.async.Stamp() // so that each piece of work is told from others
	}
	return a
}

// followAsync accounts for instructions of asynchronous work, which do so piece by piece.
func followAsync(w *warp, in *inst, m uint32, from *order.Lanes) {
	w.worker.asyncFrom = from
	in.rule.exec(w, in, m)
	w.worker.asyncFrom = nil
}

// read returns n bytes that the work reads.
func (a *asyncWork) read(space isa.Space, addr, n uint64) []byte {
	b := a.w.bytesAt(a.in, a.lane, space, addr, int(n), false)
	if a.look {
		a.lookRead(space, addr, n)
	}
	if !a.follow {
		return b
	}
	w := a.w
	op := order.Op{PC: uint32(a.in.pc), Reads: true, Async: true, Decides: a.in.rule.op.Decides || a.in.rule.copied}
	op.Proxy = !a.mapped
	space, addr = address.Resolve(space, addr)
	if space == isa.Const || space == isa.Param {
		for i := range n {
			a.value.Add(1<<a.lane, w.paramOrigin(space, addr+i), 0)
		}
		return b
	}
	s, off := w.shadowAt(a.in, space, addr, n)
	if s == nil {
		a.value.Add(1<<a.lane, order.Assumed, 0)
		return b
	}
	w.tellPlace(space, addr, n)
	o, cause, asGiven := s.Load(&w.async, a.lane, &op, off, n)
	w.async.Reading(a.lane, s, off, n)
	if asGiven && o&order.Assumed != 0 && space == isa.Global {
		w.bufferFor(a.in, addr).ReadUnspecified = true
	}
	a.value.Add(1<<a.lane, o, cause)
	o, cause = w.placed(a.in, space, addr)
	a.value.Add(1<<a.lane, o, cause)
	return b
}

// old returns n bytes that the work is about to write.
func (a *asyncWork) old(space isa.Space, addr, n uint64) []byte {
	b := a.w.bytesAt(a.in, a.lane, space, addr, int(n), true)
	a.keep(space, addr, n)
	return b
}

// keep remembers what is at an address.
func (a *asyncWork) keep(space isa.Space, addr, n uint64) {
	if a.follow {
		copy(a.previous[:n], a.w.peek(a.in, a.lane, space, addr, n))
	}
}

// wrote accounts for n bytes that the work has written.
func (a *asyncWork) wrote(space isa.Space, addr, n uint64) {
	if a.look {
		a.lookWrite(space, addr, n)
	}
	if !a.follow {
		return
	}
	op := order.Op{PC: uint32(a.in.pc), Writes: true, Async: true, Proxy: a.in.mem.bulk != nil || a.in.mem.tensor != nil}
	if s := a.in.mem.async; s != nil && s.bulk { // the thread itself stores, as by st
		op.Async = false
		a.storeBy(&a.w.order, &op, space, addr, a.previous[:n], 0)
		a.value = a.from
		return
	}
	a.copying(&op, space, addr, a.previous[:n], 0)
	a.value = a.from
}

// reduced accounts for a reduction of elements of a size by operands, as bytes. Each
// element is an atomic of its own, which commutes with those of its family, and with those
// by the same instruction whose operand is equal.
func (a *asyncWork) reduced(space isa.Space, addr uint64, operands []byte, size int, family uint16) {
	if a.look {
		a.lookReduced(space, addr, len(operands), size)
	}
	if !a.follow {
		return
	}
	op := order.Op{PC: uint32(a.in.pc), Writes: true, Async: true, Atomic: true, Strong: true, Keeps: true,
		Scope: order.ScopeGrid, Family: family, Width: uint8(size)}
	for k := 0; k < len(operands); k += size {
		a.copying(&op, space, addr+uint64(k), a.previous[k:][:size], elementHash(words.Get(operands[k:][:size])))
	}
	a.value = a.from
}

// elementHash tells the operands of reductions apart, those of 32 bits and less for certain.
func elementHash(v uint64) uint32 {
	return uint32(v) ^ uint32(v>>32*0x9e3779b97f4a7c15>>32) // the golden ratio, as in Fibonacci hashing
}

// copying accounts for a store that nobody has waited for.
func (a *asyncWork) copying(op *order.Op, space isa.Space, addr uint64, previous []byte, arg uint32) {
	if s, off := a.store(op, space, addr, previous, arg); s != nil {
		a.w.async.Copying(a.lane, s, off, uint64(len(previous)))
	}
}

// store accounts for a store by the work over previous; arg is a hash of an atomic's operands.
func (a *asyncWork) store(op *order.Op, space isa.Space, addr uint64, previous []byte, arg uint32) (*order.Shadow, uint64) {
	return a.storeBy(&a.w.async, op, space, addr, previous, arg)
}

// storeBy is store by the work or the warp itself.
func (a *asyncWork) storeBy(by *order.Warp, op *order.Op, space isa.Space, addr uint64, previous []byte, arg uint32) (*order.Shadow, uint64) {
	n := uint64(len(previous))
	w := a.w
	space, addr = address.Resolve(space, addr)
	if space != isa.Shared && space != isa.Global {
		return nil, 0
	}
	s, off := w.shadowAt(a.in, space, addr, n)
	if s == nil {
		return nil, 0
	}
	diff, now := uint32(0), w.peek(a.in, a.lane, space, addr, n)
	for i := range now {
		if now[i] != previous[i] {
			diff |= 1 << i
		}
	}
	w.visit(a.in, op, by, a.lane, space, addr, &a.value)
	w.tellPlace(space, addr, n)
	overtaken, why := s.Store(by, a.lane, op, off, n, a.value.Of(a.lane)|w.implicit, a.value.Cause, diff, arg)
	if overtaken != 0 {
		w.decide(a.in, overtaken, why)
	}
	return s, off
}

// signalled accounts for complete-tx on an object, which releases what its copy has done and
// nothing that the thread did before (PTX ISA 8.9.1.1).
func (a *asyncWork) signalled(space isa.Space, addr uint64, before, after mbarrier.Object) {
	if a.look {
		a.lookSignal(space, addr, before.Parity != after.Parity)
	}
	if !a.follow {
		return
	}
	w := a.w
	op := order.Op{PC: uint32(a.in.pc), Atomic: true, Strong: true, Writes: true, Keeps: true, Family: arrivals, Scope: order.ScopeGrid, Width: 8, Async: true}
	a.value = a.from
	a.reported()
	owner, at := w.ownerOf(address.Resolve(space, addr))
	completed := before.Parity != after.Parity
	all, part := partOf(before, after)
	o, waited, cause := w.async.TakePart(a.lane, &op, owner, at, part, all, completed)
	w.decideWaited(a.in, waited, cause)
	a.value.Add(1<<a.lane, o, cause)
	op.Phase = owner.Phase(at, false, completed)
	s, off := a.store(&op, space, addr, a.previous[:8], 0)
	w.async.Deliver(a.lane, a.since, false, owner, at)
	w.async.Signal(a.lane, owner, at, s, off, nil, completed)
}

// followBulkGroups accounts for cp.async.bulk.commit_group and .wait_group. With .read the
// copies have only read their sources.
func followBulkGroups(w *warp, in *inst, m uint32, _ *order.Lanes) {
	t := in.rule
	if t.commits {
		w.async.Commit(m)
		return
	}
	for lane := range lanesOf(m) {
		if t.reads {
			w.async.WaitRead(1<<lane, w.slot(in.b)[lane])
		} else {
			w.async.Wait(1<<lane, w.slot(in.b)[lane])
		}
		w.order.Acquire(1<<lane, w.async.Release(1<<lane))
	}
}
