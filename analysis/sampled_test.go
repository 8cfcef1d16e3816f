package analysis

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hyptx/internal/gpu"
	"hyptx/internal/hierarchy"
)

// sampledPrograms are launches of which a sample is run on a small GPU, by how far off
// what their accesses moved may be: not at all where CTAs are alike, or differ in what
// they execute.
func sampledPrograms(t *testing.T) map[string]sampledProgram {
	t.Helper()
	own := func(name, buffers, launch string) string {
		return fmt.Sprintf(`{"version": 1, "buffers": {%s}, "launches": [{"module": %q, "kernel": %q, %s}]}`, buffers, samplePTX(t, name), name, launch)
	}
	const n = 64 * 999
	list := map[string]sampledProgram{
		"vector_add":         {manifest: addManifest(t, 1000, 1)},
		"vector_add, thrice": {manifest: addManifest(t, 1000, 3)},
		"vector_add, a part of the last CTA": {manifest: own("vector_add", fmt.Sprintf(`"c": {"bytes": %d}, "a": {"bytes": %[1]d, "init": "zero"}, "b": {"bytes": %[1]d, "init": "zero"}`, 4*(n+17)),
			fmt.Sprintf(`"grid": [1000], "block": [64], "args": [{"buffer": "c"}, {"buffer": "a"}, {"buffer": "b"}, {"value": %d}]`, n+17))},
		"gemm_tiled": {manifest: own("gemm_tiled", `"c": {"bytes": 1048576}, "a": {"bytes": 1048576, "init": "zero"}, "b": {"bytes": 1048576, "init": "zero"}`,
			`"grid": [8, 32], "block": [16, 16], "args": [{"buffer": "c"}, {"buffer": "a"}, {"buffer": "b"}, {"value": 512}, {"value": 512}, {"value": 512}]`)},
		"transpose": {manifest: transposeManifest(t)},
		"conv_tiled": {0.001, own("conv_tiled", `"o": {"bytes": 524288}, "i": {"bytes": 49152, "init": "zero"}, "w": {"bytes": 3456, "init": "zero"}, "b": {"bytes": 128, "init": "zero"}`,
			`"grid": [8, 16, 8], "block": [8, 4], "dynamicSharedBytes": 384, "args": [{"buffer": "o"}, {"buffer": "i"}, {"buffer": "w"}, {"buffer": "b"},
			{"value": 3}, {"value": 64}, {"value": 64}, {"value": 64}, {"value": 64}, {"value": 32}, {"value": 3}, {"value": 1}, {"value": 1}, {"value": 1}]`)},
	}
	return list
}

