package emulator

import (
	"math"
	"math/bits"

	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/lanes"
	"hyptx/emulator/internal/mbarrier"
	"hyptx/emulator/internal/words"
	"hyptx/internal/order"
	"hyptx/ir/isa"
)

// What puts threads in order while origins are followed, beside barriers (barrier.go) and
// waits for copies (origincopy.go): fences, mbarrier objects.

// discardBytes is what discard leaves undefined, from a multiple of it on (PTX ISA
// 9.7.10.20).
const discardBytes = 128

// followDiscard accounts for discard: a write of a value that nobody knows.
func followDiscard(w *warp, in *inst, m uint32, from *order.Lanes) {
	addr := *w.addresses(in)
	why := w.worker.launch.log.Note(order.Discarded, uint32(in.pc))
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		space, at := address.Resolve(in.mem.space, addr[lane])
		if space != isa.Global {
			continue
		}
		at &^= discardBytes - 1
		for end := at + discardBytes; at < end; {
			n := uint64(4) // a word
			s, off := w.shadowAt(in, space, at, n)
			if s == nil { // beyond a buffer, or across its end
				n = 1
				s, off = w.shadowAt(in, space, at, n)
			}
			if at += n; s == nil {
				continue
			}
			w.tellPlace(space, at-n, n)
			overtaken, by := s.Store(&w.order, lane, &in.rule.op, off, n, from.Of(lane)|w.implicit|order.Undefined, why, math.MaxUint32, 0)
			if overtaken != 0 {
				w.decide(in, overtaken, by)
			}
		}
	}
}

// followMeeting accounts for lanes that come to a barrier at which some of a CTA's threads
// may meet. Which of them do decides, as a branch would, if the order of threads does, and
// so does a meeting of those who must not.
func (w *warp) followMeeting(in *inst, bar *barrier, b *barrierInfo, lanes uint32) {
	if b.group {
		w.waitProducts(in, bar)
		return
	}
	if !w.worker.prog.meets {
		return
	}
	warps := len(w.cta.warps)
	if bar.threads != 0 {
		warps = min(warps, int(bar.threads/32))
	}
	by := order.Arrival{PC: uint32(in.pc), Lanes: lanes, Warps: warps, Whole: lanes == w.alive, Again: bar.lanes[w.index]&lanes != 0, Reduces: b.reduction()}
	if from, cause := bar.meeting.Come(&w.order, &by); from != 0 {
		w.decide(in, from, cause)
	}
	if b.hasThreads || b.arriveOnly {
		bar.meeting.Tell(&w.order, lanes)
	}
}

// followFence accounts for a fence.
func followFence(w *warp, in *inst, m uint32, _ *order.Lanes) {
	if in.rule.sc {
		w.order.FenceSC(m, in.rule.op.Scope)
		return
	}
	w.order.Fence(m, in.rule.op.Scope)
}

// followProxyFence accounts for a fence between the generic and the async proxy.
func followProxyFence(w *warp, _ *inst, m uint32, _ *order.Lanes) { w.order.ProxyFence(m) }

// followObject accounts for an arrival at an mbarrier object, or a question
// whether its phase is over.
func followObject(w *warp, in *inst, m uint32, from *order.Lanes) {
	t := in.rule
	addr := *w.addresses(in)
	stored := *from // an arrival is the same whatever it finds
	read := t.op
	if t.op.Writes && read.Phase == order.Phased { // all that an arrival tells is in which phase it is
		read.Atomic, read.Family = false, 0
	}
	for rest := m; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		if t.op.Reads {
			w.followLoad(in, &read, lane, in.mem.space, addr[lane], 8, from)
		}
		if !t.op.Writes {
			continue
		}
		if in.mem.object.multicast {
			w.followMulticast(in, lane, addr[lane], &stored)
			continue
		}
		w.keepOld(in, lane, addr[lane], 8)
		t.exec(w, in, 1<<lane)
		w.followArrival(in, lane, addr[lane], &stored)
	}
	if t.op.Writes {
		w.order.Advance() // once for all lanes
		return
	}
	raced := byOrder(from)
	if in.pd >= 0 && t.op.Phase == order.Phased && !in.mem.object.byState {
		for lane := range lanesOf(m) {
			if w.slot(in.b)[lane] > 1 { // a phase is even or odd
				from.Add(1<<lane, order.Undefined, w.worker.launch.log.Note(order.Invalid, uint32(in.pc)))
			}
		}
	}
	t.exec(w, in, m)
	if suspends(w.worker.prog.Module.Instrs[in.pc].Inst) {
		w.followWaits(in, m, &addr, raced, from)
		return
	}
	for over := w.overOf(in, m); over != 0 && t.op.Acquires && t.op.Decides; over &= over - 1 {
		lane := bits.TrailingZeros32(over)
		owner, where := w.ownerOf(address.Resolve(in.mem.space, addr[lane]))
		w.order.Passed(lane, owner, where, raced>>lane&1 == 0)
	}
}

