package main

import (
	"os"
	"strings"
	"testing"
)

// TestInputsAreNotOverwritten: no output replaces a file that is read, a GPU's
// or one that a manifest names.
func TestInputsAreNotOverwritten(t *testing.T) {
	t.Chdir(t.TempDir())
	files := map[string]string{
		"k.ptx":  ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 a) { ret; }\n",
		"g.json": strings.Replace(hyptx("gpus", "gv100", "--json").out, `"name": "gv100"`, `"name": "g"`, 1),
		"d.bin":  "\x00\x00\x00\x00",
		"m.json": `{"version": 1, "buffers": {"a": {"bytes": 4, "type": "u32", "init": {"file": "d.bin"}}}, "outputs": ["a"], "launches": [{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [1], "args": [{"buffer": "a"}]}]}`,
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"profile", "m.json", "-o", "k.ptx"},
		{"profile", "m.json", "-o", "d.bin"},
		{"profile", "m.json", "--mode", "memory", "--gpu", "gv100", "--json", "d.bin"},
		{"run", "m.json", "-o", "d.bin"},
		{"roofline", "m.json", "--gpu", "g.json", "-o", "g.json"},
		{"roofline", "m.json", "--gpu", "gv100", "-o", "k.ptx"},
		{"power", "m.json", "--gpu", "gv100,g.json", "--json", "g.json"},
		{"power", "m.json", "--gpu", "gv100", "-o", "d.bin"},
		{"power", "tune", "m.json", "--gpu", "g.json", "-o", "g.json"},
	} {
		r := hyptx(args...).must(t, exitUsage)
		match(t, "the error", r.errOut, "it is an input")
		for name, text := range files {
			if now, err := os.ReadFile(name); err != nil || string(now) != text {
				t.Fatalf("%v: %s was changed", args, name)
			}
		}
	}
}

// TestDanglingLink: the file that a symbolic link names is written, even if it
// is not there yet.
func TestDanglingLink(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel("", "mov.u32 %r1, 1;"))
	if err := os.Mkdir("d", 0o755); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"a.csv": "d/b.csv", "d/b.csv": "real.csv"} {
		if err := os.Symlink(to, link); err != nil {
			t.Skip(err)
		}
	}
	hyptx("profile", "k.ptx", "-o", "a.csv").must(t, exitDone)
	if st, err := os.Lstat("d/real.csv"); err != nil || !st.Mode().IsRegular() {
		t.Errorf("d/real.csv: %v, %v", st, err)
	}
	if st, err := os.Lstat("a.csv"); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
}

// TestFormats: -o writes what its name says, or says that it does not.
func TestFormats(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel("", "mov.u32 %r1, 1;"))
	hyptx("profile", "k.ptx", "-o", "p.json").must(t, exitDone)
	match(t, "p.json", read(t, "p.json"), `^\{`)
	match(t, "parquet", hyptx("profile", "k.ptx", "-o", "p.parquet").must(t, exitUsage).errOut, `^hyptx: -o p.parquet: .parquet is not written: rows are written as CSV`)
	hyptx("profile", "k.ptx", "-o", "p.json", "--json", "q.json").must(t, exitUsage)
}

// TestFormatsOfModels: so do the commands that model time and power.
func TestFormatsOfModels(t *testing.T) {
	for _, c := range []string{"roofline", "power"} {
		match(t, c, hyptx(c, "k.ptx", "--gpu", "gv100", "-o", "p.xlsx").must(t, exitUsage).errOut, `-o p.xlsx: .xlsx is not written`)
	}
}

// TestFormatsOfAll: each output that a flag names is refused where the name says
// another format, before anything is emulated; names that say none are taken.
func TestFormatsOfAll(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel("", "mov.u32 %r1, 1;"))
	for args, want := range map[string]string{
		"profile k.ptx --json p.csv":                    `--json p.csv: .csv is not written: it is JSON`,
		"profile k.ptx --per-cta p.json":                `--per-cta p.json: .json is not written: it is CSV`,
		"profile k.ptx --per-instruction P.JSON":        `--per-instruction P.JSON: .json is not written: it is CSV`,
		"profile k.ptx --loops p.svg":                   `--loops p.svg: .svg is not written`,
		"profile k.ptx --by-kernel p.npy":               `--by-kernel p.npy: .npy is not written`,
		"roofline k.ptx --gpu gv100 --json p.csv":       `--json p.csv: .csv is not written`,
		"roofline k.ptx --gpu gv100 --parameters p.csv": `--parameters p.csv: .csv is not written: it is JSON`,
		"roofline k.ptx --gpu gv100 --prediction p.txt": `--prediction p.txt: must end in .json or .csv`,
		"power k.ptx --gpu gv100 --hot p.json":          `--hot p.json: .json is not written: it is CSV`,
		"power k.ptx --gpu gv100 --plot p.gif":          `--plot p.gif: must end in .svg, .png or .pdf`,
		"power tune k.ptx -o p.csv":                     `-o p.csv: .csv is not written: it is JSON`,
		"power tune k.ptx --residuals p.json":           `--residuals p.json: .json is not written: it is CSV`,
		"power counters -o p.json":                      `-o p.json: .json is not written: it is CSV`,
		"power validate -o p.json":                      `-o p.json: .json is not written: it is CSV`,
		"graph k.ptx -o k.svg":                          `-o k.svg: .svg is not written: it is DOT`,
		"run k.ptx -o r.npy":                            `-o r.npy: .npy is not written: it is JSON`,
		"manifest new k.ptx -o k.csv":                   `-o k.csv: .csv is not written: it is JSON`,
		"calibrate -o my.json --runs r.json":            `--runs r.json: .json is not written: it is CSV`,
	} {
		oneUsage(t, args, want)
	}
	hyptx("profile", "k.ptx", "-o", "rows", "--per-cta", "ctas.txt", "--json", "all.doc").must(t, exitDone)
	for _, c := range [][]string{{"profile", "k.ptx"}, {"roofline", "k.ptx", "--gpu", "gv100"}, {"power", "k.ptx", "--gpu", "gv100"}} {
		csv := hyptx(append(c, "-o", "p.csv")...).must(t, exitDone)
		json := hyptx(append(c, "-o", "p.json")...).must(t, exitDone)
		if csv.out != "" || json.out != "" {
			t.Errorf("%v prints %q beside a CSV file, %q beside a JSON file", c, csv.out, json.out)
		}
		match(t, "p.json", read(t, "p.json"), `^\{`)
	}
}

// oneUsage fails the test unless a command ends with one usage error.
func oneUsage(t *testing.T, args, want string) {
	t.Helper()
	r := hyptx(strings.Fields(args)...)
	if r.code != exitUsage || strings.Count(r.errOut, "\n") != 1 || !strings.Contains(r.errOut, want) {
		t.Errorf("%s: exit code %d: %s", args, r.code, r.errOut)
	}
}
