package analysis

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"hyptx/internal/gpu"
	"hyptx/internal/hierarchy"
	"hyptx/internal/source"
)

// samplePTX returns the absolute path of one of our kernels.
func samplePTX(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs("../ptx-samples/kernels/sm_70/" + name + ".ptx")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// cached profiles a manifest in memory mode with a GPU's caches.
func cached(t *testing.T, manifest, gpuName string, change func(*Options)) *Profile {
	t.Helper()
	p, err := cachedOrError(t, manifest, gpuName, change)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func cachedOrError(t *testing.T, manifest, gpuName string, change func(*Options)) (*Profile, error) {
	t.Helper()
	opts := DefaultOptions()
	opts.Mode = Memory
	var err error
	if opts.GPUs, err = gpu.List(gpuName); err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&opts)
	}
	s, err := OpenManifest(source.File{Name: filepath.Join(t.TempDir(), "m.json"), Text: []byte(manifest)}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s.Profile(context.Background())
}

// addManifest adds vectors of 64 floats a CTA, count times.
func addManifest(t *testing.T, ctas, count int) string {
	n := 64 * ctas
	return fmt.Sprintf(`{"version": 1, "name": "add", "buffers": {"c": {"bytes": %d}, "a": {"bytes": %d, "init": "zero"}, "b": {"bytes": %d, "init": "zero"}},
		"launches": [{"module": %q, "kernel": "vector_add", "grid": [%d], "block": [64], "count": %d,
		"args": [{"buffer": "c"}, {"buffer": "a"}, {"buffer": "b"}, {"value": %d}]}]}`, 4*n, 4*n, 4*n, samplePTX(t, "vector_add"), ctas, count, n)
}

// TestGemmDRAM: a product of 1024 x 1024 floats on a GPU whose L2 holds the
// three matrices reads two of them from DRAM once and writes the third once
// (fact 15 of the notes on scale-model simulation: 393 216 sectors).
func TestGemmDRAM(t *testing.T) {
	const matrix = 1024 * 1024 * 4
	p := cached(t, fmt.Sprintf(`{"version": 1, "name": "gemm", "buffers": {"c": {"bytes": %d}, "a": {"bytes": %d, "init": "zero"}, "b": {"bytes": %d, "init": "zero"}},
		"launches": [{"module": %q, "kernel": "gemm_tiled", "grid": [16, 16], "block": [16, 16],
		"args": [{"buffer": "c"}, {"buffer": "a"}, {"buffer": "b"}, {"value": 1024}, {"value": 1024}, {"value": 1024}]}]}`,
		matrix, matrix, matrix, samplePTX(t, "gemm_tiled")), "h100-sxm", nil)
	launch, total := p.Rows[0], p.Rows[1]
	if launch.DRAMReadBytes.N != 2*matrix || total.DRAMWriteBytes.N+total.DRAMFlushBytes.N != matrix {
		t.Errorf("%d bytes read, %d + %d written; want %d and %d", launch.DRAMReadBytes.N, total.DRAMWriteBytes.N, total.DRAMFlushBytes.N, 2*matrix, matrix)
	}
	if cold := launch.L2ReadSectors.N - launch.L2ReadHits.N + launch.L2WriteSectors.N - launch.L2WriteHits.N; cold != 393216 {
		t.Errorf("%d cold sectors", cold)
	}
	if launch.L1ReadHits.N+launch.L1ReadMisses.N != launch.GldTransactions.N || launch.L2WriteSectors.N != launch.GstTransactions.N {
		t.Errorf("the L1 saw %d + %d sectors, the L2 was written %d; %d loaded, %d stored",
			launch.L1ReadHits.N, launch.L1ReadMisses.N, launch.L2WriteSectors.N, launch.GldTransactions.N, launch.GstTransactions.N)
	}
}

// TestVectorAddTraffic: no reuse, 12 sectors a warp (fact 15); repetitions find
// what the L2 kept. 40 CTAs are 10 KiB an array.
func TestVectorAddTraffic(t *testing.T) {
	for _, count := range []int{1, 5} {
		p := cached(t, addManifest(t, 40, count), "gv100", nil)
		row, total := p.Rows[0], p.Rows[1]
		n := uint64(count)
		got := []uint64{row.L1ReadHits.N, row.L1ReadMisses.N, row.L2ReadSectors.N, row.L2WriteSectors.N, row.L2ReadHits.N, row.L2WriteHits.N,
			row.DRAMReadBytes.N, row.DRAMWriteBytes.N, total.DRAMFlushBytes.N, row.NoCFlits.N}
		// A block of 128 bytes takes 4 flits with the data and 1 without.
		want := []uint64{0, n * 640, n * 640, n * 320, (n - 1) * 640, (n - 1) * 320, 2 * 40 * 256, 0, 40 * 256, n * 240 * 5}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d times: %v, by hand %v", count, got, want)
		}
		if row.DRAMFlushBytes.Known || row.CacheModel != "gv100" || row.CacheCTAs.N != 40*min(n, 2) || row.CacheErrorPct.Known {
			t.Errorf("%d times: flush %s, model %s, %d CTAs seen", count, row.DRAMFlushBytes, row.CacheModel, row.CacheCTAs.N)
		}
	}
}

