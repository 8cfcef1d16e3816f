package main

import (
	"os"
	"strings"
	"testing"
)

// TestRestrict: of a manifest with --restrict, every file outside of the folder is
// refused, by whatever way it is named, and nothing is said of what is there; all
// inside are read, also where the folder is named by a link.
func TestRestrict(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"in/sub", "out", "inside"} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	text := kernel(".param .u64 x", "")
	for _, name := range []string{"in/k.ptx", "in/sub/k.ptx", "out/k.ptx", "inside/k.ptx"} {
		put(t, name, text)
	}
	put(t, "in/x.bin", strings.Repeat("secret..", 8))
	put(t, "out/x.bin", strings.Repeat("secret..", 8))
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"in/link.ptx": "../out/k.ptx", "in/dir": "../out", "in/back.ptx": "sub/k.ptx", "in/gone.ptx": "../out/gone.ptx", "alias": "in"} {
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	commands := []string{"profile", "roofline --gpu gv100", "power --gpu gv100", "run", "manifest check"}
	for _, c := range []struct{ module, data, want string }{
		{"k.ptx", "x.bin", ""},
		{"sub/k.ptx", "sub/../x.bin", ""},
		{"back.ptx", "x.bin", ""},
		{here + "/in/k.ptx", "x.bin", ""},
		{"../in/k.ptx", "x.bin", ""},
		{"../out/k.ptx", "x.bin", `launches\[0\].module: ../out/k.ptx: lies outside of `},
		{"../inside/k.ptx", "x.bin", `lies outside of `},
		{here + "/out/k.ptx", "x.bin", `lies outside of `},
		{"../out/nothing.ptx", "x.bin", `lies outside of `},
		{"link.ptx", "x.bin", `link.ptx: lies outside of `},
		{"dir/k.ptx", "x.bin", `dir/k.ptx: lies outside of `},
		{"k.ptx", "dir/x.bin", `buffers.x.init.file: dir/x.bin: lies outside of `},
		{"k.ptx", "../out/x.bin", `lies outside of `},
		{"gone.ptx", "x.bin", `gone.ptx: no such file`},
		{"nothing.ptx", "x.bin", `nothing.ptx: no such file`},
	} {
		put(t, "in/m.json", `{"version": 1, "name": "m", "buffers": {"x": {"bytes": 64, "type": "u32", "init": {"file": "`+c.data+`"}}},
"launches": [{"module": "`+c.module+`", "kernel": "k", "grid": [1], "block": [32], "args": [{"buffer": "x"}]}]}`)
		for _, command := range commands {
			for _, dir := range []string{"in", "alias", here + "/in/."} {
				args := append(strings.Fields(command), "in/m.json", "--restrict", dir)
				r := hyptx(args...)
				if c.want == "" {
					r.must(t, exitDone)
					continue
				}
				match(t, strings.Join(args, " "), r.must(t, exitInput).errOut, c.want)
				if strings.Contains(r.out+r.errOut, "secret") {
					t.Errorf("%v quotes the file: %s", args, r.errOut)
				}
			}
		}
	}
	hyptx("profile", "in/m.json", "--restrict", "nowhere").must(t, exitUsage)
	hyptx("profile", "in/m.json", "--restrict", "in/k.ptx").must(t, exitUsage)
}
