package order

import "math/bits"

// Releases and acquires through memory (PTX ISA 8.8 and 8.9). A release is a
// write that says so, or a strong write after a fence; an acquire a read that
// says so, or a strong read before a fence. A read that sees what a release
// wrote, or what atomics made of it, puts all that the releasing thread did
// before its release before all that the acquiring one does after its acquire,
// if each lies in the scope of the other.
//
// That is so in the order that is run. In another order the read may see what was there
// before the release, and then nothing is in order: unless the thread has decided on what
// it read, as one that waits for a flag does, and goes on only in orders in which it has
// read the same. So what is known by reading counts from such a decision on (Decide).
//
// Two fence.sc (membar.gl is one) that lie in each other's scope are in order, whichever comes first, and
// the first synchronizes with the second (PTX ISA 8.9.3, 8.9.4). Where a thread has written
// behind its fence, another one has read that, and a third knows that it has (a barrier came
// between) and then fences, the last fence cannot come before the first: it would come
// before the write, and the read, which is before that fence, would have read what comes after
// it. So the last block of a reduction needs a membar.gl in each thread that reads, behind the
// barrier, or a fence of the one who has drawn the ticket, before the barrier.

// Decide notes that lanes have decided on a value that depends on the order of threads:
// wherever they are now, they have observed what they know.
func (w *Warp) Decide(lanes uint32) {
	fresh := w.seen | w.unfenced
	if w.CTA.seen {
		fresh |= ^w.decided
	}
	if lanes &= fresh; lanes == 0 {
		return
	}
	if w.clocks == nil {
		w.clocks = new([32]Clock)
	}
	var before, after Clock
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest)
		if clock := w.clocks[l]; after == nil || !same(clock, before) {
			before, after = clock, Join(clock, w.CTA.common).decided()
		}
		w.clocks[l] = after
		if w.fences != nil {
			w.fences[l].decide()
		}
	}
	w.seen &^= lanes
	w.unfenced &^= lanes
	w.decided |= lanes
}

// decide notes that the lane has decided, with what its fences have yet to pass on.
func (f *fence) decide() {
	for _, clocks := range []*[2]Clock{&f.seen, &f.fenced} {
		clocks[near], clocks[far] = clocks[near].decided(), clocks[far].decided()
	}
}

// Whoever acquires is of the releasing thread's CTA or not: what both may know differs
// where a scope is that of a CTA. So what is released is kept twice.
const (
	near = iota // for threads of the same CTA
	far         // for all others
)

// fence is what a lane's fences are good for: what it releases by a strong write from
// then on, and what its strong reads have seen, of near and far, that a fence would
// acquire.
type fence struct {
	fenced, seen, last [2]Clock // last: seen last
	// sc is what was before the last fence.sc of the grid, lastSC what of others' was seen last.
	sc, lastSC Clock
}

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
	// sc is what was before fence.sc's of the grid, for whoever is in the scope of the write.
	sc Clock
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
	w.Advance()
}

// FenceSC notes a fence.sc of some lanes: it comes after those that are known to come before it.
func (w *Warp) FenceSC(lanes uint32, scope Scope) {
	if scope != ScopeGrid {
		w.Fence(lanes, scope)
		return
	}
	for rest := lanes; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros32(rest)
		all := Join(w.clock(l), w.CTA.common)
		now := all.as(fencedBefore, certain).as(seenFenced, seen)
		if same(all, now) {
			continue
		}
		if w.clocks == nil {
			w.clocks = new([32]Clock)
		}
		if w.clocks[l] = now; now.observes() {
			w.seen |= 1 << l
		}
	}
	w.Fence(lanes, scope)
	for rest := lanes; rest != 0; rest &= rest - 1 {
		f := &w.fences[bits.TrailingZeros32(rest)]
		f.sc = f.fenced[far]
	}
}

// Fenced returns what lanes did before their last fences, which whoever they tell far of the
// CTA that they have come, and be it .relaxed, knows, too (PTX ISA 9.7.15.3).
func (w *Warp) Fenced(lanes uint32) (before Clock) {
	if w.fences == nil {
		return nil
	}
	for rest := lanes; rest != 0; rest &= rest - 1 {
		before = Join(before, w.fences[bits.TrailingZeros32(rest)].fenced[far])
	}
	return before
}

// flags returns the words through which threads release: those of shared memory are the
// owner's, those of global memory have none.
func (w *Warp) flags(owner *CTA) *map[uint64]*flag {
	if owner != nil {
		return &owner.flags
	}
	return &w.CTA.launch.flags
}

