package main

import (
	"strings"
	"testing"
)

// TestPowerPartial: what is complete when a launch or the run takes too long is
// written, without a total and without shares in it.
func TestPowerPartial(t *testing.T) {
	t.Chdir(t.TempDir())
	endless(t)
	put(t, "two.ptx", kernel("", "")+"\n"+strings.SplitN(strings.ReplaceAll(kernel("", "L: bra L;"), " k(", " l("), ".address_size 64", 2)[1])
	long := []string{"--gpu", "gv100", "--max-instructions", "1000000000000000"}
	for _, c := range []struct {
		args, want string
		rows       int // a launch that failed has one, and the total
	}{
		{"m.json --launch-timeout LIMIT -o p.csv", `launch 1 [^\n]* more than LIMIT needed`, 3},
		{"two.ptx --launch-timeout LIMIT -o p.csv", `launch 1 [^\n]* more than LIMIT needed`, 3},
		{"m.json --launch-timeout LIMIT --fail-fast -o p.csv", `launch 1 [^\n]* more than LIMIT needed`, 1},
		{"m.json --timeout LIMIT -o p.csv", "launch 1", 1},
	} {
		r := patient(t, "^"+notes+`hyptx: [^\n]*`+c.want+`[^\n]*\n`+notes+"$", append(append([]string{"power"}, strings.Fields(c.args)...), long...)...)
		match(t, c.args, r.errOut, "1 row is complete and written all the same")
		rows := readCSV(t, read(t, "p.csv"))
		if len(rows) != c.rows || rows[0]["launch"] != "0" || rows[0]["energy_uj"] == "" || rows[0]["energy_share_pct"] != "" {
			t.Errorf("%s: %v", c.args, rows)
		}
		for _, row := range rows[1:] {
			if row["energy_uj"] != "" || row["missing"] == "" {
				t.Errorf("%s: launch %s: %q uJ, missing %q", c.args, row["launch"], row["energy_uj"], row["missing"])
			}
		}
	}
	for _, limit := range []string{"--launch-timeout", "--timeout"} {
		r := hyptx(append([]string{"power", "m.json", limit, "300ms", "--clock", "600:700:50"}, long...)...).must(t, exitInput)
		match(t, "a sweep", r.errOut, `(?m)^hyptx: m.json: launch [01] .* more than 300ms needed; the limit .*can be raised with `+limit+`$`)
		match(t, "a sweep", r.errOut, "(?m)^hyptx: --clock: no sweep, as it is of whole networks, of which only (1 launch is|0 launches are) complete$")
	}
}

// TestPowerInterrupt: the same after an interrupt. Both GPUs listen to one run,
// so that both have what was complete.
func TestPowerInterrupt(t *testing.T) {
	t.Chdir(t.TempDir())
	endless(t)
	errOut := interrupted(t, "power", "m.json", "--gpu", "gv100,a100", "-o", "p.csv", "--max-instructions", "1000000000000000")
	match(t, "stderr", errOut, `launch 1 \(k\): interrupted`)
	if rows := readCSV(t, read(t, "p.csv")); len(rows) != 2 || rows[0]["gpu"] == rows[1]["gpu"] || rows[0]["launch"] != "0" || rows[1]["launch"] != "0" {
		t.Errorf("rows %v", rows)
	}
}

// TestPowerSample: a sample of a launch's waves has the whole launch's requests,
// and says how sure it is.
func TestPowerSample(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u32 n", tail))
	args := []string{"power", "k.ptx", "--grid", "80000", "--block", "128", "--arg", "n=10240000", "--gpu", "gv100", "--time-model", "analytic", "-o", "-", "--quiet"}
	whole := readCSV(t, hyptx(args...).must(t, exitDone).out)[0]
	sample := readCSV(t, hyptx(append(args, "--sample", "0.1")...).must(t, exitDone).out)[0]
	if whole["cache_model"] != "gv100" || sample["cache_model"] != "gv100, sampled" {
		t.Errorf("%q, %q", whole["cache_model"], sample["cache_model"])
	}
	if whole["cache_error_pct"] != "" || whole["power_w"] == "" || sample["power_w"] == "" {
		t.Errorf("%v %v", whole, sample)
	}
}

