package order

import (
	"slices"
)

// The detector keeps time by CTA, warp and mask. Here is the same said as plainly as
// can be: single threads, each with a vector of what it knows of every other, and for
// each byte the lists of accesses by single threads. Both are given random programs.

// refLanes are the lanes that run, of two warps of two CTAs. Neighbours are among
// them, since what is known of one lane must not be taken for the other.
var refLanes = []int{0, 1, 17, 31}

const (
	refWarps   = 4
	refThreads = refWarps * 4
	refBytes   = 16
)

// reference holds vector clocks: knows[t][u] is how many steps of thread u happened
// before what t does next, observed[t][u] how many if what t has read counts that it has
// not decided on.
type reference struct {
	knows, observed [refThreads][]int
	fenced          [refThreads][2]refTold // by near and far, nil before the first fence
	seen            [refThreads][2]refTold // known: decided on, and not yet fenced
	flags           map[uint64]*refFlag
	bytes           [refBytes]refByte
	// pairs are all that are not in order, true if they have to be found.
	pairs map[pairName]bool
	// some are the accesses that are not in order with some write before: whichever of
	// these is found.
	some map[someName]bool
}

type someName struct {
	kind Kind
	b    uint32
}

type pairName struct {
	kind     Kind
	a, b     uint32
	sameWarp bool
}

// refTold is what a thread tells: what it knows, and what it has observed.
type refTold struct{ knows, observed []int }

// join adds what another tells.
func (a *refTold) join(b refTold) {
	a.knows, a.observed = joined(a.knows, b.knows), joined(a.observed, b.observed)
}

type refFlag struct {
	told [2][]int
	cta  int
}

type refByte struct{ writes, reads []refAccess }

// A refAccess is a step of a thread; knew is what the thread knew. Once a write has
// overtaken a read, or one after it, it need not be found again.
type refAccess struct {
	thread, time, pc int
	knew             []int
	overtaken        bool
	// superseded: a later write came after all writes before it.
	superseded bool
	atomic     *refAtomic // nil if it is none
}

// refAtomic is an atomic operation: of a family, and the bytes and scope of it.
type refAtomic struct {
	family uint16
	at, n  int
	scope  Scope
}

// commutes reports whether two atomics do.
func (a *refAccess) commutes(b *refAccess) bool {
	x, y := a.atomic, b.atomic
	return x != nil && y != nil && x.at == y.at && x.n == y.n && x.family == y.family &&
		(x.family != 0 || a.pc == b.pc) && (a.thread/8 == b.thread/8 || x.scope == ScopeGrid && y.scope == ScopeGrid)
}

func newReference() *reference {
	r := &reference{flags: map[uint64]*refFlag{}, pairs: map[pairName]bool{}, some: map[someName]bool{}}
	for t := range r.knows {
		r.knows[t], r.observed[t] = make([]int, refThreads), make([]int, refThreads)
		r.knows[t][t] = 1
	}
	return r
}

func joined(a, b []int) []int {
	if a == nil {
		return slices.Clone(b)
	}
	a = slices.Clone(a)
	for i := range b {
		a[i] = max(a[i], b[i])
	}
	return a
}

// tell returns what a thread has done and knows, and begins its next step.
func (r *reference) tell(t int) refTold {
	told := refTold{slices.Clone(r.knows[t]), slices.Clone(r.observed[t])}
	r.knows[t][t]++
	return told
}

// hear lets a thread know what others tell it.
func (r *reference) hear(t int, told refTold) {
	r.knows[t], r.observed[t] = joined(r.knows[t], told.knows), joined(r.observed[t], told.observed)
}

// decide notes that a thread has decided on what it has read.
func (r *reference) decide(t int) {
	r.knows[t] = joined(r.knows[t], r.observed[t])
	for where := range r.seen[t] {
		for _, told := range []*refTold{&r.seen[t][where], &r.fenced[t][where]} {
			if told.knows != nil || told.observed != nil {
				told.knows = joined(told.knows, told.observed)
			}
		}
	}
}

// meet lets all of some threads know what any did.
func (r *reference) meet(threads []int) {
	var all refTold
	for _, t := range threads {
		all.join(r.tell(t))
	}
	for _, t := range threads {
		r.hear(t, all)
	}
}

func (r *reference) before(a refAccess, t int) bool {
	return a.thread == t || a.time <= r.knows[t][a.thread]
}

// touch is an access of a byte by a thread.
func (r *reference) touch(t, pc, at int, write bool, atomic *refAtomic) {
	b := &r.bytes[at]
	me := refAccess{thread: t, time: r.knows[t][t], pc: pc, knew: slices.Clone(r.knows[t]), atomic: atomic}
	pair := func(kind Kind, a refAccess) {
		if !r.before(a, t) && !a.commutes(&me) {
			name := pairName{kind, uint32(a.pc), uint32(pc), a.thread/4 == t/4}
			r.pairs[name] = r.pairs[name] || !a.overtaken && !a.superseded
			if kind != RaceOvertake {
				r.some[someName{kind, uint32(pc)}] = true
			}
		}
	}
	if !write {
		for _, a := range b.writes {
			pair(RaceRead, a)
		}
		b.reads = append(b.reads, me)
		return
	}
	alone := true
	for _, a := range b.writes {
		pair(RaceWrite, a)
		alone = alone && r.before(a, t)
	}
	for _, a := range b.reads {
		pair(RaceOvertake, a)
	}
	for _, last := range b.reads {
		for i := range b.reads {
			a := &b.reads[i]
			a.overtaken = a.overtaken || !r.before(last, t) && a.time <= last.knew[a.thread]
		}
	}
	if alone {
		for i := range b.writes {
			b.writes[i].superseded = true
		}
	}
	b.writes = append(b.writes, me)
}

// strong is a strong load or store of a flag. Who reads a flag does not know what the
// other had only observed.
func (r *reference) strong(t int, op *Op, addr uint64) {
	f := r.flags[addr]
	if op.Reads {
		if f == nil {
			return
		}
		where := near
		if f.cta != t/8 {
			if where = far; op.Scope != ScopeGrid {
				return
			}
		}
		if op.Acquires {
			r.observed[t] = joined(r.observed[t], f.told[where])
		} else {
			r.seen[t][where].observed = joined(r.seen[t][where].observed, f.told[where])
		}
		return
	}
	told := [2][]int{r.fenced[t][near].knows, r.fenced[t][far].knows}
	if op.Releases {
		all := r.tell(t).knows
		told = [2][]int{all, all}
	}
	if op.Scope != ScopeGrid {
		told[far] = nil
	}
	r.flags[addr] = &refFlag{told, t / 8}
}

func (r *reference) fence(t int, scope Scope) {
	for where := range int(scope) {
		r.hear(t, r.seen[t][where])
	}
	told := r.tell(t)
	for where := range int(scope) {
		r.fenced[t][where] = told
	}
}
