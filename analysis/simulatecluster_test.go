package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"hyptx/internal/gpu"
)

// clusterKernel is a kernel for clusters of so many CTAs of a warp, and the manifest of a launch of
// so many. %rank is the CTA's rank, %next the one after it, %t0 its first thread.
func clusterKernel(body string, size, ctas int) (ptx, manifest string) {
	ptx = fmt.Sprintf(`.version 8.4
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) .reqnctapercluster %d
{
	.shared .align 128 .b8 tile[32768];
	.shared .align 8 .b64 bar;
	.reg .b16 %%h;
	.reg .b32 %%rank, %%next, %%t, %%tile, %%bar, %%to, %%tobar, %%i, %%parity, %%x;
	.reg .b64 %%in, %%out, %%state;
	.reg .pred %%t0, %%first, %%p, %%q;
	ld.param.u64 %%in, [in];
	ld.param.u64 %%out, [out];
	mov.u32 %%t, %%tid.x;
	setp.eq.u32 %%t0, %%t, 0;
	mov.u32 %%rank, %%cluster_ctarank;
	setp.eq.u32 %%first, %%rank, 0;
	add.u32 %%next, %%rank, 1;
	rem.u32 %%next, %%next, %d;
	mov.u32 %%tile, tile;
	mov.u32 %%bar, bar;
	mapa.shared::cluster.u32 %%to, %%tile, %%next;
	mapa.shared::cluster.u32 %%tobar, %%bar, %%next;
	mov.u32 %%i, 0;
	@%%t0 mbarrier.init.shared.b64 [%%bar], 1;
	barrier.cluster.arrive;
	barrier.cluster.wait;
`, size, size) + body + `
	ret;
}
`
	return ptx, fmt.Sprintf(`{"version": 1, "buffers": {"in": {"bytes": 4194304, "init": "zero"}, "out": {"bytes": 4194304, "init": "zero"}},
 "launches": [{"module": "k.ptx", "kernel": "k", "grid": [%d], "block": [32], "args": [{"buffer": "in"}, {"buffer": "out"}]}]}`, ctas)
}

// simulatedCluster simulates such a launch on an H100, and checks that jobs do not matter.
func simulatedCluster(t *testing.T, body string, size, ctas int) *Simulated {
	t.Helper()
	g, err := gpu.Get("h100-sxm")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	ptx, manifest := clusterKernel(body, size, ctas)
	for name, text := range map[string]string{"k.ptx": ptx, "m.json": manifest} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	one := simulated(t, filepath.Join(dir, "m.json"), 1, g).Launches[0].Simulated
	if one.Unfit != nil {
		t.Fatal(one.Unfit)
	}
	if more := simulated(t, filepath.Join(dir, "m.json"), 4, g).Launches[0].Simulated; !reflect.DeepEqual(one, more) {
		t.Errorf("%.0f cycles, with four jobs %.0f", one.Cycles, more.Cycles)
	}
	return one
}

// perRound returns the cycles of a round of a loop, by the difference of two numbers of them.
func perRound(t *testing.T, body string, size, ctas int) float64 {
	t.Helper()
	const few, many = 20, 60
	at := func(n int) float64 {
		return simulatedCluster(t, strings.ReplaceAll(body, "ROUNDS", fmt.Sprint(n)), size, ctas).Cycles
	}
	return (at(many) - at(few)) / (many - few)
}

// takes fails if cycles are not in a range.
func takes(t *testing.T, what string, got, low, high float64) {
	t.Helper()
	if t.Logf("%s: %.1f cycles (%.0f to %.0f)", what, got, low, high); !(got >= low && got <= high) {
		t.Errorf("%s: %.1f cycles, by hand %.0f to %.0f", what, got, low, high)
	}
}

// endRound ends a loop that begins at LOOP.
const endRound = `
	add.u32 %i, %i, 1;
	setp.lt.u32 %p, %i, ROUNDS;
	@%p bra LOOP;
`

