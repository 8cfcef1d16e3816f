package cache

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"hyptx/internal/traffic/stream"
)

// TestRepeatedLoads holds the model against the naive one on the same few
// requests again and again, with stores and atomics among them, in caches that
// hold all of them or not, and with tables of recent loads that are too small.
func TestRepeatedLoads(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 2))
		c := Config{SMs: 1 + r.IntN(3), L1Write: WritePolicy(r.IntN(3)), Channels: 1, Workers: r.IntN(3), L2: randomLevel(r, 24)}
		m, ref := newModel(t, c), newReference(c)
		m.worthSharing, m.maxQueued = 0, 1+r.IntN(1000)
		small := func(c *lines) { c.recent.bits, c.recent.table = 2, make([]recentLoad, 4) }
		if seed%2 == 0 {
			small(&m.l2.lines)
		}
		for i := range m.sms {
			small(&m.sms[i].l1.lines)
		}
		for n := range 3 {
			l := Launch{1 + r.IntN(3), randomLevel(r, 16)}
			ctas := repeatedCTAs(r)
			if got, want := launch(t, m, l, ctas), ref.launch(l, ctas); got != want {
				t.Fatalf("seed %d, launch %d, %+v %+v:\n got %+v\nwant %+v", seed, n, c, l, got, want)
			}
		}
	}
}

// repeatedCTAs are made of a few requests of many blocks.
func repeatedCTAs(r *rand.Rand) []refCTA {
	pool := make([]refRequest, 1+r.IntN(10))
	for i := range pool {
		stride := uint64(1 + r.IntN(16))
		first := uint64(r.IntN(300))
		for n := range uint64(2 + r.IntN(30)) {
			pool[i].sectors = append(pool[i].sectors, first+n*stride)
		}
	}
	others := r.IntN(2) * 40 // one request of so many is no load
	ctas := make([]refCTA, 1+r.IntN(8))
	for i := range ctas {
		ctas[i] = make(refCTA, 1+r.IntN(4))
		for w := range ctas[i] {
			for range 60 {
				req := pool[r.IntN(len(pool))]
				if r.IntN(4) > 0 {
					req = pool[w%len(pool)]
				}
				if others > 0 && r.IntN(others) == 0 {
					req.kind = [...]stream.Kind{stream.LoadPast, stream.Store, stream.Atomic}[r.IntN(3)]
				}
				ctas[i][w] = append(ctas[i][w], req)
			}
		}
	}
	return ctas
}

// setOf is the set of a line by division.
func setOf(line, sets uint64) uint64 {
	begin, _ := bits.Mul64(line/sets*0x9E3779B97F4A7C15, sets)
	return (line%sets + begin) % sets
}

// TestSet: sets of any number and lines of any.
func TestSet(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	for range 100_000 {
		n := 1 + r.Uint64N(1<<r.IntN(27))
		c := lines{sets: n, inverse: (1<<64 - 1) / n}
		line := r.Uint64() >> r.IntN(64)
		for _, line := range []uint64{line, line / n * n, line/n*n - 1} {
			if got, want := c.set(line), setOf(line, n); got != want {
				t.Fatalf("line %d of %d sets: %d, want %d", line, n, got, want)
			}
		}
	}
}

// TestStrides: lines that are a power of two apart, as pages, matrices' rows and the local memory of
// warps are, meet at least a quarter of the sets, so that none has more than four times as many lines
// on average as if they lay side by side. Chance would meet 63 % (1 - 1/e); some strides meet fewer.
func TestStrides(t *testing.T) {
	const sets = 1024
	c := lines{sets: sets, inverse: (1<<64 - 1) / sets}
	for stride := uint(0); stride < 50; stride++ {
		met := map[uint64]bool{}
		for n := range uint64(sets) {
			met[c.set(n<<stride)] = true
		}
		if len(met) < sets/4 {
			t.Errorf("lines 2^%d apart meet %d of %d sets", stride, len(met), sets)
		}
	}
}

// TestFullBuckets: an index of two buckets, of which one is often full.
func TestFullBuckets(t *testing.T) {
	var c lines
	c.init(Level{12 * 128, 12, 128, 32})
	c.recent.init(1)
	c.index.init(2)
	ref := newRefCache(Level{12 * 128, 12, 128, 32})
	r := rand.New(rand.NewPCG(3, 2))
	for n := range 20_000 {
		line := r.Uint64N(uint64(14 + n/1000))
		i, known := c.find(line), ref.find(line, true) != nil
		if (i != none) != known {
			t.Fatalf("access %d: line %d in slot %d, want known: %v", n, line, i, known)
		}
		if known {
			c.touch(i)
			continue
		}
		_, victim, _ := c.replace(line)
		if _, want := ref.place(line); want != nil && victim != want.line || want == nil && victim != noLine {
			t.Fatalf("access %d: line %d replaced line %d, want %+v", n, line, victim, want)
		}
	}
	if !c.index.anyPassed {
		t.Error("no bucket was full")
	}
}
