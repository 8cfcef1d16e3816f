package order

import "math/bits"

// A Log keeps what was found in a launch: races, and what else made values inexact. It
// ends at a number of entries; what comes later is counted. A value may come from an
// earlier launch, and so may what it depends on: causes are numbered through all logs of
// a program, which hang together (Next).
type Log struct {
	Facts []Fact
	// More is how often something was found that is none of the Facts.
	More  uint64
	index map[factKey]Cause
	// At is where the access lies that is accounted for, for facts: the emulator sets it.
	At Place
	// Decided is the first decision for each reason, reason i at i.
	Decided [Reasons]Decision
	// earlier is the log before it that has facts, before how many all those have.
	earlier *Log
	before  Cause
}

// Next returns the log of the launch after that of l, which may be nil: there was none.
func (l *Log) Next() *Log {
	switch {
	case l == nil:
		return &Log{}
	case len(l.Facts) == 0:
		return &Log{earlier: l.earlier, before: l.before}
	}
	l.index = nil
	return &Log{earlier: l, before: l.before + Cause(len(l.Facts))}
}

// Find returns the fact that a cause stands for, and in which log it is: this one or
// an earlier one.
func (l *Log) Find(cause Cause) (*Fact, *Log) {
	for cause <= l.before {
		l = l.earlier
	}
	return &l.Facts[cause-l.before-1], l
}

// Decision is a guard, or an index of a branch, that had an origin: the
// instruction, and the fact that caused it (0 if that is not known). Count is how
// often there was one for this reason, 0 if never.
type Decision struct {
	PC    uint32
	Cause Cause
	Count uint64
}

// Decide notes a decision on a value with an origin.
func (l *Log) Decide(pc uint32, from Origin, cause Cause) {
	for i := range l.Decided {
		if from>>i&1 == 0 {
			continue
		}
		d := &l.Decided[i]
		if d.Count++; d.Count == 1 {
			d.PC, d.Cause = pc, cause
		}
	}
}

// maxFacts bounds the entries of a log.
const maxFacts = 1000

// Cause is the number of a fact among those of a program, from 1 on.
type Cause uint32

// Kind says what a fact is.
type Kind uint8

// The kinds. Of a race, B came second in the order that was run.
const (
	RaceRead     Kind = iota // B read what A wrote
	RaceWrite                // both wrote
	RaceOvertake             // B wrote over what A had read
	RaceArrive               // B came to a barrier when A had met others there, or meets it
	RaceMix                  // B and A came to one barrier, one of them by a reduction
	ClockRead                // a clock was read
	Machine                  // a special register that belongs to the machine
	Stale                    // a read that need not see what the launch has written before it
	Absent                   // a lane that does not take part, or a member at another instruction
	DivisionByZero
	Unspecified // data that nobody gave
	Unseen      // a store that was not done, since the slice did not expect it there
	Displaced   // a store at an address that the order of threads decides
	Discarded   // what discard leaves
	Unfinished  // the result of a product that nobody has waited for
	Texture     // of a texture or surface what the manual leaves open
	Stray       // an access to the shared memory of a CTA that may not have begun, or have ended
	Alone       // what all threads of a warp, or of a warpgroup, have to execute together
	Unfenced    // what threads have written and the async proxy reads, without a fence between
	Gathered    // which lanes are together, where they have parted
	Open        // what the manual leaves open of these very values
	Parting     // whether a wait at a cluster's barrier stops a part of a warp's threads
	Invalid     // an operand for which the manual does not say what comes of it
	Returned    // a function has returned that is said not to (.noreturn)
	Expired     // the time limit of a wait has been reached
	Private     // an access to local memory by an address that another thread has handed over
)

const (
	reads     = RaceRead
	writes    = RaceWrite
	overtakes = RaceOvertake
	arrives   = RaceArrive
	mixes     = RaceMix
)

// Place is where an access of so many bytes lies: a number for the space, the address.
type Place struct {
	Space uint8
	Addr  uint64
	Bytes uint8
}

// Access is one side of a race: which instruction, of which thread.
type Access struct {
	PC        uint32
	CTA       uint32
	Warp      uint8
	Lane      uint8
	Atomic    bool
	Strong    bool
	Anonymous bool // one of very many: the thread is not known
	Async     bool // it is work that nobody has waited for, not the thread's own
	Wide      bool // its scope is the grid, or more
}

// Fact is an entry of a log: the first of its kind between two instructions.
type Fact struct {
	Kind Kind
	// A and B are the accesses of a race; of anything else only A.PC is valid.
	A, B Access
	// SameValue: whichever comes first, the values are the same. Synchronised:
	// both are strong, so that it is no data race; only the order is open.
	SameValue, Synchronised bool
	// SameWarp: both are threads of one warp.
	SameWarp bool
	// At is where the first of a race was found.
	At Place
	// Count is how often it was found. It is 0 for an Unseen store to where nobody
	// has read since.
	Count uint64
}

// IsRace reports whether the fact is of two accesses.
func (f *Fact) IsRace() bool { return f.Kind <= RaceMix }

type factKey struct {
	kind               Kind
	a, b               uint32
	sameValue, oneWarp bool
}

// race notes a race between what some lanes of an earlier access did and a later one.
func (l *Log) race(a *access, lanes uint32, b *access, kind Kind, sameValue bool) Cause {
	f := Fact{
		At: l.At, Kind: kind, A: a.public(lanes), B: b.public(b.lanes), SameValue: sameValue,
		SameWarp: a.cta == b.cta && a.cta != anyCTA && max(a.warp, b.warp) != anyWarp && a.warp%Works == b.warp%Works, Synchronised: a.sees(b),
	}
	return l.add(f)
}

// Note notes what made a value inexact at an instruction.
func (l *Log) Note(kind Kind, pc uint32) Cause { return l.add(Fact{Kind: kind, A: Access{PC: pc}}) }

// unseen counts that a read has met what an Unseen store should have written, if that
// is the cause.
func (l *Log) unseen(cause Cause) {
	if cause == 0 {
		return
	}
	if f, _ := l.Find(cause); f.Kind == Unseen {
		f.Count++
	}
}

func (l *Log) add(f Fact) Cause {
	key := factKey{f.Kind, f.A.PC, f.B.PC, f.SameValue, f.SameWarp}
	if at, ok := l.index[key]; ok {
		if f.Kind != Unseen {
			l.Facts[at-l.before-1].Count++
		}
		return at
	}
	if len(l.Facts) == maxFacts {
		l.More++
		return 0
	}
	if l.index == nil {
		l.index = map[factKey]Cause{}
	}
	if f.Kind != Unseen {
		f.Count = 1
	}
	l.Facts = append(l.Facts, f)
	l.index[key] = l.before + Cause(len(l.Facts))
	return l.index[key]
}

// public says of an access what a fact keeps: its first thread among some lanes.
func (a *access) public(lanes uint32) Access {
	return Access{
		PC: a.pc, CTA: a.cta, Warp: a.warp % Works, Lane: uint8(bits.TrailingZeros32(lanes)),
		Atomic: a.flags&atomic != 0, Strong: a.flags&strong != 0, Anonymous: a.warp == anyWarp,
		Async: a.flags&async != 0 || a.stream != 0, Wide: a.flags&gridScope != 0,
	}
}
