package order

import (
	"fmt"
	"slices"
	"testing"
)

// write and read are a store and a load that decides, by instruction.
func write(pc uint32) *Op { return &Op{PC: pc, Writes: true} }
func read(pc uint32) *Op  { return &Op{PC: pc, Reads: true, Decides: true} }

// store stores n bytes that all change.
func (s *Shadow) store(w *Warp, lane int, op *Op, off, n uint64) (overtaken Origin) {
	overtaken, _ = s.Store(w, lane, op, off, n, 0, 0, ^uint32(0), 0)
	return overtaken
}

func (s *Shadow) load(w *Warp, lane int, op *Op, off, n uint64) Origin {
	from, _, _ := s.Load(w, lane, op, off, n)
	return from
}

// newShadow is a shadow of some bytes with what it has taken of memory.
func newShadow(bytes int64) (s *Shadow, taken *int64) {
	taken = new(int64)
	return NewShadow(bytes, 0, func(n int64) { *taken += n }), taken
}

// TestClock: joined clocks know what either knows, and say it once.
func TestClock(t *testing.T) {
	a := Clock{{cta: 1, base: 5, spans: []span{{7, 0x3, 0, 0}, {9, 0x1, 1, 0}}}}
	b := Clock{{cta: 0, base: 2}, {cta: 1, base: 8, spans: []span{{9, 0x3, 1, 0}, {8, 0x4, 2, 0}}}}
	both := Join(a, b)
	if len(both) != 2 || both[0].cta != 0 || both[1].base != 8 {
		t.Fatalf("%+v", both)
	}
	// Warp 0's span ends before the base, warp 1's smaller one is a part of the other.
	if want := []span{{9, 0x3, 1, 0}, {8, 0x4, 2, 0}}; !slices.Equal(both[1].spans, want) {
		t.Errorf("spans %v, by hand %v", both[1].spans, want)
	}
	for _, c := range []struct {
		a       access
		unknown uint32
	}{
		{access{cta: 1, tick: 7, warp: 3, lanes: 0xf}, 0},   // before the base
		{access{cta: 1, tick: 9, warp: 1, lanes: 0xf}, 0xc}, // two lanes of the span
		{access{cta: 1, tick: 10, warp: 1, lanes: 0x3}, 0x3},
		{access{cta: 1, tick: 8, warp: 0, lanes: 0x1}, 0x1},
	} {
		if got := both.unknown(&c.a); got != c.unknown {
			t.Errorf("%+v: lanes %#x are not known, by hand %#x", c.a, got, c.unknown)
		}
	}
	if a := (access{cta: 2, lanes: 1}); both.unknown(&a) != 1 || Clock(nil).unknown(&a) != 1 {
		t.Error("a CTA is known that nobody has told of")
	}
	if got := both.without(1); len(got) != 1 || got[0].cta != 0 || len(both) != 2 {
		t.Errorf("without CTA 1: %v, and before %v", got, both)
	}
}

// TestDivision: bytes beside each other have cells of their own once somebody accesses
// less than a word, and keep what was done to the word.
func TestDivision(t *testing.T) {
	sys := newSystem()
	s, taken := newShadow(16)
	words := *taken
	s.store(sys.warps[0], 0, write(1), 4, 4)
	if from := s.load(sys.warps[1], 0, read(2), 6, 1); from != Scheduled {
		t.Errorf("a byte of another warp's word: %d", from)
	}
	if *taken != 4*words {
		t.Errorf("divided twice, %d bytes of cells; whole ones %d", *taken, words)
	}
	s.store(sys.warps[0], 0, write(3), 8, 1)
	s.store(sys.warps[1], 0, write(4), 9, 1)
	if from := s.load(sys.warps[1], 0, read(5), 9, 1); from != 0 {
		t.Errorf("the byte beside another warp's: %d", from)
	}
	if n := len(sys.log.Facts); n != 1 || sys.log.Facts[0].A.PC != 1 || sys.log.Facts[0].B.PC != 2 {
		t.Errorf("%d facts: %+v", n, sys.log.Facts)
	}
	// The same strong access made before cells were divided, and after.
	before, after := access{flags: strong, tick: 1, cells: 1}, access{flags: strong, tick: 1, cells: 2}
	if before.half(0); !before.sees(&after) {
		t.Error("an access of a cell that was divided is of other bytes than before")
	}
}

// TestSpecify: what the host writes is in order with all, and as good as it says.
func TestSpecify(t *testing.T) {
	sys := newSystem()
	s, _ := newShadow(16)
	s.Reset(Assumed)
	s.store(sys.warps[0], 0, write(1), 0, 4)
	s.Specify(0, 2, 0)
	if from, _, asGiven := s.Load(sys.warps[1], 0, read(2), 0, 2); from != 0 || asGiven {
		t.Errorf("bytes of the host: %d, %t", from, asGiven)
	}
	if from, _, asGiven := s.Load(sys.warps[1], 0, read(3), 8, 4); from != Assumed || !asGiven {
		t.Errorf("bytes of nobody: %d, %t", from, asGiven)
	}
	if from := s.load(sys.warps[1], 0, read(4), 2, 2); from != Scheduled {
		t.Errorf("the other half of a word that a warp has written: %d", from)
	}
}

