package cache

import (
	"math/rand/v2"
	"testing"

	"hyptx/internal/traffic/stream"
)

// inOrder is the order of all CTAs of a grid.
func inOrder(n int64) int64 { return n }

// push gives a model CTAs in the reference's form.
func push(t testing.TB, q *stream.Queue, ctas []refCTA) {
	t.Helper()
	for i, cta := range ctas {
		c := q.CTA(int64(i), len(cta))
		for w, reqs := range cta {
			for _, r := range reqs {
				add(t, c, w, r.kind, r.sectors[0]+2, r.cells(r.sectors[0]+2))
			}
		}
		if err := q.Done(c); err != nil {
			t.Fatal(err)
		}
	}
}

// add adds a request of global memory.
func add(t testing.TB, c *stream.CTA, warp int, kind stream.Kind, base uint64, cells []stream.Cell) {
	t.Helper()
	if err := c.Add(warp, kind, false, base, cells, &stream.Forms{}); err != nil {
		t.Fatal(err)
	}
}

// cells are the sectors, counted from one of them or another.
func (q refRequest) cells(base uint64) (cells []stream.Cell) {
	for _, n := range q.sectors {
		cells = append(cells, stream.Cell{Sector: n - base, Bytes: q.bytes[n]})
	}
	return cells
}

// launch runs a launch through a model.
func launch(t testing.TB, m *Model, l Launch, ctas []refCTA) Counters {
	t.Helper()
	return launchStreams(t, m, l, ctas, m.Push)
}

// launchStreams is launch where give gets each CTA.
func launchStreams(t testing.TB, m *Model, l Launch, ctas []refCTA, give func(*stream.CTA) error) Counters {
	t.Helper()
	if err := m.Begin(l); err != nil {
		t.Fatal(err)
	}
	push(t, stream.NewQueue(give, inOrder), ctas)
	return m.Drain()
}

// spelledOut gives a model CTAs none of whose requests has a number for its
// shape, as where there is no more room for shapes.
func spelledOut(m *Model) func(*stream.CTA) error {
	return func(c *stream.CTA) error {
		for i, words := range c.Warps {
			var out []stream.Word
			for len(words) > 0 {
				n := stream.Length(words)
				out = append(out, words[0])
				if n == 2 {
					shape := c.Shapes.Shape(uint32(words[1]))
					out = append(append(out, 1<<63|stream.Word(len(shape))), shape...)
				}
				words = words[n:]
			}
			c.Warps[i] = out
		}
		return m.Push(c)
	}
}

