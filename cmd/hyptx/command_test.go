package main

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestHelp: every command has help with an example.
func TestHelp(t *testing.T) {
	for _, name := range []string{"", "profile", "run", "graph", "parse", "manifest new", "manifest check", "isa", "version"} {
		r := hyptx(append(strings.Fields(name), "--help")...).must(t, exitDone)
		match(t, "help of "+name, r.out, `(?s)Usage:.*Examples:\n  hyptx `)
	}
	match(t, "hyptx alone", hyptx().must(t, exitDone).out, `Available Commands:`)
	match(t, "hyptx manifest alone", hyptx("manifest").must(t, exitDone).out, `Available Commands:`)
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if r := hyptx("completion", shell).must(t, exitDone); !strings.Contains(r.out, "hyptx") {
			t.Errorf("completion for %s: %.100s", shell, r.out)
		}
	}
	match(t, "--mode", hyptx("__complete", "profile", "--mode", "").must(t, exitDone).out, `static\ncontrol\nmemory\nfull\n`)
	match(t, "--what", hyptx("__complete", "graph", "--what", "").must(t, exitDone).out, `cfg\ndeps\nslice\n`)
}

func TestVersion(t *testing.T) {
	match(t, "version", hyptx("version").must(t, exitDone).out, `^hyptx \S+ \(go\S+, \w+/\w+\)\n$`)
	match(t, "--version", hyptx("--version").must(t, exitDone).out, `^hyptx \S+\n$`)
}

func TestParse(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "bad.ptx", kernel("", "frob.u32 %r1, %r2;\nadd.s32 %r1, %q9, 1;\nadd.s32 %r1, %rd1, 1;"))
	put(t, "k.ptx", kernel(".param .u32 n", tail))
	r := hyptx("parse", "bad.ptx", "k.ptx").must(t, exitInput)
	match(t, "stderr", r.errOut, `^hyptx: bad.ptx:7:1: unknown opcode "frob"\n +frob.u32 %r1, %r2;\n +\^\nhyptx: bad.ptx:8:14: .*\n.*%q9, 1;\n +\^\nhyptx: bad.ptx:9:14: .*\n.*\n +\^\n$`)
	match(t, "stdout", r.out, `^bad.ptx: PTX 7.0, sm_70, 64-bit addresses, 0 instructions\n  .entry  k  refused: 3 errors\nk.ptx: PTX 7.0, sm_70, 64-bit addresses, 9 instructions\n  .entry  k  9 instructions  3 blocks  0 loops  \d+ registers a thread\n$`)
	match(t, "stdin", hyptxIn(read(t, "k.ptx"), "parse", "-").must(t, exitDone).out, `^stdin: PTX 7.0`)
	put(t, "syntax.ptx", kernel("", "add.s32 %r1 %r2;\nmov.u32 , 1;"))
	for _, file := range []string{"k.ptx", "bad.ptx", "syntax.ptx"} {
		plain, reference := hyptx("parse", file), hyptx("parse", "--reference", file)
		if plain.code != reference.code || plain.out != reference.out || plain.errOut != reference.errOut {
			t.Errorf("%s: parse gives %+v, parse --reference %+v", file, plain, reference)
		}
	}
	match(t, "grammar", hyptx("parse", "--grammar").must(t, exitDone).out, `(?s)^\w.*Version = "\.version"`)
}

func TestISA(t *testing.T) {
	out := hyptx("isa").must(t, exitDone).out
	match(t, "isa", out, `(?m)^9\.7\.1\.1 +integer +add`)
	match(t, "isa", out, `(?m)tensor +mma\.sync`)
}

// dot recognises what these graphs use of DOT: strict digraphs of nodes and
// edges with quoted attributes (Graphviz, The DOT Language).
var dot = regexp.MustCompile(`(?s)^strict digraph "[^"]*" \{\n(\s*(//[^\n]*|\d+( -> \d+)?( \[(\s*\w+=("([^"\\]|\\.)*"|\w+))*\s*\])?;)?\n)*\}\n?$`)

