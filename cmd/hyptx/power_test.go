package main

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"hyptx/power"
)

func TestPowerValidate(t *testing.T) {
	for line := range strings.Lines(hyptx("power", "validate").must(t, exitDone).out) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("wider than 80 columns: %q", line)
		}
	}
	t.Setenv("COLUMNS", "200")
	out := hyptx("power", "validate").must(t, exitDone).out
	for _, line := range []string{
		`Volta SASS SIM +26 +9\.226 +\+- 3\.119 +29\.99 .* 0\.830`, `Volta PTX SIM +21 +13\.650 +\+- 4\.368 +33\.55 .* 0\.679`,
		`Volta HW +25 +7\.458 +\+- 2\.182 +20\.98 .* 0\.910`, `Volta HYBRID +25 +8\.152 +\+- 2\.153 +21\.99 .* 0\.902`,
		`Pascal SASS SIM +22 +10\.987 .* 0\.588`, `Pascal PTX SIM +20 +10\.776 .* 0\.736`,
		`Turing SASS SIM +26 +12\.948 .* 0\.291`, `Turing PTX SIM +21 +14\.275 .* 0\.323`,
		`Volta HW, closed form +25 +7\.475`, `V100-SXM2, HW, closed form +25 +13\.978`,
	} {
		match(t, "the table", out, line)
	}
	rows := readCSV(t, hyptx("power", "validate", "-o", "-").must(t, exitDone).out)
	if len(rows) != 18 || rows[0]["section"] != "published" || rows[17]["section"] != "unfitted" {
		t.Errorf("%d rows", len(rows))
	}
	if r := rows[0]; r["n"] != "26" || !strings.HasPrefix(r["mape_pct"], "9.226") || r["pearson_r"] != "0.8297" {
		t.Errorf("the file has not what the table has: %v", r)
	}
}

// TestPowerCounting: a variant's energies go with what it was tuned on, unless
// told otherwise.
func TestPowerCounting(t *testing.T) {
	for _, c := range []struct {
		flags []string
		want  string
	}{{nil, "machine"}, {[]string{"--counts", "ptx"}, "ptx"}, {[]string{"--variant", "ptx_sim"}, "ptx"}, {[]string{"--variant", "ptx_sim", "--counts", "machine"}, "machine"}, {[]string{"--variant", "sass_sim"}, "machine"}, {[]string{"--variant", "sass_sim", "--counts", "ptx"}, "ptx"}} {
		args := append([]string{"power", "../../examples/vector_add.json", "--gpu", "gv100", "-o", "-"}, c.flags...)
		if r := readCSV(t, hyptx(args...).must(t, exitDone).out)[0]; r["counts"] != c.want || r["energy_uj"] == "" {
			t.Errorf("%v: counts of %s, %s uJ; expected %s", c.flags, r["counts"], r["energy_uj"], c.want)
		}
	}
}

// hwCSV is the file of counters of the 25 kernels that were measured.
func hwCSV() string {
	var b strings.Builder
	b.WriteString("run,measured_w,clock_mhz,cycles,lanes,idle_sms,duty")
	list := power.HWKernels()
	var used []power.Counter
	for c := range power.NumCounters {
		if !strings.Contains(" FP_INST IC_H IC_M TC_H TC_M CC_M REG_RD REG_WR NON_REG IMUL24 IMUL32 IDIV FPDIV DPDIV MEM_PRE DUTY ", " "+c.String()+" ") {
			used = append(used, c)
			b.WriteString("," + c.String())
		}
	}
	for _, k := range list {
		a := &k.Activity
		fmt.Fprintf(&b, "\n%s,%g,%g,%g,%g,%g,%g", k.Kernel, k.MeasuredW, a.ClockMHz, a.Cycles, a.Lanes, a.IdleSMs, a.Duty)
		for _, c := range used {
			fmt.Fprintf(&b, ",%g", a.Counts[c])
		}
	}
	return b.String() + "\n"
}

// TestPowerCounters runs the HW variant on a counter file.
func TestPowerCounters(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "hw.csv", hwCSV())
	rows := readCSV(t, hyptx("power", "--counters", "hw.csv", "--variant", "hw", "--accelwattch", "release", "--gpu", "gv100", "-o", "-").must(t, exitDone).out)
	for i, k := range power.HWKernels() {
		w, err := strconv.ParseFloat(rows[i]["power_w"], 64)
		if err != nil || math.Abs(w-k.RerunW) > 0.001 {
			t.Errorf("%s: %s W, want %.3f", k.Kernel, rows[i]["power_w"], k.RerunW)
		}
	}
}

