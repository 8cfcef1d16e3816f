package main

import (
	"math"
	"strings"
	"testing"
)

// TestPublishedLatencies: a chain of instructions that the machine does step by step takes as
// long as was measured: on a Titan V and a Titan RTX by GPUs-ISA-Latencies (NMSU-PEARL), the
// quotient on a V100 by RRZE-HPC's gpu-benches (commit 1038c5d). DFMA takes 8 cycles on the one
// and 45 on the other, so that both together say how many there are.
func TestPublishedLatencies(t *testing.T) {
	t.Chdir(t.TempDir())
	cycles := func(op, gpu string, n int) float64 {
		put(t, "k.ptx", kernel(".param .u64 out, .param .f64 a", ".reg .f64 %d<2>;\nld.param.u64 %rd1, [out];\nld.param.f64 %d1, [a];\nmov.f64 %d0, %d1;\n"+
			strings.Repeat(op+"\n", n)+"st.global.f64 [%rd1], %d0;"))
		args := []string{"roofline", "k.ptx", "--grid", "1", "--block", "32", "--arg", "a=1.5", "--gpu", gpu, "--time-model", "simulated", "--no-total", "-o", "-"}
		return real64(t, readCSV(t, hyptx(args...).must(t, exitDone).out)[0], "sm_cycles")
	}
	for _, c := range []struct {
		op    string
		volta float64
		rtx   float64 // 0: not measured
	}{
		{"fma.rn.f64 %d0, %d0, %d1, %d0;", 8, 45},
		{"rcp.rn.f64 %d0, %d0;", 57, 251},
		{"sqrt.rn.f64 %d0, %d0;", 106, 366},
		{"div.rn.f64 %d0, %d0, %d1;", 112, 0},
	} {
		for gpu, want := range map[string]float64{"gv100": c.volta, "rtx-8000": c.rtx} {
			each := (cycles(c.op, gpu, 96) - cycles(c.op, gpu, 32)) / 64
			if want > 0 && math.Abs(each/want-1) > 0.08 {
				t.Errorf("%s on %s: %.1f cycles, %v measured", c.op, gpu, each, want)
			}
		}
	}
}
