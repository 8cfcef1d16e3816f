package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestPowerSimulated: power takes the times of a simulation, and events of memory from
// it, which a column says; both are near those of the analytic model's caches.
func TestPowerSimulated(t *testing.T) {
	kernels := []string{filepath.Join(samples, "kernels/gemm_tiled.json"), filepath.Join(samples, "kernels/softmax.json")}
	of := func(model string) []map[string]string {
		args := append([]string{"power", "--gpu", "gv100", "--time-model", model, "-o", "-"}, kernels...)
		return readCSV(t, hyptx(args...).must(t, exitDone).out)
	}
	simulated, analytic := of("simulated"), of("extended")
	for i, row := range simulated {
		if row["kind"] == "launch" && (row["time_source"] != "model simulated" || row["cache_model"] != "gv100, simulated" || row["missing"] != "") {
			t.Errorf("%s: time %s, caches %q, missing %q", row["kernel"], row["time_source"], row["cache_model"], row["missing"])
		}
		if x, y := real64(t, row, "power_w"), real64(t, analytic[i], "power_w"); x < 0.8*y || x > 1.25*y {
			t.Errorf("%s: %v W, with the analytic model %v", row["kernel"], x, y)
		}
	}
	if got := analytic[0]["time_source"]; got != "model analytic" {
		t.Errorf("extended is %q", got)
	}
	sweep := readCSV(t, hyptx("power", kernels[0], "--gpu", "gv100", "--time-model", "simulated", "--clock", "600:900:300", "-o", "-").must(t, exitDone).out)
	if slow, fast := real64(t, sweep[0], "time_us"), real64(t, sweep[1], "time_us"); !(slow > fast && slow < 1.5*fast) {
		t.Errorf("%v us at 600 MHz, %v at 900", slow, fast)
	}
	hyptx("roofline", kernels[0], "--gpu", "gv100", "--time-model", "simulated", "--simulated", "0").must(t, exitUsage)
}

