package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestNoEffect: what --counters makes pointless is refused before anything is
// read, with the reason.
func TestNoEffect(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ args, want string }{
		{"power --launch 0", "all of the file's are taken"},
		{"power --kernel k", "all of the file's are taken"},
		{"power --time t.csv", "the times are those of the file"},
		{"power --counts machine", "the file has these counts"},
		{"power --grid 5", "it says how a .ptx file is launched"},
		{"power --default-scalar 5", "it says how a .ptx file is launched"},
		{"power --hot h.csv", "only a program can say"},
		{"power --batch 2", "is that of a program"},
		{"roofline --launch 0", "all of the file's are taken"},
		{"roofline --kernel k", "all of the file's are taken"},
		{"roofline --counts ptx", "a profiler counted these"},
		{"roofline --block 5", "it says how a .ptx file is launched"},
		{"roofline --arg n=5", "it says how a .ptx file is launched"},
		{"roofline --traffic model", "what the profiler counted"},
		{"roofline --dram-bytes 5", "what the profiler counted"},
		{"roofline --sample 0.1", "what the profiler counted"},
	} {
		args := append(strings.Fields(c.args), "--counters", "c.csv", "--gpu", "gv100")
		flag := strings.Fields(c.args)[1]
		match(t, c.args, hyptx(args...).must(t, exitUsage).errOut, flag+" has no effect with --counters: .*"+c.want)
	}
}

// TestPowerCountersWithout: counters without which there is no figure are named
// in each row, and a note says how figures come about.
func TestPowerCountersWithout(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "hw.csv", hwCSV())
	r := hyptx("power", "--counters", "hw.csv", "--gpu", "gv100", "-o", "-").must(t, exitInput)
	match(t, "the error", r.errOut, "(?m)^hyptx: no launch has a power on gv100: no figure without FP_INST, IC_H")
	match(t, "the note", r.errOut, "note: hw.csv: 25 of 25 rows have no figure of variant ptx_sim on gv100: .*--variant hw has energies")
	for _, row := range readCSV(t, r.out) {
		match(t, row["kernel"], row["missing"], "no figure without FP_INST, IC_H")
	}
	r = hyptx("power", "--counters", "hw.csv", "--gpu", "gv100", "--variant", "hw", "--sort", "energy", "-o", "-").must(t, exitDone)
	match(t, "no note", r.errOut, "^$")
	rows := readCSV(t, r.out)
	for i, row := range rows {
		if i > 0 && real64(t, row, "energy_uj") > real64(t, rows[i-1], "energy_uj") {
			t.Errorf("%s is not sorted by energy", row["kernel"])
		}
	}
}

// TestRooflineCountersTimeout: a file of counters ends at --timeout, too: when it is read, or
// on a busy machine before that.
func TestRooflineCountersTimeout(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.json", `{"data": {"k": {"dominant_op": "fp_32", "compute_ops": 1000, "dram_bytes": 1000, "opmix_efficiency": 1, "mix_compute": 0.3, "mix_ldst": 0.4, "reference_time": 1, "count": 1}}}`)
	r := hyptx("roofline", "--counters", "k.json", "--gpu", "gtx-660", "-o", "x.csv", "--timeout", "1ns").must(t, exitInput)
	match(t, "the error", r.errOut, "(?m)^hyptx: (k.json: )?more than 1ns needed; the limit can be raised with --timeout$")
}

// TestPowerTimes: measured times are of one GPU, at a clock that it can have.
func TestPowerTimes(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u32 n", tail))
	put(t, "good.csv", "launch,time_us,clock_mhz\n0,5,1530\n")
	put(t, "fast.csv", "launch,time_us,clock_mhz\n0,5,9999\n")
	put(t, "twice.csv", "launch,time_us,time_us\n0,5,6\n")
	put(t, "runs.csv", strings.ReplaceAll(hwCSV(), ",1447,", ",99999,"))
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"power k.ptx --gpu gv100 --time good.csv", exitDone, "^$"},
		{"power k.ptx --gpu gv100 --time fast.csv", exitInput, "fast.csv: launch 0: clock_mhz is 9999: a gv100 has at most 1530 MHz \\(clock.max_mhz: "},
		{"power k.ptx --gpu gv100 --time twice.csv", exitInput, "twice.csv: column \"time_us\" stands twice"},
		{"power k.ptx --gpu gv100,a100 --time good.csv", exitUsage, "--time: the times were measured on one GPU; name that one with --gpu"},
		{"power tune runs.csv --start fermi", exitInput, "runs.csv: .*clock 99999 MHz lies outside 135 to 1530 MHz"},
	} {
		match(t, c.args, hyptx(append([]string{"--quiet"}, strings.Fields(c.args)...)...).must(t, c.code).errOut, c.want)
	}
}

// TestSpellFlags: where the library names an option of its own, there is a flag
// of that name.
func TestSpellFlags(t *testing.T) {
	if got := spellFlags("raised with option max-memory, or (option gpu NAME); an optional thing"); got != "raised with --max-memory, or (--gpu NAME); an optional thing" {
		t.Error(got)
	}
	flags := map[string]bool{}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, set := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} { // those of all commands, too, as --lenient
			set.VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk((&app{}).rootCommand())
	named := 0
	flag, others := regexp.MustCompile(`.[^-\w]--[a-z]`), regexp.MustCompile("hyptx |ncu |nvprof |--page raw|doc:") // whole commands, of other tools, and what documents hyptx' own columns
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "cmd/hyptx") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, quoted := range regexp.MustCompile("\"[^\"\n]*\"|`[^`]*`").FindAllString(string(text), -1) {
			for _, m := range option.FindAllStringSubmatch(quoted, -1) {
				if named++; !flags[m[1]] {
					t.Errorf("%s: no command has a flag --%s", path, m[1])
				}
			}
			if flag.MatchString(quoted) && !others.MatchString(quoted) {
				t.Errorf("%s: %s speaks of flags", path, quoted)
			}
		}
		return err
	})
	if err != nil || named < 10 {
		t.Errorf("%d options named, %v", named, err)
	}
}

// TestThemeWithout: a paper without a figure on it is refused.
func TestThemeWithout(t *testing.T) {
	relu := filepath.Join(samples, "kernels", "relu.json")
	for _, args := range [][]string{
		{"power", relu, "--gpu", "gv100"}, {"roofline", relu, "--gpu", "gv100"}, {"st2", relu}, {"hypa", "alexnet"}, {"accelwattch", "lanes"}, {"thesis", "counters"},
	} {
		match(t, args[0], hyptx(append(args, "--theme", "dark")...).must(t, exitUsage).errOut, "--theme has no effect without a figure")
	}
}

// TestTraceOneClock: with times that are known at one clock a trace has no figure, and the
// reason is that, not a launch before.
func TestTraceOneClock(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "trace.csv", "time_us,clock_mhz\n0,1000\n")
	r := hyptx("power", filepath.Join(samples, "kernels", "relu.json"), "--gpu", "gv100", "--clock-trace", "trace.csv", "--time-model", "thesis", "-o", "-").must(t, exitInput)
	match(t, "the error", r.errOut, "no launch has a power on gv100: .* says nothing of other clocks")
	match(t, "the reason", readCSV(t, r.out)[0]["missing"], "says nothing of other clocks")
}