// TestPowerBasis: every row says whence its energies and its static power come.
func TestPowerBasis(t *testing.T) {
	for gpu, want := range map[string][2]string{"gv100": {"tuned", "tuned"}, "v100-sxm2": {"extrapolated", "scaled"}, "titan-x-pascal": {"extrapolated", "scaled"}, "a100": {"extrapolated", "unscaled"}} {
		r := hyptx("power", "../../examples/vector_add.json", "--gpu", gpu, "--variant", "ptx_sim", "-o", "-").must(t, exitDone)
		for _, row := range readCSV(t, r.out) {
			if row["energy_basis"] != want[0] || row["static_basis"] != want[1] {
				t.Errorf("%s: %s, %s; want %v", gpu, row["energy_basis"], row["static_basis"], want)
			}
		}
		if want[1] == "unscaled" {
			match(t, gpu, r.errOut, `static and idle power of an SM are a GV100's \(12 nm\) as they are`)
		}
	}
	for gpu, want := range map[string][3]string{"gv100": {"calibrated", "calibrated", "Volta"}, "titan-x-pascal": {"calibrated", "calibrated", "Pascal"}, "v100-sxm2": {"calibrated", "calibrated", "Volta"}, "t4": {"calibrated", "calibrated", "Turing"}, "h100": {"calibrated", "extrapolated", "Hopper not measured, HBM2, HBM3 not measured"}} {
		for _, row := range readCSV(t, hyptx("power", "../../examples/vector_add.json", "--gpu", gpu, "-o", "-").must(t, exitDone).out) {
			if row["variant"] != want[0] || row["energy_basis"] != want[1] || !strings.Contains(row["calibration"], want[2]) {
				t.Errorf("%s: %s, %s, %s; want %v", gpu, row["variant"], row["energy_basis"], row["calibration"], want)
			}
		}
	}
	r := hyptx("power", "../../examples/vector_add.json", "--gpu", "gv100,a100", "--variant", "ptx_sim", "--energy-scale", "0.5", "-o", "-").must(t, exitDone)
	match(t, "a tuned GPU", r.errOut, "gv100: the energy scale 0.5 is not used")
	match(t, "another", r.errOut, "energies of a GV100 x 0.5, as given")
	hyptx("power", "../../examples/vector_add.json", "--gpu", "gv100,a100", "--plot", "x.png").must(t, exitUsage)
}

// TestPowerReasons: an implausible row names the bound and what exceeds it, and
// the table says it in words.
func TestPowerReasons(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("COLUMNS", "400")
	put(t, "k.ptx", kernel(".param .u32 n", tail))
	put(t, "t.csv", "launch,time_us\n0,0.001\n")
	args := []string{"power", "k.ptx", "--grid", "160", "--block", "128", "--arg", "n=20480", "--gpu", "gv100", "--time", "t.csv"}
	out := hyptx(args...).must(t, exitDone).out
	match(t, "the power", out, `launch 0 on gv100: \d+ W is above the limit of 250 W \(most: [a-zA-Z0-9, ]+ \d+ W\)`)
	match(t, "the issue", out, `\d+\.\d warp instructions a clock and SM are charged, more than the 4 that it can issue in the time given`)
	match(t, "the sum", out, `k on gv100: .* a run; .* at \d+ W\. \d+ % of the energy is dynamic, most by: `)
	r := hyptx(append(args, "-o", "x.csv")...).must(t, exitDone)
	match(t, "the notes", r.errOut, `note: k on gv100: .* a run; `)
	match(t, "the notes", r.errOut, `note: 1 of 1 rows are beyond what the hardware can do \(column implausible says why\): launch 0 on gv100`)
	sweep := hyptx(append(args[:len(args)-2], "--clock", "600:1500:300")...).must(t, exitDone).out
	match(t, "the best clock", sweep, `k on gv100: least energy at \d+ MHz, .* against 1500 MHz`)
	match(t, "the best clock", sweep, `k on gv100: least energy x time at \d+ MHz, `)
	sweep = hyptx(append(args[:len(args)-2], "--clock", "600:1500:300", "--variant", "ptx_sim")...).must(t, exitDone).out
	r = hyptx(append(args[:len(args)-2], "--clock", "600:1500:300", "--variant", "ptx_sim", "-o", "x.csv")...).must(t, exitDone)
	match(t, "the notes", r.errOut, `note: k on gv100: least energy at \d+ MHz`)
	match(t, "the notes", r.errOut, `note: voltage is taken to go with the clock`)
	match(t, "the headline", sweep, `least energy at .*; the least voltage of gv100 is unknown`)
	if out := hyptx("power", "k.ptx", "--grid", "160", "--block", "128", "--arg", "n=20480", "--gpu", "t4", "--clock", "600:1500:300").must(t, exitDone).out; strings.Contains(out, "is unknown") || !strings.Contains(out, "least energy at") {
		t.Errorf("a board of a family whose voltage was measured: %s", out)
	}
	if r = hyptx(append(args[:len(args)-2], "-o", "x.csv", "--quiet")...).must(t, exitDone); r.errOut != "" {
		t.Errorf("not quiet: %s", r.errOut)
	}
}