// transposeManifest transposes 512 x 512 words.
func transposeManifest(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "transpose.ptx")
	err := os.WriteFile(file, []byte(entry(".param .u64 a, .param .u64 b", `
	ld.param.u64 %d1, [a];
	ld.param.u64 %d2, [b];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mad.lo.u32 %r3, %r2, 32, %r1;
	mov.u32 %r1, %tid.y;
	mov.u32 %r2, %ctaid.y;
	mad.lo.u32 %r4, %r2, 8, %r1;
	mad.lo.u32 %r5, %r4, 512, %r3;
	mul.wide.u32 %d3, %r5, 4;
	add.s64 %d3, %d3, %d1;
	ld.global.u32 %r6, [%d3];
	mad.lo.u32 %r5, %r3, 512, %r4;
	mul.wide.u32 %d3, %r5, 4;
	add.s64 %d3, %d3, %d2;
	st.global.u32 [%d3], %r6;
	ret;`)), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{"version": 1, "buffers": {"a": {"bytes": 1048576, "init": "zero"}, "b": {"bytes": 1048576}},
		"launches": [{"module": %q, "kernel": "k", "grid": [16, 64], "block": [32, 8], "args": [{"buffer": "a"}, {"buffer": "b"}]}]}`, file)
}

type sampledProgram struct {
	off      float64
	manifest string
}

// sampledOf profiles a manifest of which the caches of the small GPU see a sample.
func sampledOf(t *testing.T, manifest string, sample hierarchy.Sample, change func(*Options)) *Profile {
	t.Helper()
	return cached(t, manifest, "t4", func(o *Options) {
		if o.GPUs, o.Sample = []*gpu.GPU{smallL2(t)}, sample; change != nil {
			change(o)
		}
	})
}

// TestSampledTraffic: of a sample of the CTAs, counts of instructions are those of all of
// them, and what accesses moved is, where CTAs that execute the same move as much, else
// within 0.1 % of it here; it is never called exact, and what is not known is empty.
func TestSampledTraffic(t *testing.T) {
	for name, p := range sampledPrograms(t) {
		whole, some := sampledOf(t, p.manifest, hierarchy.Sample{}, nil), sampledOf(t, p.manifest, hierarchy.Sample{Share: 0.1}, nil)
		want, got := whole.Launches[0], some.Launches[0]
		for c := range NumCounters {
			x, y := got.Facts.Of(c), want.Facts.Of(c)
			switch off := math.Abs(float64(x.N) - float64(y.N)); {
			case counters[c].block == blockExecuted && x != y,
				counters[c].block == blockMoved && c != FootprintBytes && (x.Known != y.Known || off > p.off*float64(y.N)):
				t.Errorf("%s: %s: %d, of all CTAs %d", name, counters[c].what, x.N, y.N)
			}
		}
		for i, row := range some.Rows {
			all := whole.Rows[i]
			estimate := !row.FootprintBytes.Known && row.MemoryExactness == sampledCounts && all.MemoryExactness == exactCounts
			if !estimate || row.Exactness != all.Exactness {
				t.Errorf("%s: footprint %v, %s, %s", name, row.FootprintBytes, row.Exactness, row.MemoryExactness)
			}
			ran, most := row.EmulatedWarpInstructions.N, all.EmulatedWarpInstructions.N/2
			if ran > most || !strings.HasSuffix(row.CacheModel, ", sampled") {
				t.Errorf("%s: %d warp instructions emulated, at most %d; %s", name, ran, most, row.CacheModel)
			}
		}
	}
}

// TestSampledWhole: launches of which more than addresses is wanted, or that store what
// others read, run whole.
func TestSampledWhole(t *testing.T) {
	m := addManifest(t, 1000, 1)
	sample := hierarchy.Sample{Share: 0.1}
	for name, change := range map[string]func(*Options){
		"per CTA":         func(o *Options) { o.PerCTA = true },
		"per instruction": func(o *Options) { o.PerInstruction = true },
		"path lists":      func(o *Options) { o.PathLists = true },
		"footprint":       func(o *Options) { o.Footprint = true },
		"forgiving":       func(o *Options) { o.Forgive = true },
		"full":            func(o *Options) { o.Mode = Full },
	} {
		row := sampledOf(t, m, sample, change).Rows[0]
		whole := row.EmulatedCTAs.N == 1000 && row.FootprintBytes.Known && row.MemoryExactness != sampledCounts
		if !whole || row.CacheCTAs.N == 1000 {
			t.Errorf("%s: %d CTAs emulated, footprint %v, %s, %d seen", name, row.EmulatedCTAs.N, row.FootprintBytes, row.MemoryExactness, row.CacheCTAs.N)
		}
	}
}

// TestSampledChain: a launch that stores where the next one reads runs whole, and the
// sample of that one finds it. Its total is an estimate.
func TestSampledChain(t *testing.T) {
	ptx := entry(".param .u64 a, .param .u64 b", `
	ld.param.u64 %d1, [a];
	ld.param.u64 %d2, [b];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mad.lo.u32 %r4, %r2, 64, %r1;
	mul.wide.u32 %d3, %r4, 4;
	add.s64 %d1, %d1, %d3;
	ld.global.u32 %r5, [%d1];
	add.u32 %r5, %r5, %r4;
	mul.wide.u32 %d3, %r5, 4;
	add.s64 %d2, %d2, %d3;
	st.global.u32 [%d2], %r4;
	ret;`)
	const ctas = 1000
	step := func(a, b string) string {
		return fmt.Sprintf(`{"module": "k.ptx", "kernel": "k", "grid": [%d], "block": [64], "args": [{"buffer": %q}, {"buffer": %q}]}`, ctas, a, b)
	}
	p := program{ptx, fmt.Sprintf(`{"version": 1, "buffers": {"a": {"bytes": %d, "init": "zero"}, "b": {"bytes": %[1]d, "init": "zero"}, "c": {"bytes": %d, "init": "zero"}}, "launches": [%s, %s]}`,
		4*64*ctas, 8*64*ctas, step("a", "b"), step("b", "c"))}
	rows := func(sample hierarchy.Sample) []*Row {
		s := p.session(t, Memory)
		s.Options.GPUs, s.Options.Sample = []*gpu.GPU{smallL2(t)}, sample
		of, err := s.Profile(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return of.Rows
	}
	all, some := rows(hierarchy.Sample{}), rows(hierarchy.Sample{Share: 0.1})
	if first := some[0]; first.MemoryBlock != all[0].MemoryBlock || first.EmulatedCTAs.N != ctas || first.MemoryExactness == sampledCounts {
		t.Errorf("the first launch: %+v, %s", first.MemoryBlock, first.MemoryExactness)
	}
	second := some[1]
	if second.MemoryExactness != sampledCounts || second.GstTransactions.N == 0 || second.FootprintBytes.Known || some[2].FootprintBytes.Known {
		t.Errorf("the second launch: %s, %d stored; the total's footprint %v", second.MemoryExactness, second.GstTransactions.N, some[2].FootprintBytes)
	}
	if total := some[2]; total.MemoryExactness == exactCounts || total.GldTransactions != all[2].GldTransactions {
		t.Errorf("the total: %s, %d loaded, of all CTAs %d", total.MemoryExactness, total.GldTransactions.N, all[2].GldTransactions.N)
	}
}