// TestPowerTune tunes to a file of runs and uses the GPU's file that comes out.
func TestPowerTune(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "runs.csv", hwCSV())
	out := hyptx("power", "tune", "runs.csv", "--start", "fermi", "-o", "my.json", "--residuals", "r.csv").must(t, exitDone).out
	match(t, "the report", out, `25 runs: mean error \d\.\d\d %`)
	match(t, "the report", out, `held by constraints: .*INT = FP`)
	residuals := readCSV(t, read(t, "r.csv"))
	rows := readCSV(t, hyptx("power", "--counters", "runs.csv", "--variant", "hw", "--accelwattch", "release", "--gpu", "my.json", "-o", "-").must(t, exitDone).out)
	for i := range rows {
		a, _ := strconv.ParseFloat(rows[i]["power_w"], 64)
		b, err := strconv.ParseFloat(residuals[i]["model_w"], 64)
		if err != nil || math.Abs(a-b) > 0.001 {
			t.Errorf("%s: %s W, tuning had %s", rows[i]["kernel"], rows[i]["power_w"], residuals[i]["model_w"])
		}
	}
	hyptx("gpus", "my.json").must(t, exitDone)
	r := hyptx("power", "tune", "runs.csv", "--start", "ones", "--constraints", "paper")
	match(t, "the other start", r.must(t, exitDone).out, "25 runs")
}

// sweepCSV is power at clocks by equation 3, and by lanes.
func sweepCSV() string {
	b := "run,clock_mhz,measured_w,category,lanes\n"
	for _, lanes := range []float64{1, 32} {
		tau := 0.01 + 0.0005*lanes
		for f := 500.0; f <= 1500; f += 100 {
			b += fmt.Sprintf("int_fp,%g,%.9f,INT+FP,%g\n", f, 2e-9*f*f*f+tau*f+40, lanes)
		}
	}
	return b
}

// TestPowerTuneFixed: constant power from clocks, idle power from active SMs.
func TestPowerTuneFixed(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "runs.csv", hwCSV())
	put(t, "clocks.csv", sweepCSV())
	put(t, "idle.csv", "run,active_sms,measured_w\na,80,127.5\na,40,97.5\n")
	out := hyptx("power", "tune", "runs.csv", "--clocks", "clocks.csv", "--idle", "idle.csv", "-o", "my.json").must(t, exitDone).out
	match(t, "the report", out, `fixed: constant 40 W, idle SM 0\.343[78] W`)
	mine := read(t, "my.json")
	match(t, "the file", mine, `(?s)"INT\+FP": \{\s+"first_lane_w": 15\.19`)
	match(t, "the file", mine, `"low_mhz": 500`)
	put(t, "late.csv", strings.ReplaceAll(hwCSV(), ",1447,", ",1747,"))
	r := hyptx("power", "tune", "late.csv", "--clocks", "clocks.csv").must(t, exitInput)
	match(t, "a clock outside", r.errOut, "clock 1747 MHz lies outside the range of the clock sweeps")
}

