package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hyptx/analysis"
)

// A run ends when it is to end wherever it is: in reading a large file, in a grid
// whose CTAs execute nothing that is sliced, in writing 2^31 rows, of which those stay
// that are written; no part of another file is left. Each would take many times the bound that is asked for here, which
// is itself many times the 200 ms that an idle machine needs.
func TestEndsAnywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 64 MB")
	}
	cases, err := os.ReadFile("../../../shared/cases/k.ptx")
	if err != nil {
		t.Skip(err)
	}
	manifest := func(name string) string { return read(t, "../../../shared/cases/"+name) }
	percta, run1T := manifest("percta.json"), manifest("run1T.json")
	t.Chdir(t.TempDir())
	put(t, "large.ptx", straightCode(64<<20))
	put(t, "k.ptx", string(cases))
	put(t, "percta.json", percta)
	put(t, "run1T.json", run1T)
	for _, args := range [][]string{
		{"parse", "large.ptx"},
		{"profile", "large.ptx", "--mode", "static"},
		{"graph", "large.ptx"},
		{"profile", "percta.json", "--per-cta", "p.csv"},
		{"profile", "percta.json", "--per-cta", "q.csv", "--json", "p.json"},
		{"profile", "percta.json", "--mode", "full"},
		{"run", "run1T.json", "-o", "o.json"},
	} {
		ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, errInterrupted)
		var out, errOut bytes.Buffer
		begin := time.Now()
		code := runContext(ctx, args, nil, &out, &errOut)
		if took := time.Since(begin); took > 3*time.Second {
			t.Errorf("%v ended after %s", args, took)
		}
		cancel()
		if code != exitInput || !strings.Contains(errOut.String(), "interrupted") {
			t.Errorf("%v: exit code %d: %s", args, code, errOut.String())
		}
	}
	files, err := os.ReadDir(".")
	if err != nil || len(files) != 6 {
		t.Errorf("files are left: %v, %v", files, err)
	}
	rows := read(t, "p.csv")
	lines := strings.Split(rows, "\n")
	last := strings.Split(lines[len(lines)-2], ",")
	if !strings.HasSuffix(rows, "\n") || len(last) != strings.Count(lines[0], ",")+1 || last[3] != strconv.Itoa(len(lines)-3) {
		t.Errorf("of %d lines the last is %q", len(lines)-1, last)
	}
}

// An output is written from where it lies: what nobody touched is never made, and
// what of it is in memory at a time does not depend on its size.
func TestOutputInPieces(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u64 a", "ld.param.u64 %rd1, [a]; st.global.u32 [%rd1+1048576], 7;"))
	const size = 128 << 20
	put(t, "m.json", strings.TrimSuffix(manifestOf(fmt.Sprintf(`"a": {"bytes": %d, "type": "u32", "init": "zero"}`, size),
		`"grid": [1], "block": [32], "args": [{"buffer": "a"}]`), "}")+`, "outputs": ["a"]}`)
	if took := asProcess(t, "run", "m.json", "--max-memory", "1MiB", "-o", "o.json", "--dump", "a=a.npy"); took.allocated > size/4 {
		t.Errorf("%d MiB were allocated for an output of %d", took.allocated>>20, size>>20)
	}
	want := make([]byte, size)
	want[1048576] = 7
	got := read(t, "a.npy")
	if !bytes.Equal([]byte(got[len(got)-size:]), want) {
		t.Error("the array is not what the kernel left")
	}
	var doc struct{ Outputs []analysis.Output }
	if err := json.Unmarshal([]byte(read(t, "o.json")), &doc); err != nil || len(doc.Outputs) != 1 || !bytes.Equal(doc.Outputs[0].Data, want) {
		t.Errorf("the document is not what the kernel left: %v", err)
	}
}

