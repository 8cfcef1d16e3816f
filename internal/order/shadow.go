package order

import (
	"slices"
	"unsafe"
)

// A Shadow has a cell for each word of a piece of memory: a page of a buffer, a
// CTA's shared memory. A word is 4 bytes; where something narrower is accessed,
// the cells of the whole piece are divided, so that threads that write
// neighbouring bytes do not race.
type Shadow struct {
	cells []cell
	// shift is the logarithm of the bytes of a cell, launch the number of the
	// launch whose accesses the cells hold; those of earlier ones happened
	// before.
	shift  uint8
	launch uint32
	bytes  uint64
	// Private: only the threads of one CTA touch it, so that what they all know of
	// need not be kept.
	Private bool
	// account makes memory count against a limit, or gives it back if bytes is
	// negative; held is what the shadow has, listed what of it more takes.
	account      func(bytes int64)
	held, listed int64
	// more are the accesses of a word that a cell has no place for, by cell.
	more map[uint64]*others
}

// cell is what is known of a word: what its value depends on, who wrote it last
// and who has read it since. Of several writers, or readers, which nothing has
// put in order with the last one, the rest stand in Shadow.more.
type cell struct {
	write, read access
	cause       Cause
	from        Origin
	listed      bool // there is more
}

// others are the accesses of a cell beside its last ones, and the memory they take.
type others struct {
	writes, reads []access
	held          int64
}

// wordShift is the logarithm of a word's bytes.
const wordShift = 2

// What things take of memory, for limits; a list has its place in a map, too.
const (
	cellBytes   = int64(unsafe.Sizeof(cell{}))
	accessBytes = int64(unsafe.Sizeof(access{}))
	othersBytes = int64(unsafe.Sizeof(others{})) + 48
)

// NewShadow returns the shadow of n bytes that all depend on from. account is
// told the memory that it takes before it does.
func NewShadow(n int64, from Origin, account func(bytes int64)) *Shadow {
	s := &Shadow{bytes: uint64(n), account: account}
	s.makeCells(wordShift, 0)
	s.Reset(from)
	return s
}

// makeCells makes cells of 1<<shift bytes, and takes so many bytes beside them. If
// there is no memory for it, account does not return, and everything is as before.
func (s *Shadow) makeCells(shift uint8, beside int64) {
	n := (s.bytes + 1<<shift - 1) >> shift
	s.hold(int64(n)*cellBytes + beside)
	s.shift, s.cells = shift, make([]cell, n)
}

// hold takes so many bytes more, or gives them back.
func (s *Shadow) hold(bytes int64) {
	if bytes != 0 {
		s.account(bytes)
		s.held += bytes
	}
}

// Drop gives back the shadow's memory. It is not to be used any more.
func (s *Shadow) Drop() {
	s.hold(-s.held)
	s.cells, s.more = nil, nil
}

// dropMore forgets the lists of all cells.
func (s *Shadow) dropMore() {
	s.hold(-s.listed)
	s.more, s.listed = nil, 0
}

// Reset makes all bytes depend on from and untouched.
func (s *Shadow) Reset(from Origin) {
	clear(s.cells)
	s.dropMore()
	if from != 0 {
		from |= initial
		for i := range s.cells {
			s.cells[i].from = from
		}
	}
}

// at returns the cells of n bytes from off on, first to last, ready for an
// access in a launch.
func (s *Shadow) at(off, n uint64, launch *Launch) (first, last uint64) {
	if s.launch != launch.Number {
		s.forget(launch.Number)
	}
	for s.shift > launch.Grain || s.shift > 0 && (off|n)&(1<<s.shift-1) != 0 {
		s.divide()
	}
	return off >> s.shift, (off + n - 1) >> s.shift
}

// divide halves the cells.
func (s *Shadow) divide() {
	whole, more, listed := s.cells, s.more, s.listed
	s.makeCells(s.shift-1, 2*listed)
	s.more, s.listed = nil, 0
	for i := range s.cells {
		c := &s.cells[i]
		*c = whole[i/2]
		c.write.half(i & 1)
		c.read.half(i & 1)
		o := more[uint64(i/2)]
		if o == nil {
			continue
		}
		half := &others{slices.Clone(o.writes), slices.Clone(o.reads), o.held}
		for _, list := range [][]access{half.writes, half.reads} {
			for j := range list {
				list[j].half(i & 1)
			}
		}
		s.putOthers(uint64(i), half)
	}
	s.hold(s.listed - 3*listed - int64(len(whole))*cellBytes)
}

// forget begins a launch: what was accessed before it is in order with all that
// comes.
func (s *Shadow) forget(launch uint32) {
	s.launch = launch
	s.dropMore()
	for i := range s.cells {
		c := &s.cells[i]
		c.write, c.read, c.listed = access{}, access{}, false
	}
}

// Origin returns what n bytes depend on, without reading them.
func (s *Shadow) Origin(off, n uint64) (from Origin) {
	for i := off >> s.shift; i <= (off+n-1)>>s.shift; i++ {
		from |= s.cells[i].from
	}
	return from &^ initial
}

// Specify gives n bytes an origin, as a value from the host.
func (s *Shadow) Specify(off, n uint64, from Origin) {
	for (off|n)&(1<<s.shift-1) != 0 {
		s.divide()
	}
	for i := off >> s.shift; i < (off+n)>>s.shift; i++ {
		if s.cells[i] = (cell{from: from}); from != 0 {
			s.cells[i].from |= initial
		}
		s.dropOthers(i)
	}
}

// Unseen notes that a store which was not done should have written n bytes: what
// is there is not what the program would find. It is a fact once somebody reads it.
func (s *Shadow) Unseen(off, n uint64, why Cause) {
	first, last := s.at(off, n, &Launch{Number: s.launch, Grain: wordShift})
	for i := first; i <= last; i++ {
		c := &s.cells[i]
		c.from, c.cause = c.from&^initial|Assumed, why
	}
}