// meet is a relaxed barrier of the cluster, ringBody a message that goes round it.
const (
	meet     = "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;"
	ringBody = `
	@!%t0 bra END;
LOOP:
	and.b32 %parity, %i, 1;
	mbarrier.arrive.expect_tx.shared.b64 %state, [%bar], 4;
	@%first st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%to], %i, [%tobar];
WAIT:
	mbarrier.try_wait.parity.shared.b64 %p, [%bar], %parity;
	@!%p bra WAIT;
	@!%first st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%to], %i, [%tobar];` + endRound + `
END:
` + meet
)

// TestSimulateClusters: what CTAs of a cluster wait for each other takes as long as the numbers of
// the H100's file say (internal/gpu/capability/sm_90.json), and some cycles of a loop's own.
func TestSimulateClusters(t *testing.T) {
	const barrier, order, latency, bytesPerCycle, shared = 102, 749, 180, 16.3, 29
	const way = (latency - shared - 1) / 2.0
	takes(t, "a relaxed barrier", perRound(t, "LOOP:\n"+meet+endRound, 4, 8), barrier, barrier+40)
	takes(t, "a barrier", perRound(t, "LOOP:\n"+strings.Replace(meet, ".relaxed", "", 1)+endRound, 4, 8), barrier+order, barrier+order+40)
	takes(t, "a load of the next CTA's word", perRound(t, "mov.u32 %x, 0;\nLOOP:\nadd.u32 %x, %x, %to;\nld.shared::cluster.u32 %x, [%x];"+endRound+meet+"\nst.global.u32 [%out], %x;", 2, 2), latency, latency+20)

	// A message of a word goes round a cluster of four: its first thread waits for it, and sends it
	// on, to a phase of the next CTA's object each.
	takes(t, "a round of a message", perRound(t, ringBody, 4, 4), 4*(way+shared), 4*(way+shared+70))

	// Of a tile of 16 KiB each of two CTAs loads half for both: both get all of it from DRAM, 340 ns
	// away at 1.98 GHz, over their way from the L2, 64 bytes a cycle.
	product := `
	setp.eq.u32 %q, %rank, 0;
	mov.b16 %h, 3;
	shl.b32 %x, %rank, 13;
	add.u32 %to, %tile, %x;
	cvt.u64.u32 %state, %x;
	add.u64 %in, %in, %state;
	@!%t0 bra END;
LOOP:
	and.b32 %parity, %i, 1;
	mbarrier.arrive.expect_tx.shared.b64 %state, [%bar], 16384;
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%to], [%in], 8192, [%bar], %h;
	add.u64 %in, %in, 16384;
WAIT:
	mbarrier.try_wait.parity.shared.b64 %p, [%bar], %parity;
	@!%p bra WAIT;
` + endRound + `
END:
` + meet
	takes(t, "a tile for both", perRound(t, product, 2, 2), 673+16384/64, 673+16384/64+60)
	few := simulatedCluster(t, strings.ReplaceAll(product, "ROUNDS", "20"), 2, 2)
	if want := uint64(20 * 16384 / 32); few.Memory.Reads != want {
		t.Errorf("%d sectors are read from the L2 for both CTAs, by hand %d", few.Memory.Reads, want)
	}

	// A copy of 16 KiB to the next CTA takes what the network between SMs takes.
	peer := `
	@!%t0 bra END;
LOOP:
	and.b32 %parity, %i, 1;
	mbarrier.arrive.expect_tx.shared.b64 %state, [%bar], 16384;
	cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%to+16384], [%tile], 16384, [%tobar];
WAIT:
	mbarrier.try_wait.parity.shared.b64 %p, [%bar], %parity;
	@!%p bra WAIT;
` + endRound + `
END:
` + meet
	takes(t, "a copy to the next CTA", perRound(t, peer, 2, 2), way+16384/bytesPerCycle, way+16384/bytesPerCycle+100)
}

