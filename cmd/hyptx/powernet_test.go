package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hyptx/analysis"
)

// TestTwoCompilationsPower: two compilations of a network differ by less than 5 % in time,
// and in energy where machine instructions are charged, by 10 % where those of the
// PTX are, of which one compiler writes twice as many; and every launch has a figure.
func TestTwoCompilationsPower(t *testing.T) {
	names := []string{"lenet5-sm_70"}
	if os.Getenv("HYPTX_HEAVY") != "" { // minutes
		names = append(names, "alexnet-sm_70", "resnet18-sm_70")
	}
	for _, name := range names {
		holdTogether(t, name, "ptx_sim", 0.10)
		holdTogether(t, name, "sass_sim", 0.05)
	}
}

// holdTogether bounds how far apart a network's two compilations are on three GPUs: their times by
// 5 %, their energies by a variant of the power model by so much. Each launch has a figure.
func holdTogether(t *testing.T, name, by string, apart float64) {
	t.Helper()
	totals := [2]map[string]map[string]string{{}, {}} // by GPU
	for i, variant := range []string{name, name + "-clang"} {
		path := filepath.Join(filepath.Dir(filepath.Dir(samples)), "shared", "cnn", variant, variant+".json")
		if _, err := os.Stat(path); err != nil {
			t.Skip("../shared/cnn is absent")
		}
		for _, row := range readCSV(t, hyptx("--quiet", "power", path, "--gpu", "gv100,a100,h100-sxm", "--variant", by, "-o", "-").must(t, exitDone).out) {
			if row["missing"] != "" || row["energy_uj"] == "" {
				t.Errorf("%s, launch %s: no figure: %s", variant, row["launch"], row["missing"])
			}
			checkRates(t, row)
			totals[i][row["gpu"]] = row // the last one
		}
	}
	for gpu, row := range totals[0] {
		for column, apart := range map[string]float64{"time_us": 0.05, "energy_uj": apart} {
			if x, y := real64(t, row, column), real64(t, totals[1][gpu], column); math.Abs(x-y) > apart*min(x, y) {
				t.Errorf("%s on %s: %s %g and %g", name, gpu, column, x, y)
			}
		}
	}
}

// checkRates: no more warp instructions are charged a clock than a GV100's SM
// can issue, and a row's groups sum to its energy, which is power times time.
func checkRates(t *testing.T, row map[string]string) {
	t.Helper()
	const width = 4
	at := row["network"] + ", launch " + row["launch"]
	if row["launch"] != analysis.KindTotal && real64(t, row, "warp_ipc") > width*(1+1e-4) {
		t.Errorf("%s: %s warp instructions a clock", at, row["warp_ipc"])
	}
	sum := 0.0
	for _, group := range []string{"const", "static", "idle_sm", "regfile", "alu", "fpu_dpu", "sfu", "tensor", "l1d_shared", "icache_ccache", "l2_noc", "dram_mc", "others"} {
		sum += real64(t, row, group+"_uj")
	}
	energy := real64(t, row, "energy_uj")
	for _, x := range []float64{sum, real64(t, row, "power_w") * real64(t, row, "time_us")} {
		if math.Abs(x-energy) > 1e-3*energy {
			t.Errorf("%s: %g uJ, want %g", at, x, energy)
		}
	}
}

// TestActivityTime: PTX that takes longer to issue than its machine code is
// charged at the PTX's rate, in the machine code's time; where memory binds, and
// where machine code is charged, both times are one.
func TestActivityTime(t *testing.T) {
	t.Chdir(t.TempDir())
	idle := strings.Repeat("mov.u32 %a2, %a1; mov.u32 %a1, %a2; ", 400) // ptxas leaves nothing of it
	body := func(more string) string {
		return kernel(".param .u64 p", ".reg .u32 %a<4>; .reg .u64 %q<4>; .reg .f32 %g<3>; ld.param.u64 %q1, [p]; mov.u32 %a1, %ctaid.x; shl.b32 %a1, %a1, 7; mov.u32 %a3, %tid.x; add.u32 %a1, %a1, %a3; "+
			more+"mul.wide.u32 %q2, %a1, 4; add.u64 %q1, %q1, %q2; ld.global.f32 %g1, [%q1]; add.f32 %g1, %g1, %g1; st.global.f32 [%q1], %g1;")
	}
	row := func(more string, flags ...string) map[string]string {
		put(t, "k.ptx", body(more))
		args := append([]string{"power", "k.ptx", "--grid", "8000", "--block", "128", "--gpu", "gv100", "--variant", "ptx_sim", "-o", "-", "--quiet"}, flags...)
		r := readCSV(t, hyptx(args...).must(t, exitDone).out)[0]
		checkRates(t, r)
		return r
	}
	for _, r := range []map[string]string{row(""), row(idle, "--counts", "machine"), row(idle, "--variant", "sass_sim")} {
		if r["activity_time_us"] != r["time_us"] {
			t.Errorf("%s: activities in %s us, the launch takes %s us", r["counts"], r["activity_time_us"], r["time_us"])
		}
	}
	lean, fat := row(""), row(idle)
	if real64(t, fat, "activity_time_us") < 1.5*real64(t, fat, "time_us") {
		t.Errorf("activities in %s us, the launch takes %s us", fat["activity_time_us"], fat["time_us"])
	}
	if x, y := real64(t, lean, "time_us"), real64(t, fat, "time_us"); math.Abs(x-y) > 0.02*x {
		t.Errorf("the machine code takes %g and %g us", x, y)
	}
	put(t, "t.csv", "launch,time_us\n0,1000\n")
	slow := row(idle, "--time", "t.csv")
	want := 1000 * real64(t, fat, "activity_time_us") / real64(t, fat, "time_us")
	if got := real64(t, slow, "activity_time_us"); math.Abs(got-want) > 1e-3*want {
		t.Errorf("activities in %g us of 1000 measured, want %g", got, want)
	}
}

