package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestPowerCalibrate: a folder of utilisations gives the numbers of its family, as
// text and as JSON; a folder without tables says so.
func TestPowerCalibrate(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("m/measured", 0o755); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("gpu,power_w,core_mhz,mem_mhz,utilisations_at,util_fp32,util_fp64,util_int,util_sfu,util_control,util_l2,util_shared,util_dram\n")
	for _, mhz := range []float64{800, 1000, 1200, 1400} {
		fmt.Fprintf(&b, "Titan Xp,%g,%g,5705,1404/5705,0,0,0,0,0,0,0,0\n", 50+mhz/100, mhz)
		fmt.Fprintf(&b, "Titan Xp,%g,%g,5705,1404/5705,0,0,0,0,0,0,0.5,0\n", 60+mhz/20, mhz)
		fmt.Fprintf(&b, "Titan Xp,%g,%g,5705,1404/5705,0,0,0,0,0,0.1,0,0.2\n", 80+mhz/50, mhz)
	}
	b.WriteString("Titan Xp,160,1404,5705,1404/5705,0,0,0,0,0,0.4,0,0.8\n")
	put(t, "m/measured/u.csv", b.String())
	out := hyptx("power", "calibrate", "m", "-o", "c.json").must(t, exitDone).out
	match(t, "the report", out, `Pascal: [0-9.]+ % \(benchmarks left out [0-9.]+, clocks left out [0-9.]+\)`)
	match(t, "the report", out, `Titan Xp: constant [0-9.]+ W; 13 runs`)
	match(t, "the file", read(t, "c.json"), `"voltage_knee_mhz"`)
	match(t, "no tables", hyptx("power", "calibrate", ".").must(t, exitInput).errOut, `there is no table measured/\*\.csv`)
	match(t, "no CTAs", hyptx("power", "calibrate", "m", "--ctas", "0").must(t, exitUsage).errOut, `--ctas 0: must be at least 1`)
}
