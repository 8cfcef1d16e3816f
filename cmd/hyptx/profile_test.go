package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestProfileCounts holds a guarded kernel against counts made by hand: 4 CTAs
// of 64 threads and n = 100, so warps 0 to 2 of 8 are full, warp 3 has 4 lanes
// below n and warps 4 to 7 none. Seven instructions lead to the branch, add
// runs in 4 warps, ret in all.
func TestProfileCounts(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u32 n", tail))
	hyptx("profile", "k.ptx", "--grid", "4", "--block", "64", "--arg", "n=100", "-o", "p.csv").must(t, exitDone)
	rows := readCSV(t, read(t, "p.csv"))
	if len(rows) != 2 || rows[0]["launch"] != "0" || rows[1]["launch"] != "total" {
		t.Fatalf("rows %v", rows)
	}
	for name, want := range map[string]string{
		"network": "k", "file": "k.ptx", "kernel": "k", "ctas": "4", "warps": "8", "threads": "256", "block_x": "64",
		"warp_instructions": "68", "thread_instructions": "2148", "branches": "8", "divergent_branches": "1",
		"branch_efficiency_pct": "87.5000", "exactness": "exact", "assumed_inputs": "", "assumed_decisions": "0",
		"gld_transactions": "", "ptx_target": "sm_70",
	} {
		for _, r := range rows {
			if r["launch"] == "total" && slices.Contains([]string{"file", "kernel", "block_x", "ptx_target"}, name) {
				continue
			}
			if r[name] != want {
				t.Errorf("launch %s: %s is %q, want %q", r["launch"], name, r[name], want)
			}
		}
	}
	if len(rows[0]["inputs_sha256"]) != 64 || rows[0]["hyptx_version"] == "" {
		t.Errorf("stamp %q, %q", rows[0]["hyptx_version"], rows[0]["inputs_sha256"])
	}
}

// TestInputsHash tells other inputs by another hash, the same by the same.
func TestInputsHash(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u32 n", tail))
	hash := func(args ...string) string {
		r := hyptx(append([]string{"profile", "k.ptx", "-o", "-"}, args...)...).must(t, exitDone)
		return readCSV(t, r.out)[0]["inputs_sha256"]
	}
	base := hash("--arg", "n=1")
	if again := hash("--arg", "n=1"); again != base {
		t.Error("the same inputs have another hash")
	}
	if other := hash("--arg", "n=2"); other == base {
		t.Error("another argument has the same hash")
	}
	put(t, "k.ptx", kernel(".param .u32 n", tail+"\nmov.u32 %r1, 0;"))
	if other := hash("--arg", "n=1"); other == base {
		t.Error("another text has the same hash")
	}
}

// TestAssumed profiles bare files of which nobody says how they are launched.
func TestAssumed(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "a.ptx", kernel(".param .u32 n", tail))
	put(t, "b.ptx", header+".visible .entry x()\n{\nret;\n}\n.visible .entry y() .reqntid 64\n{\nret;\n}\n")
	hyptx("profile", "a.ptx", "b.ptx", "-o", "all.csv").must(t, exitDone)
	rows := readCSV(t, read(t, "all.csv"))
	var got []string
	for _, r := range rows {
		got = append(got, r["network"]+" "+r["launch"]+" "+r["kernel"]+" "+r["threads"]+" "+r["exactness"])
	}
	want := []string{"a 0 k 256 assumed", "a total  256 assumed", "b 0 x 256 assumed", "b 1 y 64 assumed", "b total  320 assumed", " total  576 assumed"}
	if !slices.Equal(got, want) {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	match(t, "assumed_inputs", rows[0]["assumed_inputs"], `grid=1,1,1; block=256,1,1; n=1024`)
	r := hyptx("profile", "a.ptx", "--grid", "2", "--block", "32").must(t, exitDone)
	match(t, "table", r.out, `(?m)^assumed: n=1024$`)
}

