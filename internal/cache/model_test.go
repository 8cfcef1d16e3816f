package cache

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// push gives a model CTAs in the reference's form.
func push(t testing.TB, m *Model, ctas []refCTA) {
	t.Helper()
	for _, cta := range ctas {
		c := m.NewCTA()
		for w, reqs := range cta {
			for _, r := range reqs {
				if runs := r.runs(); runs.Key == 0 || !c.AddKnown(w, r.kind, runs.First, runs.Key) {
					c.Add(w, r.kind, runs)
				}
			}
		}
		if err := m.Push(c); err != nil {
			t.Fatal(err)
		}
	}
}

// runs joins sectors to runs, which count from somewhere.
func (q refRequest) runs() (r Runs) {
	numbers := q.sectors
	r.First = numbers[0] + 2
	for i := 0; i < len(numbers); {
		k := i + 1
		for k < len(numbers) && k-i < 32 && numbers[k] == numbers[k-1]+1 {
			k++
		}
		r.Words = append(r.Words, Run(numbers[i]-r.First, k-i))
		i = k
	}
	if q.kind == StorePart {
		r.Masks = make([]uint64, (len(numbers)+1)/2)
		for i, n := range numbers {
			r.Masks[i/2] |= uint64(q.bytes[n]) << (i % 2 * 32)
		}
	} else if len(r.Words) == 1 {
		r.Key = 7 * uint32(r.Words[0]&runMask+1) // a run is known by its length, here
	}
	return r
}