// TestPartsOfSectors: a kernel stores every other word. What it reads of a
// sector of which it wrote a part comes from DRAM; if a second launch stored
// the other words, nothing does.
func TestPartsOfSectors(t *testing.T) {
	ptx := entry(".param .u64 a, .param .u32 off, .param .u32 reads", `
	ld.param.u64 %d1, [a];
	ld.param.u32 %r1, [off];
	ld.param.u32 %r2, [reads];
	mov.u32 %r3, %tid.x;
	mad.lo.s32 %r4, %r3, 8, %r1;
	cvt.u64.u32 %d2, %r4;
	add.s64 %d3, %d1, %d2;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 ld.global.u32 %r5, [%d3];
	@!%p1 st.global.u32 [%d3], %r3;
	ret;`)
	step := func(off, reads int) string {
		return fmt.Sprintf(`{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [128], "args": [{"buffer": "a"}, {"value": %d}, {"value": %d}]}`, off, reads)
	}
	for _, c := range []struct {
		launches []string
		read     uint64
	}{
		{[]string{step(0, 0), step(0, 1)}, 1024},
		{[]string{step(0, 0), step(4, 0), step(0, 1)}, 0},
		{[]string{step(0, 0), step(0, 0), step(4, 1)}, 1024},
		{[]string{step(0, 1), step(0, 0), step(4, 1)}, 1024}, // all by the first
	} {
		p := program{ptx, `{"version": 1, "buffers": {"a": {"bytes": 1024, "init": "zero"}}, "launches": [` + strings.Join(c.launches, ",") + "]}"}
		s := p.session(t, Memory)
		s.Options.GPUs, _ = gpu.List("gv100")
		prof, err := s.Profile(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if total := prof.Rows[len(c.launches)]; total.DRAMReadBytes.N != c.read || total.DRAMFlushBytes.N != 1024 {
			t.Errorf("%d launches: %d bytes read, %d flushed; want %d, 1024", len(c.launches), total.DRAMReadBytes.N, total.DRAMFlushBytes.N, c.read)
		}
	}
}

// TestCachesByWorkers: the figures do not depend on the number of workers.
func TestCachesByWorkers(t *testing.T) {
	var all []CacheBlock
	for _, jobs := range []int{1, 2, 5} {
		p := cached(t, addManifest(t, 3000, 2), "t4", func(o *Options) { o.Jobs = jobs })
		all = append(all, p.Rows[1].CacheBlock)
	}
	if all[0] != all[1] || all[0] != all[2] {
		t.Errorf("1, 2, 5 workers: %+v", all)
	}
}

// TestSampledCaches: waves that all do the same need no more than a few of
// them; sums are those of all waves.
func TestSampledCaches(t *testing.T) {
	whole := cached(t, addManifest(t, 40000, 1), "t4", nil).Rows
	exact := whole[0] // 63 waves of 640 CTAs, the last of half as many
	for text, ctas := range map[string]uint64{"0.1": 9*640 - 320, "2000": 4*640 - 320, "0.99": 40000} {
		sample, err := hierarchy.ParseSample(text)
		if err != nil {
			t.Fatal(err)
		}
		rows := cached(t, addManifest(t, 40000, 1), "t4", func(o *Options) { o.Sample = sample }).Rows
		row := rows[0]
		if row.CacheCTAs.N != ctas || row.DRAMReadBytes != exact.DRAMReadBytes || row.L1ReadMisses != exact.L1ReadMisses {
			t.Errorf("%s: %d CTAs, %d bytes read, %d L1 misses; want %d, %d, %d", text, row.CacheCTAs.N,
				row.DRAMReadBytes.N, row.L1ReadMisses.N, ctas, exact.DRAMReadBytes.N, exact.L1ReadMisses.N)
		}
		if d := float64(row.DRAMWriteBytes.N) / float64(exact.DRAMWriteBytes.N); d < 0.98 || d > 1.02 {
			t.Errorf("%s: %d bytes written, want %d", text, row.DRAMWriteBytes.N, exact.DRAMWriteBytes.N)
		}
		if sum := row.DRAMWriteBytes.N + rows[1].DRAMFlushBytes.N; sum != 40000*256 {
			t.Errorf("%s: %d bytes written until all is, want %d", text, sum, 40000*256)
		}
		if sampled := ctas < 40000; row.CacheErrorPct.Known != sampled || strings.HasSuffix(row.CacheModel, ", sampled") != sampled {
			t.Errorf("%s: model %q, error %v", text, row.CacheModel, row.CacheErrorPct)
		}
	}
	if exact.CacheErrorPct.Known {
		t.Error("an exact row has an error")
	}
}

// TestCachesUnknown: a GPU without a figure that the model needs is an error
// that names it.
func TestCachesUnknown(t *testing.T) {
	_, err := cachedOrError(t, addManifest(t, 1, 1), "r9-nano", nil)
	if unknown := (*gpu.UnknownError)(nil); !errors.As(err, &unknown) || !strings.Contains(err.Error(), "l1.write_policy, l1.caches_global_loads, l2.bytes, l2.write_policy is unknown") {
		t.Error(err)
	}
}

// TestUnfitLaunch: a launch that the GPU cannot run has no cache block; the
// others do, and the total does not.
func TestUnfitLaunch(t *testing.T) {
	m := addManifest(t, 1, 1)
	step := m[strings.Index(m, `"launches": [`)+len(`"launches": [`) : len(m)-2]
	m = m[:len(m)-2] + ", " + strings.Replace(step, `"count"`, `"dynamicSharedBytes": 100000, "count"`, 1) + "]}"
	p := cached(t, m, "t4", nil)
	limit := (*gpu.LimitError)(nil)
	if err := p.Launches[1].Unfit(); !errors.As(err, &limit) || !strings.Contains(err.Error(), "shared memory per CTA") {
		t.Error(err)
	}
	if p.Launches[0].Unfit() != nil || !p.Rows[0].DRAMReadBytes.Known || p.Rows[1].DRAMReadBytes.Known || p.Rows[2].DRAMReadBytes.Known {
		t.Errorf("%v: %v, %v, %v", p.Launches[0].Unfit(), p.Rows[0].CacheBlock, p.Rows[1].CacheBlock, p.Rows[2].CacheBlock)
	}
}

// TestOldCaches: where loads pass the L1 by, it sees none.
func TestOldCaches(t *testing.T) {
	row := cached(t, addManifest(t, 40, 1), "tesla-k20c", nil).Rows[0]
	if row.L1ReadHits.N+row.L1ReadMisses.N != 0 || row.L1HitRatePct.Known || row.L2ReadSectors.N != 640 || row.L1WriteMisses.N != 320 {
		t.Errorf("%+v", row.CacheBlock)
	}
}