func TestGraph(t *testing.T) {
	gemm := filepath.Join(samples, "kernels", "sm_70", "gemm_tiled.ptx")
	size := map[string]int{}
	for _, what := range []string{"cfg", "deps", "slice"} {
		out := hyptx("graph", gemm, "--what", what).must(t, exitDone).out
		if !dot.MatchString(out) {
			t.Errorf("%s is no DOT:\n%.600s", what, out)
		}
		if strings.Contains(out, `label="\"`) {
			t.Errorf("%s has labels quoted twice:\n%.300s", what, out)
		}
		size[what] = strings.Count(out, "label=")
	}
	match(t, "block", hyptx("graph", gemm, "--what", "cfg").out, `label="block 0\\l0: ld\.param\.u32 [^"]*\\l"`)
	cfg := hyptx("graph", gemm, "--what", "cfg").out
	match(t, "edges", cfg, `\n\t\d+ -> \d+ \[label=taken\];|\n\t\d+ -> \d+ \[label="taken"\];`)
	match(t, "edges", cfg, `\n\t\d+ -> \d+ \[label="not taken"\];`)
	match(t, "indices", hyptx("graph", filepath.Join(samples, "features", "brx_idx.ptx"), "--what", "cfg").must(t, exitDone).out, `label="[0-9]`)
	if size["slice"] == 0 || size["slice"] >= size["deps"] || size["cfg"] == 0 {
		t.Errorf("nodes %v: the slice must be a part of the graph", size)
	}
}

// TestManifestNew fills a new manifest in and profiles it. Until it is full it
// is refused, with a line for each gap.
func TestManifestNew(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u64 .ptr .global p, .param .u32 n", tail))
	put(t, "k.json", hyptx("manifest", "new", "k.ptx").must(t, exitDone).out)
	for _, command := range [][]string{{"manifest", "check", "k.json"}, {"profile", "k.json"}, {"run", "k.json"}} {
		r := hyptx(command...).must(t, exitInput)
		match(t, strings.Join(command, " "), r.errOut, `^hyptx: k.json: buffers.p.bytes: still to be filled in: .*
hyptx: k.json: launches\[0\].grid: still to be filled in: .*
hyptx: k.json: launches\[0\].block: still to be filled in: .*
hyptx: k.json: launches\[0\].args.n.value: still to be filled in: u32
$`)
	}
	filled := regexp.MustCompile(`"value": "FILL IN[^"]*"`).ReplaceAllString(read(t, "k.json"), `"value": 100`)
	filled = regexp.MustCompile(`"bytes": "FILL IN([^"\\]|\\.)*"`).ReplaceAllString(filled, `"bytes": 4`)
	filled = regexp.MustCompile(`"grid": "FILL IN[^"]*"`).ReplaceAllString(filled, `"grid": [4]`)
	filled = regexp.MustCompile(`"block": "FILL IN[^"]*"`).ReplaceAllString(filled, `"block": [64]`)
	put(t, "k.json", filled)
	match(t, "check", hyptx("manifest", "check", "k.json").must(t, exitDone).out, `^k.json: k: 1 buffer, 1 module, 1 launch, 0 outputs\n$`)
	row := readCSV(t, hyptx("profile", "k.json", "-o", "-").must(t, exitDone).out)[0]
	if row["warp_instructions"] != "68" || row["exactness"] != "exact" {
		t.Errorf("%s warp instructions, %s; want 68, exact", row["warp_instructions"], row["exactness"])
	}
}

// TestManifestNewShared asks for the size of shared memory where the launch
// gives it; a bare file's profile says that it was left out.
func TestManifestNewShared(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", strings.Replace(kernel("", "st.shared.u32 [s], %r1;"), ".visible", ".extern .shared .b8 s[];\n.visible", 1))
	match(t, "manifest", hyptx("manifest", "new", "k.ptx").must(t, exitDone).out, `"dynamicSharedBytes": "FILL IN: bytes of dynamic shared memory"`)
	match(t, "assumed", hyptx("profile", "k.ptx", "--grid", "1", "--block", "1").must(t, exitDone).out, `(?m)^assumed: dynamic_shared=49152$`)
	r := hyptx("profile", "k.ptx", "--grid", "1", "--block", "1", "--dynamic-shared", "4").must(t, exitDone)
	if strings.Contains(r.out, "assumed") {
		t.Errorf("nothing is assumed:\n%s", r.out)
	}
}

