package analysis

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"hyptx/internal/gpu"
	"hyptx/internal/sim"
	"hyptx/internal/source"
)

// simulated profiles a manifest with and without simulations of a GPU.
func simulated(t *testing.T, path string, jobs int, gpus ...*gpu.GPU) *Profile {
	t.Helper()
	o := DefaultOptions()
	o.Jobs, o.Simulate, o.SimulatedInstructions = jobs, gpus, 200_000
	return profiledWith(t, path, o)
}

// profiledWith profiles a manifest.
func profiledWith(t *testing.T, path string, o Options) *Profile {
	t.Helper()
	src, err := source.Read(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenManifest(src, o)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSimulate: a simulation changes no count, does not depend on jobs, and says that
// something takes time.
func TestSimulate(t *testing.T) {
	g, err := gpu.Get("gv100")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"../examples/vector_add.json", "../ptx-samples/kernels/gemm_tiled.json", "../ptx-samples/kernels/softmax.json", "../ptx-samples/kernels/conv_tiled.json"} {
		without, one, two := simulated(t, path, 2).On(g), simulated(t, path, 1, g), simulated(t, path, 2, g)
		for i, row := range one.Rows {
			counted := *row // memory is what the simulation estimates
			counted.MemoryBlock, counted.CacheBlock = without.Rows[i].MemoryBlock, without.Rows[i].CacheBlock
			if !reflect.DeepEqual(&counted, without.Rows[i]) {
				t.Errorf("%s: row %d: %+v, without simulation %+v", path, i, counted, without.Rows[i])
			}
		}
		for i, lp := range one.Launches {
			if lp.row().Kind == "total" {
				continue
			}
			x, y := lp.Simulated, two.Launches[i].Simulated
			if x == nil || !(x.Cycles > 0) || x.Issued == 0 {
				t.Fatalf("%s: launch %d: %+v", path, i, x)
			}
			if !reflect.DeepEqual(x, y) {
				t.Errorf("%s: launch %d: %+v, with two jobs %+v", path, i, *x.Estimate, *y.Estimate)
			}
		}
	}
}

// TestSimulatedOrderIsNotJobs: where CTAs take their work from a counter, or find what others
// have stored, the time that is simulated does not depend on jobs.
func TestSimulatedOrderIsNotJobs(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	g, err := gpu.Get("gv100")
	if err != nil {
		t.Fatal(err)
	}
	for name, take := range map[string]string{
		"tickets":            "atom.global.add.u32 %r2, [%d1], 1;",
		"what others stored": "ld.global.u32 %r2, [%d1];\nadd.u32 %r5, %r2, 1;\nst.global.u32 [%d1], %r5;",
	} {
		body := "T:\n" + take + "\nsetp.ge.u32 %p1, %r2, 600;\n@%p1 bra E;\nand.b32 %r3, %r2, 127;\nW:\nsub.s32 %r3, %r3, 1;\nsetp.gt.s32 %p2, %r3, 0;\n@%p2 bra W;\nbra T;\nE:\nret;"
		p := program{
			entry(".param .u64 a", "ld.param.u64 %d1, [a];\n"+body),
			`{"version": 1, "buffers": {"a": {"bytes": 1024, "init": "zero"}}, "launches": [{"module": "k.ptx", "kernel": "k", "grid": [120], "block": [32], "args": [{"buffer": "a"}]}]}`,
		}
		src := p.source(t, t.TempDir())
		if err := os.WriteFile(src.Name, src.Text, 0o666); err != nil {
			t.Fatal(err)
		}
		one := simulated(t, src.Name, 1, g).Launches[0].Simulated
		for range 3 {
			if more := simulated(t, src.Name, 4, g).Launches[0].Simulated; !reflect.DeepEqual(one, more) {
				t.Errorf("%s: %.0f cycles, with four jobs %.0f", name, one.Cycles, more.Cycles)
			}
		}
	}
}

// TestSimulateFails: a launch that cannot be simulated, here for want of tensor cores,
// keeps its counts, and says why it has no time.
func TestSimulateFails(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"k.ptx": `.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b32 %r<4>, %a<2>, %b;
	.reg .b64 %rd;
	ld.param.u64 %rd, [out];
	mov.b32 %a0, 0;
	mov.b32 %a1, 0;
	mov.b32 %b, 0;
	mov.b32 %r0, 0;
	mov.b32 %r1, 0;
	mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r0,%r1}, {%a0,%a1}, {%b}, {%r0,%r1};
	st.global.u32 [%rd], %r0;
	ret;
}
`,
		"m.json": `{"version": 1, "buffers": {"out": {"bytes": 256, "type": "u32", "init": "zero"}},
			"launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [32], "args": [{"buffer": "out"}]}]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	g, err := gpu.Get("gtx-1080-ti")
	if err != nil {
		t.Fatal(err)
	}
	lp := simulated(t, filepath.Join(dir, "m.json"), 1, g).Launches[0]
	if x := lp.Simulated; x == nil || x.Unfit == nil || !strings.Contains(x.Unfit.Error(), "tensor cores") {
		t.Errorf("%+v", x)
	}
	if n := lp.Facts.Of(WarpInstructions); !n.Known || n.N != 9 {
		t.Errorf("%v warp instructions; the kernel has 9", n)
	}
}

// TestSimulateAlone: what addresses rest on within a launch is not run to count it; what
// an earlier launch stored of them is there.
func TestSimulateAlone(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"k.ptx": `.version 7.0
.target sm_70
.address_size 64
.visible .entry scatter(.param .u64 to, .param .u32 stride)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd0, [to];
	ld.param.u32 %r1, [stride];
	mov.u32 %r0, %tid.x;
	mad.wide.u32 %rd1, %r0, 4, %rd0;
	mul.lo.u32 %r1, %r1, %r0;
	st.global.u32 [%rd1], %r1;
	ret;
}
.visible .entry gather(.param .u64 index, .param .u64 from)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	.shared .align 4 .b8 at[128];
	ld.param.u64 %rd0, [index];
	ld.param.u64 %rd2, [from];
	mov.u32 %r0, %tid.x;
	mad.wide.u32 %rd1, %r0, 4, %rd0;
	ld.global.u32 %r1, [%rd1];
	mov.u32 %r2, at;
	mad.lo.u32 %r2, %r0, 4, %r2;
	st.shared.u32 [%r2], %r1;
	ld.shared.u32 %r1, [%r2];
	cvt.u64.u32 %rd1, %r1;
	add.u64 %rd1, %rd1, %rd2;
	ld.global.u32 %r3, [%rd1];
	st.global.u32 [%rd1], %r3;
	ret;
}
`,
		"m.json": `{"version": 1, "buffers": {"at": {"bytes": 128, "type": "u32", "init": "zero"}, "x": {"bytes": 65536, "type": "u32", "init": "zero"}},
			"launches": [{"module": "k.ptx", "kernel": "scatter", "grid": [1], "block": [32], "args": [{"buffer": "at"}, {"value": 128}]},
				{"module": "k.ptx", "kernel": "gather", "grid": [1], "block": [32], "args": [{"buffer": "at"}, {"buffer": "x"}]}]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	g, err := gpu.Get("gv100")
	if err != nil {
		t.Fatal(err)
	}
	p := simulated(t, filepath.Join(dir, "m.json"), 1, g)
	if x := p.Launches[1].Simulated; x.Unfit != nil || x.Memory.Writes != 32 {
		t.Errorf("%+v: 32 lanes write a sector each, where the first launch said", x)
	}
	if n := p.Launches[1].Facts.Of(EmulatedWarpInstructions); n.N != 0 {
		t.Errorf("%d instructions of a kernel that decides nothing were emulated for its counts", n.N)
	}
}

