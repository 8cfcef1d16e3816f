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