// TestSimulateStoreGroups: a thread waits for its group of bulk stores until the L2 has answered, for what
// they read until all of it has left the SM, at 32 bytes a cycle and a cycle a packet; while one group may
// be left, stores follow each other as fast as they leave.
func TestSimulateStoreGroups(t *testing.T) {
	const bytes, latency = 16384, 280 // cycles to the L2 and back (internal/gpu/data/h100-sxm.json)
	const leaves = bytes/32 + bytes/128
	body := func(wait string) string {
		return `
	@!%t0 bra END;
LOOP:
	cp.async.bulk.global.shared::cta.bulk_group [%out], [%tile], 16384;
	cp.async.bulk.commit_group;
	cp.async.bulk.wait_group` + wait + `;` + endRound + `
END:
`
	}
	for _, size := range []int{1, 2} {
		takes(t, "a store", perRound(t, body(" 0"), size, size), leaves+latency, leaves+latency+40)
		takes(t, "what a store reads", perRound(t, body(".read 0"), size, size), leaves, leaves+40)
		takes(t, "the store before", perRound(t, body(" 1"), size, size), leaves, leaves+40)
	}
}

// TestSimulateClusterCalls: a function that is called may meet the cluster, or wait for groups of stores,
// but not one half of a barrier, which is said before anything runs.
func TestSimulateClusterCalls(t *testing.T) {
	const store = "@!%t0 bra END;\ncp.async.bulk.global.shared::cta.bulk_group [%out], [%tile], 16384;\ncp.async.bulk.commit_group;\ncall f;\nst.global.u32 [%in], %t;\nEND:\n"
	g, err := gpu.Get("h100-sxm")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		function, body, why string
		least               float64 // cycles
	}{
		{"barrier.cluster.arrive; barrier.cluster.wait;", "call f;\nst.global.u32 [%in], %t;\ncall f;\n", "", 3 * 851},
		{"cp.async.bulk.wait_group 0;", store, "", 851 + 16384/32 + 16384/128 + 280},
		{"barrier.cluster.wait;", "barrier.cluster.arrive;\ncall f;\n", "the other half of barrier.cluster is in another function", 0},
		{"barrier.cluster.arrive;", "call f;\nbarrier.cluster.wait;\n", "the other half of barrier.cluster is in another function", 0},
	} {
		ptx, manifest := clusterKernel(c.body, 2, 2)
		p := program{strings.Replace(ptx, ".visible .entry", ".func f() { "+c.function+" ret; }\n.visible .entry", 1), manifest}
		o := DefaultOptions()
		o.Simulate = []*gpu.GPU{g}
		s, err := OpenManifest(p.source(t, t.TempDir()), o)
		if err != nil {
			t.Fatal(err)
		}
		profile, err := s.Profile(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		x := profile.Launches[0].Simulated
		if c.why == "" && (x.Unfit != nil || x.Cycles < c.least) || c.why != "" && (x.Unfit == nil || s.Unsimulated == nil || !strings.Contains(s.Unsimulated.Error(), c.why)) {
			t.Errorf("%s: %.0f cycles, by hand at least %.0f; %v, before anything ran %v", c.function, x.Cycles, c.least, x.Unfit, s.Unsimulated)
		}
	}
}