// TestSimulatedMemory: what a simulation says of memory is what the cache model counts
// where all CTAs are simulated: exactly where order does not matter; and it is marked.
func TestSimulatedMemory(t *testing.T) {
	g, err := gpu.Get("gv100")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"../examples/vector_add.json", "../ptx-samples/kernels/gemm_tiled.json"} {
		o := DefaultOptions()
		o.Mode, o.GPUs = Memory, []*gpu.GPU{g}
		counted := profiledWith(t, path, o)
		p := simulated(t, path, 2, g).On(g)
		got, want := p.Launches[0], counted.Launches[0]
		for c := range NumCounters {
			x, y := got.Facts.Of(c), want.Facts.Of(c)
			switch {
			case c == FootprintBytes && x.Known:
				t.Errorf("%s: a footprint of %d bytes, which nobody counted", path, x.N)
			case counters[c].block == blockMoved && c != FootprintBytes && x != y,
				(c == L2WriteSectors || c == L1WriteHits) && x != y:
				t.Errorf("%s: %s: %v, counted %v", path, counters[c].what, x, y)
			case counters[c].block == blockCached && c != DRAMRowActivations && y.N > 1000 && math.Abs(float64(x.N)/float64(y.N)-1) > 0.1:
				t.Errorf("%s: %s: %v, modelled %v", path, counters[c].what, x, y)
			}
		}
		if model := got.Facts.CacheModel(got.CacheGPU); model != "gv100, simulated" || !got.Facts.CachesSimulated || want.Facts.CachesSimulated {
			t.Errorf("%s: caches of %q and %q", path, got.CacheGPU, want.CacheGPU)
		}
		if total := p.Rows[len(p.Rows)-1]; total.CacheModel != got.Facts.CacheModel(got.CacheGPU) || total.FootprintBytes.Known {
			t.Errorf("%s: the total has caches of %q, footprint %v", path, total.CacheModel, total.FootprintBytes)
		}
	}
}

