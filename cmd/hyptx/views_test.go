package main

import (
	"maps"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// nested goes three times round an outer loop, and in each round once or, if
// its number is odd, twice round an inner one.
const nested = "mov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 1;\nmov.u32 %r3, 0;\n" +
	"O: mov.u32 %r4, 0;\nI: add.u32 %r4, %r4, 1;\nsetp.le.u32 %p1, %r4, %r2;\n@%p1 bra I;\n" +
	"add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, 3;\n@%p2 bra O;"

// TestLoops: 2 CTAs of 40 threads are 4 warps. Threads come 2*40*3 times to
// the inner loop and make 2*(20*1+20*2)*3 trips; a warp makes 2 trips each
// time, and splits at the first one's end.
func TestLoops(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel("", nested))
	for _, mode := range []string{"control", "full"} {
		hyptx("profile", "k.ptx", "--grid", "2", "--block", "40", "--mode", mode, "--loops", "loops.csv").must(t, exitDone)
		rows := readCSV(t, read(t, "loops.csv"))
		if len(rows) != 2 {
			t.Fatalf("%d loops, want 2", len(rows))
		}
		for i, want := range []map[string]string{
			{"depth": "1", "warps": "4", "trips_min": "3", "trips_max": "3", "trips_mean": "3.0000", "thread_entries": "80",
				"thread_trips": "240", "thread_trips_per_entry_mean": "3.0000", "divergent_exits": "0", "waiting": "false", "ptx_line": "10"},
			{"depth": "2", "warps": "4", "trips_min": "6", "trips_max": "6", "trips_mean": "6.0000", "thread_entries": "240",
				"thread_trips": "360", "thread_trips_per_entry_mean": "1.5000", "divergent_exits": "12", "waiting": "false", "ptx_line": "11"},
		} {
			for name, v := range want {
				if rows[i][name] != v {
					t.Errorf("mode %s, loop %d: %s is %q, want %q", mode, i, name, rows[i][name], v)
				}
			}
		}
	}
}

// TestByKernel: the kernels' sums are those of the launches' rows.
func TestByKernel(t *testing.T) {
	net := filepath.Join(samples, "networks", "mobilenetv2.json")
	t.Chdir(t.TempDir())
	hyptx("profile", net, "-o", "p.csv", "--by-kernel", "k.csv").must(t, exitDone)
	warp, launches := map[string]int{}, map[string]int{}
	for _, r := range readCSV(t, read(t, "p.csv")) {
		n, _ := strconv.Atoi(r["warp_instructions"])
		warp[r["kernel"]] += n // the total's under ""
		launches[r["kernel"]]++
	}
	share, last := 0.0, warp[""]
	rows := readCSV(t, read(t, "k.csv"))
	for _, r := range rows {
		if n, _ := strconv.Atoi(r["warp_instructions"]); n != warp[r["kernel"]] || n > last {
			t.Errorf("%s: %d warp instructions, want %d, and at most %d", r["kernel"], n, warp[r["kernel"]], last)
		} else {
			last = n
		}
		if r["launches"] != strconv.Itoa(launches[r["kernel"]]) {
			t.Errorf("%s: %s launches, want %d", r["kernel"], r["launches"], launches[r["kernel"]])
		}
		x, _ := strconv.ParseFloat(r["warp_instructions_pct"], 64)
		share += x
	}
	if len(rows) != len(warp)-1 || share < 99.99 || share > 100.01 {
		t.Errorf("%d kernels, want %d; shares add up to %f", len(rows), len(warp)-1, share)
	}
	t.Setenv("COLUMNS", "200")
	out := hyptx("profile", net, "--top", "2").must(t, exitDone).out
	lines := strings.Split(strings.TrimRight(out, "\n"), "\n")
	match(t, "--top 2", out, `\nand \d+ more with [0-9.]+ % of the warp instructions\n$`)
	if len(lines) != 5 || !strings.HasPrefix(lines[2], "  "+rows[0]["kernel"]+" ") {
		t.Errorf("--top 2:\n%s", out)
	}
	match(t, "heading", lines[1], `^  kernel +launches  +warp inst  share %`)
	hyptx("profile", net, "--top", "-1").must(t, exitUsage)
	hyptx("profile", net, "--top", "1", "--metrics", "branches").must(t, exitUsage)
	hyptx("profile", net, "--top", "1", "--mode", "static").must(t, exitUsage)
}

// TestKernelOfSeveralFiles passes over the files without the kernel.
func TestKernelOfSeveralFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "a.ptx", header+".entry _Z3fooPf()\n{\nret;\n}\n")
	put(t, "b.ptx", header+".entry bar()\n{\nret;\n}\n")
	for _, name := range []string{"_Z3fooPf", "foo(float*)", "foo"} {
		rows := readCSV(t, hyptx("profile", "a.ptx", "b.ptx", "--kernel", name, "-o", "-").must(t, exitDone).out)
		if len(rows) != 2 || rows[0]["kernel"] != "_Z3fooPf" {
			t.Errorf("--kernel %s: %v", name, rows)
		}
	}
}