// TestNestedTooDeep: what nests without end is refused with the limit, and never takes
// the stack.
func TestNestedTooDeep(t *testing.T) {
	t.Chdir(t.TempDir())
	const n = 150_000
	nest := func(open, inner, closing string) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(closing, n)
	}
	inBody := func(text string) string { return kernel("", text) }
	for name, c := range map[string]struct{ text, want string }{
		"scopes":       {inBody(nest("{", "", "}")), "hyptx takes 100 levels"},
		"parentheses":  {header + ".global .u32 x = " + nest("(", "1", ")") + ";", "hyptx takes 100 levels"},
		"initialisers": {header + ".global .u32 x[2] = " + nest("{", "1", "}") + ";", "hyptx takes 100 levels"},
		"signs":        {inBody("mov.u32 %r1, " + nest("-", "1", "") + ";"), "hyptx takes 100 levels"},
		"casts":        {inBody("mov.u32 %r1, " + nest("(.s64)", "1", "") + ";"), "hyptx takes 100 levels"},
		"conditions":   {inBody("mov.u32 %r1, " + nest("1?1:", "1", "") + ";"), "hyptx takes 100 levels"},
		"generics":     {header + ".global .u64 x = " + nest("generic(", "x", ")") + ";", "hyptx takes 100 levels"},
		"operators":    {inBody("mov.u32 %r1, " + nest("1+", "1", "") + ";"), "hyptx takes 1000"},
		"vectors":      {inBody("mov.b64 %rd1, " + nest("{", "1", "}") + ";"), "unexpected {"},
		"arguments":    {inBody("call f, " + nest("(", "1", ")") + ";"), "hyptx takes 100 levels"},
		"lists":        {`{"version": 1, "x": ` + nest("[", "", "]") + "}", "more than 10000 lists and objects in each other"},
		"objects":      {`{"version": 1, "x": ` + nest(`{"x": `, "1", "}") + "}", "more than 10000 lists and objects in each other"},
	} {
		file := "k.ptx"
		if strings.HasPrefix(c.text, "{") {
			file = "m.json"
		}
		put(t, file, c.text)
		r := hyptx("profile", file).must(t, exitInput)
		if !strings.Contains(r.errOut, c.want) || len(r.errOut) > 10_000 {
			t.Errorf("%s: %.300s", name, r.errOut)
		}
	}
}

// TestPerCTABounds: neither rows of CTAs nor the document of them are kept, and the
// classes of CTAs count against --max-memory.
func TestPerCTABounds(t *testing.T) {
	t.Chdir(t.TempDir())
	manifest := func(ctas int) string {
		return manifestOf(`"a": {"bytes": 4096, "type": "u32", "init": "zero"}`, fmt.Sprintf(`"grid": [%d], "block": [32], "args": [{"buffer": "a"}]`, ctas))
	}
	put(t, "k.ptx", kernel(".param .u64 a", "ld.param.u64 %rd1, [a]; st.global.u32 [%rd1], 7;"))
	put(t, "m.json", manifest(150_000))
	put(t, "n.json", manifest(100))
	few := asProcess(t, "profile", "n.json", "--per-cta", "c.csv", "-o", "p.json")
	for _, args := range [][]string{{"--per-cta", "c.csv", "-o", "p.csv"}, {"--per-cta", "c.csv", "-o", "p.json"}} {
		many := asProcess(t, append([]string{"profile", "m.json"}, args...)...)
		if more := (many.most - few.most) >> 20; more > 20 {
			t.Errorf("%v: %d MiB more for 150,000 CTAs", args, more)
		}
	}
	var doc struct {
		CTAs []struct{ CTA int }
	}
	if err := json.Unmarshal([]byte(read(t, "p.json")), &doc); err != nil || len(doc.CTAs) != 150_000 || doc.CTAs[149_999].CTA != 149_999 {
		t.Errorf("the document has %d CTAs, error %v", len(doc.CTAs), err)
	}
	put(t, "m.json", manifest(2_000_000)) // four bytes each
	oneMessage(t, hyptx("profile", "m.json", "--mode", "full", "--per-cta", "c.csv", "--max-memory", "4MiB"),
		`m.json: launch 0 \(k\): more than 4 MiB of memory needed: the limit has to be raised with --max-memory`)
}

