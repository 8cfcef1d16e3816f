package main

import (
	"strings"
	"testing"
)

// TestLenientFlag: what --lenient lets pass is an error without it and a warning with
// it, told once, wherever PTX is read.
func TestLenientFlag(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", ".version 6.0\n.target sm_60\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<4>;\n"+
		"redux.sync.add.u32 %r1, %r2, -1;\nredux.sync.add.u32 %r1, %r2, -1;\nret;\n}\n")
	const said = "k.ptx:7:1: redux.sync.add.u32 needs PTX 7.0 and target sm_80, the module has 6.0 and sm_60 (PTX ISA 9.7.15.13)"
	put(t, "given.json", manifestOf("", `"grid": [1], "block": [32], "args": []`))
	for _, command := range []string{"parse k.ptx", "profile k.ptx --mode static -o p.csv", "manifest new k.ptx -o m.json", "profile given.json --mode static -o q.csv"} {
		args := strings.Fields(command)
		r := hyptx(args...)
		r.must(t, exitInput)
		if !strings.Contains(r.errOut, said+"; --lenient makes this a warning\n") {
			t.Errorf("%s says\n%s", command, r.errOut)
		}
		r = hyptx(append(args, "--lenient")...)
		r.must(t, exitDone)
		if strings.Count(r.errOut, "hyptx: warning: "+said+"\n") != 1 {
			t.Errorf("%s --lenient says\n%s", command, r.errOut)
		}
		if r := hyptx(append(args, "--lenient", "--quiet")...); strings.Contains(r.errOut, "warning") {
			t.Errorf("%s --lenient --quiet says\n%s", command, r.errOut)
		}
	}
}