// TestL1Energy: the L1 is charged for each sector of 32 bytes that a request
// touches, as GPGPU-Sim counts accesses from compute capability 4 on: not for
// each line, nor for each request. Every warp loads the same words twice.
func TestL1Energy(t *testing.T) {
	t.Chdir(t.TempDir())
	const ctas = 8000
	// pJ of a read of one sector that misses and of one that hits (PTX SIM, DCP).
	const missPJ, hitPJ = 220.1, 356.9
	for _, c := range []struct {
		stride  int
		sectors float64
	}{{0, 1}, {4, 4}, {8, 8}, {32, 32}, {64, 32}} {
		put(t, "k.ptx", kernel(".param .u64 p", fmt.Sprintf(".reg .u32 %%a<4>; .reg .u64 %%q<4>; .reg .f32 %%g<3>; ld.param.u64 %%q1, [p]; mov.u32 %%a1, %%tid.x; mul.lo.u32 %%a1, %%a1, %d; "+
			"mov.u32 %%a2, %%ctaid.x; mad.lo.u32 %%a1, %%a2, 4096, %%a1; cvt.u64.u32 %%q2, %%a1; add.u64 %%q1, %%q1, %%q2; ld.global.f32 %%g1, [%%q1]; ld.global.f32 %%g2, [%%q1];", c.stride)))
		row := readCSV(t, hyptx("power", "k.ptx", "--grid", fmt.Sprint(ctas), "--block", "32", "--gpu", "gv100", "--variant", "ptx_sim", "--time-model", "analytic", "-o", "-", "--quiet").must(t, exitDone).out)[0]
		want := 1e-6 * ctas * c.sectors * (missPJ + hitPJ)
		if got := real64(t, row, "dcp_uj"); math.Abs(got-want) > 1e-3*want {
			t.Errorf("stride %d: %g uJ in the L1, want %g", c.stride, got, want)
		}
	}
}

// TestPowerTimeLabels: measured times name launches by number or label; a label of two launches
// is of none, and a launch that two rows name is told.
func TestPowerTimeLabels(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u32 n", tail))
	launch := func(label string) string {
		return `{"label": "` + label + `", "module": "k.ptx", "kernel": "k", "grid": [160], "block": [128], "args": [{"value": 20480}]}`
	}
	put(t, "net.json", `{"version": 1, "name": "net", "launches": [`+launch("a")+`,`+launch("b")+`,`+launch("c")+`,`+launch("c")+`]}`)
	power := func(times string) result {
		put(t, "t.csv", "launch,time_us\n"+times)
		return hyptx("power", "net.json", "--gpu", "gv100", "--time", "t.csv", "-o", "-", "--no-total")
	}
	rows := readCSV(t, power("b,7\n0,5\n2,9\n3,11\n").must(t, exitDone).out)
	for i, want := range []string{"5.0000", "7.0000", "9.0000", "11.0000"} {
		if got := rows[i]["time_us"]; got != want || rows[i]["time_source"] != "measured" {
			t.Errorf("launch %d takes %s us, want %s", i, got, want)
		}
	}
	match(t, "a label of two", power("a,1\nb,2\nc,3\n").must(t, exitInput).errOut, `there is no launch "c": launches are numbers from 0 to 3, or labels that one launch has`)
	match(t, "two rows", power("a,1\n0,1\nb,2\n2,3\n3,4\n").must(t, exitInput).errOut, `launch 0 stands twice: as 0 and a`)
}

// TestSweepIsTime: what --clock says of a clock is what a simulation at that clock says, of a stream, too,
// for which a V100's L2 has too little of a way to DRAM at a low one.
func TestSweepIsTime(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u64 x", increment))
	put(t, "m.json", `{"version": 1, "name": "inc", "buffers": {"x": {"type": "u32", "bytes": 16777216, "init": "zero"}}, "launches": [
		{"module": "k.ptx", "kernel": "k", "grid": [16384], "block": [256], "args": [{"buffer": "x"}]}]}`)
	hyptx("power", "m.json", "--gpu", "v100-sxm2", "--clock", "500:1500:500", "-o", "sweep.csv").must(t, exitDone)
	var all []float64
	for _, row := range readCSV(t, read(t, "sweep.csv")) {
		alone := readCSV(t, hyptx("roofline", "m.json", "--gpu", "v100-sxm2:clock="+strings.TrimSuffix(row["clock_mhz"], ".0000"), "--no-total", "-o", "-").must(t, exitDone).out)[0]
		us := column(t, alone, "time_us")
		if got := column(t, row, "time_us"); math.Abs(got-us) > 0.05*us {
			t.Errorf("at %s MHz %v us, in a sweep %v", row["clock_mhz"], us, got)
		}
		all = append(all, us)
	}
	if len(all) != 3 || all[0] < 1.5*all[2] {
		t.Errorf("times: %v", all)
	}
}