// TestSimulateLong: of a CTA that runs for long only the beginning is simulated, which
// says how long all of it takes; fifty times the rounds take fifty times as
// long.
func TestSimulateLong(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	put("k.ptx", `.version 7.0
.target sm_70
.address_size 64
.visible .entry walk(.param .u64 x, .param .u32 rounds)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	.reg .pred %p;
	.shared .align 4 .b8 at[4096];
	ld.param.u64 %rd0, [x];
	ld.param.u32 %r1, [rounds];
	mov.u32 %r0, %tid.x;
	mad.wide.u32 %rd1, %r0, 4, %rd0;
	mov.u32 %r2, 0;
L:	ld.volatile.global.u32 %r3, [%rd1];
	bar.sync 0;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p, %r2, %r1;
	@%p bra L;
	st.global.u32 [%rd1], %r3;
	ret;
}
`)
	cycles := func(rounds string, budget int64) *Simulated {
		path := put("m.json", `{"version": 1, "buffers": {"x": {"bytes": 65536, "type": "u32", "init": "zero"}},
			"launches": [{"module": "k.ptx", "kernel": "walk", "grid": [8], "block": [1024], "args": [{"buffer": "x"}, {"value": `+rounds+`}]}]}`)
		g, err := gpu.Get("gv100")
		if err != nil {
			t.Fatal(err)
		}
		o := DefaultOptions()
		o.Jobs, o.Simulate, o.SimulatedInstructions = 1, []*gpu.GPU{g}, budget
		return profiledWith(t, path, o).Launches[0].Simulated
	}
	short, long := cycles("2000", 10_000_000), cycles("100000", 200_000)
	if short.Unfit != nil || long.Unfit != nil || short.Cut || !long.Cut {
		t.Fatalf("%+v, %+v", short.Estimate, long.Estimate)
	}
	if x := long.Cycles / short.Cycles; math.Abs(x/50-1) > 0.03 {
		t.Errorf("50 times the rounds take %v times as long", x)
	}
}

// TestFitting: a CTA of an odd number of warps has no more registers than fit where
// warps get them by fours.
func TestFitting(t *testing.T) {
	g, err := gpu.Get("a100")
	if err != nil {
		t.Fatal(err)
	}
	for warps := 1; warps <= 32; warps++ {
		n := fitting(255, 32*warps, g)
		if _, err := g.Occupy(gpu.CTA{Threads: 32 * warps, RegistersPerThread: n}); err != nil {
			t.Errorf("%d warps of %d registers: %v", warps, n, err)
		}
	}
}

// TestSimulateAlike: of launches that are alike one is simulated; one with another
// argument, or whose accesses rest on what lies in memory, is simulated itself.
func TestSimulateAlike(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"k.ptx": `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 x, .param .u32 n)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	.reg .pred %p;
	ld.param.u64 %rd0, [x];
	ld.param.u32 %r1, [n];
	mov.u32 %r0, %tid.x;
	mad.wide.u32 %rd1, %r0, 4, %rd0;
	setp.ge.u32 %p, %r0, %r1;
	@%p ret;
	st.global.u32 [%rd1], %r0;
	ret;
}
`,
		"m.json": `{"version": 1, "buffers": {"a": {"bytes": 65536, "type": "u32", "init": "zero"}, "b": {"bytes": 65536, "type": "u32", "init": "zero"}},
			"launches": [{"module": "k.ptx", "kernel": "k", "grid": [8], "block": [64], "args": [{"buffer": "a"}, {"value": 64}]},
				{"module": "k.ptx", "kernel": "k", "grid": [8], "block": [64], "args": [{"buffer": "b"}, {"value": 64}]},
				{"module": "k.ptx", "kernel": "k", "grid": [8], "block": [64], "args": [{"buffer": "b"}, {"value": 64}]},
				{"module": "k.ptx", "kernel": "k", "grid": [8], "block": [64], "args": [{"buffer": "a"}, {"value": 1}]}]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	g, err := gpu.Get("gv100")
	if err != nil {
		t.Fatal(err)
	}
	var of []*sim.Estimate
	for _, lp := range simulated(t, filepath.Join(dir, "m.json"), 1, g).Launches {
		of = append(of, lp.Simulated.Estimate)
	}
	if of[0] != of[1] || of[1] == of[2] || of[2] == of[3] || of[0] == of[3] {
		t.Errorf("%p %p %p %p: the first two are alike, the third has its buffer in the L2, the fourth another argument", of[0], of[1], of[2], of[3])
	}
}