// TestMemoryTable shows memory traffic where the mode counts it.
func TestMemoryTable(t *testing.T) {
	t.Setenv("COLUMNS", "200")
	add := filepath.Join(filepath.Dir(samples), "examples", "vector_add.json")
	match(t, "memory", hyptx("profile", add, "--mode", "memory").must(t, exitDone).out, `warp eff %  bytes moved  gld eff %  gst eff %  slice %`)
	match(t, "by kernel", hyptx("profile", add, "--mode", "memory", "--top", "1").must(t, exitDone).out, `warp eff %  bytes moved  exactness`)
	match(t, "control", hyptx("profile", add).must(t, exitDone).out, `warp eff %  slice %`)
}

// TestTablesFit: readable tables are as wide as the terminal, and 80 columns where
// there is none; what did not fit is named.
func TestTablesFit(t *testing.T) {
	add := filepath.Join(filepath.Dir(samples), "examples", "vector_add.json")
	for _, args := range [][]string{
		{"profile", add, "--mode", "memory"}, {"profile", add, "--mode", "memory", "--top", "1"}, {"roofline", add, "--gpu", "gv100"}, {"power", add, "--gpu", "gv100"},
		{"power", add, "--gpu", "gv100", "--clock", "600:1500:300"},
	} {
		shown := 0 // words of the headings, which a wider terminal shows more of
		for _, width := range []int{0, 100, 300} {
			t.Setenv("COLUMNS", map[int]string{0: "", 100: "100", 300: "300"}[width])
			out := hyptx(args...).must(t, exitDone).out
			for line := range strings.Lines(out) {
				if n := utf8.RuneCountInString(line) - 1; strings.HasPrefix(line, "  ") && n > max(width, 80) {
					t.Errorf("%v: %d columns, there are %d: %s", args, n, max(width, 80), line)
				}
			}
			if width == 300 && strings.Contains(out, "left out to fit") {
				t.Errorf("%v: on 300 columns all fits:\n%s", args, out)
			}
			table, _, _ := strings.Cut(out, "left out to fit")
			n := len(strings.Fields(table))
			if n < shown {
				t.Errorf("%v: %d columns of terminal show less than fewer", args, width)
			}
			if !strings.Contains(out, "left out to fit") {
				break // wider is the same
			}
			shown = n
		}
	}
	t.Setenv("COLUMNS", "")
	match(t, "what is left out", strings.Join(strings.Fields(hyptx("profile", add).must(t, exitDone).out), " "), `left out to fit 80 columns: threads, label\. .* -o FILE writes all`)
}

// TestMetricsOnce shows no column twice.
func TestMetricsOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel("", ""))
	out := hyptx("profile", "k.ptx", "--grid", "1", "--block", "1", "--metrics", "kernel,branches,branches,launch").must(t, exitDone).out
	match(t, "table", out, `^k\n  launch  kernel  branches\n +0  k +0\n$`)
	out = hyptx("profile", "k.ptx", "--metrics", "kernel,branches,branches,launch", "-o", "-").must(t, exitDone).out
	match(t, "csv", out, `^network,file,kernel,label,launch,branches,hyptx_version,inputs_sha256\n`)
}

// TestNoTotal: roofline and power leave out the rows of totals, too.
func TestNoTotal(t *testing.T) {
	add := filepath.Join(filepath.Dir(samples), "examples", "vector_add.json")
	for _, command := range []string{"roofline", "power"} {
		all := readCSV(t, hyptx(command, add, "--gpu", "gv100,a100", "-o", "-").must(t, exitDone).out)
		rows := readCSV(t, hyptx(command, add, "--gpu", "gv100,a100", "--no-total", "-o", "-").must(t, exitDone).out)
		if len(all) != 4 || len(rows) != 2 {
			t.Fatalf("%s: %d rows, %d without totals", command, len(all), len(rows))
		}
		for i, r := range rows {
			if r["kind"] != "launch" || !maps.Equal(r, all[2*i]) {
				t.Errorf("%s: %v, want %v", command, r, all[2*i])
			}
		}
		if out := hyptx(command, add, "--gpu", "gv100", "--no-total").must(t, exitDone).out; regexp.MustCompile(`(?m)^ *total `).MatchString(strings.Split(out, "Dynamic energy")[0]) {
			t.Errorf("%s shows a total:\n%s", command, out)
		}
	}
	match(t, "a sweep", hyptx("power", add, "--gpu", "gv100", "--no-total", "--clock", "600:900:100").must(t, exitUsage).errOut, "--no-total has no effect with --clock")
}