// TestPowerNet gives a small program counters and times of its own.
func TestPowerNet(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u32 n", tail))
	args := []string{"power", "k.ptx", "--grid", "160", "--block", "128", "--arg", "n=20480", "--gpu", "gv100", "--time", "t.csv", "--counters", "c.csv"}
	put(t, "t.csv", "launch,time_us\n0,5\n")
	put(t, "c.csv", "launch,DC_RH,DC_RM,DC_WH,DC_WM,L2_RH,L2_RM,L2_WH,L2_WM,NOC,MEM_RD,MEM_WR,MEM_PRE\n0,0,0,0,0,0,0,0,0,0,1000,0,0\n")
	rows := readCSV(t, hyptx(append(args, "-o", "-")...).must(t, exitDone).out)
	if len(rows) != 2 || rows[1]["launch"] != "total" {
		t.Fatalf("%d rows", len(rows))
	}
	for column, want := range map[string]string{"energy_basis": "tuned", "time_source": "measured", "counts": "ptx", "time_us": "5.0000", "clock_mhz": "1447.0000",
		"lanes": "32.0000", "missing": "", "const_uj": "162.5000"} {
		if got := rows[0][column]; got != want {
			t.Errorf("%s is %q, want %q", column, got, want)
		}
	}
	if rows[0]["energy_uj"] != rows[1]["energy_per_inference_uj"] {
		t.Errorf("energy %s, per inference %s", rows[0]["energy_uj"], rows[1]["energy_per_inference_uj"])
	}
	rate := real64(t, rows[0], "activity_time_us") / real64(t, rows[0], "time_us")
	if got := rate * real64(t, rows[0], "dramp_uj"); math.Abs(got-2.14749) > 1e-3 {
		t.Errorf("1000 reads of DRAM take %g uJ", got)
	}
	out := hyptx(args...).must(t, exitDone).out
	match(t, "the table", out, "The instructions with most dynamic energy")
	match(t, "the table", out, `mad\.lo\.u32`)
	hyptx(append(args, "--plot", "p.png", "-o", "x.csv")...).must(t, exitDone)
	match(t, "the picture", read(t, "p.png")[:8], "PNG")
	put(t, "t.csv", "launch,time_us\n0,0.001\n")
	rows = readCSV(t, hyptx(append(args, "-o", "-")...).must(t, exitDone).out)
	match(t, "a launch beyond all limits", rows[0]["implausible"], "above the limit of 250 W")
}

