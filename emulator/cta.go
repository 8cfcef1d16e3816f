package emulator

import (
	"hyptx/emulator/internal/abort"
	"hyptx/emulator/internal/lanes"
	"hyptx/internal/order"
)

// Warps of a CTA take turns: one runs until none of its paths can, then the next
// one, around, until all have ended, wait or have yielded. What a path waits for at
// a barrier happens within such a turn, so that a CTA without waiting loops is done
// in one. If it is not, the next CTA has its turn and this one comes again later:
// all CTAs of a grid count as resident, whatever a GPU would hold at a time.
//
// A launch may have millions of CTAs, and what one needs takes longer to make than a small
// CTA takes to run: shared memory, shadows, counters, warps with their frames and clocks.
// So a worker keeps what a CTA that has ended leaves, and renews it for the next: whoever
// adds a field here has to say in renew or addWarp what it is at the beginning, or CTAs
// depend on which of them came before. That results are the same for any number of workers
// (TestJobs) holds this to account.

// wake makes the paths that have yielded ready for a new turn.
func (c *cta) wake() {
	for _, w := range c.warps {
		w.yielded = false
		for _, p := range w.paths {
			if p.state == yielded {
				p.state = ready
			}
		}
	}
}

// runWarps lets the warps run in turns until all have ended, wait or have yielded. It
// reports whether any ran.
func (c *cta) runWarps() (ran bool) {
	for idle := 0; idle < len(c.warps); {
		w := c.warps[c.next]
		c.advance()
		if w.runnable() {
			w.run()
			idle, ran = 0, true
			continue
		}
		idle++
	}
	return ran
}

// ended reports whether all threads have exited.
func (c *cta) ended() bool {
	for _, w := range c.warps {
		if len(w.paths) > 0 {
			return false
		}
	}
	return true
}

// runnable reports whether the warp has a path that can run in this turn.
func (w *warp) runnable() bool {
	if w.yielded || w.blocked {
		return false
	}
	for _, p := range w.paths {
		if p.state == ready || p.state == suspended && w.resumes(p) {
			return true
		}
	}
	return false
}

// hasYielded reports whether a warp of the CTA gave way and could run again.
func (c *cta) hasYielded() bool {
	for _, w := range c.warps {
		for _, p := range w.paths {
			if p.state == yielded {
				return true
			}
		}
	}
	return false
}

// stuck reports whether every path that could run sits in a waiting loop and
// has yielded twice with nothing stored in between: once is not enough, for what it waits
// for may have been stored between its look and its yielding.
func (c *cta) stuck(stores uint64) bool {
	for _, w := range c.warps {
		for _, p := range w.paths {
			if p.state == yielded && !(p.waiting && p.stuck && p.storesSeen == stores) {
				return false
			}
		}
	}
	return true
}

// renew makes what is left of a CTA that has ended as good as new.
func (c *cta) renew() {
	clear(c.shared)
	clear(c.phases)
	clear(c.counts)
	c.tensor.reset()
	for i := range c.bars {
		c.bars[i].reset()
		c.bars[i].meeting.Begin()
	}
	c.warps = c.warps[:0]
	c.next = 0
}

// newCTA begins a CTA.
func (wk *worker) newCTA(linear int64) *cta {
	l := wk.launch
	l.stop()
	c := take(&wk.freeCTAs)
	if c != nil {
		c.renew()
	} else {
		wk.hold(l.shared + 8*int64(l.prog.counts) + ctaBytes + int64(l.prog.bars)*barrierBytes)
		c = &cta{shared: make([]byte, l.shared), counts: make([]uint64, l.prog.counts), bars: make([]barrier, l.prog.bars)}
	}
	c.linear, c.id, c.unknown = linear, l.at(linear), 0
	if l.prog.decisions > 0 {
		c.order.Begin(&l.order, uint32(linear))
		clear(c.places)
		if c.shadow == nil {
			c.shadow = order.NewShadow(l.shared, order.Assumed, wk.hold)
		} else {
			c.shadow.Reset(order.Assumed)
		}
		c.shadow.Private = l.shape.size == 1
	}
	if l.prog.checked {
		if c.cells == nil {
			wk.hold(2 * 8 * (l.shared>>l.prog.grain + 1))
			c.cells = newCells(l.shared, l.prog.grain)
		} else {
			c.cells.begin()
		}
	}
	warps := int(l.threads+31) / 32
	if l.queue != nil {
		if c.requests = l.queue.CTA(linear, warps); l.shape.size > 1 {
			c.requests.Place = l.shape.place(l, linear)
		}
		if l.TraceWords > 0 {
			c.requests.Follow()
		}
	}
	if l.Adds != nil {
		c.adds = l.Adds.Begin(linear)
	}
	if l.Warps == nil {
		for i := range warps {
			wk.addWarp(c, i)
		}
	}
	for _, i := range l.Warps {
		wk.addWarp(c, i)
	}
	if l.prog.apart && l.shape.size == 1 {
		c.warps[0].beginApart()
	}
	if c.turns, c.draws = l.prog.turns, 0; c.turns.reverse {
		c.next = len(c.warps) - 1
	}
	return c
}

