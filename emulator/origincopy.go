package emulator

import (
	"math"
	"math/bits"

	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/mbarrier"
	"hyptx/emulator/internal/words"
	"hyptx/internal/order"
	"hyptx/ir/isa"
)

// Origins through cp.async, which a fourth warp does, w.fetching: it knows what the thread
// knows that began it, and what it reads and writes is nobody's until that thread has waited
// for it, or an mbarrier object tells that it is done (cp.async.mbarrier.arrive).

// followCopy accounts for a cp.async: w.fetching reads and writes until it is waited for.
func followCopy(w *warp, in *inst, m uint32, from *order.Lanes) {
	t, copies := in.rule, in.mem.copies
	dst := *w.addresses(in)
	src := *w.addressesOf(&copies.location)
	size := *w.slot(in.b)
	if copies.ignore {
		for ignored := w.pred(in.pa, in.paFlip); ignored != 0; ignored &= ignored - 1 {
			size[bits.TrailingZeros32(ignored)] = 0
		}
	}
	n := uint64(in.width)
	w.fetching.Advance()
	read := t.op
	read.Writes, read.Decides = false, t.copied
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		if k := min(uint64(size[lane]), n); k > 0 {
			w.followBytes(in, &read, lane, src[lane], k, from)
		}
		w.keepOld(in, lane, dst[lane], n)
	}
	t.exec(w, in, m)
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		if uint64(size[lane]) > n { // than it writes (PTX ISA 9.7.10.28.3.1)
			from.Add(1<<lane, order.Undefined, w.worker.launch.log.Note(order.Invalid, uint32(in.pc)))
		}
		w.followStoreBy(&w.fetching, in, &t.op, lane, isa.Shared, dst[lane], n, from)
	}
}

// followBytes accounts for what a copy loads of global memory, any number of bytes.
func (w *warp) followBytes(in *inst, op *order.Op, lane int, addr, n uint64, from *order.Lanes) {
	for n > 0 {
		step := n & -n
		for addr%step != 0 {
			step /= 2
		}
		w.followLoadBy(&w.fetching, in, op, lane, isa.Global, addr, step, from)
		addr, n = addr+step, n-step
	}
}

// followCopies accounts for the groups of cp.async.
func followCopies(w *warp, in *inst, m uint32, _ *order.Lanes) {
	switch {
	case in.rule.commits:
		w.fetching.Commit(m)
	case in.b.off < 0:
		w.fetching.WaitAll(m)
	default:
		w.fetching.Wait(m, w.slot(in.b)[bits.TrailingZeros32(m)])
	}
}

// followCopyArrival accounts for cp.async.mbarrier.arrive: the arrival comes when all copies
// that the thread has begun are done, and tells of nothing else. Without .noinc the thread
// makes the phase wait for one more, as one that makes it wait for bytes does.
func followCopyArrival(w *warp, in *inst, m uint32, from *order.Lanes) {
	addr := *w.addresses(in)
	for lane := range lanesOf(m) {
		w.keepOld(in, lane, addr[lane], 8)
		in.rule.exec(w, in, 1<<lane)
		late := lateArrival{by: &w.fetching, lane: lane, addr: addr[lane]}
		if owner, where := w.ownerOf(address.Resolve(in.mem.space, addr[lane])); owner != nil {
			w.fetching.Deliver(lane, 0, in.mem.object.kept, owner, where)
		}
		stored := *from
		if in.mem.object.announces {
			late.announced = true
			o, cause := w.announce(in, lane, addr[lane])
			stored.Add(1<<lane, o, cause)
		}
		w.followLate(in, &late, &stored)
	}
}

// announce accounts for an arrival that a lane makes an object wait for.
func (w *warp) announce(in *inst, lane int, addr uint64) (order.Origin, order.Cause) {
	now := w.peek(in, lane, in.mem.space, addr, 8)
	if now == nil {
		return 0, 0
	}
	op := order.Op{PC: uint32(in.pc), Atomic: true, Strong: true, Scope: order.ScopeGrid}
	owner, where := w.ownerOf(address.Resolve(in.mem.space, addr))
	all := mbarrier.Unpack(words.Get(now)).Pending == 0
	o, waited, cause := w.order.TakePart(lane, &op, owner, where, order.Part{Bytes: 1}, all, false)
	w.decideWaited(in, waited, cause)
	return o, cause
}

// lateArrival is an arrival of asynchronous work of a lane at an mbarrier object, and what it
// tells. announced: the object waits for it beside those that it expects.
type lateArrival struct {
	by        *order.Warp
	lane      int
	addr      uint64
	told      order.Clock
	announced bool
}

// followLate accounts for a late arrival, of which keepOld has kept what was there before:
// whoever asks may find the object without it until its phase is over.
func (w *warp) followLate(in *inst, a *lateArrival, from *order.Lanes) {
	now := w.peek(in, a.lane, in.mem.space, a.addr, 8)
	if now == nil {
		return
	}
	op := order.Op{PC: uint32(in.pc), Atomic: true, Strong: true, Writes: true, Keeps: true, Family: arrivals,
		Scope: order.ScopeGrid, Width: 8, Async: true}
	before, after := mbarrier.Unpack(words.Get(w.worker.old[a.lane][:8])), mbarrier.Unpack(words.Get(now))
	completed := before.Parity != after.Parity
	space, addr := address.Resolve(in.mem.space, a.addr)
	owner, where := w.ownerOf(space, addr)
	all, part := partOf(before, after)
	if a.announced {
		part.Bytes--
	}
	o, waited, cause := a.by.TakePart(a.lane, &op, owner, where, part, all, completed)
	w.decideWaited(in, waited, cause)
	op.Phase = owner.Phase(where, false, completed)
	value := *from
	value.Add(1<<a.lane, o, cause)
	s, off := w.shadowAt(in, space, addr, 8)
	w.tellPlace(space, addr, 8)
	overtaken, why := s.Store(a.by, a.lane, &op, off, 8, value.Of(a.lane)|w.implicit, value.Cause, math.MaxUint32, 0)
	if overtaken != 0 {
		w.decide(in, overtaken, why)
	}
	a.by.Signal(a.lane, owner, where, s, off, a.told, completed)
}
