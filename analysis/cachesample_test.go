package analysis

import (
	"context"
	"fmt"
	"math"
	"testing"

	"hyptx/internal/gpu"
	"hyptx/internal/hierarchy"
	"hyptx/internal/number"
)

// writePatterns are what thread %r4 of a launch does with the buffers at %d1
// and %d2.
var writePatterns = map[string]string{
	"streaming": `
	mul.wide.u32 %d3, %r4, 4;
	add.s64 %d3, %d3, %d1;
	st.global.u32 [%d3], %r4;`,
	"streaming, a byte of a sector": `
	mul.wide.u32 %d3, %r4, 32;
	add.s64 %d3, %d3, %d1;
	st.global.u8 [%d3], %r4;`,
	"every other line": `
	and.b32 %r5, %r4, 31;
	sub.u32 %r6, %r4, %r5;
	mad.lo.u32 %r6, %r6, 2, %r5;
	mul.wide.u32 %d3, %r6, 4;
	add.s64 %d3, %d3, %d1;
	st.global.u32 [%d3], %r4;`,
	"the same 32 KiB": `
	and.b32 %r5, %r4, 8191;
	mul.wide.u32 %d3, %r5, 4;
	add.s64 %d3, %d3, %d1;
	st.global.u32 [%d3], %r4;`,
	"the same 256 KiB": `
	and.b32 %r5, %r4, 65535;
	mul.wide.u32 %d3, %r5, 4;
	add.s64 %d3, %d3, %d1;
	st.global.u32 [%d3], %r4;`,
	"the same 1 MiB": `
	and.b32 %r5, %r4, 262143;
	mul.wide.u32 %d3, %r5, 4;
	add.s64 %d3, %d3, %d1;
	st.global.u32 [%d3], %r4;`,
	"read, modify, write": `
	mul.wide.u32 %d3, %r4, 4;
	add.s64 %d3, %d3, %d1;
	ld.global.u32 %r5, [%d3];
	add.u32 %r5, %r5, 1;
	st.global.u32 [%d3], %r5;`,
	"copying": `
	mul.wide.u32 %d3, %r4, 4;
	add.s64 %d4, %d3, %d1;
	add.s64 %d3, %d3, %d2;
	ld.global.u32 %r5, [%d3];
	st.global.u32 [%d4], %r5;`,
	"sums of 64 KiB": `
	and.b32 %r5, %r4, 16383;
	mul.wide.u32 %d3, %r5, 4;
	add.s64 %d3, %d3, %d2;
	ld.global.u32 %r5, [%d3];
	mul.wide.u32 %d3, %r4, 4;
	add.s64 %d4, %d3, %d1;
	st.global.u32 [%d4], %r5;`,
	"atomics": `
	and.b32 %r5, %r4, 65535;
	mul.wide.u32 %d3, %r5, 4;
	add.s64 %d3, %d3, %d1;
	red.global.add.u32 [%d3], 1;`,
}

// smallL2 is a T4 with 2 SMs and an L2 of 512 KiB.
func smallL2(t *testing.T) *gpu.GPU {
	t.Helper()
	known, err := gpu.Get("t4")
	if err != nil {
		t.Fatal(err)
	}
	g := *known
	g.SMs, g.L2.Bytes = &gpu.Int{Value: 2}, &gpu.Int{Value: 512 << 10}
	return &g
}

// TestSampleIsWithinItsError: what a sample says of the DRAM is within three
// times its error of what all waves do there, whatever is written, around the
// size of the L2 and far beyond. A wave is 32 CTAs.
func TestSampleIsWithinItsError(t *testing.T) {
	const most = 20000 // CTAs of 64 threads
	for name, text := range writePatterns {
		ptx := entry(".param .u64 a, .param .u64 b", `
	ld.param.u64 %d1, [a];
	ld.param.u64 %d2, [b];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mad.lo.u32 %r4, %r2, 64, %r1;`+text+`
	ret;`)
		for _, ctas := range []int{1000, 1900, 2040, 2200, 3000, 5000, most} {
			step := fmt.Sprintf(`{"module": "k.ptx", "kernel": "k", "grid": [%d], "block": [64], "args": [{"buffer": "a"}, {"buffer": "b"}]}`, ctas)
			p := program{ptx, fmt.Sprintf(`{"version": 1, "buffers": {"a": {"bytes": %d, "init": "zero"}, "b": {"bytes": %d, "init": "zero"}}, "launches": [%s, %s]}`,
				64*32*most, 64*32*most, step, step)}
			whole, sampled := sampledRows(t, p, hierarchy.Sample{}), sampledRows(t, p, hierarchy.Sample{Share: 0.1})
			for i, want := range whole {
				got := sampled[i]
				reads, writes := difference(got.DRAMReadBytes, want.DRAMReadBytes), difference(got.DRAMWriteBytes, want.DRAMWriteBytes)
				within := 3 * got.CacheErrorPct.X / 100 * float64(got.DRAMReadBytes.N+got.DRAMWriteBytes.N)
				if !got.CacheErrorPct.Known {
					within = math.Inf(1)
				}
				if !got.CacheErrorPct.Known && got.DRAMReadBytes.N+got.DRAMWriteBytes.N > 0 {
					t.Errorf("%s, %d CTAs, %s: no error", name, ctas, want.Launch)
				}
				if max(math.Abs(reads+writes), math.Abs(writes)) > within+10*32 {
					t.Errorf("%s, %d CTAs, %s: read %d, written %d; of a sample %d, %d, error %.2f %%", name, ctas, want.Launch,
						want.DRAMReadBytes.N, want.DRAMWriteBytes.N, got.DRAMReadBytes.N, got.DRAMWriteBytes.N, got.CacheErrorPct.X)
				}
			}
		}
	}
}

func difference(a, b number.Int) float64 { return float64(a.N) - float64(b.N) }

// sampledRows profiles a program of which the caches of the small GPU see a
// sample.
func sampledRows(t *testing.T, p program, sample hierarchy.Sample) []*Row {
	t.Helper()
	s := p.session(t, Memory)
	s.Options.GPUs, s.Options.Sample, s.Options.Jobs = []*gpu.GPU{smallL2(t)}, sample, 1
	prof, err := s.Profile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return prof.Rows
}
