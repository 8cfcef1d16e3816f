package order

import "math/bits"

// Time. A CTA counts ticks. Each warp stands at a tick, and its accesses are
// stamped with that; when some of its lanes tell others what they have done
// (they arrive at a barrier, release, fence), what they tell is "all that we did
// up to this tick", and the warp goes on at a new one, so that what comes later
// is not among it. A barrier of all threads ends with a new tick, the base:
// every stamp below it is known to everybody. Nothing has to be done to the
// warps for it, since a warp's time is at least the base.

// A CTA is the part of a CTA's state that the order of its threads needs. The
// zero value is not valid: see Begin.
type CTA struct {
	// proxied are the fences of the async proxy, by which it has what threads have written.
	proxied []proxyFence
	// number tells the CTAs of a launch apart.
	number uint32
	// tick is the last one given away, base the one since the last barrier of all
	// threads.
	tick, base uint32
	// common is what all threads know of other CTAs since then, seen that some of it
	// rests on what was read.
	common Clock
	seen   bool
	// objects are the mbarrier objects in its shared memory, flags the words of
	// it through which threads release to others, by address.
	objects map[uint64]*object
	flags   map[uint64]*flag
	// visits are what other CTAs read of its shared memory.
	visits visits
	// log gets the races; launch tells the launches of a program apart.
	log    *Log
	launch *Launch
}

// A Launch is what the CTAs of a launch share. Its number is above 0, and that
// of a later launch is higher.
type Launch struct {
	Number uint32
	Log    *Log
	// Grain is the logarithm of the least bytes that its code accesses at a time.
	// Cells have that size from the start: what two halves of one have in common by
	// accident would depend on which accesses came before it was divided.
	Grain uint8
	// flags are the words of global memory through which threads release.
	flags map[uint64]*flag
	// streams is how many streams of asynchronous work there are.
	streams uint32
	// unsettled is Scheduled where the order of threads has decided who met whom at a
	// barrier, Undefined where those met who must not; why.
	unsettled Origin
	why       Cause
}

// Begin makes a CTA as new. number is its place in the order of the launch.
func (c *CTA) Begin(l *Launch, number uint32) {
	*c = CTA{number: number, tick: 1, base: 1, launch: l, log: l.Log, visits: visits{list: c.visits.list[:0]}}
}

// Barrier notes that a barrier of all of the CTA's threads that live has ended,
// at which all of them waited.
func (c *CTA) Barrier(warps []*Warp) {
	c.tick++
	c.base = c.tick
	for _, w := range warps {
		if w.decided = 0; w.clocks == nil {
			continue
		}
		for l := range w.clocks {
			c.common = Join(c.common, w.clocks[l].without(c.number))
		}
		w.clocks, w.seen = nil, 0
	}
	c.common = c.common.pruned()
	c.seen = c.common.observes()
}

// A Warp is the part of a warp's state that the order of its threads needs.
type Warp struct {
	CTA *CTA
	// tick is where it stands, unless the CTA's base is later.
	tick   uint32
	number uint8
	// clocks are what each lane knows beyond the CTA's base and common; nil for
	// nothing. Lanes that were synchronised share a clock.
	clocks *[32]Clock
	// acquired is what each lane has acquired last: who waits for a release in a loop
	// finds the same one again and again, and it is never forgotten. nil for nothing.
	acquired *[32]Clock
	// seen are the lanes whose clocks may rest on what was read, decided those that have
	// decided since what all of the CTA know last changed.
	seen, decided uint32
	// unfenced are the lanes that have read of releases and neither decided nor fenced since.
	unfenced uint32
	// fences are what lanes have fenced, nil while none has.
	fences *[32]fence
	copies copies
	// of is whose asynchronous work it is, that knows what those know, nil for threads and
	// for work that knows what it was told.
	of *Warp
	// pipeline is that of its accesses of tensor memory, after are those of work before it
	// that it is in order with.
	pipeline uint16
	after    Pipelines
	// streams are those of its lanes that mbarrier objects track, nil while none do.
	streams *[32]stream
}

