package roofline

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"hyptx/analysis"
	"hyptx/internal/manifest"
	"hyptx/internal/source"
)

// sgemm is the thesis' matrix multiplication (section 4.4): 1280x640 times
// 640x640, a thread for each element, tiles of both matrices in shared memory.
// With wide, four elements of a row of A are loaded at a time, as nvcc did.
func sgemm(tile int, wide bool) string {
	const n, k = 640, 640
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry sgemm(.param .u64 a, .param .u64 b, .param .u64 c)\n{")
	p(".reg .pred %%p<2>; .reg .b32 %%r<20>; .reg .b64 %%rd<20>; .reg .f32 %%f<12>;")
	p(".shared .align 16 .b8 as[%d]; .shared .align 16 .b8 bs[%d];", 4*tile*tile, 4*tile*tile)
	p("ld.param.u64 %%rd1, [a]; ld.param.u64 %%rd2, [b]; ld.param.u64 %%rd3, [c];")
	p("mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%tid.y; mov.u32 %%r3, %%ctaid.x; mov.u32 %%r4, %%ctaid.y;")
	p("mad.lo.s32 %%r5, %%r4, %d, %%r2; mad.lo.s32 %%r6, %%r3, %d, %%r1;", tile, tile) // row, column
	p("mad.lo.s32 %%r7, %%r5, %d, %%r1; mul.wide.s32 %%rd4, %%r7, 4; add.s64 %%rd1, %%rd1, %%rd4;", k)
	p("mad.lo.s32 %%r8, %%r2, %d, %%r6; mul.wide.s32 %%rd5, %%r8, 4; add.s64 %%rd2, %%rd2, %%rd5;", n)
	p("mad.lo.s32 %%r9, %%r2, %d, %%r1; shl.b32 %%r9, %%r9, 2; mov.u32 %%r10, as; mov.u32 %%r11, bs;", tile)
	p("add.s32 %%r12, %%r10, %%r9; add.s32 %%r13, %%r11, %%r9; mad.lo.s32 %%r14, %%r2, %d, %%r10; mad.lo.s32 %%r15, %%r1, 4, %%r11;", 4*tile)
	p("mov.f32 %%f1, 0f00000000; mov.u32 %%r16, 0;\nLOOP:")
	p("ld.global.f32 %%f2, [%%rd1]; st.shared.f32 [%%r12], %%f2; ld.global.f32 %%f3, [%%rd2]; st.shared.f32 [%%r13], %%f3; bar.sync 0;")
	for i := 0; i < tile; i++ {
		switch {
		case !wide:
			p("ld.shared.f32 %%f4, [%%r14+%d];", 4*i)
		case i%4 == 0:
			p("ld.shared.v4.f32 {%%f4, %%f5, %%f6, %%f7}, [%%r14+%d];", 4*i)
		}
		a := 4
		if wide {
			a += i % 4
		}
		p("ld.shared.f32 %%f8, [%%r15+%d]; fma.rn.f32 %%f1, %%f%d, %%f8, %%f1;", 4*tile*i, a)
	}
	p("bar.sync 0; add.s64 %%rd1, %%rd1, %d; add.s64 %%rd2, %%rd2, %d; add.s32 %%r16, %%r16, 1;", 4*tile, 4*tile*n)
	p("setp.lt.s32 %%p1, %%r16, %d; @%%p1 bra LOOP;", k/tile)
	p("mad.lo.s32 %%r17, %%r5, %d, %%r6; mul.wide.s32 %%rd6, %%r17, 4; add.s64 %%rd3, %%rd3, %%rd6; st.global.f32 [%%rd3], %%f1; ret;\n}", n)
	return b.String()
}

// TestSGEMM holds what is emulated against the thesis' counters (table 4.9,
// table 6.4; facts A20): instructions, loads and stores of a thread with and
// without wide loads, and bytes written.
func TestSGEMM(t *testing.T) {
	const threads = 1280 * 640
	for _, c := range []struct {
		tile      int
		wide      bool
		perThread float64
	}{{32, true, 881}, {16, true, 961}, {32, false, 1361}, {16, false, 1441}} {
		opts := analysis.DefaultOptions()
		if c.tile == 32 && c.wide {
			opts.Mode = analysis.Memory
		}
		flags := manifest.Flags{Grid: []int{640 / c.tile, 1280 / c.tile}, Block: []int{c.tile, c.tile}}
		sessions, err := analysis.OpenBare(context.Background(), source.File{Name: "sgemm.ptx", Text: []byte(sgemm(c.tile, c.wide))}, flags, opts)
		if err != nil {
			t.Fatal(err)
		}
		p, err := analysis.ProfileAll(context.Background(), sessions)
		if err != nil {
			t.Fatal(err)
		}
		launches, err := FromProfile(p, PTX)
		if err != nil {
			t.Fatal(err)
		}
		m, row := launches[0].Metrics, p.Rows[0]
		if m.FP32 != 524288000 || m.FMA32 != 524288000 || m.FP64 != 0 {
			t.Errorf("tiles of %d: %.0f fp32 instructions, %.0f multiply-adds", c.tile, m.FP32, m.FMA32)
		}
		if m.LdSt != c.perThread*threads {
			t.Errorf("tiles of %d (wide: %t): %g loads and stores a thread, want %g", c.tile, c.wide, m.LdSt/threads, c.perThread)
		}
		if x := row.GstTransactions; x.Known && 32*x.N != 3276800 {
			t.Errorf("tiles of %d: %d sectors written", c.tile, x.N)
		}
	}
}
