package sim

import (
	"fmt"
	"testing"

	"hyptx/internal/pipe"
)

// clustered is volta with clusters: GPCs of 4 SMs, whose network has round numbers.
func clustered(sms, size int) *Config {
	m := volta(sms)
	m.Cluster = Cluster{Size: size, GPCs: (sms + 3) / 4, LatencyCycles: 180, BytesPerCycle: 16, BarrierCycles: 100, OrderCycles: 300}
	return m
}

// TestPeerLoad: a chain of loads from another CTA's shared memory takes the latency of the
// network each, and what 128 bytes take of the way; chains of many warps share that.
func TestPeerLoad(t *testing.T) {
	const loads = 300
	p := chain(pipe.LoadShared, 1, 1)
	of := func(bytes uint64) func(cta, warp int) Trace {
		return func(cta, warp int) (t Trace) {
			for range loads {
				t = t.Block(0, 32).Access(Peer, 1, Reach(1-cta%2, bytes, 0, 0))
			}
			return t
		}
	}
	// A lane's word takes a quarter of a cycle; a warp's words take 8 of the owner's and the
	// reader's way, one after the other.
	r := bench{m: clustered(4, 2), p: p, ctas: 2, warps: 1, perSM: 1, of: of(4)}.run(t)
	near(t, "cycles a load", (r.Cycles-200)/loads, 180.5, 1)
	r = bench{m: clustered(4, 2), p: p, ctas: 2, warps: 16, perSM: 1, of: of(128)}.run(t)
	near(t, "cycles a load of 16 warps", (r.Cycles-200)/loads, max(180, 16*128/16), 5)
}

// ring is CTAs of a cluster each of which waits for a message from the one before, and sends
// one on.
func ring(size, rounds int, bytes uint64) (p *Program, of func(cta, warp int) Trace) {
	const waits, sends = 0, 1
	p = &Program{Values: 1, Blocks: []Block{
		waits: {Instrs: []Instr{{Kind: pipe.AtomicShared, Dst: []int{0}}, {Kind: pipe.Branch, Srcs: []int{0}}}},
		sends: {Instrs: []Instr{{Kind: pipe.StoreShared}}},
	}}
	return p, func(cta, warp int) (t Trace) {
		rank := cta % size
		for k := range rounds {
			if rank > 0 || k > 0 {
				n := uint64(k + 1)
				if rank == 0 {
					n = uint64(k)
				}
				t = t.Block(waits, 32).Access(Object, 1, n)
			}
			next := (rank + 1) % size
			t = t.Block(sends, 1).Access(Peer, 1, Reach(next, bytes, next, 1))
		}
		return t
	}
}

// TestPeerRing: a message takes the way to the next CTA, and what its bytes take to leave; the
// wait for it is answered as an access of an object is.
func TestPeerRing(t *testing.T) {
	const size, rounds = 4, 50
	m := clustered(4, size)
	way := m.way().Cycles()
	if want := (180.0 - 19 - 1) / 2; way != want {
		t.Fatalf("a way of %v cycles, by hand %v", way, want)
	}
	for _, bytes := range []uint64{16, 1600} {
		p, of := ring(size, rounds, bytes)
		r := bench{m: m, p: p, ctas: size, warps: 1, perSM: 1, of: of}.run(t)
		// The wait is answered in 28 cycles, the branch takes 4, the queue to the L1 one.
		hop := way + float64(bytes)/16 + 28 + 4 + 1
		near(t, fmt.Sprintf("cycles a hop of %d bytes", bytes), (r.Cycles-200)/(size*rounds), hop, 1)
	}
}