// TestManifestNewElsewhere names the module relative to the manifest.
func TestManifestNewElsewhere(t *testing.T) {
	ptx := filepath.Join(samples, "kernels", "sm_70", "softmax.ptx")
	dir := t.TempDir()
	t.Chdir(dir)
	hyptx("manifest", "new", ptx, "-o", "m.json").must(t, exitDone)
	put(t, "m.json", regexp.MustCompile(`"(grid|block)": "FILL IN[^"]*"`).ReplaceAllString(
		regexp.MustCompile(`"(bytes|value)": "FILL IN([^"\\]|\\.)*"`).ReplaceAllString(read(t, "m.json"), `"$1": 4`), `"$1": [1]`))
	hyptx("manifest", "check", "m.json").must(t, exitDone)
	t.Chdir(t.TempDir())
	hyptx("manifest", "check", filepath.Join(dir, "m.json")).must(t, exitDone)
}

// double doubles the elements of x below n.
const double = "ld.param.u64 %rd1, [x];\nld.param.u32 %r2, [n];\nmov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, %r2;\n@%p1 ret;\n" +
	"mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\nld.global.f32 %f1, [%rd3];\nadd.f32 %f2, %f1, %f1;\nst.global.f32 [%rd3], %f2;"

func TestRun(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel(".param .u64 x, .param .u32 n", double))
	m := manifestOf(`"x": {"type": "f32", "init": {"values": [1, 2.5, -3, 4]}}`,
		`"grid": [1], "block": [32], "args": [{"buffer": "x"}, {"value": 3}]`)
	put(t, "m.json", strings.TrimSuffix(m, "}")+`, "meta": {"by": "hand"}, "outputs": ["x", {"name": "head", "buffer": "x", "bytes": 4}]}`)
	r := hyptx("run", "m.json", "-o", "out.json", "--dump", "x=x.npy").must(t, exitDone)
	if r.out != "" {
		t.Errorf("standard output: %s", r.out)
	}
	var doc struct {
		Version string `json:"hyptx_version"`
		Network string
		Meta    map[string]string
		Outputs []struct {
			Name   string
			Values []float64
			NaN    int
		}
	}
	if err := json.Unmarshal([]byte(read(t, "out.json")), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Outputs) != 2 || doc.Network != "net" || doc.Meta["by"] != "hand" || doc.Version == "" {
		t.Fatalf("document %+v", doc)
	}
	for i, want := range []float64{2, 5, -6, 4} {
		if got := doc.Outputs[0].Values[i]; got != want {
			t.Errorf("x[%d] = %v, want %v", i, got, want)
		}
	}
	hyptx("run", "m.json", "-o", "out.json", "--dump", "x=a.npy", "--dump", "x=b.npy").must(t, exitDone)
	if a := read(t, "a.npy"); a == "" || a != read(t, "b.npy") || a != read(t, "x.npy") {
		t.Error("two dumps of an output differ")
	}
	oneMessage(t, hyptx("run", ""), `a file's name is empty`)
	// The dump as the argument of a bare file: doubled once more.
	bare := hyptx("run", "k.ptx", "--block", "32", "--arg", "x=@x.npy", "--arg", "n=1").must(t, exitDone)
	doc.Outputs = nil
	if err := json.Unmarshal([]byte(bare.out), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Outputs) != 1 || doc.Outputs[0].Name != "x" || doc.Outputs[0].Values[0] != 4 || doc.Outputs[0].Values[1] != 5 {
		t.Errorf("outputs %+v", doc.Outputs)
	}
	note := hyptx("run", "k.ptx", "--arg", "n=1").must(t, exitDone)
	match(t, "stderr", note.errOut, `^hyptx: note: assumed: grid=1,1,1, block=256,1,1, pointer x to unspecified contents\nhyptx: note: k.ptx has no outputs: they are the arguments that are given as files, --arg name=@file.npy\n$`)
	if quiet := hyptx("run", "--quiet", "k.ptx", "--arg", "n=1").must(t, exitDone); quiet.errOut != "" {
		t.Errorf("--quiet says %q", quiet.errOut)
	}
}