// TestL2: a launch that finds its inputs in the L2 is faster than one that does not.
func TestL2(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 x)
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd0, [x];
	mov.u32 %r0, %tid.x;
	mad.wide.u32 %rd1, %r0, 4, %rd0;
	ld.global.u32 %r1, [%rd1];
	add.u32 %r1, %r1, %r0;
	st.global.u32 [%rd1], %r1;
	ret;
}
`)
	launch := `{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [64], "args": [{"buffer": "x"}]}`
	put(t, "m.json", `{"version": 1, "buffers": {"x": {"bytes": 4096, "type": "u32", "init": "zero"}}, "launches": [`+launch+", "+launch+"]}")
	cycles := func(l2 string) (first, second float64) {
		rows := readCSV(t, hyptx("roofline", "m.json", "--gpu", "gv100", "--time-model", "simulated", "--l2", l2, "-o", "-").must(t, exitDone).out)
		return real64(t, rows[0], "sm_cycles"), real64(t, rows[1], "sm_cycles")
	}
	cold, again := cycles("cold")
	first, warm := cycles("warm")
	if cold != again || cold != first || warm >= cold {
		t.Errorf("cold %v and %v cycles, warm %v and then %v", cold, again, first, warm)
	}
}

// TestOpaqueTensor: operations of matrix products whose size stands in no text are unknown,
// and so are time and power; what is counted stays.
func TestOpaqueTensor(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", `.version 8.7
.target sm_100a
.address_size 64
.visible .entry k()
{
	.reg .b32 %r<2>;
	.reg .b64 %d;
	.reg .pred %p;
	mov.u32 %r0, 0;
	mov.u32 %r1, %laneid;
	mov.u64 %d, 0;
	setp.eq.u32 %p, %r0, %r0;
	tcgen05.mma.cta_group::1.kind::f16 [%r0], %d, %d, %r1, %p;
	ret;
}
`)
	launch := []string{"k.ptx", "--grid", "4", "--block", "32", "-o", "-"}
	for _, row := range readCSV(t, hyptx(append([]string{"profile"}, launch...)...).must(t, exitDone).out) {
		if row["inst_tensor"] != "128" || row["warp_instructions"] != "24" || row["flop_count_tensor"] != "" || row["op_count_tensor_int"] != "" {
			t.Errorf("%s: %s tensor instructions, %s warp instructions, operations %q and %q", row["launch"], row["inst_tensor"], row["warp_instructions"], row["flop_count_tensor"], row["op_count_tensor_int"])
		}
	}
	for _, model := range []string{"simulated", "analytic", "thesis"} {
		for _, command := range []string{"roofline", "power"} {
			for _, row := range readCSV(t, hyptx(append([]string{command, "--gpu", "b200", "--time-model", model}, launch...)...).out) {
				if row["time_us"] != "" || row["power_w"] != "" || row["kind"] == "launch" && !strings.Contains(row["missing"], "tcgen05.mma multiplies matrices of a size") {
					t.Errorf("%s, %s: %s us, %s W, missing %q", command, model, row["time_us"], row["power_w"], row["missing"])
				}
			}
		}
	}
}

// TestDescribedTensor: where the descriptor is a constant of the launch, operations are those
// of each thread that issues a product: here 2*128*16*16 of 4 CTAs of 32 threads. All models
// charge them.
func TestDescribedTensor(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", `.version 8.7
.target sm_100a
.address_size 64
.visible .entry k()
{
	.reg .b32 %r<2>;
	.reg .b64 %d;
	.reg .pred %p;
	mov.u32 %r0, 128;
	shl.b32 %r1, %r0, 20;
	or.b32 %r1, %r1, 0x40010;
	mov.u64 %d, 0;
	setp.eq.u32 %p, %r0, %r0;
	tcgen05.mma.cta_group::1.kind::f16 [%r0], %d, %d, %r1, %p;
	ret;
}
`)
	launch := []string{"k.ptx", "--grid", "4", "--block", "32", "-o", "-"}
	for _, row := range readCSV(t, hyptx(append([]string{"profile"}, launch...)...).must(t, exitDone).out) {
		if row["flop_count_tensor"] != "8388608" || row["op_count_tensor_int"] != "0" {
			t.Errorf("%s: operations %q and %q", row["launch"], row["flop_count_tensor"], row["op_count_tensor_int"])
		}
	}
	for _, model := range []string{"simulated", "analytic"} {
		for _, command := range []string{"roofline", "power"} {
			for _, row := range readCSV(t, hyptx(append([]string{command, "--gpu", "h100-sxm", "--time-model", model}, launch...)...).out) {
				if row["time_us"] == "" || command == "power" && row["power_w"] == "" {
					t.Errorf("%s, %s: %s us, %s W, missing %q", command, model, row["time_us"], row["power_w"], row["missing"])
				}
			}
		}
	}
}

// TestObjectsSimulated: whatever waits for an mbarrier object goes on in the simulation, too:
// each kind of arrival has its place in the machine code.
func TestObjectsSimulated(t *testing.T) {
	simulated := 0
	for _, pattern := range []string{"mbarrier*.ptx", "cp_async*.ptx", "tcgen05*.ptx"} {
		files, err := filepath.Glob("../../ptx-samples/features/" + pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		for _, file := range files {
			for _, row := range readCSV(t, hyptx("roofline", file, "--gpu", "h100-sxm", "--time-model", "simulated", "-o", "-").out) {
				if strings.Contains(row["missing"], "waits for ever") {
					t.Errorf("%s: %s", file, row["missing"])
				}
				if row["time_us"] != "" {
					simulated++
				}
			}
		}
	}
	if simulated < 10 {
		t.Errorf("%d rows have a time", simulated)
	}
}

// TestRepetitionsDiffer: of a launch whose repetitions go round more often each the simulated time is not the
// first's as often, and says that it is uncertain; of others it says nothing of the kind.
func TestRepetitionsDiffer(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u64 x, .param .u32 factor", `
	.reg .b64 %a; .reg .b32 %n, %i, %f; .reg .pred %p; .reg .f32 %v;
	ld.param.u64 %a, [x]; ld.param.u32 %f, [factor]; ld.global.u32 %n, [%a]; mov.u32 %i, 0; mov.f32 %v, 0f3F800000;
L:	fma.rn.f32 %v, %v, %v, %v; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra L;
	mul.lo.u32 %n, %n, %f; st.global.u32 [%a], %n; st.global.f32 [%a+4], %v;`))
	for factor, differ := range map[int]bool{1: false, 4: true} {
		put(t, "m.json", fmt.Sprintf(`{"version": 1, "name": "m", "buffers": {"x": {"type": "u32", "bytes": 8, "init": {"values": [1000, 0]}}}, "launches": [
			{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [32], "count": 3, "args": [{"buffer": "x"}, {"value": %d}]}]}`, factor))
		row := readCSV(t, hyptx("roofline", "m.json", "--gpu", "gv100", "--time-model", "simulated", "--timer", "gpu", "--no-total", "-o", "-").must(t, exitDone).out)[0]
		us, most := column(t, row, "time_us"), 3*20.0 // three times 1000 rounds of some 12 cycles
		if said := strings.Contains(row["warnings"], "the others execute other numbers"); said != differ || (us > most) != differ || (column(t, row, "time_error_pct") > 50) != differ {
			t.Errorf("factor %d: %v us, %s %% uncertain, %q", factor, us, row["time_error_pct"], row["warnings"])
		}
	}
}