// repeated writes a program m.json of so many launches of a kernel.
func repeated(t *testing.T, launches int) {
	t.Helper()
	put(t, "k.ptx", kernel(".param .u64 a", "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; st.global.u32 [%rd1], %r1;"))
	put(t, "m.json", fmt.Sprintf(`{"version": 1, "buffers": {"a": {"bytes": 4096, "type": "u32", "init": "zero"}}, "launches": [{"repeat": %d, "steps": [`+
		`{"module": "k.ptx", "kernel": "k", "grid": [2], "block": [64], "args": [{"buffer": "a"}]}]}]}`, launches))
}

// TestRowsBound: where all rows are needed together they count against --max-memory, too;
// those that there is room for are written.
func TestRowsBound(t *testing.T) {
	t.Chdir(t.TempDir())
	repeated(t, 300)
	r := hyptx("profile", "m.json", "-o", "p.csv", "--explain", "--max-memory", "1MiB").must(t, exitInput)
	match(t, "the message", r.errOut, `launch \d+ \(k\): more than 1 MiB of memory needed: the limit has to be raised with --max-memory`)
	if rows := strings.Count(read(t, "p.csv"), "\n") - 1; rows < 50 || rows > 200 {
		t.Errorf("%d rows", rows)
	}
	hyptx("profile", "m.json", "-o", "p.csv", "--explain", "--max-memory", "4MiB").must(t, exitDone)
	// Those of several programs count together.
	r = hyptx("profile", "m.json", "m.json", "-o", "p.csv", "--max-memory", "4MiB").must(t, exitInput)
	match(t, "the message", r.errOut, `(?m)^hyptx: m.json: launch \d+ \(k\): more than 4 MiB of memory needed: the limit has to be raised with --max-memory$`)
	if rows := strings.Count(read(t, "p.csv"), "\n") - 1; rows < 400 || rows > 520 {
		t.Errorf("%d rows of two programs", rows)
	}
	hyptx("profile", "m.json", "m.json", "-o", "p.csv", "--max-memory", "6MiB").must(t, exitDone)
}

// TestDocumentBounds: a document and a table of very many launches take little beside the
// rows, which count, and so does a document of their instructions, which are not kept.
func TestDocumentBounds(t *testing.T) {
	t.Chdir(t.TempDir())
	most := func(launches int, args ...string) int64 {
		repeated(t, launches)
		return asProcess(t, append([]string{"profile", "m.json", "--max-memory", "128MiB"}, args...)...).most
	}
	for _, args := range [][]string{{"-o", "p.json"}, {"--json", "p.json"}, {}, {"-o", "p.csv", "--explain"}} {
		if more := (most(7000, args...) - most(2000, args...)) >> 20; more > 100 && !raceDetector { // rows of 8 KiB, twice for the collector
			t.Errorf("%v: %d MiB more for 5000 launches", args, more)
		}
	}
}

// TestMemoryOfPrograms: of a program that has been profiled neither its buffers are kept
// nor the set of the bytes that it touched.
func TestMemoryOfPrograms(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u64 a", "ld.param.u64 %rd1, [a]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd2, %r1, 65536; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r1;"))
	put(t, "m.json", manifestOf(`"a": {"bytes": 67108864, "type": "u32", "init": "zero"}`, `"grid": [1024], "block": [1], "args": [{"buffer": "a"}]`))
	args := []string{"profile", "--mode", "full", "-o", "p.csv", "m.json"}
	one := asProcess(t, args...).most
	for range 39 { // of 64 MiB, and 8 for the set of their bytes
		args = append(args, "m.json")
	}
	if more := (asProcess(t, args...).most - one) >> 20; more > 512 { // of 2,808
		t.Errorf("39 programs more of 64 MiB take %d MiB more", more)
	}
}

