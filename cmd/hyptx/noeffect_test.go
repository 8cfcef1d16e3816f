package main

import (
	"strings"
	"testing"
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
	r := hyptx("power", "--counters", "hw.csv", "--gpu", "gv100", "-o", "-").must(t, exitDone)
	match(t, "the note", r.errOut, "note: hw.csv: 25 of 25 rows have no figure of variant ptx_sim on gv100: .*--variant hw has energies")
	for _, row := range table(t, r.out) {
		match(t, row["kernel"], row["missing"], "no figure without FP_INST, IC_H")
	}
	r = hyptx("power", "--counters", "hw.csv", "--gpu", "gv100", "--variant", "hw", "--sort", "energy", "-o", "-").must(t, exitDone)
	match(t, "no note", r.errOut, "^$")
	rows := table(t, r.out)
	for i, row := range rows {
		if i > 0 && real64(t, row, "energy_uj") > real64(t, rows[i-1], "energy_uj") {
			t.Errorf("%s is not sorted by energy", row["kernel"])
		}
	}
}