// Begin makes a warp as new. Numbers from Works on are those of asynchronous work.
func (w *Warp) Begin(c *CTA, number int) {
	*w = Warp{CTA: c, number: uint8(number), copies: copies{pending: w.copies.pending[:0]}}
}

// now is the stamp of an access of the warp.
func (w *Warp) now() uint32 { return max(w.tick, w.CTA.base) }

// clock returns what a lane knows beyond base and common.
func (w *Warp) clock(lane int) Clock {
	if w.clocks == nil {
		return nil
	}
	return w.clocks[lane]
}

// unknown returns the lanes that made an access, of which a lane of the warp
// does not know that they did: they could as well make it later. An access of
// its own it knows.
func (w *Warp) unknown(a *access, lane int) uint32 {
	switch {
	case w.of != nil && w.follows(a.family) && a.warp/Works == w.number/Works:
		return w.of.unknown(a.begun(w.number-w.of.number), lane)
	case a.flags&async != 0:
		return a.lanes
	case w.of != nil:
		return w.of.unknown(a, lane)
	}
	c := w.CTA
	if a.cta == c.number && a.stream == 0 {
		if a.tick < c.base {
			return 0
		}
		rest := a.lanes
		if a.warp == w.number {
			if rest &^= 1 << lane; rest == 0 {
				return 0
			}
		}
		return rest & w.clock(lane).unknown(a)
	}
	// What neither knows: one may know of some of the lanes, the other of the rest.
	return c.common.unknown(a) & w.clock(lane).unknown(a)
}

// Release returns what lanes of the warp have done and know, and begins a new
// tick for what they do next.
func (w *Warp) Release(lanes uint32) Clock {
	told := w.told(lanes)
	w.Advance()
	return told
}

// told returns what lanes have done and know.
func (w *Warp) told(lanes uint32) Clock {
	c := w.CTA
	told := Join(Clock{{cta: c.number, base: c.base, spans: []span{{w.now(), lanes, w.number, 0}}}}, c.common)
	if w.clocks != nil {
		for rest := lanes; rest != 0; rest &= rest - 1 {
			told = Join(told, w.clocks[bits.TrailingZeros32(rest)])
		}
	}
	return told
}

// Advance begins a new tick.
func (w *Warp) Advance() {
	w.CTA.tick++
	w.tick = w.CTA.tick
}

// Acquire lets lanes of the warp know what others have told them at a barrier.
func (w *Warp) Acquire(lanes uint32, told Clock) { w.acquire(lanes, told, false) }

// acquire lets lanes know what others have told: observed says that they know of it from
// what they have read, so that in another order they could have known less.
func (w *Warp) acquire(lanes uint32, told Clock, observed bool) {
	if told == nil {
		return
	}
	if w.acquired == nil {
		w.acquired = new([32]Clock)
	}
	var before, after, news Clock
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest)
		if same(told, w.acquired[l]) {
			continue
		}
		w.acquired[l] = told
		if w.clocks == nil {
			w.clocks = new([32]Clock)
		}
		if news == nil {
			if news = told; observed {
				news = told.as(certain, seen)
			}
			observed = news.observes()
		}
		if clock := w.clocks[l]; after == nil || !same(clock, before) {
			before, after = clock, Join(clock, news)
		}
		w.clocks[l] = after
		if observed {
			w.seen |= 1 << l
		}
	}
}

// same reports whether two clocks are one, so that lanes may go on sharing it.
func same(a, b Clock) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// Sync puts the lanes of a bar.warp.sync in order: what any of them did before
// happened before what any does next (PTX ISA 9.7.15.2).
func (w *Warp) Sync(lanes uint32) { w.Acquire(lanes, w.Release(lanes)) }