// Strong notes that a lane has made a strong access of a word: op says what it
// reads, writes and orders, follows that the value that it writes depends on the order of
// threads, owner in whose shared memory it is, nil for global memory.
func (w *Warp) Strong(lane int, op *Op, follows bool, owner *CTA, addr uint64) {
	flags := w.flags(owner)
	f := (*flags)[addr]
	where, found := f.seenBy(op, w.CTA.number)
	if op.Reads && op.Decides && found {
		w.observe(lane, op, f.told[where], where)
		w.observeSC(lane, f.sc)
	}
	if !op.Writes {
		return
	}
	told := w.toRelease(lane, op)
	if op.Atomic && op.Reads && op.Decides && !op.Releases && told[near] != nil {
		told = w.withItself(lane, op, told)
	}
	if !follows {
		told[near], told[far] = told[near].handed(), told[far].handed()
	}
	var sc Clock
	if w.fences != nil && op.Scope == ScopeGrid {
		sc = w.fences[lane].sc.certainly()
	}
	if op.Atomic && found { // it goes on with what it found
		told[near] = Join(told[near], f.told[where])
		told[far] = Join(told[far], f.told[far])
		if op.Scope == ScopeGrid {
			sc = Join(sc, f.sc)
		}
	}
	if op.Scope != ScopeGrid {
		told[far] = nil
	}
	switch {
	case told[near] == nil: // a write that releases nothing
		delete(*flags, addr)
	case f != nil:
		*f = flag{told, w.CTA.number, sc}
	default:
		if *flags == nil {
			*flags = map[uint64]*flag{}
		}
		(*flags)[addr] = &flag{told, w.CTA.number, sc}
	}
}

// withItself adds to what an atomic tells behind a fence the atomic itself: what was before the
// fence and it are known to who has read of it, in observation order (PTX ISA 8.9), what the
// thread did between them is not; of the atomic that needs no fence. So the last of those who draw tickets resets the counter
// by a plain store, after all others have drawn theirs.
func (w *Warp) withItself(lane int, op *Op, told [2]Clock) [2]Clock {
	own := Clock{{cta: w.CTA.number, spans: []span{{w.now(), 1 << lane, w.number, op.PC + 1}}}}
	w.Advance() // it may do the same again
	for where := range told {
		if told[where] != nil {
			told[where] = Join(told[where], own)
		}
	}
	return told
}

// observe lets a lane know what it has read of a release: at once if it
// acquires, else at its next fence, but for the writes themselves that it has observed.
func (w *Warp) observe(lane int, op *Op, told Clock, where int) {
	if op.Acquires {
		w.acquire(1<<lane, told, true)
		return
	}
	if w.fences == nil {
		w.fences = new([32]fence)
	}
	f := &w.fences[lane]
	if !same(told, f.last[where]) { // else it is seen already, or acquired
		f.seen[where], f.last[where] = Join(f.seen[where], told.as(certain, seen)), told
		w.unfenced |= 1 << lane
		w.acquire(1<<lane, told.single(), true)
	}
}

// observeSC lets a lane know what was before a fence.sc behind which that was written which it has
// read: it counts from its next fence.sc on, or that of whoever knows of the read.
func (w *Warp) observeSC(lane int, sc Clock) {
	if sc == nil {
		return
	}
	if w.fences == nil {
		w.fences = new([32]fence)
	}
	if f := &w.fences[lane]; !same(sc, f.lastSC) {
		f.lastSC = sc
		w.acquire(1<<lane, sc.as(certain, seenFenced), false)
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
type object struct {
	open, over Clock
	phase      uint32 // how many are over
	made       uint32 // how many were when it was made
	passes     []pass // who came past waits for the last ones
	swapped    bool   // an arrival could have come in the phase before its own
	stream     uint32 // that of its phases, 0 while no asynchronous work concerns it
	transacts  bool   // something else than arrivals concerned its phases
	parts      parts
	valid      bool // it has been initialised, and not invalidated since
}

// Arrive notes an arrival of a lane at an mbarrier object in the shared memory of CTA c,
// completed: it ended the phase. Before the lane does anything else a new tick has to begin
// (Advance): one for all lanes of an instruction, whose arrivals are then known as one.
func (w *Warp) Arrive(lane int, c *CTA, addr uint64, releases, completed bool) {
	o := c.object(addr)
	if releases {
		o.open = Join(o.open, w.told(1<<lane).handed())
	}
	o.end(completed)
}

// object returns the mbarrier object at an address of the CTA's shared memory.
func (c *CTA) object(addr uint64) *object {
	if c.objects == nil {
		c.objects = map[uint64]*object{}
	}
	o := c.objects[addr]
	if o == nil {
		o = new(object)
		c.objects[addr] = o
	}
	return o
}

// Passed notes that a lane has seen that a phase of an object of CTA c is over; sure: it has
// in any order.
func (w *Warp) Passed(lane int, c *CTA, addr uint64, sure bool) {
	if o := c.objects[addr]; o != nil {
		w.acquire(1<<lane, o.over, !sure)
	}
}

// Waited notes that a lane has waited until a phase of an object of CTA c was over; sure: all
// that came before decides nothing of it. Who names the phase by its parity may in another
// order have found the one before the last over and gone on, unless the lane knows that
// the phase between is. And where an arrival of a later phase could have come in the place of
// one of this, nobody knows who has told what.
func (w *Warp) Waited(lane int, c *CTA, addr uint64, parity, sure bool) {
	o := c.objects[addr]
	if o == nil {
		return
	}
	early := parity && o.phase > o.made+1 && !w.sawOver(lane, o, o.phase-2)
	if sure = sure && !early && !o.swapped; sure {
		w.passed(lane, o)
	}
	w.acquire(1<<lane, o.over, !sure)
}
