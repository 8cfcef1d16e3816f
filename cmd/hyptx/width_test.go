package main

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestWidth: what is shown fits 80 columns where there is no terminal, or what COLUMNS says;
// so do the notes below tables, and long command lines go on in the next line as a shell
// takes them.
func TestWidth(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u64 x", increment))
	for _, width := range []string{"80", "100"} {
		t.Setenv("COLUMNS", width)
		for _, c := range []struct {
			args string
			code int
		}{
			{"st2 k.ptx --grid 2 --block 64", exitDone},
			{"st2 k.ptx --grid 2 --block 64 --slice-width 4,8 --intra-warp sequential,parallel --crf-arbitration ideal,lane", exitDone},
			{"hypa alexnet mobilenet --repeat 2", exitDone},
			{"power validate", exitDone},
			{"papers --list", exitDone},
			{"roofline k.ptx --grid 2 --block 64 --gpu gtx-480", exitInput},
			{"roofline k.ptx --grid 2 --block 64 --gpu gv100 --measured gv100=1", exitDone},
			{"power k.ptx --grid 2 --block 64 --gpu gtx-480", exitInput},
			{"power k.ptx --grid 2 --block 64 --gpu gv100,a100", exitDone},
			{"power k.ptx --grid 2 --block 64 --gpu gv100 --clock 600:1500:300", exitDone},
		} {
			for line := range strings.Lines(hyptx(strings.Fields(c.args)...).must(t, c.code).out) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > map[string]int{"80": 80, "100": 100}[width] {
					t.Errorf("%s: %d columns of %s: %q", c.args, n, width, line)
				}
			}
		}
	}
	match(t, "a long command", hyptx("papers", "st2", "--list").must(t, exitDone).out, `(?m)^    hyptx st2 SAMPLES/.* \\\n      SAMPLES/`)
}

// TestNoPower: a GPU on which no launch has a figure is an error, of power as of roofline.
func TestNoPower(t *testing.T) {
	t.Chdir(t.TempDir())
	r := hyptx("power", vectorAdd, "--gpu", "gv100,gtx-480", "-o", "p.csv").must(t, exitInput)
	match(t, "stderr", r.errOut, `(?m)^hyptx: no launch has a power on gtx-480: .*unknown are launch_overhead_us, `)
	if rows := readCSV(t, read(t, "p.csv")); len(rows) < 2 || rows[0]["power_w"] == "" {
		t.Errorf("the other GPU's rows: %v", rows)
	}
	hyptx("power", vectorAdd, "--gpu", "gv100").must(t, exitDone)
}
