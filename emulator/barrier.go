package emulator

import (
	"math/bits"

	"hyptx/internal/order"
)

// bar and barrier let the threads of a CTA wait for each other (PTX ISA 9.7.15.1).
// A CTA has 16 of them; each counts who has come. All threads of the CTA, or as many
// as an operand says, have to come before those that wait go on; bar.arrive comes
// without waiting, and bar.red also counts a predicate of all who come.
//
// What comes is a warp, and there are two rules for when it has:
//
//   - from sm_70 on each thread comes by itself, and its warp has come when all its
//     threads that live have. The paths of a diverged warp may come one after the
//     other, even at different bar instructions with the same number.
//   - before, a bar executed by any thread stands for the whole warp. The other
//     lanes need not come at all, but the warp stops as a whole until the barrier
//     is complete (warp.blocked), so that they cannot run ahead either.
//
// Threads that have exited are not waited for: when lanes exit, every barrier that
// somebody has come to is looked at again (threadsExited). A count of threads is
// in whole warps, 32 for each, full or not.
//
// An .aligned barrier promises that all threads of the warp execute it together.
// Where they do not the manual leaves undefined what happens; here it is run like
// any other, and counted (divergent_barriers): then no count is exact.

// numBarriers is how many barriers a CTA has (PTX ISA 9.7.15.1).
const numBarriers = 16

// barrier is one of a CTA's named barriers.
type barrier struct {
	// threads is the count that bar was given, 0 for all of the CTA.
	threads uint32
	// lanes are the lanes that have arrived, done the warps that have, both by
	// warp; warpsDone is the number of the latter.
	lanes     []uint32
	done      []bool
	warpsDone uint32
	// votes and total are the lanes with a true predicate and all lanes, for
	// bar.red.
	votes, total uint32
	// from is what the predicates depend on, cause why.
	from  order.Origin
	cause order.Cause
	// meeting is who comes, parted: some of them did not wait.
	meeting order.Meeting
	parted  bool
	used    bool
	// expects is how many warps have to come, reduces what becomes of their predicates, as who
	// came first says, of a program that is checked.
	expects int
	reduces order.Reduction
}

// barrierInfo is what a bar or barrier instruction says.
type barrierInfo struct {
	id, threads operand
	hasThreads  bool
	arriveOnly  bool
	relaxed     bool // barrier.cluster.arrive.relaxed: it tells nobody anything
	aligned     bool
	group       bool // wgmma.wait_group: a warpgroup meets
	isRed       bool // bar.red, with popc, and, or or
	popc        bool
	and         bool
	divergent   int32 // counter of divergent executions
	src         int32 // predicate of bar.red, noPred for a constant
	srcFlip     uint32
	srcExact    bool // origins of src are not followed: the launch gives it
	follow      bool // it puts accesses in order whose origins are followed
}

// reduction returns what bar.red makes of the predicates.
func (b *barrierInfo) reduction() order.Reduction {
	switch {
	case !b.isRed:
		return order.NoReduction
	case b.popc:
		return order.Count
	case b.and:
		return order.All
	}
	return order.Any
}

// barrier ends a segment with bar or barrier.
func (w *warp) barrier(p *path, s *segment, mask uint32) bool {
	b := s.bar
	lanes := w.guardLanes(s.in, mask)
	if lanes == 0 {
		return w.take(p, &s.next)
	}
	if b.aligned && lanes != w.alive {
		w.counts[b.divergent]++
	}
	if b.group {
		w.wantAll(s.in, lanes, groupBit(&w.worker.prog.Module.Instrs[s.in.pc]))
	}
	p = w.goOn(p, s, lanes, mask)
	id := w.barrierID(s.in, b, lanes)
	if b.aligned && lanes != w.alive && w.checks() {
		w.comesInPart(s.in, lanes, int(id))
	}
	bar := &w.cta.bars[id]
	bar.open(len(w.cta.warps))
	if b.hasThreads {
		w.countThreads(s.in, b, id, lanes)
	}
	if b.isRed {
		votes := w.pred(b.src, b.srcFlip) & lanes
		if b.src != noPred && !b.srcExact && w.worker.prog.decisions > 0 {
			t := w.originsOf(w.frame, ^b.src).And(lanes)
			if bar.from |= t.Any(); bar.cause == 0 {
				bar.cause = t.Cause
			}
		}
		bar.votes += uint32(bits.OnesCount32(votes))
		bar.total += uint32(bits.OnesCount32(lanes))
	}
	if !b.arriveOnly {
		p.state = atBarrier
		p.wait = waitFor{bar: int(id), in: s.in, red: b}
	}
	if b.follow {
		w.followMeeting(s.in, bar, b, lanes)
	}
	if w.cta.cells != nil && !b.group {
		w.comes(s.in, b, id, lanes)
	}
	bar.lanes[w.index] |= lanes
	bar.parted = bar.parted || b.arriveOnly
	if w.moved.Trace != nil && !b.group {
		w.traceBarrier(s, id, bar)
	}
	if !w.worker.prog.sm70 {
		// Before sm_70 one thread speaks for its whole warp, which then waits.
		bar.lanes[w.index] = ^uint32(0)
		w.blocked = !b.arriveOnly
	}
	w.cta.checkBarrier(int(id))
	if w.blocked {
		w.cur++ // of the warp's paths, p is the next one to run
	}
	return p.state == ready
}

