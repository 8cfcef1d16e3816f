package main

import (
	"strings"
	"testing"
)

// TestRefusedKernel: an instruction that nobody knows costs its kernel. The others
// are profiled, and what is refused is said, with its place.
func TestRefusedKernel(t *testing.T) {
	t.Chdir(t.TempDir())
	big := strings.Replace(kernel("", "frob.u32 %r1, %r2;\nfrob.u32 %r1, %r2;"), "entry k", "entry big", 1)
	_, body, _ := strings.Cut(kernel(".param .u64 x", "add.u32 %r1, %r2, 1;"), header)
	put(t, "k.ptx", big+strings.Replace(body, "entry k", "entry plain", 1))
	r := hyptx("parse", "k.ptx").must(t, exitInput)
	match(t, "summary", r.out, `(?s)big +refused: 2 errors\n.*plain +\d+ instructions`)
	match(t, "errors", r.errOut, `^(hyptx: k.ptx:\d+:1: unknown opcode "frob".*\n    frob.u32 %r1, %r2;\n    \^\n){2}$`)
	r = hyptx("profile", "k.ptx", "--kernel", "plain").must(t, exitDone)
	match(t, "errors", r.errOut, "^$")
	r = hyptx("profile", "k.ptx").must(t, exitInput)
	match(t, "rows", r.out, "plain")
	match(t, "errors", r.errOut, `hyptx: kernel big is refused: k.ptx:\d+:1: unknown opcode "frob".* \(and 1 more: hyptx parse k.ptx\)\n`)
	r = hyptx("manifest", "new", "k.ptx").must(t, exitInput)
	match(t, "manifest", r.out, `"kernel": "plain"`)
	if strings.Contains(r.out, `"big"`) {
		t.Errorf("the manifest launches a kernel that is refused:\n%s", r.out)
	}
	put(t, "m.json", strings.Replace(manifestOf(`"x": {"bytes": 64, "type": "u32"}`, `"grid": [1], "block": [32], "args": []`), `"kernel": "k"`, `"kernel": "big"`, 1))
	oneMessage(t, hyptx("profile", "m.json"), `m.json: launches\[0\].kernel: kernel big is refused: k.ptx:\d+:1: unknown opcode "frob".*`)
}