// TestClusterGPUs: where nobody has measured clusters there is no time, and a reason; and no cluster
// is larger than what a GPC has room for.
func TestClusterGPUs(t *testing.T) {
	for _, c := range []struct {
		gpu, why string
		size     int
	}{{"gv100", "nothing is known of clusters on compute capability 7.0", 2}, {"h100-sxm", "a cluster of 16 CTAs finds no room", 16}} {
		g, err := gpu.Get(c.gpu)
		if err != nil {
			t.Fatal(err)
		}
		ptx, manifest := clusterKernel("", c.size, c.size)
		if c.size == 16 { // an SM has room for one; of a GPU with 16 SMs a GPC has 2
			of := *g
			of.SMs = &gpu.Int{Value: 16, Source: "s"}
			g = &of
			manifest = strings.Replace(manifest, `"block"`, `"dynamicSharedBytes": 160000, "block"`, 1)
		}
		p := program{ptx, manifest}
		src := p.source(t, t.TempDir())
		if err := os.WriteFile(src.Name, src.Text, 0o666); err != nil {
			t.Fatal(err)
		}
		x := simulated(t, src.Name, 1, g).Launches[0].Simulated
		if x.Unfit == nil || !strings.Contains(x.Unfit.Error(), c.why) {
			t.Errorf("%s: %v, want %s", c.gpu, x.Unfit, c.why)
		}
		if s := p.session(t, Control); s.Unsimulated != nil || s.LargestCluster != c.size {
			t.Errorf("%s: before anything runs: %v, clusters of %d", c.gpu, s.Unsimulated, s.LargestCluster)
		}
	}
}

// TestSimulateRandomClusters: random kernels of clusters that copy to each other, arrive at each other's
// objects and meet (clusterBody) come to their end in the simulation, whole and cut, whatever jobs there
// are.
func TestSimulateRandomClusters(t *testing.T) {
	g, err := gpu.Get("h100-sxm")
	if err != nil {
		t.Fatal(err)
	}
	for _, seed := range randomSeeds(41000, 30, 10) {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		p := program{checkPrelude + clusterBody(r) + checkEnd, clusterManifest}
		src := p.source(t, t.TempDir())
		var first *Simulated
		for _, jobs := range []int{1, 3} {
			o := DefaultOptions()
			o.Jobs, o.Simulate, o.SimulatedInstructions, o.Forgive = jobs, []*gpu.GPU{g}, 200_000, true
			s, err := OpenManifest(src, o)
			if err != nil {
				t.Fatal(err)
			}
			profile, err := s.Profile(t.Context())
			if err != nil {
				break // of the program: too many arrivals
			}
			x := profile.Launches[0].Simulated
			if x.Unfit != nil {
				t.Errorf("seed %d: %v\n%s", seed, x.Unfit, numbered(p.ptx))
				break
			}
			if first == nil {
				first = x
			} else if !reflect.DeepEqual(first, x) {
				t.Errorf("seed %d: %.0f cycles, with %d jobs %.0f", seed, first.Cycles, jobs, x.Cycles)
			}
		}
	}
}

// TestSimulateCutClusters: where memory is too little for whole traces clusters are simulated as far as
// these go, and the time is nearly that of all; of many clusters some are simulated, whole ones.
func TestSimulateCutClusters(t *testing.T) {
	g, err := gpu.Get("h100-sxm")
	if err != nil {
		t.Fatal(err)
	}
	run := func(ctas, rounds int, budget, bytes int64) *Simulated {
		ptx, manifest := clusterKernel(strings.ReplaceAll(ringBody, "ROUNDS", fmt.Sprint(rounds)), 4, ctas)
		o := DefaultOptions()
		o.Simulate, o.SimulatedInstructions, o.MaxMemoryBytes = []*gpu.GPU{g}, budget, bytes
		s, err := OpenManifest(program{ptx, strings.ReplaceAll(manifest, "4194304", "4096")}.source(t, t.TempDir()), o)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Profile(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return p.Launches[0].Simulated
	}
	whole, cut := run(4, 450, 200_000, 1<<30), run(4, 450, 200_000, 4<<20)
	if whole.Unfit != nil || cut.Unfit != nil || whole.Cut || !cut.Cut || math.Abs(cut.Cycles/whole.Cycles-1) > 0.02 {
		t.Errorf("%.0f cycles (%v), cut (%t, %v) %.0f", whole.Cycles, whole.Unfit, cut.Cut, cut.Unfit, cut.Cycles)
	}
	if many := run(800, 5, 10_000, 1<<30); many.Unfit != nil || many.Estimate.Simulated >= 800 || many.Estimate.Simulated%4 != 0 {
		t.Errorf("%+v", many)
	}
}
