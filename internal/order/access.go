package order

// An Op is what an instruction does to memory, as far as order goes; it is made
// once for each instruction.
type Op struct {
	PC uint32
	// Reads and Writes; an atomic does both, a reduction, or an atomic whose
	// result nobody reads, only writes as far as values go.
	Reads, Writes bool
	// Decides: a decision may depend on what is read.
	Decides bool
	// Keeps: what an atomic leaves depends on what it found.
	Keeps bool
	// Atomic operations commute with those of the same Family (0 is none), and
	// all of them with themselves where the operands are equal, be it at another place if they
	// have the same Function (0 is none).
	// A read of a Family waits for those.
	Atomic   bool
	Family   uint16
	Function uint8
	// Strong accesses are made to be seen by others at any time: they are no
	// data race with each other where each lies in the other's Scope.
	Strong             bool
	Scope              Scope
	Acquires, Releases bool
	// Width is the bytes of an element, 0 where all that is accessed is one.
	Width uint8
	// Async: the write, or of a bulk copy the read, happens some time before it is waited
	// for.
	Async bool
	// Proxy: it is by the async proxy (proxy.go).
	Proxy bool
	// Phase is what it has to do with that of an mbarrier object.
	Phase accessFlags
	// Incoherent: it may read what was there before the launch (ld.global.nc).
	Incoherent bool
}

// access is who touched a word: lanes of a warp, at a tick of their CTA. The
// zero access is nobody.
type access struct {
	cta, tick, lanes uint32
	pc               uint32
	// arg is a hash of an atomic's operands, the group of an asynchronous read, of work that
	// is no atomic and has a stream the tick when it was begun; see Phased, Shadow.noteHidden.
	arg uint32
	// stream is that whose tick it has, of asynchronous work that is done for those who know
	// of it, else 0: the tick is its CTA's (stream.go).
	stream uint32
	family uint16 // of an atomic; of work on tensor memory its pipeline
	flags  accessFlags
	warp   uint8
	// cells is how many cells its element has, place which of them this is.
	cells, place uint8
	function     uint8 // of an atomic
}

// half makes an access of a cell that of one of its halves.
func (a *access) half(second int) {
	if a.tick != 0 {
		a.cells, a.place = 2*a.cells, 2*a.place+uint8(second)
	}
}

type accessFlags uint16

const (
	// changed: the word is another after it, or would be in another order.
	changed accessFlags = 1 << iota
	// async: nobody has waited for it.
	async
	atomic
	strong
	gridScope
	decides
	// differed: of those beside it one that came later wrote another value.
	differed
	// unsure: perhaps it is another after it, since one of the two is not exact.
	unsure
	// several: it stands for several accesses that were taken together.
	several
	// phased, ending: see Phased.
	phased
	ending
	// hides, mine: see Shadow.readsOwn.
	hides
	mine
	// gone: what a read found has been written over by another value.
	gone
	// suspends: the read waits for the end of a phase.
	suspends
)

// anyCTA and anyWarp stand for all of them, where a list of accesses became too
// long (list.go): nobody knows of an access by any CTA.
const (
	anyCTA  = ^uint32(0)
	anyWarp = ^uint8(0)
)

// access describes what a lane of the warp does now.
func (w *Warp) access(lane int, op *Op, arg uint32) access {
	a := access{cta: w.CTA.number, tick: w.now(), lanes: 1 << lane, pc: op.PC, warp: w.number, family: op.Family, function: op.Function, arg: arg, flags: op.Phase}
	if op.Atomic {
		a.flags |= atomic
	} else if w.pipeline != 0 {
		a.family = w.pipeline
	} else if op.Family != 0 {
		a.flags |= suspends
	}
	if op.Strong {
		a.flags |= strong
	}
	if op.Scope == ScopeGrid {
		a.flags |= gridScope
	}
	if op.Decides {
		a.flags |= decides
	}
	return a
}

// level is what a value depends on whose accesses a and b may happen either way
// round. Between threads of one warp the manual says nothing of it, unless both
// are strong: such accesses, atomics above all, are made for threads that run in
// any order.
func level(a, b *access) Origin {
	if a.cta == b.cta && ofThreads(a.warp) == ofThreads(b.warp) && a.flags&b.flags&strong == 0 {
		return Undefined
	}
	return Scheduled
}

// commute reports whether an atomic and one after it leave the same whichever
// comes first: they belong to one family, or are the same function of the word.
func (a *access) commute(b *access) bool {
	if a.flags&b.flags&atomic == 0 || !a.sees(b) {
		return false
	}
	return a.family != 0 && a.family == b.family || a.equals(b)
}

// equals reports whether two atomics are the same function of what they find.
func (a *access) equals(b *access) bool {
	return a.arg == b.arg && (a.pc == b.pc || a.function != 0 && a.function == b.function)
}

// covers reports whether it is enough to keep write a and no longer p before it: what
// comes later and is in order with neither conflicts with a if it does with p, and a
// matters to it if p does.
func (a *access) covers(p *access) bool {
	switch {
	case a.flags&(changed|unsure) == 0 && p.flags&(changed|unsure) != 0:
		return false
	case a.flags&atomic == 0:
		return true
	case a.flags&(phased|ending) == phased && p.flags&(phased|ending) != phased: // to questions an arrival in the open phase is nothing
		return false
	case p.flags&atomic == 0 || (a.flags^p.flags)&(strong|gridScope) != 0 || a.cells != p.cells || a.place != p.place:
		return false
	}
	return a.family == p.family && (a.family != 0 || a.equals(p))
}

// sees reports whether two accesses are morally strong (PTX ISA 8.7.1), so that they
// are no data race, whatever their order decides: both are strong, of the same bytes,
// and each lies in the other's scope.
func (a *access) sees(b *access) bool {
	return a.flags&b.flags&strong != 0 && a.cells == b.cells && a.place == b.place &&
		(a.cta == b.cta || a.flags&b.flags&gridScope != 0)
}

// alike reports whether two reads of a cell race with the same writes in the same way.
func (a *access) alike(b *access) bool {
	const kind = strong | gridScope | atomic | async | phased | suspends
	return (a.flags^b.flags)&kind == 0 && a.stream == b.stream && (a.flags&async == 0 || a.arg == b.arg) && (a.flags&strong == 0 || a.cells == b.cells && a.place == b.place)
}