// countThreads reads how many threads a barrier waits for.
func (w *warp) countThreads(in *inst, b *barrierInfo, id, lanes uint32) {
	bar := &w.cta.bars[id]
	bar.threads = w.uniform(in, b.threads, lanes, "thread count")
	if bar.threads == 0 || bar.threads%32 != 0 {
		w.fail(in, lanes, "barrier %d: a thread count of %d is no multiple of 32", id, bar.threads)
	}
}

// barrierID returns which of the CTA's barriers an instruction is at.
func (w *warp) barrierID(in *inst, b *barrierInfo, lanes uint32) uint32 {
	if b.group {
		return uint32(numBarriers + w.number/groupWarps)
	}
	id := w.uniform(in, b.id, lanes, "barrier")
	if id >= numBarriers {
		w.fail(in, lanes, "barrier %d: a CTA has %d", id, numBarriers)
	}
	return id
}

// reset makes a barrier as new, but for those who met there last.
func (b *barrier) reset() {
	clear(b.lanes)
	clear(b.done)
	*b = barrier{lanes: b.lanes, done: b.done, meeting: b.meeting}
}

// open readies a barrier for its first arrival.
func (b *barrier) open(warps int) {
	if b.used {
		return
	}
	if cap(b.lanes) < warps {
		b.lanes, b.done = make([]uint32, warps), make([]bool, warps)
	}
	b.lanes, b.done = b.lanes[:warps], b.done[:warps]
	b.used = true
}

// checkBarrier completes barrier id if all that it waits for have arrived. A
// warp has arrived when all its lanes that have not exited have.
func (c *cta) checkBarrier(id int) {
	b := &c.bars[id]
	if !b.used {
		return
	}
	missing := false
	for i, w := range c.warps {
		if !w.meetsAt(id) {
			continue
		}
		if !b.done[i] && b.lanes[i] != 0 && w.alive&^b.lanes[i] == 0 {
			b.done[i] = true
			b.warpsDone++
		}
		if !b.done[i] && w.alive != 0 {
			missing = true
		}
	}
	if b.threads == 0 && !missing || b.threads != 0 && b.warpsDone*32 >= b.threads {
		c.completeBarrier(id)
	}
}

// completeBarrier lets all that wait at barrier id go on.
func (c *cta) completeBarrier(id int) {
	b := &c.bars[id]
	follow := false
	for _, w := range c.warps {
		for _, p := range w.paths {
			follow = follow || p.state == atBarrier && p.wait.bar == id && p.wait.red.follow
		}
	}
	all := follow && !b.parted && id < numBarriers && (b.threads == 0 || int(b.threads) >= 32*len(c.warps))
	if all {
		c.putInOrder()
	}
	if c.cells != nil && id < numBarriers && !b.parted && (b.threads == 0 || int(b.threads) >= 32*len(c.warps)) {
		c.cellsMet()
	}
	if c.cells != nil && c.cells.apart && id < numBarriers {
		c.warpsMet(id)
	}
	if c.cells != nil && id >= numBarriers {
		c.productsDone(id)
	}
	told := b.meeting.Met()
	for _, w := range c.warps {
		w.endParted(id)
		for _, p := range w.paths {
			if p.state != atBarrier || p.wait.bar != id {
				continue
			}
			if r := p.wait.red; r != nil && r.isRed {
				w.setBarrierResult(p, r, b)
			}
			if follow && !all {
				w.order.Acquire(p.mask, told)
			}
			p.state = ready
			w.blocked = false
		}
	}
	b.reset()
}

// putInOrder notes that a barrier of all threads puts what they did before it
// before what they do after it.
func (c *cta) putInOrder() {
	warps := make([]*order.Warp, len(c.warps))
	for i, w := range c.warps {
		warps[i] = &w.order
	}
	c.order.Barrier(warps)
}

// setBarrierResult writes the result of bar.red for the lanes of a path.
func (w *warp) setBarrierResult(p *path, r *barrierInfo, b *barrier) {
	in := p.wait.in
	if w.worker.prog.decisions > 0 {
		w.passResultOrigins(p, r, b.from, b.cause)
	}
	if r.popc {
		d := w.register(p.frame, in.d)
		for lane := range lanesOf(p.mask) {
			d[lane] = b.votes
		}
		return
	}
	result := b.votes != 0
	if r.and {
		result = b.votes == b.total
	}
	preds := p.frame.preds
	preds[in.pd] = preds[in.pd]&^p.mask | allLanes(result)&p.mask
}

// threadsExited tells the barriers of a warp's CTA that lanes have exited:
// they count as arrived.
func (w *warp) threadsExited() {
	for id := range w.cta.bars {
		if w.cta.bars[id].used {
			w.cta.checkBarrier(id)
		}
	}
	w.cta.cluster.checkBarrier()
	w.checkWarpBarriers()
}

// uniform returns an operand that must be the same for all lanes of m.
func (w *warp) uniform(in *inst, o operand, m uint32, what string) uint32 {
	s := w.slot(o)
	first := bits.TrailingZeros32(m)
	v := s[first]
	for rest := m; rest != 0; rest &= rest - 1 {
		if lane := bits.TrailingZeros32(rest); s[lane] != v {
			w.fail(in, 1<<lane, "the %s differs between threads of a warp: %d and %d", what, v, s[lane])
		}
	}
	return v
}