// TestOneOfSeveralWrong writes the rows of the files that are right.
func TestOneOfSeveralWrong(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "a.ptx", kernel("", "mov.u32 %r1, 0;"))
	put(t, "bad.ptx", kernel("", "frob.u32 %r1;"))
	put(t, "c.ptx", kernel("", "mov.u32 %r1, 1;"))
	r := hyptx("profile", "a.ptx", "bad.ptx", "missing.ptx", "c.ptx", "-o", "all.csv").must(t, exitInput)
	match(t, "stderr", r.errOut, `(?m)^hyptx: bad.ptx:7:1: unknown opcode`)
	match(t, "stderr", r.errOut, `(?m)^hyptx: missing.ptx: .*no such file|cannot find`)
	rows := readCSV(t, read(t, "all.csv"))
	if len(rows) != 4 || rows[0]["network"] != "a" || rows[2]["network"] != "c" {
		t.Errorf("rows %v", rows)
	}
}

// TestNoRowsNoFile leaves the old file alone when there is nothing to write.
func TestNoRowsNoFile(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "bad.ptx", "nonsense")
	put(t, "old.csv", "old")
	hyptx("profile", "bad.ptx", "-o", "old.csv").must(t, exitInput)
	hyptx("profile", "bad.ptx", "-o", "new.csv").must(t, exitInput)
	if got := read(t, "old.csv"); got != "old" {
		t.Errorf("old.csv is %q", got)
	}
	if files, _ := filepath.Glob("*"); !slices.Equal(files, []string{"bad.ptx", "old.csv"}) {
		t.Errorf("files %v", files)
	}
	if hidden, _ := filepath.Glob(".hyptx-*"); len(hidden) > 0 {
		t.Errorf("left behind: %v", hidden)
	}
}

func TestStandardInputAndGzip(t *testing.T) {
	t.Chdir(t.TempDir())
	text := kernel(".param .u32 n", tail)
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write([]byte(text))
	w.Close()
	put(t, "k.ptx", text)
	put(t, "k.ptx.gz", z.String())
	put(t, "m.json", manifestOf("", `"grid": [1], "block": [64], "args": [{"value": 40}]`))
	counts := func(r result) string {
		r.must(t, exitDone)
		return readCSV(t, r.out)[0]["thread_instructions"]
	}
	want := counts(hyptx("profile", "k.ptx", "-o", "-", "--block", "64", "--arg", "n=40"))
	for name, r := range map[string]result{
		"stdin":       hyptxIn(text, "profile", "-", "-o", "-", "--block", "64", "--arg", "n=40"),
		"gzip":        hyptx("profile", "k.ptx.gz", "-o", "-", "--block", "64", "--arg", "0=40"),
		"gzip, stdin": hyptxIn(z.String(), "profile", "-", "-o", "-", "--block", "64", "--arg", "n=40"),
		"manifest":    hyptxIn(read(t, "m.json"), "profile", "-", "-o", "-"),
	} {
		if got := counts(r); got != want || got == "" {
			t.Errorf("%s: %q thread instructions, want %q", name, got, want)
		}
	}
	put(t, "half.gz", z.String()[:z.Len()/2])
	match(t, "stderr", hyptx("parse", "half.gz").must(t, exitInput).errOut, `half.gz: the file ends too early`)
}

// TestChoice chooses launches by kernel, number and label, and columns.
func TestChoice(t *testing.T) {
	net := filepath.Join(samples, "networks", "mobilenetv2.json")
	t.Chdir(t.TempDir())
	all := readCSV(t, hyptx("profile", net, "-o", "-", "--metrics", "threads,exactness").must(t, exitDone).out)
	if len(all) != 118 || len(all[0]) != 5+2+2 {
		t.Fatalf("%d rows of %d columns, want 118 of 9", len(all), len(all[0]))
	}
	one := readCSV(t, hyptx("profile", net, "-o", "-", "--launch", "3").must(t, exitDone).out)
	if len(one) != 2 || one[0]["launch"] != "3" {
		t.Errorf("--launch 3 gives %d rows", len(one))
	}
	byLabel := readCSV(t, hyptx("profile", net, "-o", "-", "--launch", one[0]["label"]).must(t, exitDone).out)
	if len(byLabel) != 2 || byLabel[0]["launch"] != "3" {
		t.Errorf("--launch %s gives %d rows", one[0]["label"], len(byLabel))
	}
	byKernel := readCSV(t, hyptx("profile", net, "-o", "-", "--kernel", "softmax").must(t, exitDone).out)
	for _, r := range byKernel {
		if r["launch"] != "total" && r["kernel"] != "softmax" {
			t.Errorf("--kernel softmax gives a row of %s", r["kernel"])
		}
	}
	match(t, "stderr", hyptx("profile", net, "--kernel", "nope").must(t, exitInput).errOut, `mobilenetv2.json: there is no kernel "nope"; there are conv_direct, `)
	match(t, "stderr", hyptx("profile", net, "--launch", "999").must(t, exitInput).errOut, `mobilenetv2.json: --launch: there is no launch 999; the launches are 0 to 116\n$`)
	match(t, "stderr", hyptx("profile", net, "--metrics", "nope").must(t, exitUsage).errOut, `no column "nope"`)
}