// others returns the list of a cell, made if need be.
func (s *Shadow) others(i uint64) *others {
	o := s.more[i]
	if o == nil {
		o = &others{held: othersBytes}
		s.hold(o.held)
		s.putOthers(i, o)
	}
	return o
}

// putOthers gives a cell its list, whose memory is accounted for.
func (s *Shadow) putOthers(i uint64, o *others) {
	if s.more == nil {
		s.more = map[uint64]*others{}
	}
	s.more[i] = o
	s.listed += o.held
	s.cells[i].listed = true
}

// dropOthers forgets the list of a cell, if it has one.
func (s *Shadow) dropOthers(i uint64) {
	if o := s.more[i]; o != nil {
		s.hold(-o.held)
		s.listed -= o.held
		delete(s.more, i)
		s.cells[i].listed = false
	}
}

// add adds an access to one of a cell's lists.
func (s *Shadow) add(o *others, to *[]access, a *access) {
	if n := len(*to); n == cap(*to) && n < 8*maxListed {
		bytes := int64(max(n, 2)) * accessBytes
		s.hold(bytes)
		s.listed += bytes
		o.held += bytes
		*to = append(make([]access, 0, n+max(n, 2)), *to...)
	}
	*to = list(*to, a)
}

// Load accounts for a read of n bytes from off on by a lane, and returns what
// their value depends on.
// asGiven says that a part of it was never written since the host gave it.
func (s *Shadow) Load(w *Warp, lane int, op *Op, off, n uint64) (from Origin, cause Cause, asGiven bool) {
	first, last := s.at(off, n, w.CTA.launch)
	a := w.access(lane, op, 0)
	if op.Async && !op.Writes {
		a.flags |= async
		a.arg = w.copies.groups[lane] // its wait names that, and no read of a later group
	}
	whole := State // if all of its words are
	for i := first; i <= last; i++ {
		s.setPlace(&a, op, i-first, last-first)
		c := &s.cells[i]
		if from |= c.from; cause == 0 {
			cause = c.cause
		}
		if whole &= c.from; c.from&Located != 0 && !w.wrote(&c.write, lane) {
			from |= Foreign
		}
		if c.from&Assumed != 0 {
			w.CTA.log.unseen(c.cause)
		}
		on, why := s.racedByWrites(w, lane, i, &a)
		if op.Incoherent && s.changedBefore(i) {
			on, why = on|Undefined, w.CTA.log.Note(Stale, op.PC)
		}
		if op.Proxy {
			o, at := s.unfenced(w, lane, i, op)
			on, why = on|o, max(why, at)
		}
		if from |= on; cause == 0 {
			cause = why
		}
		if a.flags&suspends == 0 {
			s.keepRead(w, lane, i, &a)
		}
	}
	return from&^(initial|State) | whole, cause, from&initial != 0
}

// wrote reports whether a write is a lane's own, and nobody else's.
func (w *Warp) wrote(p *access, lane int) bool {
	return p.tick != 0 && p.cta == w.CTA.number && p.warp == w.number && p.lanes == 1<<lane
}

// changedBefore reports whether a write of the launch has changed a cell.
func (s *Shadow) changedBefore(i uint64) bool {
	changes := func(p access) bool { return p.flags&(changed|unsure) != 0 }
	return changes(s.cells[i].write) || s.cells[i].listed && slices.ContainsFunc(s.more[i].writes, changes)
}

// racedByWrites returns what a read depends on because writes of the cell are
// not in order with it. One that changed nothing does not matter.
func (s *Shadow) racedByWrites(w *Warp, lane int, i uint64, a *access) (on Origin, cause Cause) {
	c := &s.cells[i]
	if c.write.tick == 0 {
		return 0, 0
	}
	own := s.readsOwn(w, lane, i)
	check := func(p *access) {
		if p.inOpenPhase(a) || a.awaited(p) {
			return
		}
		rest := w.unknown(p, lane)
		if rest == 0 {
			return
		}
		changes := p.flags&(changed|unsure) != 0 && !own
		why := w.CTA.log.race(p, rest, a, reads, !changes)
		if changes {
			if on |= level(p, a); cause == 0 {
				cause = why
			}
		}
	}
	check(&c.write)
	if c.listed {
		for k := range s.more[i].writes {
			check(&s.more[i].writes[k])
		}
	}
	return on, cause
}

// readsOwn reports whether a lane finds in a cell what it has stored there itself, and all others that
// have stored to it, in whatever order, have stored the same: what was there before is gone for
// certain. None of these may have written over what another thread could still write
// (hides), for then somebody else may write that behind the lane's store. Whether their values are
// exact the cell says.
func (s *Shadow) readsOwn(w *Warp, lane int, i uint64) (own bool) {
	ofLane := func(p *access) bool {
		return p.cta == w.CTA.number && p.warp == w.number && p.lanes>>lane&1 != 0 && p.stream == 0 && p.flags&(atomic|several) == 0
	}
	other := func(p *access) bool {
		return p.flags&(differed|hides|async) != 0 || p.flags&atomic != 0 && p.flags&(changed|unsure) != 0 ||
			p.plain() && p.arg > 0 && (p.cta != w.CTA.number || p.arg >= w.CTA.base)
	}
	c := &s.cells[i]
	if c.write.tick == 0 || other(&c.write) {
		return false
	}
	if own = ofLane(&c.write); !c.listed {
		return own
	}
	writes := s.more[i].writes
	for k := range writes {
		if other(&writes[k]) {
			return false
		}
		own = own || ofLane(&writes[k])
	}
	return own
}
