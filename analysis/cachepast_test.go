package analysis

import (
	"context"
	"fmt"
	"testing"

	"hyptx/internal/gpu"
	"hyptx/internal/manifest"
	"hyptx/internal/source"
)

// TestLoadsPastL1: each of four warps loads 128 bytes twice. What must see other
// SMs' stores is not answered by the L1, and the L2 has it the second time.
func TestLoadsPastL1(t *testing.T) {
	const text = `.version 7.4
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a)
{
	.reg .b64 %%d<3>; .reg .b32 %%r<2>; .reg .f32 %%f<3>; .shared .align 16 .b8 s[16];
	ld.param.u64 %%d1, [a]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%d2, %%r1, 4; add.s64 %%d1, %%d1, %%d2;
	%[1]s
	bar.sync 0;
	%[1]s
	ret;
}`
	for op, past := range map[string]bool{
		"ld.global.f32 %f1, [%d1];":                false,
		"ld.global.ca.f32 %f1, [%d1];":             false,
		"ld.global.nc.f32 %f1, [%d1];":             false,
		"ld.relaxed.cta.global.f32 %f1, [%d1];":    false,
		"ld.global.cg.f32 %f1, [%d1];":             true,
		"ld.global.cv.f32 %f1, [%d1];":             true,
		"ld.volatile.global.f32 %f1, [%d1];":       true,
		"ld.relaxed.gpu.global.f32 %f1, [%d1];":    true,
		"ld.acquire.sys.global.f32 %f1, [%d1];":    true,
		"cp.async.ca.shared.global [s], [%d1], 4;": false,
	} {
		opts := DefaultOptions()
		opts.Mode = Memory
		var err error
		if opts.GPUs, err = gpu.List("a100"); err != nil {
			t.Fatal(err)
		}
		sessions, err := OpenBare(context.Background(), source.File{Name: "k.ptx", Text: fmt.Appendf(nil, text, op)}, manifest.Flags{Grid: []int{1}, Block: []int{128}}, opts)
		if err != nil {
			t.Fatalf("%s: %v", op, err)
		}
		p, err := ProfileAll(context.Background(), sessions)
		if err != nil {
			t.Fatalf("%s: %v", op, err)
		}
		r := p.Rows[0]
		got := [4]uint64{r.L1ReadHits.N, r.L1ReadMisses.N, r.L2ReadSectors.N, r.L2ReadHits.N}
		want := [4]uint64{16, 16, 16, 0}
		if past {
			want = [4]uint64{0, 0, 32, 16}
		}
		if got != want {
			t.Errorf("%s: L1 hits and misses, L2 reads and hits %v, want %v", op, got, want)
		}
	}
}