// TestPowerBad holds a message for each wrong input.
func TestPowerBad(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u32 n", tail))
	good := hwCSV()
	put(t, "good.csv", good)
	put(t, "few.csv", strings.Join(strings.SplitAfter(good, "\n")[:8], ""))
	put(t, "metric.csv", strings.Replace(good, "TOT_INST", "TOT_INSTS", 1))
	put(t, "unit.csv", strings.Replace(good, "measured_w", "measured_mw", 1))
	put(t, "clock.csv", strings.Replace(good, "clock_mhz", "clock_ghz", 1))
	put(t, "twice.csv", strings.Replace(good, ",IMUL,", ",INT,", 1))
	put(t, "minus.csv", strings.Replace(good, ",1447,", ",-1447,", 1))
	put(t, "nolanes.csv", strings.Replace(good, ",lanes,", ",label,", 1))
	put(t, "ncu.csv", "\ufeffKernel,dram__sectors_read.sum,sm__cycles_elapsed.sum\n,Kbyte,cycle\nk,1,2\n")
	put(t, "two.csv", "run,clock_mhz,measured_w\na,500,50\na,600,60\n")
	put(t, "idle.csv", "run,active_sms,measured_w\na,40,90\n")
	put(t, "empty.csv", "")
	put(t, "tiny.csv", "launch,time_us\n0,1e-300\n")
	put(t, "volts.csv", "Kernel,L1_RH,Chip Voltage\nk,5,0.9\n")
	put(t, "words.csv", "launch,time_us\n0,5us\n")
	put(t, "head.csv", "launch,time_us\n")
	put(t, "lost.csv", "launch,time_us\n0,5\n7,5\nx,5\n-1,5\n")
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"power", exitUsage, "name manifests or .ptx files"},
		{"power k.ptx", exitUsage, "--gpu says on which GPUs"},
		{"power k.ptx --gpu nosuch", exitUsage, "no GPU is known by the name"},
		{"power k.ptx --gpu gv100 --variant fermi", exitUsage, "--variant fermi: must be calibrated, ptx_sim, sass_sim, "},
		{"power k.ptx --gpu gv100 --counts sass", exitUsage, "--counts sass: must be ptx or machine"},
		{"power k.ptx --gpu gv100 --variant hw", exitUsage, "takes hardware counters"},
		{"power k.ptx --gpu gv100 --accelwattch old", exitUsage, "must be paper or release"},
		{"power k.ptx --gpu gv100 --clock 600:1530", exitUsage, "must be from:to:step in MHz"},
		{"power k.ptx --gpu gv100 --clock 1530:600:50", exitUsage, "must be from:to:step in MHz, rising"},
		{"power k.ptx --gpu gv100 --clock 1:99999:0.001", exitUsage, "more than 10000"},
		{"power k.ptx --gpu gv100 --voltage -1", exitUsage, "--voltage -1: must be above 0 and at most 10"},
		{"power k.ptx --gpu gv100 --voltage 1e308", exitUsage, "--voltage 1e308: must be above 0 and at most 10; 1 is the voltage at which energies were tuned"},
		{"power k.ptx --gpu gv100 --temperature-factor NaN", exitUsage, "--temperature-factor NaN: must be above 0 and at most 1000; 1 is 65 C"},
		{"power k.ptx --gpu gv100 --clock 600:5000:50", exitInput, "--clock: gv100: clock 1550 MHz lies outside 135 to 1530 MHz: clock.min_mhz .*nvidia-smi.* to clock.max_mhz .*white paper"},
		{"power k.ptx --gpu l4 --clock 600:2000:50", exitInput, "clock 600 MHz lies outside 795 to 2040 MHz: clock.base_mhz .* to clock.boost_mhz"},
		{"power k.ptx --gpu b200 --clock 600:1900:50", exitInput, "no range of clocks: GPU b200: clock.min_mhz is unknown \\(null or nothing in its file\\)"},
		{"power k.ptx --gpu gv100 --sample 2.5", exitUsage, "--sample"},
		{"power --counters good.csv --variant hw --gpu gv100 --sample 0.5", exitUsage, "--sample says how much the caches see of a program"},
		{"power k.ptx --gpu gv100 --time empty.csv", exitInput, "empty.csv: is empty: a header with the columns launch, time_us, and rows, are expected"},
		{"power k.ptx --gpu gv100 --clock 600:1500:inf", exitUsage, "must be from:to:step in MHz, rising"},
		{"power k.ptx --gpu gv100 --time tiny.csv", exitInput, "tiny.csv: launch 0: time_us is 1e-300: must be from 1e-06 to 1e\\+15"},
		{"power k.ptx --gpu gv100 --time head.csv --clock 600:700:50", exitUsage, "--clock needs counts and times of the model"},
		{"power --counters volts.csv --variant hw --gpu gv100", exitInput, "volts.csv: line 2: Chip Voltage is 0.9: must be 1"},
		{"power k.ptx k.ptx --kernel nope --gpu gv100", exitInput, "--kernel nope: none of the 2 files has such a kernel"},
		{"power k.ptx --gpu gv100 --time words.csv", exitInput, "words.csv: line 2: column time_us: .*parsing \"5us\""},
		{"power k.ptx --gpu gv100 --time head.csv", exitInput, "head.csv: no rows"},
		{"power k.ptx --gpu gv100 --time lost.csv", exitInput, "lost.csv: there is no launch \"-1\", \"7\", \"x\": launches are numbers from 0 to 0, or labels that one launch has"},
		{"power k.ptx --gpu gv100 --batch 0", exitUsage, "--batch 0: must be at least 1"},
		{"power k.ptx --gpu gv100 --plot p.gif", exitUsage, "must end in .svg, .png or .pdf"},
		{"power k.ptx --gpu h100-sxm --energy-scale -2", exitUsage, "--energy-scale -2: must be above 0"},
		{"power k.ptx --gpu h100-sxm --energy-scale 0", exitUsage, "--energy-scale 0: must be above 0"},
		{"power tune good.csv --constant 0", exitUsage, "--constant 0: must be above 0"},
		{"power k.ptx --gpu tesla-k20c --variant ptx_sim", exitInput, "no energy factor was published for 28 nm .* --energy-scale X gives one"},
		{"power k.ptx --gpu a10 --variant ptx_sim", exitInput, "power.idle_w is unknown"},
		{"power --counters metric.csv --variant hw --gpu gv100", exitInput, "unknown metric \"TOT_INSTS\""},
		{"power --counters unit.csv --variant hw --gpu gv100", exitInput, "measured_mw\": the unit does not fit: it must be given as measured_w"},
		{"power --counters ncu.csv --variant hw --gpu gv100", exitInput, "is in \"Kbyte\": the unit does not fit, it must be \"sector\""},
		{"power --counters empty.csv --variant hw --gpu gv100", exitInput, "empty.csv: is empty"},
		{"power --counters nolanes.csv --variant hw --gpu gv100", exitInput, "column lanes is missing"},
		{"power tune few.csv", exitInput, "7 runs cannot determine \\d+ unknown energies"},
		{"power tune metric.csv", exitInput, "unknown metric \"TOT_INSTS\""},
		{"power tune clock.csv", exitInput, "clock_ghz\": the unit does not fit: it must be given as clock_mhz"},
		{"power tune twice.csv", exitInput, "column \"INT\" stands twice"},
		{"power tune minus.csv", exitInput, "line [0-9]+: clock_mhz: \"-1447\" must be a number that is not negative"},
		{"power tune nolanes.csv", exitInput, "column lanes is missing"},
		{"power tune nosuch.csv", exitInput, "nosuch.csv"},
		{"power tune good.csv --start kepler", exitUsage, "unknown start \"kepler\": must be fermi, ones or a variant"},
		{"power tune good.csv --constraints strict", exitUsage, "must be paper or release"},
		{"power tune good.csv --clocks two.csv", exitInput, "2 different clocks: a cubic fit .* needs at least 3"},
		{"power tune good.csv --idle idle.csv", exitInput, "no run with all 80 SMs active"},
		{"power tune good.csv --gpu rtx-3090", exitInput, "no constant power: .*--constant W gives one"},
	} {
		r := hyptx(strings.Fields(c.args)...).must(t, c.code)
		match(t, c.args, r.errOut, c.want)
	}
	put(t, "my.json", "")
	hyptx("power", "tune", "good.csv", "-o", "my.json").must(t, exitDone)
	mine := read(t, "my.json")
	for from, to := range map[string]string{`"idle_sm_w": 0`: `"idle_sm_w": -0`, `"static_sms"`: `"sms_static"`, `"model": "accelwattch"`: `"model": "other"`, `"IC_H": 0`: `"IC_H": -1`} {
		put(t, "bad.json", strings.Replace(mine, from, to, 1))
		match(t, to, hyptx("power", "--counters", "good.csv", "--variant", "hw", "--gpu", "bad.json").must(t, exitInput).errOut, "power_model")
	}
	r := hyptx("power", "k.ptx", "--gpu", "my.json", "--variant", "ptx_sim")
	match(t, "another variant", r.must(t, exitInput).errOut, "its power model is of variant hw, not ptx_sim")
}

