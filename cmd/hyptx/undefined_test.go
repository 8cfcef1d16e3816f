package main

import (
	"strings"
	"testing"
)

// TestUndefined: a function that is only declared costs what calls it, by its name.
func TestUndefined(t *testing.T) {
	t.Chdir(t.TempDir())
	text := strings.Replace(kernel("", "{ .param .b32 a0; .param .b32 r0;\nst.param.f32 [a0], 0f3F800000;\ncall.uni (r0), elsewhere, (a0);\nld.param.f32 %f1, [r0]; }"),
		".visible", ".extern .func (.param .b32 r) elsewhere (.param .b32 a);\n.visible", 1)
	_, fine, _ := strings.Cut(kernel("", "add.u32 %r1, %r2, 1;"), header)
	put(t, "k.ptx", text+strings.Replace(fine, "entry k", "entry fine", 1))
	r := hyptx("profile", "k.ptx").must(t, exitInput)
	match(t, "errors", r.errOut, `k.ptx:10:1: call.uni \(r0\), elsewhere, \(a0\): .*: elsewhere is defined nowhere`)
	match(t, "rows", r.out, "fine")
}

// TestExternVariable: a variable that is defined nowhere holds what nobody knows, which
// is said, and costs no row; in a manifest, where all is given, it costs what names it.
func TestExternVariable(t *testing.T) {
	t.Chdir(t.TempDir())
	text := strings.Replace(kernel("", "mov.u64 %rd1, table;\nld.global.u32 %r1, [%rd1+8];\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 bra L;\nL:"),
		".visible", ".extern .global .align 4 .b8 table[];\n.visible", 1)
	_, fine, _ := strings.Cut(kernel("", "add.u32 %r1, %r2, 1;"), header)
	put(t, "k.ptx", text+strings.Replace(fine, "entry k", "entry fine", 1))
	r := hyptx("profile", "k.ptx", "--grid", "1", "--block", "32", "-o", "-").must(t, exitDone)
	rows := readCSV(t, r.out)
	if len(rows) != 3 || rows[0]["assumed_inputs"] != "table=buffer of unspecified contents" || rows[0]["exactness"] != "assumed" || rows[1]["exactness"] != "exact" {
		t.Errorf("%v", rows)
	}
	put(t, "k.json", `{"version": 1, "launches": [
{"module": "k.ptx", "kernel": "k", "grid": [1], "block": [32], "args": []},
{"module": "k.ptx", "kernel": "fine", "grid": [1], "block": [32], "args": []}]}`)
	r = hyptx("profile", "k.json").must(t, exitInput)
	match(t, "errors", r.errOut, `k.ptx:\d+:\d+: variable table is declared .extern and defined nowhere`)
	match(t, "rows", r.out, "fine")
}
