package main

import (
	"strconv"
	"strings"
	"testing"
)

// TestDump: what cuobjdump prints of a program is several modules; errors have their
// places in the whole text, and of a kernel for several GPUs the newest is profiled.
func TestDump(t *testing.T) {
	t.Chdir(t.TempDir())
	entry := func(sm, name, body string) string {
		text := strings.NewReplacer("sm_70", "sm_"+sm, "entry k", "entry "+name).Replace(kernel(".param .u64 x", body))
		return "\nFatbin elf code:\n================\narch = sm_" + sm + "\ncode version = [1,7]\n" +
			"\nFatbin ptx code:\n================\narch = sm_" + sm + "\ncode version = [7,0]\nhost = linux\ncompile_size = 64bit\ncompressed\n\n" + text
	}
	dump := entry("70", "k", "add.u32 %r1, %r2, 1;") + entry("80", "k", "add.u32 %r1, %r2, 1;\nadd.u32 %r1, %r1, 1;") + entry("70", "other", "add.u32 %r1, %r2, 1;")
	put(t, "all.ptx", dump)
	match(t, "summary", hyptx("parse", "all.ptx").must(t, exitDone).out, `(?s)sm_70.*sm_80.*sm_70.*other`)
	hyptx("profile", "all.ptx", "-o", "rows.csv").must(t, exitDone)
	rows := readCSV(t, read(t, "rows.csv"))
	if len(rows) != 3 || rows[0]["kernel"] != "k" || rows[0]["ptx_target"] != "sm_80" || rows[1]["kernel"] != "other" {
		t.Errorf("rows: %v", rows)
	}
	match(t, "which of two", rows[0]["assumed_inputs"], `^module=sm_80 of line \d+ among 2; grid`)
	match(t, "of one alone", rows[1]["assumed_inputs"], `^grid`)
	bad := entry("70", "k", "add.u32 %r1, %r2, 1;") + entry("80", "k", "frob;")
	put(t, "bad.ptx", bad)
	line := strings.Count(bad[:strings.Index(bad, "frob")], "\n") + 1
	r := hyptx("parse", "bad.ptx").must(t, exitInput)
	if want := "bad.ptx:" + strconv.Itoa(line) + ":1: "; !strings.Contains(r.errOut, want) {
		t.Errorf("%s, want %s", r.errOut, want)
	}
	match(t, "the older one", hyptx("profile", "bad.ptx").must(t, exitDone).out, "assumed")
	put(t, "cat.ptx", kernel("", "add.u32 %r1, %r2, 1;")+strings.Replace(kernel("", "add.u32 %r1, %r2, 1;"), "entry k", "entry second", 1))
	match(t, "two files", hyptx("parse", "cat.ptx").must(t, exitDone).out, `(?s)entry  k .*entry  second`)
	put(t, "m.json", strings.Replace(manifestOf(`"x": {"bytes": 64, "type": "u32"}`, `"grid": [1], "block": [32], "args": []`), "k.ptx", "all.ptx", 1))
	match(t, "manifest", hyptx("profile", "m.json").must(t, exitInput).errOut, `all.ptx holds 3 modules, for \[sm_70 sm_80\]`)
}