// endless is a manifest whose second launch does not end.
func endless(t *testing.T) {
	put(t, "k.ptx", kernel("", ""))
	put(t, "loop.ptx", kernel("", "L: bra L;"))
	put(t, "m.json", `{"version": 1, "name": "net", "launches": [
{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [32], "args": []},
{"module": "loop.ptx", "kernel": "k", "grid": [1], "block": [32], "args": []}]}`)
}

// TestInterrupt ends a run in an endless launch: what is complete is written,
// without a total, and the exit code says that something is missing.
func TestInterrupt(t *testing.T) {
	t.Chdir(t.TempDir())
	endless(t)
	errOut := interrupted(t, "profile", "m.json", "-o", "p.csv", "--max-instructions", "1000000000000000")
	match(t, "stderr", errOut, `(?m)^hyptx: m.json: launch 1 \(k\): interrupted$`)
	match(t, "stderr", errOut, `(?m)^hyptx: note: 1 launch is complete and written all the same$`)
	if rows := readCSV(t, read(t, "p.csv")); len(rows) != 1 || rows[0]["launch"] != "0" {
		t.Errorf("rows %v", rows)
	}
}

func TestTimeout(t *testing.T) {
	t.Chdir(t.TempDir())
	endless(t)
	patient(t, `^hyptx: m.json: launch 1 \(k\): more than LIMIT needed; the limit can be raised with --timeout\n$`,
		"run", "m.json", "--timeout", "LIMIT", "--max-instructions", "1000000000000000")
}

// TestJobs gives the same rows for one worker and several.
func TestJobs(t *testing.T) {
	net := filepath.Join(samples, "networks", "mobilenetv2.json")
	t.Chdir(t.TempDir())
	rows := func(jobs string) []map[string]string {
		rows := readCSV(t, hyptx("profile", net, "-o", "-", "--jobs", jobs).must(t, exitDone).out)
		for _, r := range rows {
			delete(r, "analysis_ms")
		}
		return rows
	}
	one, three := rows("1"), rows("3")
	for i := range one {
		for name, v := range one[i] {
			if three[i][name] != v {
				t.Errorf("launch %s: %s is %q with one worker, %q with three", one[i]["launch"], name, v, three[i][name])
			}
		}
	}
}

// brokenReader is a fault within hyptx, for want of a known one.
type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { panic("BUG: broken on purpose") }

// TestInternalFault reports a panic as a fault of hyptx, not of the input.
func TestInternalFault(t *testing.T) {
	var out, errOut bytes.Buffer
	if code := runContext(context.Background(), []string{"parse", "-"}, brokenReader{}, &out, &errOut); code != exitInternal {
		t.Fatalf("exit code %d, want %d", code, exitInternal)
	}
	match(t, "stderr", errOut.String(), `(?s)^hyptx: internal fault: BUG: broken on purpose\n.*command_test.go.*\nPlease report it`)
}

// TestParseLongNames: a name that is longer than its column has a line to itself, whole, and
// the columns of all functions stay where they are.
func TestParseLongNames(t *testing.T) {
	t.Chdir(t.TempDir())
	long := strings.Repeat("abcdefgh", 20)
	put(t, "k.ptx", header+".visible .entry "+long+"()\n{\nret;\n}\n.visible .entry k()\n{\nret;\n}\n")
	out := hyptx("parse", "k.ptx").must(t, exitDone).out
	match(t, "table", out, `\n  \.entry  `+long+`\n( +)1 instruction  1 block  0 loops  \d+ registers a thread\n  \.entry  k +1 instruction  1 block  0 loops  \d+ registers a thread\n$`)
	lines := strings.Split(out, "\n")
	if a, b := strings.Index(lines[2], "1 instruction"), strings.Index(lines[3], "1 instruction"); a != b {
		t.Errorf("columns at %d and %d:\n%s", a, b, out)
	}
}
