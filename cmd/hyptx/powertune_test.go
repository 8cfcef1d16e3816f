package main

import (
	"os"
	"strings"
	"testing"
)

// ptxRuns are made-up runs with registers counted, as hyptx calibrate writes
// them; their powers go with their instructions.
const ptxRuns = "run,measured_w,clock_mhz,cycles,lanes,idle_sms,duty,TOT_INST,REG_RD\n" +
	"a,80,1447,1e6,32,0,0.1,1e8,1e9\nb,90,1447,1e6,32,0,0.1,2e8,2e9\nc,100,1447,1e6,32,0,0.1,3e8,3e9\nd,99,1447,1e6,32,0,0.1,2e8,3.2e9\n"

// TestPowerTuneUse: what power tune writes is used by power as it is, or the
// error says what to do.
func TestPowerTuneUse(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u32 n", tail))
	put(t, "ptx.csv", ptxRuns)
	put(t, "hw.csv", hwCSV())
	out := hyptx("power", "tune", "ptx.csv", "--start", "fermi", "-o", "ptx.json").must(t, exitDone).out
	match(t, "the report", out, `variant ptx_sim; to be used as: hyptx power NET.json --gpu ptx.json`)
	match(t, "the report", out, `without a column, hence without energy: INT_INST, `)
	match(t, "the report", out, `static of 80 SMs, .*: \d+\.\d+ W with 1 lane, \d+\.\d+ W with 32 \(a GV100's, by SM\)`)
	rows := readCSV(t, hyptx("power", "k.ptx", "--gpu", "ptx.json,gv100", "-o", "-").must(t, exitDone).out)
	if rows[0]["variant"] != "ptx_sim" || rows[0]["energy_basis"] != "tuned" || rows[0]["energy_uj"] == "" {
		t.Errorf("variant %s, %s", rows[0]["variant"], rows[0]["energy_basis"])
	}
	hyptx("power", "tune", "ptx.csv", "--variant", "sass_sim", "-o", "sass.json").must(t, exitDone)
	rows = readCSV(t, hyptx("power", "k.ptx", "--gpu", "sass.json,gv100", "-o", "-").must(t, exitDone).out)
	if rows[0]["variant"] != "sass_sim" || rows[0]["counts"] != "machine" || rows[2]["variant"] != "calibrated" || rows[2]["counts"] != "machine" {
		t.Errorf("each GPU has its variant: %s %s, %s %s", rows[0]["variant"], rows[0]["counts"], rows[2]["variant"], rows[2]["counts"])
	}
	out = hyptx("power", "tune", "hw.csv", "-o", "hw.json").must(t, exitDone).out
	match(t, "the report", out, `variant hw; to be used as: hyptx power --counters FILE.csv --gpu hw.json`)
	rows = readCSV(t, hyptx("power", "--counters", "hw.csv", "--gpu", "hw.json", "-o", "-").must(t, exitDone).out)
	if rows[0]["variant"] != "hw" || rows[0]["power_w"] == "" {
		t.Errorf("counters alone: variant %s, %s W", rows[0]["variant"], rows[0]["power_w"])
	}
	match(t, "no counters", hyptx("power", "k.ptx", "--gpu", "hw.json").must(t, exitInput).errOut,
		"gv100-tuned: its power model is of variant hw, which takes hardware counters: --counters FILE.csv gives them; or `hyptx power tune --variant ptx_sim` makes")
	match(t, "another variant", hyptx("power", "k.ptx", "--gpu", "hw.json", "--variant", "ptx_sim").must(t, exitInput).errOut,
		"of variant hw, not ptx_sim: --variant hw --counters FILE.csv uses it with hardware counters, `hyptx power tune --variant ptx_sim` makes one")
	match(t, "another variant", hyptx("power", "k.ptx", "--gpu", "ptx.json", "--variant", "sass_sim").must(t, exitInput).errOut, "of variant ptx_sim, not sass_sim: --variant ptx_sim uses it")
}

// TestPowerTuneFails: a fit that explains nothing is no GPU's file, and a clock
// that the GPU cannot have is an error.
func TestPowerTuneFails(t *testing.T) {
	t.Chdir(t.TempDir())
	flat := strings.NewReplacer("a,80", "a,60", "b,90", "b,70", "c,100", "c,74", "d,99", "d,62", "1e9", "1e4", "2e9", "5e4", "3.2e9", "9e4", "3e9", "1e4").Replace(ptxRuns)
	put(t, "flat.csv", strings.NewReplacer("1e8", "1e3", "2e8", "5e3", "3e8", "2e3").Replace(flat))
	r := hyptx("power", "tune", "flat.csv", "-o", "my.json", "--residuals", "r.csv").must(t, exitInput)
	match(t, "the error", r.errOut, "flat.csv: the fit explains nothing: .*no GPU's file is written")
	match(t, "the notes", r.errOut, `flat.csv: in \d of 4 runs constant, static and idle power alone are more than what was measured: a \(`)
	match(t, "the report", r.out, "4 runs: mean error")
	if _, err := os.Stat("my.json"); err == nil {
		t.Error("my.json was written")
	}
	if rows := readCSV(t, read(t, "r.csv")); rows[0]["fixed_w"] == "" {
		t.Error("no fixed power among the residuals")
	}
	put(t, "fast.csv", strings.Replace(ptxRuns, "b,90,1447", "b,90,2447", 1))
	match(t, "a fast clock", hyptx("power", "tune", "fast.csv").must(t, exitInput).errOut, `fast.csv: row 2 \(b\): gv100: clock 2447 MHz lies outside 135 to 1530 MHz: clock.min_mhz`)
}

func TestPowerCountersList(t *testing.T) {
	out := hyptx("power", "counters").must(t, exitDone).out
	match(t, "the list", out, `MEM_RD +DRAM_Rd +2204 +2062 +1650 +bursts of 32 bytes read`)
	match(t, "the metrics", out, `MEM_RD +.*dram__sectors_read\.sum`)
	if rows := readCSV(t, hyptx("power", "counters", "-o", "-").must(t, exitDone).out); len(rows) < 43 {
		t.Errorf("%d columns", len(rows))
	}
}
