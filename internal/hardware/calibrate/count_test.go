package calibrate

import (
	"context"
	"maps"
	"math"
	"strings"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/gpu"
	"hyptx/power"
)

func testGPU(t testing.TB, name string) *gpu.GPU {
	t.Helper()
	g, err := gpu.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// counters keep what the tests of this package have counted: emulating all
// benchmarks takes seconds, and a count depends on nothing but setup and GPU.
var counters = map[string]*Counter{}

func testCounter(t testing.TB, name string) *Counter {
	t.Helper()
	if counters[name] == nil {
		counters[name] = NewCounter(testGPU(t, name))
	}
	return counters[name]
}

// expected is what a mix should do, from its steps: by part, and how many
// instructions of threads that is.
func expected(t *testing.T, b *Benchmark, s Setup) (work map[string]float64, instructions float64) {
	t.Helper()
	parts, err := b.parts(s.CC)
	if err != nil {
		t.Fatal(err)
	}
	work = map[string]float64{}
	for _, p := range parts {
		perTurn := 0.0
		for k := range p.steps {
			chains := max(p.chains, 1)
			for _, line := range p.rounds[k/chains%len(p.rounds)] {
				for _, w := range p.work {
					if strings.HasPrefix(line, w) {
						perTurn++
					}
				}
			}
		}
		if strings.HasPrefix(p.name, "branch") {
			perTurn /= 2 // each lane takes one side
		}
		n := perTurn * float64(s.Iterations) * float64(s.Grid*s.Block/warpLanes*s.Lanes)
		work[p.name] += n * p.each
		instructions += n
	}
	return work, instructions
}

// leastShare is which part of a benchmark's instructions has to be its work;
// 0.95 where nothing is said.
var leastShare = map[string]float64{
	"launch": 0, "branch_lanes": .9, "branch_half": .9,
	// Negations, absolute values and additions of addresses stand beside each.
	"sfu_ex2": .49, "sfu_lg2": .49, "constant": .49, "shared_sfu": .72, "sfu_mix": .78, "constant_fma": .65, "constant_shared": .65,
	// These wait for memory: what they count is bytes.
	"read4": .1, "write4": .1, "copy4": .1, "read16": .1, "write16": .1, "copy16": .1,
	"add_mem": .7, "mul_mem": .7, "fma_mem": .6, "stencil_like": .7,
}

// TestEveryBenchmarkDoesWhatItSays counts each benchmark by emulation and holds
// the counts against its mix: exactly, and nearly nothing else.
func TestEveryBenchmarkDoesWhatItSays(t *testing.T) {
	c := testCounter(t, "gv100")
	if !c.Caches {
		t.Fatal("the caches of gv100 are known")
	}
	chip := Chip{CC: 80, SMs: 80, L2Bytes: 6 << 20, MemoryBytes: 32 << 30}
	for i := range benchmarks {
		b := &benchmarks[i]
		if b.Name == "idle" {
			continue
		}
		s := b.Setup(chip, 0, 32)
		s.Iterations = 1000
		n, err := c.Count(context.Background(), s)
		if err != nil {
			t.Errorf("%s: %v", b.Name, err)
			continue
		}
		work, instructions := expected(t, b, s)
		if !maps.Equal(n.Work, work) || n.PartInstructions != instructions {
			t.Errorf("%s: counted %v (%g instructions), its mix says %v (%g)", b.Name, n.Work, n.PartInstructions, work, instructions)
		}
		if r := n.Launch.Facts.X(analysis.RegistersPerThread); r > mostRegisters {
			t.Errorf("%s: about %g registers a thread: not all CTAs fit", b.Name, r)
		}
		least, ok := leastShare[b.Name]
		if !ok {
			least = .95
		}
		if share := n.PartInstructions / n.Instructions; share < least && instructions > 0 {
			t.Errorf("%s: only %.1f %% of its instructions are its work", b.Name, 100*share)
		}
	}
}

// TestCounters holds the power model's counters of some benchmarks: what each
// turn adds, for each thread or warp.
func TestCounters(t *testing.T) {
	c := testCounter(t, "gv100")
	chip := Chip{CC: 80, SMs: 80, L2Bytes: 6 << 20, MemoryBytes: 32 << 30}
	const turns = 1000
	threads := 80 * 4 * 256. * turns
	warps := threads / 32
	for _, want := range []struct {
		benchmark string
		counter   power.Counter
		n         float64
	}{
		{"int_add", power.Int, threads * 258}, // with the loop's counter and its comparison
		{"int_mul", power.IntMul, threads * 128}, {"int_mul24", power.IntMul24, threads * 256}, {"int_mul32", power.IntMul32, threads * 256},
		{"int_mad", power.IntMul32, threads * 256}, {"int_div", power.IntDiv, threads * 64},
		{"fp_add", power.FP, threads * 256}, {"fp_mul", power.FPMul, threads * 256}, {"fp_fma", power.FPMul, threads * 256}, {"fp_div", power.FPDiv, threads * 64},
		{"dp_add", power.DP, threads * 256}, {"dp_mul", power.DPMul, threads * 256}, {"dp_fma", power.DPMul, threads * 256}, {"dp_div", power.DPDiv, threads * 64},
		{"sfu_ex2", power.Exp, threads * 128}, {"sfu_lg2", power.Log, threads * 128}, {"sfu_sin", power.Sin, threads * 128}, {"sfu_sqrt", power.Sqrt, threads * 128},
		{"tensor", power.Tensor, threads * 64}, {"shared", power.SharedPass, warps * 128},
		{"l1", power.L1ReadHit, warps * 128 * 8}, {"l2", power.L2ReadHit, warps * 128 * 8},
		{"read16", power.DRAMRead, threads * 64 / 32}, {"write16", power.DRAMWrite, threads * 64 / 32},
		{"copy16", power.DRAMRead, threads * 64 / 32}, {"copy16", power.DRAMWrite, threads * 64 / 32},
		{"register_file", power.RegRead, 32 * warps * (264*3 + 2)}, // fma, add and setp of the loop
	} {
		b, err := Lookup(want.benchmark)
		if err != nil {
			t.Fatal(err)
		}
		s := b.Setup(chip, 0, 32)
		s.Iterations = turns
		n, err := c.Count(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		got := n.Launch.Executed.Counts[want.counter] + n.Launch.Memory[want.counter]
		if math.Abs(got-want.n) > 0.003*want.n { // before and after the loop
			t.Errorf("%s: %s is %g, want %g", b.Name, want.counter, got, want.n)
		}
	}
}

// TestLanesAndSMs: fewer lanes and SMs do less, in proportion.
func TestLanesAndSMs(t *testing.T) {
	c := testCounter(t, "gv100")
	chip := Chip{CC: 80, SMs: 80, L2Bytes: 6 << 20, MemoryBytes: 32 << 30}
	b, err := Lookup("int_fp")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ sms, lanes, threads int }{{0, 8, 80 * 4 * 8 * 8}, {0, 1, 80 * 4 * 8}, {40, 32, 40 * 1024}, {1, 32, 1024}} {
		s := b.Setup(chip, x.sms, x.lanes)
		s.Iterations = 100
		n, err := c.Count(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		if want := float64(x.threads) * 100 * 256; n.PartInstructions != want {
			t.Errorf("%+v: %g instructions, want %g", x, n.PartInstructions, want)
		}
		if lanes := n.Launch.Executed.Lanes; math.Abs(lanes-float64(x.lanes)) > .02*float64(x.lanes) {
			t.Errorf("%+v: %g lanes", x, lanes)
		}
	}
}

// TestExtend: the count of a long loop by extension is that by emulation.
func TestExtend(t *testing.T) {
	c := testCounter(t, "gv100")
	for _, name := range []string{"int_fp_sfu", "shared", "branch_half"} {
		b, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		s := b.Setup(Small, 0, 32)
		s.Iterations = 50
		n, err := c.Count(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := c.emulate(context.Background(), b, s)
		if err != nil {
			t.Fatal(err)
		}
		if n.Instructions != whole.Instructions || !maps.Equal(n.Work, whole.Work) || n.Launch.Executed.Counts != whole.Launch.Executed.Counts {
			t.Errorf("%s: extended %g %v, emulated %g %v", name, n.Instructions, n.Work, whole.Instructions, whole.Work)
		}
	}
}

// TestValuesStayFinite goes through the sums, products and multiply-adds of chains for
// long: they neither grow without bound nor come to rest at zero.
func TestValuesStayFinite(t *testing.T) {
	x, y := float32(1), float32(1.25)
	for range 1_000_000 {
		x = y - x
		y = x - y
		if !(math.Abs(float64(x)) < 8 && math.Abs(float64(y)) < 8) {
			t.Fatalf("fp_add leaves its range: %g %g", x, y)
		}
	}
	m, f := float32(1.7), float64(-.4)
	for range 1_000_000 {
		m = float32(m * 1.5)
		m = float32(m * float32(2./3))
		if f = f*f - 1.8; !(m > .5 && m < 8 && math.Abs(f) < 2) {
			t.Fatalf("fp_mul or fp_fma leaves its range: %g %g", m, f)
		}
	}
}
