package main

import (
	"strings"
	"testing"
)

// TestProductsOnGPUs: sums of halves in FP32 take twice as long on a GeForce as on a board with its chip and rates, by both models; a GPU
// without tensor cores for the factors has no time, and takes none from the others.
func TestProductsOnGPUs(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", `.version 7.1
.target sm_80
.address_size 64
.visible .entry k(.param .u64 o)
{
	.reg .f32 %f<9>; .reg .b32 %r<9>; .reg .b64 %d<3>; .reg .pred %p<2>;
	mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;
	mov.f32 %f5, %f1; mov.f32 %f6, %f1; mov.f32 %f7, %f1; mov.f32 %f8, %f1;
	mov.u32 %r1, %tid.x; mov.u32 %r2, 0;
L:
	mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r1,%r1,%r1}, {%r1,%r1}, {%f1,%f2,%f3,%f4};
	mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f5,%f6,%f7,%f8}, {%r1,%r1,%r1,%r1}, {%r1,%r1}, {%f5,%f6,%f7,%f8};
	add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 512; @%p1 bra L;
	add.f32 %f1, %f1, %f2; add.f32 %f1, %f1, %f3; add.f32 %f1, %f1, %f4; add.f32 %f1, %f1, %f5; add.f32 %f1, %f1, %f6; add.f32 %f1, %f1, %f7; add.f32 %f1, %f1, %f8;
	ld.param.u64 %d1, [o]; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2; st.global.f32 [%d1], %f1;
	ret;
}
`)
	put(t, "m.json", `{"version": 1, "name": "bf16", "buffers": {"o": {"type": "f32", "bytes": 1024, "init": "zero"}}, "launches": [
		{"module": "k.ptx", "kernel": "k", "grid": [656], "block": [256], "args": [{"buffer": "o"}]}]}`)
	const full = "rtx-3090:timing.tensor.fp32_accumulate_share=1"
	for _, model := range []string{"simulated", "analytic"} {
		r := hyptx("roofline", "m.json", "--gpu", "rtx-3090,"+full+",rtx-2080-ti", "--time-model", model, "--timer", "gpu", "--no-total", "-o", "-").must(t, exitInput)
		us := map[string]float64{}
		for _, row := range readCSV(t, r.out) {
			if row["gpu"] == "rtx-2080-ti" {
				if row["time_us"] != "" || !strings.Contains(row["missing"], "no tensor cores for bf16") {
					t.Errorf("%s: a Turing's time is %s, %s", model, row["time_us"], row["missing"])
				}
				continue
			}
			us[row["gpu"]] = column(t, row, "time_us")
		}
		if ratio := us["rtx-3090"] / us[full]; ratio < 1.9 || ratio > 2.1 {
			t.Errorf("%s: %v us", model, us)
		}
	}
}
