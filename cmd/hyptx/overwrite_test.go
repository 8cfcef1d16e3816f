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