// TestViews writes every other view of a profile and holds them against it.
func TestViews(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u32 n", tail))
	hyptx("profile", "k.ptx", "--grid", "4", "--block", "64", "--arg", "n=100", "-o", "p.csv", "--verify",
		"--per-cta", "cta.csv", "--per-instruction", "hot.csv", "--loops", "loops.csv", "--json", "all.json").must(t, exitDone)
	ctas := readCSV(t, read(t, "cta.csv"))
	var warp []string
	for _, r := range ctas {
		warp = append(warp, r["warp_instructions"])
	}
	// Two warps a CTA: 9 instructions where add runs, 8 where it does not.
	if want := []string{"18", "18", "16", "16"}; !slices.Equal(warp, want) {
		t.Errorf("warp instructions of the CTAs %v, want %v", warp, want)
	}
	hot := readCSV(t, read(t, "hot.csv"))
	if len(hot) != 9 || hot[7]["text"] != "add.u32 %r6, %r5, 1" && hot[7]["text"] != "add.u32 %r6, %r5, 1;" ||
		hot[7]["warp_executions"] != "4" || hot[7]["thread_executions"] != "100" || hot[6]["divergent_executions"] != "1" {
		t.Errorf("instructions %v", hot)
	}
	if got := readCSV(t, read(t, "loops.csv")); len(got) != 0 {
		t.Errorf("loops %v, want none", got)
	}
	var doc struct {
		Version      string           `json:"hyptx_version"`
		Programs     []map[string]any `json:"programs"`
		Launches     []map[string]any `json:"launches"`
		Instructions []map[string]any `json:"instructions"`
		CTAs         []map[string]any `json:"ctas"`
	}
	if err := json.Unmarshal([]byte(read(t, "all.json")), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Version == "" || len(doc.Programs) != 1 || len(doc.Launches) != 2 || len(doc.Instructions) != 9 || len(doc.CTAs) != 4 {
		t.Errorf("document %+v", doc)
	}
	if doc.Launches[0]["warp_instructions"] != 68.0 || doc.Launches[0]["gld_transactions"] != nil {
		t.Errorf("launch %v", doc.Launches[0])
	}
	for _, f := range []string{"cta.csv", "hot.csv", "loops.csv"} {
		match(t, f, strings.SplitN(read(t, f), "\n", 2)[0], `,hyptx_version,inputs_sha256$`)
	}
}

func TestTable(t *testing.T) {
	t.Setenv("COLUMNS", "200")
	t.Chdir(t.TempDir())
	long := "_Z" + "60" + strings.Repeat("a", 50) + "0123456789" + "IfEvPT_"
	put(t, "k.ptx", header+".visible .entry "+long+"(.param .u64 p)\n{\nret;\n}\n")
	put(t, "k.json", `{"version": 1, "name": "net", "buffers": {"x": {"bytes": 4}}, "launches": [`+
		`{"label": "first", "module": "k.ptx", "kernel": "`+long+`", "grid": [1000], "block": [1024], "args": [{"buffer": "x"}]},`+
		`{"module": "k.ptx", "kernel": "`+long+`", "grid": [1], "block": [1], "args": [{"buffer": "x"}]}]}`)
	r := hyptx("profile", "k.json").must(t, exitDone)
	lines := strings.Split(strings.TrimRight(r.out, "\n"), "\n")
	if len(lines) != 6 || lines[0] != "net" {
		t.Fatalf("table\n%s", r.out)
	}
	match(t, "first launch", lines[2], `^ +0  first  a{50}0123456789<float>  1,000  1,024,000 +32,000 +1,024,000 +0 +100.00 +100.00 +0.00  exact$`)
	match(t, "rule", lines[4], `^  -+  -`)
	match(t, "total", lines[5], `^   total +1,001  1,024,001 +32,001 +1,024,001`)
	for _, l := range lines {
		if strings.HasSuffix(l, " ") {
			t.Errorf("line %q ends with a space", l)
		}
	}
	t.Setenv("COLUMNS", "")
	match(t, "80 columns", hyptx("profile", "k.json").must(t, exitDone).out, `(?m)^ +0  a{10,40}\.\.\.[0-9]*<float> `)
	t.Setenv("COLUMNS", "200")
	static := hyptx("profile", "k.json", "--mode", "static").must(t, exitDone)
	match(t, "static table", static.out, `static thread inst`)
	if strings.Contains(static.out, "warp inst") {
		t.Errorf("mode static shows dynamic columns:\n%s", static.out)
	}
}

// TestTableMany shows one row for each of several files, with its name, and what
// they make together.
func TestTableMany(t *testing.T) {
	t.Setenv("COLUMNS", "200")
	files, err := filepath.Glob(filepath.Join(samples, "kernels", "sm_70", "[abc]*.ptx"))
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	files = files[:4]
	r := hyptx(append([]string{"profile", "--default-scalar", "3"}, files...)...).must(t, exitDone)
	lines := strings.Split(strings.TrimRight(r.out, "\n"), "\n")
	if len(lines) != 1+4+2+1 || strings.Count(r.out, "total") != 1 {
		t.Errorf("table\n%s", r.out)
	}
	match(t, "heading", lines[0], `^  network +launch  kernel `)
	match(t, "grand total", lines[6], `^ +total +4 +1,024 `)
	match(t, "note", lines[7], `^4 launches rest on assumed inputs`)
}

// TestModes compares what the modes have in common.
func TestModes(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u32 n", ".shared .b8 s[100]; .local .b8 l[9];\n"+tail+"\nst.shared.u32 [s], %r1;"))
	get := func(mode string) map[string]string {
		r := hyptx("profile", "k.ptx", "--grid", "3", "--block", "33", "--arg", "n=70", "--mode", mode, "-o", "-").must(t, exitDone)
		return readCSV(t, r.out)[0]
	}
	static, control, memory, full := get("static"), get("control"), get("memory"), get("full")
	same := func(name string) bool {
		return name == "analysis_ms" || name == "trusted_accesses" || strings.HasPrefix(name, "emulated_") || strings.HasPrefix(name, "slice_")
	}
	for name, v := range memory {
		if !same(name) && full[name] != v {
			t.Errorf("%s is %q in memory, %q in full", name, v, full[name])
		}
		if c := control[name]; !same(name) && c != "" && c != v {
			t.Errorf("%s is %q in control, %q in memory", name, c, v)
		}
	}
	if control["shared_store_requests"] != "" || memory["shared_store_requests"] != "6" || memory["gld_efficiency_pct"] != "" {
		t.Errorf("the memory block: control %q, memory %q; by hand nothing, and one store for each of 6 warps",
			control["shared_store_requests"], memory["shared_store_requests"])
	}
	if static["warp_instructions"] != "" || static["static_thread_instructions"] != control["static_thread_instructions"] || static["threads"] != "99" {
		t.Errorf("static %v", static)
	}
	if static["static_shared_bytes"] != control["static_shared_bytes"] || static["local_bytes"] != control["local_bytes"] {
		t.Errorf("shared and local bytes: %s and %s in static, %s and %s in control",
			static["static_shared_bytes"], static["local_bytes"], control["static_shared_bytes"], control["local_bytes"])
	}
	for _, args := range [][]string{{"--mode", "fast"}, {"--mode", "static", "--verify"}} {
		hyptx(append([]string{"profile", "k.ptx"}, args...)...).must(t, exitUsage)
	}
}

// TestWriteToDevice writes to what is no regular file without replacing it.
func TestWriteToDevice(t *testing.T) {
	before, err := os.Stat(os.DevNull)
	if err != nil || before.Mode().IsRegular() {
		t.Skip("no null device")
	}
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u64 x", ""))
	m := manifestOf(`"x": {"bytes": 4, "init": "zero"}`, `"grid": [1], "block": [1], "args": [{"buffer": "x"}]`)
	put(t, "m.json", strings.TrimSuffix(m, "}")+`, "outputs": ["x"]}`)
	hyptx("profile", "k.ptx", "-o", os.DevNull).must(t, exitDone)
	hyptx("run", "m.json", "-o", os.DevNull, "--dump", "x="+os.DevNull).must(t, exitUsage)
	hyptx("run", "m.json", "-o", "out.json", "--dump", "x="+os.DevNull).must(t, exitDone)
	if after, err := os.Stat(os.DevNull); err != nil || after.Mode().IsRegular() {
		t.Fatal("the null device was replaced by a file")
	}
	out := hyptx("run", "m.json", "-o", "out.json", "--dump", "x=/dev/stdout").must(t, exitDone).out
	hyptx("run", "m.json", "--dump", "x=/dev/stdout").must(t, exitUsage)
	match(t, "standard output", out, `^\x{FFFD}NUMPY`)
}

// TestWriteError names the path that the user gave, before the work begins.
func TestWriteError(t *testing.T) {
	t.Chdir(t.TempDir())
	endless(t)
	if err := os.Mkdir("locked", 0o555); err != nil {
		t.Fatal(err)
	}
	if f, err := os.Create("locked/probe"); err == nil {
		f.Close()
		t.Skip("this user may write anywhere")
	}
	r := hyptx("profile", "m.json", "-o", "locked/p.csv").must(t, exitInput)
	match(t, "stderr", r.errOut, `^hyptx: cannot write locked/p.csv: permission denied\n$`)
}

// TestByteOrderMark reads UTF-8 files that begin with a mark, as some editors
// write them, and says what UTF-16 is.
func TestByteOrderMark(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", "\ufeff"+kernel(".param .u32 n", tail))
	put(t, "m.json", "\ufeff"+manifestOf("", `"grid": [1], "block": [64], "args": [{"value": 40}]`))
	hyptx("profile", "m.json").must(t, exitDone)
	put(t, "wide.ptx", "\xff\xfe.\x00v\x00")
	oneMessage(t, hyptx("parse", "wide.ptx"), `wide.ptx: the text is UTF-16; save it as UTF-8`)
}

// TestKinds: rows of totals are told apart by a column, several programs have a
// grand total, and all of them can be left out.
func TestKinds(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel("", "mov.u32 %r1, 1;"))
	put(t, "two.ptx", kernel("", "mov.u32 %r1, 1;\nmov.u32 %r2, 2;"))
	kinds := func(args ...string) (kinds, launches, counts []string) {
		t.Helper()
		r := hyptx(append([]string{"profile", "k.ptx", "two.ptx", "--grid", "1", "--block", "32", "-o", "-"}, args...)...).must(t, exitDone)
		for _, row := range readCSV(t, r.out) {
			kinds, launches, counts = append(kinds, row["kind"]), append(launches, row["launch"]), append(counts, row["warp_instructions"])
			if row["analysis_ms"] != "" {
				t.Errorf("analysis_ms is %s, though nobody asked", row["analysis_ms"])
			}
		}
		return kinds, launches, counts
	}
	got, launches, n := kinds()
	if !slices.Equal(got, []string{"launch", "total", "launch", "total", "grand total"}) || !slices.Equal(launches, []string{"0", "total", "0", "total", "total"}) {
		t.Fatalf("%q, launches %q", got, launches)
	}
	a, _ := strconv.Atoi(n[1])
	b, _ := strconv.Atoi(n[3])
	if n[4] != strconv.Itoa(a+b) || a < 1 || b != a+1 {
		t.Errorf("warp instructions %q", n)
	}
	if got, _, _ := kinds("--no-total"); !slices.Equal(got, []string{"launch", "launch"}) {
		t.Errorf("--no-total: %q", got)
	}
	match(t, "analysis time", hyptx("profile", "k.ptx", "--analysis-time", "--metrics", "analysis_ms", "-o", "-").must(t, exitDone).out, `(?m),total,[0-9.]+,`)
	match(t, "metrics", hyptx("profile", "--metrics", "list").must(t, exitDone).out, `(?m)^flop_count_sp +operations of 32 bits`)
	hyptx("profile").must(t, exitUsage)
}