// launch runs a launch through a model.
func launch(t testing.TB, m *Model, l Launch, ctas []refCTA) Counters {
	t.Helper()
	if err := m.Begin(l); err != nil {
		t.Fatal(err)
	}
	push(t, m, ctas)
	return m.Drain()
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

// TestSetsOfAnyNumber: three sets of two ways; lines 0, 3, 6 share a set.
func TestSetsOfAnyNumber(t *testing.T) {
	c := Config{SMs: 1, Channels: 1, L2: Level{6 * 128, 2, 128, 32}}
	var reqs []refRequest
	for _, line := range []uint64{0, 3, 1, 0, 6, 0, 3, 1} { // 6 replaces 3, 3 replaces 6
		reqs = append(reqs, refRequest{kind: Load, sectors: []uint64{4 * line}})
	}
	got := launch(t, newModel(t, c), Launch{CTAsPerSM: 1}, []refCTA{{reqs}})
	if got.L2.ReadMisses != 5 || got.L2.ReadHits != 3 {
		t.Errorf("%+v, want 5 misses and 3 hits", got.L2)
	}
}

// TestWriteBack follows single sectors by hand.
func TestWriteBack(t *testing.T) {
	load := func(n ...uint64) refRequest { return refRequest{kind: Load, sectors: n} }
	store := func(n ...uint64) refRequest { return refRequest{kind: Store, sectors: n} }
	part := func(n uint64, bytes uint32) refRequest {
		return refRequest{StorePart, []uint64{n}, map[uint64]uint32{n: bytes}}
	}
	atomic := func(n ...uint64) refRequest { return refRequest{kind: Atomic, sectors: n} }
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
		first  Kind
		hits   uint64
	}{
		{NoAllocate, Store, 0}, {Allocate, Store, 1}, {NoAllocate, StorePart, 0}, {Allocate, StorePart, 0}, {Allocate, Atomic, 0}, {Evict, Store, 0},
	} {
		g := one(8)
		g.L1Write = c.policy
		five := []uint64{5}
		write, read := refRequest{c.first, five, map[uint64]uint32{5: 1}}, refRequest{kind: Load, sectors: five}
		reqs := []refRequest{write, read, write, read}
		got := launch(t, newModel(t, g), Launch{1, Level{1024, 2, 128, 32}}, []refCTA{{reqs}}).L1
		want := LevelCounters{ReadHits: c.hits + 1, ReadMisses: 1 - c.hits, WriteHits: 1, WriteMisses: 1}
		switch {
		case c.policy == Evict:
			want = LevelCounters{ReadMisses: 2, WriteHits: 1, WriteMisses: 1}
		case c.first == Atomic: // it drops the sector each time
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
	ctas := []refCTA{{{{kind: Load, sectors: []uint64{0, 1, 2, 3}}}}}
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
	ctas := []refCTA{{{{kind: Load, sectors: []uint64{0, 1, 2, 3}}}}}
	launch(t, m, Launch{1, Level{1024, 2, 128, 32}}, ctas)
	push(t, m, ctas)
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
			w = append(w, refRequest{kind: Load, sectors: []uint64{s}})
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
			m.shapes.most = 40 * int(seed%2)
		}
		for n := range 3 {
			l := Launch{1 + r.IntN(3), randomLevel(r, 4)}
			l.L1.SectorBytes = min(l.L1.LineBytes, 32<<r.IntN(3))
			if r.IntN(5) == 0 {
				l.L1 = Level{}
			}
			ctas := randomCTAs(r)
			if got, want := launch(t, m, l, ctas), ref.launch(l, ctas); got != want {
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
				req := refRequest{kind: Kind(r.IntN(5)), bytes: map[uint64]uint32{}}
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
		for range 4 {
			c := m.NewCTA()
			for w := range 2 {
				c.AddLocal(w, Store, Runs{Words: []uint64{Run(7+1<<30, 1)}})
				c.AddLocal(w, Load, Runs{Words: []uint64{Run(7+1<<30, 1)}})
			}
			if err := m.Push(c); err != nil {
				t.Fatal(err)
			}
		}
		got := m.Drain()
		if got.L2.WriteMisses != want || got.L2.ReadHits != 8 || got.DRAMReadSectors != 0 || m.Flush().DRAMFlushSectors != want {
			t.Errorf("%d CTAs at a time: %+v, want %d write misses", perSM, got, want)
		}
	}
}

// TestNoAllocations: a launch like the one before allocates nothing.
func TestNoAllocations(t *testing.T) {
	m := newModel(t, Config{SMs: 2, Channels: 8, L2: Level{1 << 20, 16, 128, 32}})
	r := rand.New(rand.NewPCG(4, 2))
	runs := make([]uint64, 4096)
	for i := range runs {
		runs[i] = Run(r.Uint64N(1<<16), 4)
	}
	masks := [5][]uint64{StorePart: {3, 5}}
	run := func() {
		if err := m.Begin(Launch{2, Level{1 << 14, 4, 128, 32}}); err != nil {
			t.Fatal(err)
		}
		for i := range runs {
			c := m.NewCTA()
			c.Add(0, Kind(i%5), Runs{Words: runs[i : i+1], Masks: masks[i%5]})
			if err := m.Push(c); err != nil {
				t.Fatal(err)
			}
		}
		m.Drain()
	}
	run()
	if n := testing.AllocsPerRun(10, run); n != 0 {
		t.Errorf("%v allocations a launch", n)
	}
}

// TestBadConfigs: each mistake has a message of its own.
func TestBadConfigs(t *testing.T) {
	good := Config{SMs: 2, Channels: 2, L2: Level{1 << 20, 16, 128, 32}}
	for _, c := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.SMs = 0 }, "0 SMs: must be 1"},
		{func(c *Config) { c.SMs = 1 << 20 }, "1048576 SMs"},
		{func(c *Config) { c.Channels = -1 }, "-1 DRAM channels"},
		{func(c *Config) { c.L2.SizeBytes = 0 }, "needs an L2"},
		{func(c *Config) { c.L2.SizeBytes = 1<<20 + 128 }, "no multiple of 16 ways x 128"},
		{func(c *Config) { c.L2.SizeBytes = 1 << 40 }, "L2: size"},
		{func(c *Config) { c.L2.SizeBytes = -1 }, "L2: size of -1"},
		{func(c *Config) { c.L2.LineBytes = 256 }, "line of 256 bytes: must be 32, 64 or 128"},
		{func(c *Config) { c.L2.Ways = 0 }, "0 ways"},
		{func(c *Config) { c.L2 = Level{1 << 28, 1 << 21, 128, 32} }, "L2: 2097152 ways: must be 1 to 1048576"},
		{func(c *Config) { c.L2.SectorBytes = 0 }, "sector of 0 bytes"},
		{func(c *Config) { c.L2.SectorBytes = 256 }, "sector of 256 bytes"},
		{func(c *Config) { c.L2.SectorBytes = 64 }, "L2: sector of 64 bytes: must be 32"},
		{func(c *Config) { c.L1Write = 7 }, "write policy 7"},
	} {
		bad := good
		c.change(&bad)
		if _, err := New(bad); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", bad, err, c.want)
		}
	}
	m := newModel(t, good)
	for _, c := range []struct {
		launch Launch
		want   string
	}{
		{Launch{0, Level{}}, "0 CTAs an SM"},
		{Launch{1, Level{1000, 2, 128, 32}}, "L1: size of 1000 bytes is no multiple"},
		{Launch{1, Level{1 << 33, 1, 128, 32}}, "L1: 134217728 lines in 2 SMs"},
	} {
		if err := m.Begin(c.launch); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.launch, err, c.want)
		}
	}
}

// TestBadCTAs: what does not fit is an error at Push.
func TestBadCTAs(t *testing.T) {
	m := newModel(t, one(4))
	if err := m.Begin(Launch{CTAsPerSM: 1}); err != nil {
		t.Fatal(err)
	}
	c := m.NewCTA()
	c.Add(0, Load, Runs{Words: []uint64{Run(1<<58, 1)}})
	if err := m.Push(c); err == nil || !strings.Contains(err.Error(), "beyond the model's address space") {
		t.Error(err)
	}
	small := newModel(t, Config{SMs: 1, Channels: 1, L2: Level{1 << 10, 1, 128, 32}, MaxStreamBytes: 16})
	if err := small.Begin(Launch{CTAsPerSM: 1}); err != nil {
		t.Fatal(err)
	}
	three := small.NewCTA()
	for range 3 {
		three.Add(0, Load, Runs{Words: []uint64{Run(0, 1)}})
	}
	if err := small.Push(three); err == nil || !strings.Contains(err.Error(), "more than 16 bytes, which is the limit") {
		t.Error(err)
	}
	c = m.NewCTA()
	c.Add(256, Load, Runs{Words: []uint64{Run(0, 1)}})
	if err := m.Push(c); err == nil || !strings.Contains(err.Error(), "at most 256 warps") {
		t.Error(err)
	}
}