// TestCast: what is loaded for both CTAs of a cluster is read from the L2 once, comes to both,
// and takes each one's way back.
func TestCast(t *testing.T) {
	const tiles, blocks = 100, 16
	const copies, waits = 0, 1
	p := &Program{Values: 1, Blocks: []Block{
		copies: {Instrs: []Instr{{Kind: pipe.CopyAsync}}},
		waits:  {Instrs: []Instr{{Kind: pipe.AtomicShared, Dst: []int{0}}, {Kind: pipe.Branch, Srcs: []int{0}}}},
	}}
	// Each of two CTAs loads every other tile for both; or both load all.
	of := func(cast bool) func(cta, warp int) Trace {
		return func(cta, warp int) (t Trace) {
			for k := range tiles {
				var words []uint64
				for i := range blocks {
					words = append(words, Sectors(uint64(k*blocks+i), 15, 0))
				}
				switch {
				case !cast:
					t = t.Block(copies, 1).Access(BulkLoad, 1, words...)
				case k%2 == cta:
					to := []uint64{Reach(0, 0, 0, 1), Reach(1, 0, 1, 1)}
					t = t.Block(copies, 1).Access(Cast, 2, append(to, words...)...)
				}
				t = t.Block(waits, 32).Access(Object, 1, uint64(k+1))
			}
			return t
		}
	}
	m := clustered(4, 2)
	each := bench{m: m, p: p, ctas: 2, warps: 1, perSM: 1, of: of(false)}.run(t)
	cast := bench{m: m, p: p, ctas: 2, warps: 1, perSM: 1, of: of(true)}.run(t)
	if n := uint64(tiles * blocks * 4); cast.Memory.Reads != n || each.Memory.Reads != 2*n {
		t.Errorf("%d sectors are read from the L2 for both, %d by each; by hand %d and %d", cast.Memory.Reads, each.Memory.Reads, n, 2*n)
	}
	// DRAM, 16 blocks of 128 bytes over a way of 64 bytes a cycle, and two accesses by the
	// unit of loads: as where each loads its own, which waits for the lines of the other.
	near(t, "cycles a tile for both", cast.Cycles/tiles, 434+blocks*128/64+2*28, 10)
	near(t, "cycles a tile of each", each.Cycles/tiles, cast.Cycles/tiles, 15)
}

// TestCastRate: where all SMs load tiles of their own, each gets its share of what the L2 gives;
// where the CTAs of a cluster load each a part of one for all, each gets what its way back takes,
// however large the cluster. On an H100 these were 38 and 70 bytes a cycle (NVIDIA Developer
// Forums, thread 355253; clusters of 4, no more of 8), its file says 5072 of all SMs and 64.
func TestCastRate(t *testing.T) {
	const sms, tiles, blocks, ahead = 8, 200, 64, 4
	p := &Program{Values: 1, Blocks: []Block{
		{Instrs: []Instr{{Kind: pipe.CopyAsync}}},
		{Instrs: []Instr{{Kind: pipe.AtomicShared, Dst: []int{0}}, {Kind: pipe.Branch, Srcs: []int{0}}}},
	}}
	for _, size := range []int{1, 2, 4, 8} {
		m := clustered(sms, size)
		m.Cluster.GPCs, m.L2.BytesPerCycle = 1, sms*38.4
		part := blocks / size
		r := bench{m: m, p: p, ctas: sms, warps: 1, perSM: 1, of: func(cta, warp int) (t Trace) {
			rank := cta % size
			for k := range tiles {
				if k >= ahead { // all parts of the tile before that
					t = t.Block(1, 32).Access(Object, 1, uint64((k-ahead+1)*size))
				}
				var words []uint64
				for to := range size {
					words = append(words, Reach(to, 0, to, 1))
				}
				for i := range part {
					words = append(words, Sectors(uint64(cta/size*blocks+rank*part+i), 15, 0))
				}
				if size == 1 {
					t = t.Block(0, 1).Access(BulkLoad, 1, words[1:]...)
				} else {
					t = t.Block(0, 1).Access(Cast, size, words...)
				}
			}
			return t
		}}.run(t)
		want := 38.4
		if size > 1 {
			want = 64
		}
		near(t, fmt.Sprintf("bytes a cycle and SM, clusters of %d", size), tiles*blocks*128/(r.Cycles-200), want, 5)
	}
}

// TestClusterBarrier: a phase takes the barrier, and more where accesses are put in order; all
// wait for the one that comes last.
func TestClusterBarrier(t *testing.T) {
	const phases, late = 40, 50
	p := &Program{Values: 1, Blocks: []Block{
		{Instrs: []Instr{{Kind: pipe.Barrier}, {Kind: pipe.Barrier}}},
		{Instrs: chain(pipe.FP32, late, 1).Blocks[0].Instrs},
	}}
	for _, ordered := range []bool{false, true} {
		of := func(cta, warp int) (t Trace) {
			for range phases {
				if cta == 3 && warp == 1 {
					t = t.Block(1, 32)
				}
				t = t.Block(0, 32).ClusterBarrier(true, ordered).ClusterBarrier(false, ordered)
			}
			return t
		}
		r := bench{m: clustered(4, 4), p: p, ctas: 4, warps: 2, perSM: 1, of: of}.run(t)
		want := 100.0 + 4*late
		if ordered {
			want += 300
		}
		near(t, "cycles a phase", (r.Cycles-200)/phases, want, 3)
	}
}