func newModel(t testing.TB, c Config) *Model {
	t.Helper()
	m, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// one is a GPU of one SM without an L1 and with a fully associative L2.
func one(lineCount int) Config {
	return Config{SMs: 1, Channels: 1, L2: Level{int64(lineCount) * 128, lineCount, 128, 32}}
}

// TestSetsOfAnyNumber: three sets of two ways. The second round of lines, 3 to 5, begins at set
// 1, for 0.618 * 3 is 1.9, and the third at set 0, for 2 * 0.618 is 0.236 beyond a whole number:
// 0, 5 and 6 share a set.
func TestSetsOfAnyNumber(t *testing.T) {
	c := Config{SMs: 1, Channels: 1, L2: Level{6 * 128, 2, 128, 32}}
	var reqs []refRequest
	for _, line := range []uint64{0, 5, 1, 0, 6, 0, 5, 1} { // 6 replaces 5, 5 replaces 6
		reqs = append(reqs, refRequest{kind: stream.Load, sectors: []uint64{4 * line}})
	}
	got := launch(t, newModel(t, c), Launch{CTAsPerSM: 1}, []refCTA{{reqs}})
	if got.L2.ReadMisses != 5 || got.L2.ReadHits != 3 {
		t.Errorf("%+v, want 5 misses and 3 hits", got.L2)
	}
}

// TestWriteBack follows single sectors by hand.
func TestWriteBack(t *testing.T) {
	load := func(n ...uint64) refRequest { return refRequest{kind: stream.Load, sectors: n} }
	store := func(n ...uint64) refRequest { return refRequest{kind: stream.Store, sectors: n} }
	part := func(n uint64, bytes uint32) refRequest {
		return refRequest{stream.StorePart, []uint64{n}, map[uint64]uint32{n: bytes}}
	}
	atomic := func(n ...uint64) refRequest { return refRequest{kind: stream.Atomic, sectors: n} }
	for _, c := range []struct {
		name                string
		reqs                []refRequest
		read, write, atEnd  uint64
		readHits, writeHits uint64
	}{
		{"a whole sector needs no fetch", []refRequest{store(0), load(0)}, 0, 0, 1, 1, 0},
		{"a part is fetched when it is read", []refRequest{part(0, 0xffff), load(0), load(0)}, 1, 0, 1, 1, 0},
		{"two parts that are a whole need no fetch", []refRequest{part(0, 0xffff), part(0, 0xffff0000), load(0)}, 0, 0, 1, 1, 1},
		{"two parts that are none do", []refRequest{part(0, 0xffff), part(0, 0xfff0), load(0)}, 1, 0, 1, 0, 1},
		{"a part of what was read", []refRequest{load(0), part(0, 1), load(0)}, 1, 0, 1, 1, 1},
		{"parts of a line that was replaced count no more", []refRequest{part(0, 0xffff), load(4), load(8), part(0, 0xffff0000), load(0)}, 3, 1, 1, 0, 0},
		{"two stores, one write-back", []refRequest{store(0), store(0)}, 0, 0, 1, 0, 1},
		{"replaced when dirty", []refRequest{store(0, 1, 2), load(4), load(8)}, 2, 3, 0, 0, 0},
		{"replaced when clean", []refRequest{load(0), load(4), load(8)}, 3, 0, 0, 0, 0},
		{"an atomic reads and dirties", []refRequest{atomic(0), atomic(0)}, 1, 0, 1, 1, 0},
		{"the newest stays", []refRequest{store(0), load(4), store(0), load(8), load(0)}, 2, 0, 1, 1, 1},
	} {
		m := newModel(t, one(2))
		got, end := launch(t, m, Launch{CTAsPerSM: 1}, []refCTA{{c.reqs}}), m.Flush()
		if got.DRAMReadSectors != c.read || got.DRAMWriteSectors != c.write || end.DRAMFlushSectors != c.atEnd ||
			got.L2.ReadHits != c.readHits || got.L2.WriteHits != c.writeHits {
			t.Errorf("%s: %+v, %d at the end", c.name, got, end.DRAMFlushSectors)
		}
		if again := m.Flush(); again.DRAMFlushSectors != 0 {
			t.Errorf("%s: a second flush wrote %d sectors", c.name, again.DRAMFlushSectors)
		}
	}
}

// TestL1Policies: what a load after a store, a part and an atomic finds.
func TestL1Policies(t *testing.T) {
	for _, c := range []struct {
		policy WritePolicy
		first  stream.Kind
		hits   uint64
	}{
		{NoAllocate, stream.Store, 0}, {Allocate, stream.Store, 1}, {NoAllocate, stream.StorePart, 0}, {Allocate, stream.StorePart, 0}, {Allocate, stream.Atomic, 0}, {Evict, stream.Store, 0},
	} {
		g := one(8)
		g.L1Write = c.policy
		five := []uint64{5}
		write, read := refRequest{c.first, five, map[uint64]uint32{5: 1}}, refRequest{kind: stream.Load, sectors: five}
		reqs := []refRequest{write, read, write, read}
		got := launch(t, newModel(t, g), Launch{1, Level{1024, 2, 128, 32}}, []refCTA{{reqs}}).L1
		want := LevelCounters{ReadHits: c.hits + 1, ReadMisses: 1 - c.hits, WriteHits: 1, WriteMisses: 1}
		switch {
		case c.policy == Evict:
			want = LevelCounters{ReadMisses: 2, WriteHits: 1, WriteMisses: 1}
		case c.first == stream.Atomic: // it drops the sector each time
			want = LevelCounters{ReadMisses: 2}
		}
		if got != want {
			t.Errorf("policy %d, kind %d: %+v, want %+v", c.policy, c.first, got, want)
		}
	}
}

// TestPersistence: the L2 keeps its lines over launches, the L1 does not.
func TestPersistence(t *testing.T) {
	m := newModel(t, one(16))
	l := Launch{1, Level{1024, 2, 128, 32}}
	ctas := []refCTA{{{{kind: stream.Load, sectors: []uint64{0, 1, 2, 3}}}}}
	launch(t, m, l, ctas)
	want := Counters{L1: LevelCounters{ReadMisses: 4}, L2: LevelCounters{ReadHits: 4}, NoCFlits: 5}
	if got := launch(t, m, l, ctas); got != want {
		t.Errorf("second launch: %+v, want %+v", got, want)
	}
}

// TestDrain: what follows a Drain finds the L1 as it was left, and counters at
// zero.
func TestDrain(t *testing.T) {
	m := newModel(t, one(16))
	ctas := []refCTA{{{{kind: stream.Load, sectors: []uint64{0, 1, 2, 3}}}}}
	launch(t, m, Launch{1, Level{1024, 2, 128, 32}}, ctas)
	push(t, stream.NewQueue(m.Push, inOrder), ctas)
	if got, want := m.Drain(), (Counters{L1: LevelCounters{ReadHits: 4}}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestOrder: with CTAs of 1 and 3 requests on two SMs with one slot, CTA 2
// goes to the SM of the short one, so CTAs 0 and 2 share an L1.
func TestOrder(t *testing.T) {
	c := one(64)
	c.SMs = 2
	l := func(n ...uint64) (w []refRequest) {
		for _, s := range n {
			w = append(w, refRequest{kind: stream.Load, sectors: []uint64{s}})
		}
		return w
	}
	got := launch(t, newModel(t, c), Launch{1, Level{1024, 2, 128, 32}}, []refCTA{{l(0)}, {l(4, 8, 12)}, {l(0, 0)}, {}, {l(4)}})
	// In turn 3 both CTAs end: the lower SM gets CTA 3, which is empty, then
	// CTA 4, so that sector 4 misses there and hits in the L2.
	if got.L1 != (LevelCounters{ReadHits: 2, ReadMisses: 5}) || got.L2 != (LevelCounters{ReadHits: 1, ReadMisses: 4}) {
		t.Errorf("%+v", got)
	}
}

// TestAgainstReference holds the model against the naive one on random GPUs
// and streams, over launches.
func TestAgainstReference(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		c := Config{SMs: 1 + r.IntN(5), L1Write: WritePolicy(r.IntN(3)), Channels: 1 + r.IntN(3), L2: randomLevel(r, 6)}
		c.Workers = r.IntN(4)
		m, ref := newModel(t, c), newReference(c)
		m.worthSharing = 0
		if seed%3 == 0 {
			m.maxQueued = 8 // so that the L2 runs in many pieces
		}
		give := m.Push
		if seed%4 == 0 {
			give = spelledOut(m)
		}
		for n := range 3 {
			l := Launch{1 + r.IntN(3), randomLevel(r, 4)}
			l.L1.SectorBytes = min(l.L1.LineBytes, 32<<r.IntN(3))
			if r.IntN(5) == 0 {
				l.L1 = Level{}
			}
			ctas := randomCTAs(r)
			if got, want := launchStreams(t, m, l, ctas, give), ref.launch(l, ctas); got != want {
				t.Fatalf("seed %d, launch %d, %+v %+v:\n got %+v\nwant %+v", seed, n, c, l, got, want)
			}
		}
		if got, want := m.Flush().DRAMFlushSectors, ref.flush(); got != want {
			t.Fatalf("seed %d: %d sectors flushed, want %d", seed, got, want)
		}
	}
}

func randomLevel(r *rand.Rand, most int) Level {
	l := Level{Ways: 1 + r.IntN(most), LineBytes: 32 << r.IntN(3), SectorBytes: 32}
	l.SizeBytes = int64(1+r.IntN(most)) * int64(l.Ways) * int64(l.LineBytes)
	return l
}

func randomCTAs(r *rand.Rand) []refCTA {
	ctas := make([]refCTA, r.IntN(20))
	for i := range ctas {
		ctas[i] = make(refCTA, r.IntN(4))
		for w := range ctas[i] {
			for range r.IntN(12) {
				req := refRequest{kind: stream.Kind(r.IntN(5)), bytes: map[uint64]uint32{}}
				first := uint64(r.IntN(100))
				for n := range uint64(1 + r.IntN(8)) {
					if r.IntN(3) > 0 || n == 7 {
						req.sectors = append(req.sectors, first+n)
						req.bytes[first+n] = uint32(0xffff) << (8 * r.IntN(3))
					}
				}
				if len(req.sectors) > 0 {
					ctas[i][w] = append(ctas[i][w], req)
				}
			}
		}
	}
	return ctas
}

// TestLocalMemory: two CTAs on one SM one after the other use the same local
// memory, two at the same time do not.
func TestLocalMemory(t *testing.T) {
	for perSM, want := range map[int]uint64{1: 2, 2: 4} {
		m := newModel(t, one(64))
		if err := m.Begin(Launch{CTAsPerSM: perSM}); err != nil {
			t.Fatal(err)
		}
		q := stream.NewQueue(m.Push, inOrder)
		for i := range int64(4) {
			c := q.CTA(i, 2)
			for w := range 2 {
				for _, kind := range []stream.Kind{stream.Store, stream.Load} {
					if err := c.Add(w, kind, true, 7+1<<30, []stream.Cell{{}}, &stream.Forms{}); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := q.Done(c); err != nil {
				t.Fatal(err)
			}
		}
		got := m.Drain()
		if got.L2.WriteMisses != want || got.L2.ReadHits != 8 || got.DRAMReadSectors != 0 || m.Flush().DRAMFlushSectors != want {
			t.Errorf("%d CTAs at a time: %+v, want %d write misses", perSM, got, want)
		}
	}
}
