package oracle

import (
	"fmt"
	"strings"
	"testing"

	"hyptx/emulator"
	"hyptx/ir"
)

// returnHead begins the programs of TestReturnsMerge; a mark is an instruction
// whose issues are counted.
const (
	returnHead = ".version 8.3\n.target sm_70\n.address_size 64\n"
	mark       = "xor.b32 %r7, %r7, 1;"
	kernelOf   = ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n.reg .b32 %%r<9>;\n.reg .pred %%p<3>;\nmov.u32 %%r1, %%tid.x;\nmov.b32 %%r7, 0;\n%s\n}\n"
)

// TestReturnsMerge: lanes that return from a function one after the other go on
// together at the instruction after the call. Each program's marks are issued
// as often as is said, by as many lanes, which is counted by hand; the oracle,
// which knows no barriers, must agree.
func TestReturnsMerge(t *testing.T) {
	function := func(name, body string) string {
		return fmt.Sprintf(".func %s(.reg .b32 %%r1)\n{\n.reg .b32 %%r2, %%r7;\n.reg .pred %%p<3>;\n.reg .b64 %%d;\nmov.b32 %%r7, 0;\n%s\n}\n", name, strings.ReplaceAll(body, "; ", ";\n"))
	}
	kernel := func(body string) string { return fmt.Sprintf(kernelOf, body) }
	for _, c := range []struct {
		name, ptx     string
		issues, lanes uint64
		barrier       bool
	}{
		{name: "guarded ret",
			ptx:    function("f", "setp.lt.u32 %p1, %r1, 4; @%p1 ret; add.u32 %r2, %r1, 1; ret;") + kernel("call f, (%r1);\n"+mark+"\nret;"),
			issues: 1, lanes: 32},
		{name: "ret in both arms, in a loop",
			ptx: function("f", "L: setp.eq.u32 %p1, %r1, 0; @%p1 bra A; sub.u32 %r1, %r1, 1; setp.eq.u32 %p2, %r1, 9; @%p2 ret; bra L; A: ret;") +
				kernel("call f, (%r1);\n"+mark+"\nret;"),
			issues: 1, lanes: 32},
		{name: "brx.idx",
			ptx: function("f", "and.b32 %r2, %r1, 3; T: .branchtargets A, B, C, C; brx.idx %r2, T; A: ret; B: ret; C: exit;") +
				kernel("call f, (%r1);\n"+mark+"\nret;"),
			issues: 1, lanes: 16},
		{name: "two levels: the inner returns merge in the outer function, its own in the kernel",
			ptx: function("f", "setp.lt.u32 %p1, %r1, 4; @%p1 ret; ret;") +
				function("g", "setp.lt.u32 %p1, %r1, 8; @%p1 ret; call f, (%r1); "+mark+" ret;") +
				kernel("call g, (%r1);\n"+mark+"\nret;"),
			issues: 2, lanes: 24 + 32},
		{name: "a call at the end of a function: its returns merge behind the outer call",
			ptx: function("f", "setp.lt.u32 %p1, %r1, 4; @%p1 ret; ret;") + function("g", "call f, (%r1);") +
				kernel("call g, (%r1);\n"+mark+"\nret;"),
			issues: 1, lanes: 32},
		{name: "a guarded call at the end of a function",
			ptx: function("f", "ret;") + function("g", "setp.lt.u32 %p1, %r1, 4; @%p1 call f, (%r1);") +
				kernel("call g, (%r1);\n"+mark+"\nret;"),
			issues: 1, lanes: 32},
		{name: "recursion: each level merges in the level above",
			ptx: ".func f(.reg .b32 %r1);\n" + function("f", "setp.eq.u32 %p1, %r1, 0; @%p1 ret; sub.u32 %r2, %r1, 1; call f, (%r2); "+mark) +
				kernel("and.b32 %r1, %r1, 3;\ncall f, (%r1);\n"+mark+"\nret;"),
			issues: 3 + 1, lanes: 24 + 16 + 8 + 32},
		{name: "a guarded call of returns: those that did not call join them",
			ptx: function("f", "setp.lt.u32 %p1, %r1, 4; @%p1 ret; ret;") +
				kernel("setp.lt.u32 %p1, %r1, 16;\n@%p1 call f, (%r1);\n"+mark+"\nret;"),
			issues: 1, lanes: 32},
		{name: "lanes that wait at a barrier inside are blocked for good: the others go on",
			ptx: function("f", "setp.lt.u32 %p1, %r1, 4; @%p1 ret; bar.sync 0; ret;") +
				kernel("call f, (%r1);\n"+mark+"\nbar.sync 0;\nret;"),
			issues: 2, lanes: 32, barrier: true},
	} {
		ptx := returnHead + c.ptx
		t.Run(c.name, func(t *testing.T) {
			p := &program{ptx: ptx, grid: [3]uint32{1, 1, 1}, block: [3]uint32{32, 1, 1}}
			m, err := p.lower()
			if err != nil {
				t.Fatal(err)
			}
			r, _, err := p.emulate(m, emulator.LaunchConfig{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			issues, lanes := uint64(0), uint64(0)
			for pc, c := range sum(r) {
				if m.FuncOf(ir.PC(pc)).Text(ir.PC(pc)) == strings.TrimSuffix(mark, ";") {
					issues += c.issues
					lanes += c.lanes
				}
			}
			if issues != c.issues || lanes != c.lanes {
				t.Errorf("the marks are issued %d times by %d lanes, by hand %d and %d\n%s", issues, lanes, c.issues, c.lanes, ptx)
			}
			if c.barrier {
				return
			}
			if err := checkEmulator(p); err != nil {
				t.Error(err)
			}
		})
	}
}
