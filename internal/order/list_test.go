package order

import (
	"slices"
	"testing"
)

// TestLists: a word of very many writers, of which nobody knows, is everybody's: still
// in order behind a barrier, and still commuting where they all do.
func TestLists(t *testing.T) {
	for _, family := range []uint16{0, 7} {
		var log Log
		l := &Launch{Number: 1, Log: &log}
		s, _ := newShadow(4)
		add := &Op{PC: 1, Writes: true, Atomic: true, Strong: true, Scope: ScopeGrid, Family: family}
		var last Warp
		for i := range uint32(5 * maxListed) {
			var c CTA
			c.Begin(l, i)
			last.Begin(&c, 0)
			s.Store(&last, 0, add, 0, 4, 0, 0, ^uint32(0), i)
		}
		if n := len(s.more[0].writes); n > maxListed {
			t.Errorf("family %d: %d accesses listed", family, n)
		}
		if raced := len(log.Facts) > 0; raced != (family == 0) {
			t.Errorf("family %d: facts %+v", family, log.Facts)
		}
		from := s.load(&last, 0, read(2), 0, 4)
		if f := log.Facts[len(log.Facts)-1]; from != Scheduled || !slices.ContainsFunc(log.Facts, func(f Fact) bool { return f.A.Anonymous }) {
			t.Errorf("family %d: a read of what very many have written: %d, %+v", family, from, f)
		}
	}
}

// TestListsOfDecisions: however many have read a word for something else than a decision,
// who has read it for one is known, and whoever knows of them all overtakes none.
func TestListsOfDecisions(t *testing.T) {
	for others := range uint32(3) {
		var log Log
		l := &Launch{Number: 1, Log: &log}
		s, _ := newShadow(4)
		var writer Warp
		var c CTA
		c.Begin(l, 0)
		writer.Begin(&c, 0)
		for i := range uint32(40) {
			var other CTA
			var w Warp
			other.Begin(l, 1+i)
			w.Begin(&other, 0)
			s.load(&w, 0, read(1), 0, 4)
			writer.Acquire(1, w.Release(1))
			for range others {
				s.load(&w, 1, &Op{PC: 2, Reads: true}, 0, 4)
			}
		}
		if from := s.store(&writer, 0, write(3), 0, 4); from != 0 {
			t.Errorf("with %d other reads, a decision is overtaken: %d", others, from)
		}
	}
}

// TestListsOfOneCTA: a barrier puts in order what is kept of very many.
func TestListsOfOneCTA(t *testing.T) {
	var log Log
	var c CTA
	c.Begin(&Launch{Number: 1, Log: &log}, 0)
	s, _ := newShadow(4)
	warps := make([]*Warp, 3*maxListed)
	for i := range warps {
		warps[i] = new(Warp)
		warps[i].Begin(&c, i)
		s.load(warps[i], 0, read(1), 0, 4)
	}
	c.Barrier(warps)
	if s.store(warps[0], 0, write(2), 0, 4) != 0 || len(log.Facts) != 0 {
		t.Errorf("a write behind a barrier: %+v", log.Facts)
	}
}

// TestListsOfWarps: who knows of warps what they have done, knows so of very many
// accesses of theirs, beside what somebody else had done before.
func TestListsOfWarps(t *testing.T) {
	for _, family := range []uint16{0, 7} {
		sys := newSystem()
		s, _ := newShadow(4)
		s.store(sys.warps[0], 0, write(1), 0, 4)
		meet := func() {
			var told Clock
			for _, w := range sys.warps {
				told = Join(told, w.Release(^uint32(0)))
			}
			for _, w := range sys.warps {
				w.Acquire(^uint32(0), told)
			}
		}
		meet()
		add := &Op{PC: 2, Writes: true, Atomic: true, Strong: true, Scope: ScopeGrid, Family: family}
		for lane := range 32 {
			for _, w := range sys.warps {
				// What belongs to no family is the same function of the word.
				s.Store(w, lane, add, 0, 4, 0, 0, ^uint32(0), uint32(family)*uint32(lane))
				w.Release(1 << lane)
			}
		}
		if n := len(s.more[0].writes); n > maxListed {
			t.Errorf("family %d: %d accesses listed", family, n)
		}
		meet()
		if from := s.load(sys.warps[3], 1, read(3), 0, 4); from != 0 || len(sys.log.Facts) != 0 {
			t.Errorf("family %d: a read of what all know of: %d, %+v", family, from, sys.log.Facts)
		}
		s.Store(sys.warps[0], 0, add, 0, 4, 0, 0, ^uint32(0), 0)
		if from := s.load(sys.warps[3], 1, read(3), 0, 4); from != Scheduled {
			t.Errorf("family %d: a read of what one has done since: %d", family, from)
		}
	}
}

// TestListsOfManyKinds: however many there are of which none commutes with another, not
// more than so many are kept.
func TestListsOfManyKinds(t *testing.T) {
	sys := newSystem()
	s, taken := newShadow(4)
	for i := range uint32(6 * maxListed) {
		w := sys.warps[i%refWarps]
		op := &Op{PC: i, Writes: true, Atomic: i%3 > 0, Strong: true, Scope: ScopeGrid, Family: uint16(i % 90)}
		s.Store(w, int(i%32), op, 0, 4, 0, 0, ^uint32(0), i)
		if o := s.more[0]; o != nil && len(o.writes) > maxListed {
			t.Fatalf("%d accesses listed", len(o.writes))
		}
	}
	if wrong := wrongAccount(s, taken); wrong != "" {
		t.Error(wrong)
	}
}
