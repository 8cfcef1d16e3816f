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
	// number tells the CTAs of a launch apart.
	number uint32
	// tick is the last one given away, base the one since the last barrier of all
	// threads.
	tick, base uint32
	// common is what all threads know of other CTAs since then.
	common Clock
	// objects are the mbarrier objects in its shared memory, flags the words of
	// it through which threads release to others, by address.
	objects map[uint64]*object
	flags   map[uint64]*flag
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
}

// Begin makes a CTA as new. number is its place in the order of the launch.
func (c *CTA) Begin(l *Launch, number uint32) {
	*c = CTA{number: number, tick: 1, base: 1, launch: l, log: l.Log}
}

// Barrier notes that a barrier of all of the CTA's threads that live has ended,
// at which all of them waited.
func (c *CTA) Barrier(warps []*Warp) {
	c.tick++
	c.base = c.tick
	for _, w := range warps {
		if w.clocks == nil {
			continue
		}
		for l := range w.clocks {
			c.common = Join(c.common, w.clocks[l].without(c.number))
		}
		w.clocks = nil
	}
}

// without returns a clock without what it knows of a CTA.
func (c Clock) without(cta uint32) Clock {
	for i := range c {
		if c[i].cta == cta {
			return append(append(Clock(nil), c[:i]...), c[i+1:]...)
		}
	}
	return c
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
	// fences are what lanes have fenced, nil while none has.
	fences *[32]fence
	copies copies
}

// Begin makes a warp as new.
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
	if a.flags&async != 0 {
		return a.lanes
	}
	c := w.CTA
	if a.cta == c.number {
		if a.tick < c.base {
			return 0
		}
		rest := a.lanes
		if a.warp == w.number {
			if rest &^= 1 << lane; rest == 0 {
				return 0
			}
		}
		if k := w.clock(lane).of(c.number); k != nil {
			rest &= withoutSpans(k.spans, a)
		}
		return rest
	}
	// What neither knows: one may know of some of the lanes, the other of the rest.
	rest := a.lanes
	for _, clock := range [2]Clock{c.common, w.clock(lane)} {
		if k := clock.of(a.cta); k != nil {
			rest &= k.unknown(a)
		}
	}
	return rest
}

// Release returns what lanes of the warp have done and know, and begins a new
// tick for what they do next.
func (w *Warp) Release(lanes uint32) Clock {
	told := w.told(lanes)
	w.advance()
	return told
}

// told returns what lanes have done and know.
func (w *Warp) told(lanes uint32) Clock {
	c := w.CTA
	told := Join(Clock{{cta: c.number, base: c.base, spans: []span{{w.now(), lanes, w.number}}}}, c.common)
	if w.clocks != nil {
		for rest := lanes; rest != 0; rest &= rest - 1 {
			told = Join(told, w.clocks[bits.TrailingZeros32(rest)])
		}
	}
	return told
}

// advance begins a new tick.
func (w *Warp) advance() {
	w.CTA.tick++
	w.tick = w.CTA.tick
}

// Acquire lets lanes of the warp know what others have released.
func (w *Warp) Acquire(lanes uint32, told Clock) {
	if told == nil {
		return
	}
	if w.acquired == nil {
		w.acquired = new([32]Clock)
	}
	var before, after Clock
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest)
		if same(told, w.acquired[l]) {
			continue
		}
		w.acquired[l] = told
		if w.clocks == nil {
			w.clocks = new([32]Clock)
		}
		if clock := w.clocks[l]; after == nil || !same(clock, before) {
			before, after = clock, Join(clock, told)
		}
		w.clocks[l] = after
	}
}

// same reports whether two clocks are one, so that lanes may go on sharing it.
func same(a, b Clock) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// Sync puts the lanes of a bar.warp.sync in order: what any of them did before
// happened before what any does next (PTX ISA 9.7.13.4).
func (w *Warp) Sync(lanes uint32) { w.Acquire(lanes, w.Release(lanes)) }

// Releases and acquires through memory (PTX ISA 8.8 and 8.9). A release is a
// write that says so, or a strong write after a fence; an acquire a read that
// says so, or a strong read before a fence. A read that sees what a release
// wrote, or what atomics made of it, puts all that the releasing thread did
// before its release before all that the acquiring one does after its acquire,
// if each lies in the scope of the other.

// Whoever acquires is of the releasing thread's CTA or not: what both may know differs
// where a scope is that of a CTA. So what is released is kept twice.
const (
	near = iota // for threads of the same CTA
	far         // for all others
)