// TestLaunches: a launch is in order with those before it, but keeps what they left.
func TestLaunches(t *testing.T) {
	sys := newSystem()
	s, _ := newShadow(16)
	s.store(sys.warps[0], 0, write(1), 0, 4)
	s.store(sys.warps[0], 0, write(2), 4, 4)
	s.store(sys.warps[1], 0, write(3), 4, 4) // a race
	next := sys.log.Next()
	for i := range sys.ctas {
		sys.ctas[i].Begin(&Launch{Number: 2, Log: next}, uint32(i))
	}
	if from := s.load(sys.warps[2], 0, read(4), 0, 4); from != 0 {
		t.Errorf("after a launch: %d", from)
	}
	from, cause, _ := s.Load(sys.warps[2], 0, read(4), 4, 4)
	if from != Scheduled || len(next.Facts) != 0 {
		t.Errorf("after a launch that raced: %d, %v", from, next.Facts)
	}
	if f, log := next.Find(cause); log != &sys.log || f.A.PC != 2 || f.B.PC != 3 {
		t.Errorf("the cause is %+v", f)
	}
}

// TestCopies: a copy is nobody's until the group it is of has been waited for.
func TestCopies(t *testing.T) {
	sys := newSystem()
	w := sys.warps[0]
	s, _ := newShadow(16)
	begin := func(off uint64) {
		op := write(1)
		op.Async = true
		s.store(w, 3, op, off, 4)
		w.Copying(3, s, off, 4)
		w.Commit(1 << 3)
	}
	begin(0)
	begin(4)
	begin(8)
	check := func(when string, want ...Origin) {
		t.Helper()
		for i, from := range want {
			if got := s.load(w, 3, read(2), uint64(4*i), 4); got != from {
				t.Errorf("%s: copy %d has origin %d, by hand %d", when, i, got, from)
			}
		}
	}
	check("no wait", Undefined, Undefined, Undefined)
	w.Wait(1<<4, 0)
	check("another lane's wait", Undefined, Undefined, Undefined)
	w.Wait(1<<3, 2)
	check("all but two", 0, Undefined, Undefined)
	w.WaitAll(1 << 3)
	check("all", 0, 0, 0)
	if from := s.load(sys.warps[1], 0, read(3), 0, 4); from != Scheduled {
		t.Errorf("another warp reads it without a barrier: %d", from)
	}
}

// TestLog: a log ends, and counts what comes later; logs of a program go on counting.
func TestLog(t *testing.T) {
	var first Log
	for pc := range uint32(maxFacts + 5) {
		if c := first.Note(ClockRead, pc); (c == 0) != (pc >= maxFacts) {
			t.Fatalf("fact %d is cause %d", pc, c)
		}
	}
	first.Note(ClockRead, 3)
	if len(first.Facts) != maxFacts || first.More != 5 || first.Facts[3].Count != 2 {
		t.Errorf("%d facts, %d more, the fourth %d times", len(first.Facts), first.More, first.Facts[3].Count)
	}
	second := first.Next().Next() // one launch in between finds nothing
	cause := second.Note(Machine, 9)
	for c, pc := range map[Cause]uint32{1: 0, maxFacts: maxFacts - 1, cause: 9} {
		if f, _ := second.Find(c); f.A.PC != pc {
			t.Errorf("cause %d is instruction %d, by hand %d", c, f.A.PC, pc)
		}
	}
	second.Decide(1, Scheduled|Assumed, 4)
	second.Decide(2, Scheduled, cause)
	want := [Reasons]Decision{{1, 4, 2}, {}, {1, 4, 1}}
	if second.Decided != want {
		t.Errorf("decided %v, by hand %v", second.Decided, want)
	}
}

// TestNoAllocation: what nearly all programs do, accesses that are in order, allocates
// nothing.
func TestNoAllocation(t *testing.T) {
	sys := newSystem()
	s, _ := newShadow(1 << 10)
	w, st, ld := sys.warps[0], write(1), read(2)
	n := testing.AllocsPerRun(10, func() {
		for lane := range 32 {
			s.store(w, lane, st, uint64(4*lane), 4)
		}
		w.CTA.Barrier(sys.warps[:2])
		for lane := range 32 {
			s.load(w, lane, ld, 0, 4)
			s.load(sys.warps[1], lane, ld, uint64(4*lane+256), 4)
		}
		w.CTA.Barrier(sys.warps[:2])
	})
	if n != 0 || len(sys.log.Facts) != 0 {
		t.Errorf("%v allocations, facts %v", n, sys.log.Facts)
	}
}

// BenchmarkSpin is a warp that waits in a loop and finds the same release again and
// again, by acquiring loads or by relaxed ones.
func BenchmarkSpin(b *testing.B) {
	for _, acquires := range []bool{true, false} {
		b.Run(fmt.Sprintf("acquires %t", acquires), func(b *testing.B) {
			s := newSystem()
			for i := range 3 { // others have told of themselves, so that there is something to join
				w := s.warps[i]
				w.Strong(i, &Op{Writes: true, Strong: true, Releases: true, Atomic: true, Scope: ScopeGrid}, false, nil, 0)
			}
			op := &Op{Reads: true, Strong: true, Acquires: acquires, Scope: ScopeGrid}
			b.ReportAllocs()
			for b.Loop() {
				for lane := range 32 {
					s.warps[3].Strong(lane, op, false, nil, 0)
				}
			}
		})
	}
}