// TestPowerAnyTimeModel: every time model gives a figure, for PTX and for machine code; one
// that knows no clock is charged at the GPU's.
func TestPowerAnyTimeModel(t *testing.T) {
	for _, model := range modelNames() {
		for _, counts := range []string{"ptx", "machine"} {
			rows := readCSV(t, hyptx("--quiet", "power", "../../examples/vector_add.json", "--gpu", "gv100", "--time-model", model, "--counts", counts, "-o", "-").must(t, exitDone).out)
			if row := rows[0]; row["missing"] != "" || row["energy_uj"] == "" || row["clock_mhz"] != "1447.0000" {
				t.Errorf("%s, counts of %s: %s uJ at %s MHz; %s", model, counts, row["energy_uj"], row["clock_mhz"], row["missing"])
			}
		}
	}
}

// TestMemoryOfInstructions: where the time is simulated nobody counts sectors by instruction, and
// what caches and DRAM take is no other instruction's; else those that access memory have all of it.
func TestMemoryOfInstructions(t *testing.T) {
	sample, err := filepath.Abs("../../ptx-samples/kernels/gemm_tiled.json")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	number := func(text string) float64 {
		x, err := strconv.ParseFloat(cmp.Or(text, "0"), 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for model, apart := range map[string]bool{"simulated": true, "analytic": false} {
		hyptx("power", sample, "--gpu", "gv100", "--time-model", model, "--hot", "hot.csv", "-o", "power.csv").must(t, exitDone)
		sum, ofMemory := 0.0, 0.0
		for _, row := range readCSV(t, read(t, "hot.csv")) {
			energy, memory := number(row["energy_uj"]), number(row["memory_uj"])
			sum += energy
			if ofMemory += memory; row["class"] == "integer" && memory > 0 || (row["class"] == "memory") && (!apart || row["ptx_line"] != "" || memory != energy) {
				t.Errorf("%s: %v", model, row)
			}
		}
		rows := readCSV(t, read(t, "power.csv"))
		total := rows[len(rows)-1]
		dynamic := number(total["energy_uj"]) - number(total["const_uj"]) - number(total["static_uj"]) - number(total["idle_sm_uj"])
		if math.Abs(sum/dynamic-1) > 1e-3 || ofMemory < 0.05*sum {
			t.Errorf("%s: instructions have %v uJ, of it memory %v; the launch has %v", model, sum, ofMemory, dynamic)
		}
	}
}