// addWarp begins warp number index of a CTA.
func (wk *worker) addWarp(c *cta, index int) {
	l := wk.launch
	w := take(&wk.freeWarps)
	if w != nil {
		clear(w.local)
		w.localOrigins, w.localPlace.stored, w.dynamic = w.localOrigins[:0], false, nil
		clear(w.localSeen)
		w.parted = w.parted[:0]
		w.begunCopies.begin()
		w.begunBulk.begin()
		w.begunTensor, w.metCluster, w.fencing = begunTensor{}, 0, 0
	} else {
		wk.hold(warpBytes)
		w = &warp{worker: wk}
	}
	w.cta, w.counts = c, c.counts
	if l.ownCounts() {
		w.counts = make([]uint64, l.prog.counts)
	}
	if l.Paths {
		w.hashes = make([]pathHash, lanes.Width)
	}
	w.number, w.index = index, len(c.warps)
	w.followed = l.followed(c.linear, index)
	w.moved.Begin(index, c.requests)
	w.entered, w.listens = w.entered[:0], l.blocks != nil || w.moved.Trace != nil
	if c.adds != nil {
		w.adds = c.adds.Streams[index]
	}
	// The last warp of a CTA whose threads are no multiple of 32 has lanes that never live.
	w.alive = ^uint32(0)
	if rest := l.threads - uint32(index)*32; rest < 32 {
		w.alive = 1<<rest - 1
	}
	w.born, w.remet = w.alive, 0
	w.inGroup, w.question = 0, question{pc: -1}
	w.implicit, w.comings, w.products, w.groups = 0, comings{}, w.products[:0], 0
	w.order.Begin(&c.order, index)
	// What a warp asks for is done by others: copies, products, loads of tensor memory. Each has
	// clocks of its own, since it is in order with the warp only where somebody waits.
	if l.prog.decisions > 0 {
		w.async.Begin(&c.order, order.Bulk+index)
		w.multiplying.Begin(&c.order, order.Matrices+index)
		w.fetching.WorkOf(&w.order, order.Copies+index)
		w.tensoring.WorkOf(&w.order, order.Tensors+index)
	}
	w.cur, w.yielded, w.blocked = 0, false, false
	c.warps = append(c.warps, w)
	kernel := l.prog.function(l.prog.Kernel)
	p := wk.newPath()
	p.mask, p.seg = w.alive, kernel.entry
	p.frame = w.newFrame(kernel, nil, w.alive)
	w.needStack(p.frame, w.alive)
	w.root = p.frame
	w.paths = append(w.paths[:0], p)
}

// endCTA accounts for a CTA that has ended and keeps what can be used again. Counters go to the
// classes of CTAs that are alike, requests and additions to who listens.
func (wk *worker) endCTA(c *cta) {
	l := wk.launch
	c.checkGroups()
	if c.cells != nil {
		c.noteUnread()
	}
	if l.ownCounts() || l.Paths || l.OnPath != nil {
		l.endViews(c)
	}
	if err := l.classes.add(c.linear, c.counts); err != nil {
		abort.Throw(err)
	}
	if c.adds != nil {
		l.Adds.End(c.adds)
	}
	if c.requests != nil {
		if err := l.queue.Done(c.requests); err != nil {
			abort.Throw(err)
		}
	}
	for _, w := range c.warps {
		if wk.counting != nil {
			wk.counting.EndWarp(&w.moved)
		}
		w.dropFrame(w.root)
		wk.freeWarps = append(wk.freeWarps, w)
	}
	wk.freeCTAs = append(wk.freeCTAs, c)
	if l.Progress != nil {
		l.Progress.Add(1)
	}
}