// fence is what a lane's fences are good for: what it releases by a strong write from
// then on, and what its strong reads have seen, of near and far, that a fence would
// acquire.
type fence struct{ fenced, seen, last [2]Clock } // last: seen last

// Scope is the set of threads that an ordering concerns.
type Scope uint8

// The scopes. ScopeGrid is .cluster, .gpu and .sys, which do not differ here.
const (
	NoScope Scope = iota
	ScopeCTA
	ScopeGrid
)

// flag is a word through which threads release: what whoever reads it acquires, near
// and far from the CTA that wrote it last.
type flag struct {
	told [2]Clock
	cta  uint32
}

// seenBy returns where a strong access by a thread of cta finds what the flag tells
// it. A far one needs a scope of both of them.
func (f *flag) seenBy(op *Op, cta uint32) (where int, ok bool) {
	switch {
	case f == nil:
		return near, false
	case f.cta == cta:
		return near, true
	}
	return far, op.Scope == ScopeGrid
}

// Fence notes a fence of some lanes.
func (w *Warp) Fence(lanes uint32, scope Scope) {
	if w.fences == nil {
		w.fences = new([32]fence)
	}
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest)
		f := &w.fences[l]
		concerns := f.seen[:scope] // near, or both
		for where := range concerns {
			w.Acquire(1<<l, concerns[where])
			concerns[where] = nil
		}
		told := w.told(1 << l)
		for where := range concerns {
			f.fenced[where] = told
		}
	}
	w.advance()
}

// flags returns the words through which threads release in a space.
func (w *Warp) flags(shared bool) *map[uint64]*flag {
	if shared {
		return &w.CTA.flags
	}
	return &w.CTA.launch.flags
}

// Strong notes that a lane has made a strong access of a word: op says what it
// reads, writes and orders.
func (w *Warp) Strong(lane int, op *Op, shared bool, addr uint64) {
	flags := w.flags(shared)
	f := (*flags)[addr]
	where, seen := f.seenBy(op, w.CTA.number)
	if op.Reads && seen {
		w.observe(lane, op, f.told[where], where)
	}
	if !op.Writes {
		return
	}
	told := w.toRelease(lane, op)
	if op.Atomic && seen { // it goes on with what it found
		told[near] = Join(told[near], f.told[where])
		told[far] = Join(told[far], f.told[far])
	}
	if op.Scope != ScopeGrid {
		told[far] = nil
	}
	switch {
	case told[near] == nil: // a write that releases nothing
		delete(*flags, addr)
	case f != nil:
		*f = flag{told, w.CTA.number}
	default:
		if *flags == nil {
			*flags = map[uint64]*flag{}
		}
		(*flags)[addr] = &flag{told, w.CTA.number}
	}
}

// observe lets a lane know what it has read of a release: at once if it
// acquires, else at its next fence.
func (w *Warp) observe(lane int, op *Op, told Clock, where int) {
	if op.Acquires {
		w.Acquire(1<<lane, told)
		return
	}
	if w.fences == nil {
		w.fences = new([32]fence)
	}
	f := &w.fences[lane]
	if !same(told, f.last[where]) { // else it is seen already, or acquired
		f.seen[where], f.last[where] = Join(f.seen[where], told), told
	}
}

// toRelease returns what a lane's strong write releases, near and far.
func (w *Warp) toRelease(lane int, op *Op) (told [2]Clock) {
	switch {
	case op.Releases:
		all := w.Release(1 << lane)
		return [2]Clock{all, all}
	case w.fences != nil:
		return w.fences[lane].fenced
	}
	return told
}

// object is an mbarrier object: what its arrivals released in the phase that is
// open, and in all that are over.
type object struct{ open, over Clock }

// Arrive notes an arrival of a lane at an mbarrier object, completed: it ended
// the phase.
func (w *Warp) Arrive(lane int, addr uint64, releases, completed bool) {
	c := w.CTA
	if c.objects == nil {
		c.objects = map[uint64]*object{}
	}
	o := c.objects[addr]
	if o == nil {
		o = new(object)
		c.objects[addr] = o
	}
	if releases {
		o.open = Join(o.open, w.Release(1<<lane))
	}
	if completed {
		o.over, o.open = Join(o.over, o.open), nil
	}
}

// Passed notes that a lane has seen that a phase of an object is over.
func (w *Warp) Passed(lane int, addr uint64) {
	if o := w.CTA.objects[addr]; o != nil {
		w.Acquire(1<<lane, o.over)
	}
}