// TestStreamedRows: rows that are written while launches run are those that are written
// at the end, in all files, and nothing of a launch is kept: neither its figures nor its
// classes of CTAs.
func TestStreamedRows(t *testing.T) {
	t.Chdir(t.TempDir())
	files := func(to string) (args []string) {
		for _, view := range []string{"o", "per-cta", "per-instruction", "loops", "races", "by-kernel"} {
			args = append(args, strings.Repeat("-", min(len(view), 2))+view, to+view+".csv")
		}
		return args
	}
	repeated(t, 300)
	for _, mode := range []string{"control", "memory"} {
		for _, more := range [][]string{nil, {"--no-total"}, {"--metrics", "branches"}} {
			args := append([]string{"profile", "m.json", "--mode", mode}, more...)
			hyptx(append(append(args, files("kept-")...), "--explain")...).must(t, exitDone)
			hyptx(append(append(args, files("streamed-")...), "--max-memory", "1MiB")...).must(t, exitDone)
			for i, name := range files("streamed-") {
				if i%2 == 1 && read(t, name) != read(t, files("kept-")[i]) {
					t.Errorf("%v: %s is not what is written at the end", args, name)
				}
			}
		}
	}
	most := func(launches int) int64 {
		repeated(t, launches)
		return asProcess(t, "profile", "m.json", "-o", "p.csv", "--per-cta", "c.csv").most
	}
	if more := (most(20_000) - most(1000)) >> 20; more > 30 && !raceDetector {
		t.Errorf("%d MiB more for 19,000 launches", more)
	}
}

// TestStreamedEnd: a run that ends early leaves the rows that it has, in files that
// appear whole; one without any, and one whose file cannot be written to its end, leave
// the files that were there.
func TestStreamedEnd(t *testing.T) {
	t.Chdir(t.TempDir())
	repeated(t, 1_000_000)
	put(t, "p.csv", "old")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	go func() {
		for { // until rows are there: what is tried before the work begins stays empty
			found, _ := filepath.Glob(".hyptx-*")
			for _, name := range found {
				if st, err := os.Stat(name); err == nil && st.Size() > 0 {
					cancel(errInterrupted)
					return
				}
			}
			time.Sleep(time.Millisecond)
		}
	}()
	var errOut bytes.Buffer
	code := runContext(ctx, []string{"profile", "m.json", "-o", "p.csv", "--per-cta", "c.csv"}, nil, io.Discard, &errOut)
	rows, ctas := read(t, "p.csv"), read(t, "c.csv")
	n := strings.Count(rows, "\n") - 1
	if code != exitInput || !strings.Contains(errOut.String(), "interrupted") || n < 1 || !strings.HasSuffix(rows, "\n") {
		t.Errorf("exit code %d with %d rows: %s", code, n, errOut.String())
	}
	if got := strings.Count(ctas, "\n") - 1; got < 2*n-2 || got > 2*n {
		t.Errorf("%d rows of CTAs for %d launches", got, n)
	}
	match(t, "the note", errOut.String(), fmt.Sprintf(`%d launches are complete and written all the same`, n))
	hyptx("profile", "m.json", "-o", "p.csv", "--timeout", "1ns").must(t, exitInput)
	if read(t, "p.csv") != rows {
		t.Error("a run without a row has written one")
	}
	repeated(t, 3000)
	if r := hyptx("profile", "m.json", "-o", "/dev/full", "--per-cta", "c.csv"); r.code != exitInput || !strings.Contains(r.errOut, "-o /dev/full: cannot write /dev/full: no space left on device") {
		t.Errorf("exit code %d: %s", r.code, r.errOut)
	} else {
		match(t, "the note", r.errOut, `(?m)^hyptx: note: \d+ launch(es)? (is|are) complete and yet not all of it could be written$`)
	}
	if left, _ := filepath.Glob(".hyptx-*"); left != nil {
		t.Errorf("left: %v", left)
	}
}