// overOf returns the lanes that a question has told that their phases are over.
func (w *warp) overOf(in *inst, m uint32) uint32 {
	if in.pd < 0 {
		return 0
	}
	return w.preds[in.pd] & m
}

// followWaits accounts for lanes that come out of try_wait: what they have waited for, and
// then their reads. Those whose phase is not over have met its time limit.
func (w *warp) followWaits(in *inst, m uint32, addr *[lanes.Width]uint64, raced uint32, from *order.Lanes) {
	t, over := in.rule, w.overOf(in, m)
	if late := m &^ over; in.pd >= 0 && late != 0 {
		from.Add(late, order.Scheduled, w.worker.launch.log.Note(order.Expired, uint32(in.pc)))
	}
	for lane := range lanesOf(m) {
		space, at := address.Resolve(in.mem.space, addr[lane])
		owner, where := w.ownerOf(space, at)
		if over>>lane&1 != 0 && t.op.Acquires && t.op.Decides {
			w.order.Waited(lane, owner, where, !in.mem.object.byState, raced>>lane&1 == 0)
		}
		if s, off := w.shadowAt(in, space, at, 8); s != nil {
			s.Await(&w.order, lane, &t.op, off, 8)
		}
	}
}

// followArrival accounts for what a lane has done to an object, of which keepOld has kept
// what was there before.
func (w *warp) followArrival(in *inst, lane int, addr uint64, from *order.Lanes) {
	op, now := in.rule.op, w.peek(in, lane, in.mem.space, addr, 8)
	if now == nil || op.Family != arrivals {
		w.followMade(in, lane, addr, from)
		return
	}
	before, after := mbarrier.Unpack(words.Get(w.worker.old[lane][:8])), mbarrier.Unpack(words.Get(now))
	completed := before.Parity != after.Parity
	owner, where := w.ownerOf(address.Resolve(in.mem.space, addr))
	stored := *from
	all, part := partOf(before, after)
	o, waited, cause := w.order.TakePart(lane, &op, owner, where, part, all, completed)
	w.decideWaited(in, waited, cause)
	stored.Add(1<<lane, o, cause)
	op.Phase = owner.Phase(where, in.rule.plain, completed)
	w.followStoreBy(&w.order, in, &op, lane, in.mem.space, addr, 8, &stored)
	w.order.Arrive(lane, owner, where, op.Releases, completed)
}

// decideWaited notes that those who have waited for an object may have waited for somebody else.
func (w *warp) decideWaited(in *inst, from order.Origin, why order.Cause) {
	if from != 0 {
		w.decide(in, from, why)
	}
}

// followMade accounts for what a lane has initialised or invalidated. Nobody says what a
// valid object is that is initialised again, nor what is there behind an invalid one (PTX
// ISA 9.7.15.16.9, 9.7.15.16.10).
func (w *warp) followMade(in *inst, lane int, addr uint64, from *order.Lanes) {
	stored, ends := *from, in.mem.object.ends
	if owner, where := w.ownerOf(address.Resolve(in.mem.space, addr)); owner != nil {
		if owner.Made(where, !ends) || ends {
			stored.Add(1<<lane, order.Undefined, w.worker.launch.log.Note(order.Invalid, uint32(in.pc)))
		}
	}
	w.followStore(in, lane, in.mem.space, addr, 8, &stored)
}

// partOf returns what an operation has done to an object, and whether all have arrived in
// its phase.
func partOf(before, after mbarrier.Object) (all bool, p order.Part) {
	p = order.Part{Arrived: before.Pending, Dropped: before.Expected - after.Expected, Bytes: -before.Tx}
	if before.Parity == after.Parity {
		p.Arrived, p.Bytes = before.Pending-after.Pending, after.Tx-before.Tx
	}
	return before.Pending == p.Arrived, p
}

// followMulticast accounts for an arrival of a lane at the objects of several CTAs.
func (w *warp) followMulticast(in *inst, lane int, addr uint64, from *order.Lanes) {
	object := in.mem.object
	for ctas := w.slot(object.ctas)[lane]; ctas != 0; ctas &= ctas - 1 {
		at := w.inCTA(in, lane, bits.TrailingZeros32(ctas), in.mem.space, addr)
		w.keepOld(in, lane, at, 8)
		w.updateObject(in, lane, at, int64(w.slot(in.b)[lane]))
		w.followArrival(in, lane, at, from)
		w.order.Advance()
	}
}
