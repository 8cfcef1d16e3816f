package main

import (
	"strings"
	"testing"
)

// TestMissing: what a file has that is not executed, with the first place of each.
func TestMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "all.ptx", kernel("", "add.u32 %r1, %r2, 1;"))
	match(t, "nothing missing", hyptx("isa", "--missing", "all.ptx").must(t, exitDone).out, `^all.ptx, sm_70: everything that was read is executed\n$`)
	put(t, "own.ptx", header+".extern .func (.param .b32 r) __nv_expf(.param .b32 x);\n.visible .entry k() {\n.reg .b32 %r<4>;\n.param .b32 a;\n.param .b32 b;\ncall (b), __nv_expf, (a);\nret;\n}\n")
	match(t, "CUDA's own", hyptx("isa", "--missing", "own.ptx").must(t, exitDone).out, `^own.ptx, sm_70: everything that was read is executed\n$`)
	put(t, "bad.ptx", kernel("", "frob;"))
	match(t, "not looked at", hyptx("isa", "--missing", "bad.ptx").must(t, exitInput).out, `^bad.ptx, sm_70: everything that was read is executed; not looked at, for their errors: k\n$`)
	put(t, "k.ptx", strings.NewReplacer("7.0", "9.3", "sm_70", "sm_100").Replace(header)+".extern .func other();\n.visible .entry k() {\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\n"+
		"fabric.submit;\nfabric.submit;\ncall other;\nret;\n}\n.visible .entry j() {\n.reg .b64 %rd<4>;\nfabric.submit;\nfrob;\nret;\n}\n")
	r := hyptx("isa", "--missing", "k.ptx").must(t, exitInput)
	match(t, "missing", r.out, `(?s)k.ptx, sm_100: not executed:\n.*fabric\.submit +2 +7:1 +k +there are no other GPUs\n.*call other +1 +9:1 +k +the file declares it only`)
	match(t, "what is wrong besides", r.errOut, `k.ptx:15:1: unknown opcode "frob"\n    frob;\n    \^\n`)
	hyptx("isa", "--missing", "none.ptx").must(t, exitInput)
}