// TestClusterPlaces: a cluster begins when the SMs of one GPC have places for all of its CTAs,
// on as many SMs as there are.
func TestClusterPlaces(t *testing.T) {
	const length = 1000
	// Of 6 SMs one GPC has 4, the other 2. With two places on each there are 8 and 4.
	m := clustered(6, 4)
	if n := m.Cluster.resident(6, 1); n != 4 {
		t.Errorf("%d CTAs are resident with a place on each SM, by hand 4", n)
	}
	if n := m.Cluster.resident(6, 2); n != 12 {
		t.Errorf("%d CTAs are resident with two places on each SM, by hand 12", n)
	}
	p := chain(pipe.FP32, length, 1)
	for _, c := range []struct{ ctas, perSM, waves int }{{12, 2, 1}, {16, 2, 2}, {8, 1, 2}} {
		r := bench{m: m, p: p, ctas: c.ctas, warps: 1, perSM: c.perSM, repeated: rounds(1)}.run(t)
		near(t, fmt.Sprintf("cycles of %d CTAs", c.ctas), r.Cycles, float64(c.waves)*(200+4*length), 2)
	}
	// One CTA of each cluster is longer: its place alone is taken, and no cluster begins until
	// there are four.
	of := func(cta, warp int) Trace { return rounds(1 + 2*(cta%4/3)) }
	r := bench{m: clustered(4, 4), p: p, ctas: 8, warps: 1, perSM: 1, of: of}.run(t)
	near(t, "cycles of clusters of one long CTA", r.Cycles, 2*(200+3*4*length), 2)
}

// TestClusterEnds: a CTA may end with messages on their way to others; what comes to one that
// has ended is lost; and of clusters whose beginnings alone were traced nobody waits for ever.
func TestClusterEnds(t *testing.T) {
	p, of := ring(2, 1, 16)
	bench{m: clustered(4, 2), p: p, ctas: 40, warps: 1, perSM: 2, of: of}.run(t)
	never := func(cta, warp int) Trace {
		if cta%2 == 0 {
			return Trace{}.Block(1, 1).None()
		}
		return Trace{}.Block(0, 32).Access(Object, 1, 1)
	}
	bench{m: clustered(4, 2), p: p, ctas: 8, warps: 1, perSM: 2, of: never, cut: true}.run(t)
}

// TestStoreGroups: who waits for the reads of its stores in bulk waits until they have left,
// who waits for the stores until the L2 has answered, and who waits for the last but one
// until that one is done.
func TestStoreGroups(t *testing.T) {
	const blocks = 64
	p := &Program{Values: 1, Blocks: []Block{
		{Instrs: []Instr{{Kind: pipe.CopyAsync}}},
		{Instrs: []Instr{{Kind: pipe.Fence, Waits: true}, {Kind: pipe.FP32}}},
	}}
	store := func(t Trace, at int) Trace {
		var words []uint64
		for i := range blocks {
			words = append(words, Sectors(uint64(at*blocks+i), 15, 15))
		}
		return t.Block(0, 1).Access(BulkStore, 1, words...)
	}
	m := volta(1)
	leaves := blocks * (1 + 128/32.0)
	for _, c := range []struct {
		name string
		wait uint64
		want float64
	}{
		{"nothing", 0, 0}, {"the reads of both", 2 | readBit, 2 * leaves}, {"the first", 1, leaves + 212}, {"both", 2, 2*leaves + 212},
	} {
		r := bench{m: m, p: p, ctas: 1, warps: 1, perSM: 1, of: func(cta, warp int) Trace {
			t := store(store(nil, 0), 1).Block(1, 32)
			if c.wait == 0 {
				return t.None()
			}
			return t.Access(Object, 1, c.wait)
		}}.run(t)
		// A warp's cycles are those of the CTA, from its beginning on.
		if got := r.WarpCycles - 200; got < c.want-2 || got > c.want+10 {
			t.Errorf("who waits for %s ends after %.0f cycles, by hand %.0f", c.name, got, c.want)
		}
	}
}
