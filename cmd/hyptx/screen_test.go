package main

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// evil is a name that would recolour a terminal, forge a line and turn the
// reading direction.
const evil = "n\x1b[31m\nhyptx: verified\u202eet"

// TestNames: no command lets a name from a file steer the terminal or forge a
// line; a CSV file has the name as it is.
func TestNames(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u64 x", "ld.param.u64 %rd1, [x];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;"))
	program := func(threads int) string {
		text, err := json.Marshal(map[string]any{"version": 1, "name": evil, "outputs": []string{"b" + evil},
			"buffers": map[string]any{"b" + evil: map[string]any{"bytes": 64, "type": "u32", "init": "zero"}},
			"launches": []any{map[string]any{"label": "l" + evil, "module": "k.ptx", "kernel": "k", "grid": []int{1}, "block": []int{threads},
				"args": []any{map[string]any{"buffer": "b" + evil}}}}})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	put(t, "good.json", program(16))
	put(t, "bad.json", program(64)) // writes beyond the buffer: the error names it
	put(t, evil+".json", program(16))
	for _, args := range []string{"profile good.json", "profile --mode full bad.json", "run bad.json", "roofline good.json --gpu gv100", "power good.json --gpu gv100",
		"power good.json --gpu gv100 -o p.csv", "manifest check good.json", "profile " + evil + ".json --mode memory --gpu r9-nano", "profile " + evil + ".json --grid 1"} {
		for _, columns := range []string{"80", "300"} {
			t.Setenv("COLUMNS", columns)
			var words []string
			for _, w := range strings.Split(args, " ") {
				words = append(words, strings.ReplaceAll(w, "%", " "))
			}
			if i := strings.Index(args, evil); i >= 0 { // a name with blanks is one argument
				words = append([]string{"profile", evil + ".json"}, strings.Fields(args[i+len(evil+".json"):])...)
			}
			r := hyptx(words...)
			for _, text := range []string{r.out, r.errOut} {
				if strings.ContainsAny(text, "\x1b\u202e") || strings.Contains(text, "\nhyptx: verified") {
					t.Errorf("%v: %q", words, text)
				}
			}
			if r.out+r.errOut == "" && !strings.Contains(args, "-o") {
				t.Errorf("%v says nothing", words)
			}
		}
	}
	hyptx("profile", "good.json", "-o", "p.csv").must(t, exitDone)
	rows, err := csv.NewReader(strings.NewReader(read(t, "p.csv"))).ReadAll()
	if err != nil || !strings.Contains(strings.Join(rows[1], ","), evil) {
		t.Errorf("%v: %q", err, rows)
	}
}

// TestVisible: what is shown stays, what steers is written out.
func TestVisible(t *testing.T) {
	for s, want := range map[string]string{"": "", "a\tb\n": "a\tb\n", "é中": "é中", "\x1b[1m": `\x1b[1m`, "a\u202eb": `a\u202eb`, "\x9b1m": `\x9b1m`, "\u009b": `\u009b`,
		"a\rb": `a\rb`, "\u2028": `\u2028`, "\ufffd": "\ufffd"} {
		if got := visible(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
	if got := oneLine("a\nb\tc"); got != `a\nb\tc` {
		t.Error(got)
	}
}

// TestOwnTablesFit: the lists of the program itself fit 80 columns, lose no
// word by it, and are whole where there is room.
func TestOwnTablesFit(t *testing.T) {
	for _, command := range []string{"gpus", "gpus gv100", "isa", "calibrate --list"} {
		t.Setenv("COLUMNS", "80")
		narrow := hyptx(strings.Fields(command)...).must(t, exitDone).out
		for line := range strings.Lines(narrow) {
			if n := utf8.RuneCountInString(line) - 1; n > 80 {
				t.Errorf("%s: %d columns: %s", command, n, line)
			}
		}
		t.Setenv("COLUMNS", "1000")
		wide := hyptx(strings.Fields(command)...).must(t, exitDone).out
		if strings.Contains(wide, "left out") || strings.Count(wide, "\n") >= strings.Count(narrow, "\n") {
			t.Errorf("%s: with 1000 columns %s", command, wide)
		}
		letters := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if leaves := strings.Contains(narrow, "left out to fit 80 columns: "); leaves != (command == "gpus" || command == "isa") {
			t.Errorf("%s: columns are left out: %v", command, leaves)
		} else if !leaves && len(letters(wide)) != len(letters(narrow)) {
			t.Errorf("%s: %d letters with 80 columns, %d with 1000", command, len(letters(narrow)), len(letters(wide)))
		}
	}
	t.Setenv("COLUMNS", "80")
	match(t, "what is left out", hyptx("gpus").must(t, exitDone).out, `left out to fit 80 columns: measured, also called, GPU, compute`)
}

// TestFold: words are kept whole where they fit, and all are there.
func TestFold(t *testing.T) {
	for _, c := range []struct {
		text, hang string
		width      int
		want       string
	}{
		{"", "", 5, ""}, {"a b c", "", 3, "a b|c"}, {"abc de", "", 3, "abc|de"}, {"abcdefg h", "", 3, "abc|def|g h"},
		{"a bcd", " ", 3, "a| bc| d"}, {"mean 3 dB", "  ", 6, "mean 3|  dB"},
	} {
		if got := strings.Join(foldWords(c.text, c.width, c.hang), "|"); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

// TestTableNames: names in a profiler's table, or in one of times, forge no line
// either, in errors and in tables, where a long name loses its middle.
func TestTableNames(t *testing.T) {
	t.Chdir(t.TempDir())
	long := "kernel_with_a_long_name\nhyptx: verified" + strings.Repeat("_x", 60)
	put(t, "k.ptx", kernel("", ""))
	put(t, "times.csv", "launch,time_us\n\"0\nhyptx: verified\",5\n\"0\nhyptx: verified\",6\n")
	put(t, "breaks.csv", "launch,time_us\n\"\n\",5\n")
	nvprof := "Kernel,Invocations,Metric Name,Avg\n"
	metrics := []string{"flop_count_sp_fma", "flop_count_dp_fma", "inst_compute_ld_st", "inst_executed", "inst_fp_32", "inst_fp_64", "inst_integer", "dram_read_transactions", "dram_write_transactions"}
	put(t, "lacking.csv", nvprof+"\""+long+"\",1,"+metrics[0]+",1\n")
	for _, m := range metrics {
		nvprof += "\"" + long + "\",1," + m + ",1000\n"
	}
	put(t, "whole.csv", nvprof)
	text, err := json.Marshal(map[string]any{"version": 1, "name": long, "launches": []any{map[string]any{"label": long, "module": "k.ptx", "kernel": "k", "grid": []int{1}, "block": []int{32}}}})
	if err != nil {
		t.Fatal(err)
	}
	put(t, "m.json", string(text))
	for _, args := range []string{"roofline --counters lacking.csv --gpu gv100", "roofline --counters whole.csv --gpu gv100", "roofline --counters whole.csv --gpu gv100 -o r.csv",
		"power --counters lacking.csv --gpu gv100", "roofline k.ptx --time times.csv --gpu gv100", "power k.ptx --time times.csv --gpu gv100", "roofline k.ptx --time breaks.csv --gpu gv100",
		"profile m.json", "profile m.json --top 1", "roofline m.json --gpu gv100", "power m.json --gpu gv100"} {
		for _, columns := range []string{"60", "80", "400"} {
			t.Setenv("COLUMNS", columns)
			r := hyptx(strings.Fields(args)...)
			if strings.Contains(r.out+r.errOut, "\nhyptx: verified") || strings.HasPrefix(r.errOut, "hyptx: verified") || strings.Contains(r.errOut, "hyptx: hyptx:") || r.out+r.errOut == "" && !strings.Contains(args, "-o") {
				t.Errorf("%s: %q %q", args, r.out, r.errOut)
			}
		}
	}
}
