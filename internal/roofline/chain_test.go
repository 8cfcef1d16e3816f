package roofline

import (
	"errors"
	"strings"
	"testing"

	"hyptx/internal/gpu"
)

// TestChain are paths that can be worked out by hand under the latencies of
// roundGPU.
func TestChain(t *testing.T) {
	for _, c := range []struct {
		name, body        string
		issues            []float64
		cycles            float64
		loads, loadsChain float64
	}{
		{"one instruction", "add.f32 %f1, %f2, %f3;\nret;", []float64{1}, 4, 0, 0},
		{"a chain of four", strings.Repeat("fma.rn.f32 %f1, %f1, %f1, %f1;\n", 4) + "ret;", []float64{1}, 16, 0, 0},
		{"independent", "add.f32 %f1, %f5, %f5;\nadd.f32 %f2, %f5, %f5;\nadd.f32 %f3, %f5, %f5;\nadd.f32 %f4, %f5, %f5;\nadd.f32 %f6, %f5, %f5;\nret;", []float64{1}, 6, 0, 0},
		{"special, fp64, integer", "ex2.approx.f32 %f1, %f2;\ncvt.f64.f32 %d1, %f1;\nadd.f64 %d2, %d1, %d1;\ncvt.rzi.s32.f64 %r1, %d2;\nadd.s32 %r2, %r1, 1;\nret;", []float64{1}, 20 + 5 + 8 + 5 + 5, 0, 0},
		{"folded away", "mov.f32 %f1, %f2;\nmov.f32 %f3, %f1;\nadd.f32 %f4, %f3, %f3;\nret;", []float64{1}, 4, 0, 0},
		{"two loads at a time", "ld.global.f32 %f1, [%rd1];\nld.global.f32 %f2, [%rd2];\nadd.f32 %f3, %f1, %f2;\nst.global.f32 [%rd1], %f3;\nret;", []float64{1}, 405, 2, 1},
		{"a list", "ld.global.u64 %rd2, [%rd1];\nld.global.u64 %rd3, [%rd2];\nld.global.u64 %rd4, [%rd3];\nret;", []float64{1}, 1200, 3, 3},
		{"spaces", "ld.param.u64 %rd1, [p];\nld.shared.f32 %f1, [s];\nld.shared.f32 %f2, [s+4];\nadd.f32 %f3, %f1, %f2;\nret;", []float64{1}, 29, 0, 0},
		{"the old value of a guarded one", "fma.rn.f32 %f1, %f2, %f2, %f2;\nfma.rn.f32 %f1, %f1, %f2, %f2;\n@%p1 mov.f32 %f1, %f3;\nadd.f32 %f4, %f1, %f1;\nret;", []float64{1}, 12, 0, 0},
		// Each load under its branch: both at a time, as the machine predicates them.
		{"short branches", "@%p1 bra A;\nld.global.f32 %f1, [%rd1];\nA:\n@%p2 bra B;\nld.global.f32 %f2, [%rd2];\nB:\nadd.f32 %f3, %f1, %f2;\nret;",
			[]float64{1, 1, 1, 1, 1}, 404, 2, 1},
		{"a branch that waits for a load", "ld.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra A;\nld.global.f32 %f1, [%rd2];\nA:\nadd.f32 %f3, %f1, %f1;\nret;",
			[]float64{1, 1, 1}, 400 + 5 + 400 + 4, 2, 2},
		{"every second time", "@%p1 bra A;\nld.global.f32 %f1, [%rd1];\nA:\nadd.f32 %f3, %f1, %f2;\nret;", []float64{2, 1, 2}, 2 * 204, 1, 1},
		{"a barrier", "ld.global.f32 %f1, [%rd1];\nbar.sync 0;\nld.global.f32 %f2, [%rd1];\nret;", []float64{1}, 800, 2, 2},
		// 100 rounds of four instructions are unrolled: 402 instructions, and 100
		// dependent fmas, take about as long.
		{"a loop", "mov.u32 %r1, 0;\nL:\nfma.rn.f32 %f1, %f1, %f1, %f1;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 100;\n@%p1 bra L;\nret;", []float64{1, 100, 1}, 402, 0, 0},
		// 1100 instructions are not. Each round waits for the eight fmas of the one
		// before: 32 a round.
		{"phi to phi", "mov.u32 %r1, 0;\nL:\n" + strings.Repeat("fma.rn.f32 %f1, %f1, %f1, %f1;\n", 8) +
			"add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 100;\n@%p1 bra L;\nret;", []float64{1, 100, 1}, 2 + 100*32, 0, 0},
		// All loads of the unrolled loop are in flight at a time, then come 100
		// dependent additions.
		{"loads in a loop", "mov.u32 %r1, 0;\nL:\nld.global.f32 %f2, [%rd1];\nadd.f32 %f1, %f1, %f2;\nadd.s64 %rd1, %rd1, 4;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 100;\n@%p1 bra L;\nret;",
			[]float64{1, 100, 1}, 800, 100, 1},
		// A sum in memory: each round loads what the one before may have stored, when its sum is
		// there: 400 and 4 cycles, and for four rounds one to begin anew.
		{"a sum in memory", "mov.u32 %r1, 0;\nL:\nld.global.f32 %f2, [%rd1];\nld.global.f32 %f1, [%rd2];\nadd.f32 %f1, %f1, %f2;\nst.global.f32 [%rd2], %f1;\nadd.s64 %rd1, %rd1, 4;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 1000;\n@%p1 bra L;\nret;",
			[]float64{1, 1000, 1}, 2 + 250*(4*404+1), 2000, 1000},
		{"a sum in memory that nobody else writes", "mov.u32 %r1, 0;\nL:\nld.global.nc.f32 %f2, [%rd1];\nadd.f32 %f1, %f2, %f2;\nst.global.f32 [%rd2], %f1;\nadd.s64 %rd1, %rd1, 4;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 1000;\n@%p1 bra L;\nret;",
			[]float64{1, 1000, 1}, 2 + 250*405, 1000, 250},
		{"words of one pointer", "ld.global.f32 %f1, [%rd1];\nst.global.f32 [%rd1+8], %f1;\nld.global.f32 %f2, [%rd1+4];\nadd.f32 %f2, %f2, %f1;\nret;", []float64{1}, 404, 2, 1},
		{"words of two", "ld.global.f32 %f1, [%rd1];\nst.global.f32 [%rd2+8], %f1;\nld.global.f32 %f2, [%rd1+4];\nadd.f32 %f2, %f2, %f1;\nret;", []float64{1}, 804, 2, 2},
		// Of a thousand rounds, four at a time: 400 for the loads, 16 for the
		// additions but the last one's latency, one to begin anew.
		{"loads in a long loop", "mov.u32 %r1, 0;\nL:\nld.global.f32 %f2, [%rd1];\nadd.f32 %f1, %f1, %f2;\nadd.s64 %rd1, %rd1, 4;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 1000;\n@%p1 bra L;\nret;",
			[]float64{1, 1000, 1}, 2 + 250*413, 1000, 250},
		// What a load decides is not unrolled: 400, 5 and the branch.
		{"a list in a loop", "mov.u32 %r1, 0;\nL:\nld.global.u64 %rd1, [%rd1];\nsetp.ne.u64 %p1, %rd1, 0;\n@%p1 bra L;\nret;", []float64{1, 10, 1}, 2 + 10*406, 10, 10},
		// A load for the next round overlaps with 200 dependent fmas of this one: two
		// are in flight.
		{"a load ahead", "mov.u32 %r1, 0;\nL:\nmov.f32 %f3, %f2;\nld.global.f32 %f2, [%rd1];\n" + strings.Repeat("fma.rn.f32 %f1, %f1, %f1, %f3;\n", 200) +
			"add.s64 %rd1, %rd1, 4;\nadd.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, 100;\n@%p1 bra L;\nret;", []float64{1, 100, 1}, 2 + 100*800, 100, 50},
	} {
		got, err := pathOf(t, c.body, c.issues...).Chain(fileLatencies(roundGPU(), Traffic{}))
		if err != nil {
			t.Fatal(err)
		}
		if got.Cycles != c.cycles || got.Loads != c.loads || got.LoadsInChain != c.loadsChain {
			t.Errorf("%s: %+v, want %g cycles, %g loads, %g of them in the chain", c.name, got, c.cycles, c.loads, c.loadsChain)
		}
	}
}

// TestChainUnknown: a latency that is unknown is an error only where it is
// needed, and names its field.
func TestChainUnknown(t *testing.T) {
	g := roundGPU()
	g.Latency.DRAMCycles = nil
	if _, err := pathOf(t, "add.f32 %f1, %f2, %f3;\nret;", 1).Chain(fileLatencies(g, Traffic{})); err != nil {
		t.Errorf("nothing needs DRAM: %v", err)
	}
	_, err := pathOf(t, "ld.global.f32 %f1, [%rd1];\nret;", 1).Chain(fileLatencies(g, Traffic{}))
	var unknown *gpu.UnknownError
	if !errors.As(err, &unknown) || unknown.Path != "latency.dram_cycles" {
		t.Errorf("DRAM: %v", err)
	}
}
