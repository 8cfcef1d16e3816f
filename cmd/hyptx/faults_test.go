package main

import (
	"strings"
	"testing"
)

// TestFaults: parse shows each error with its line and a caret, all of a file at once,
// and none that only follows from another.
func TestFaults(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "k.ptx", kernel("", "\tmul.wide.s64 %rd1, %rd2, %rd3;\nadd.s32 %r1, %q3, %q3; add.s32 %q3, %r1, %r2;\n  mov.u32 %r1, %tdi.x;\n"+
		"add.s32 %r1, %r2 %r3;\nld.gobal.u32 %r1, [%rd1];\nadd.u32 %f1, %r1, 1;\n"+strings.Repeat(" ", 200)+"bra NOWHERE;"))
	r := hyptx("parse", "k.ptx").must(t, exitInput)
	want := `hyptx: k.ptx:7:6: mul.wide.s64: .wide takes .u16 .u32 .s16 .s32, not .s64 (PTX ISA 9.7.1.3)
    mul.wide.s64 %rd1, %rd2, %rd3;
        ^
hyptx: k.ptx:10:18: unexpected %r3; expected , before another operand, or ; after the last
    add.s32 %r1, %r2 %r3;
                     ^
hyptx: k.ptx:11:4: illegal modifier .gobal for ld (did you mean .global?) (PTX ISA 9.7.10.8)
    ld.gobal.u32 %r1, [%rd1];
       ^
hyptx: k.ptx:12:9: operand d of add.u32 is of type .u32, register %f1 is .f32 (PTX ISA 9.7.1.1)
    add.u32 %f1, %r1, 1;
            ^
`
	if r.errOut != want {
		t.Errorf("parse says\n%s\nwant\n%s", r.errOut, want)
	}
	put(t, "k.ptx", strings.Replace(read(t, "k.ptx"), "%r2 %r3", "%r2, %r3", 1))
	r = hyptx("parse", "k.ptx").must(t, exitInput)
	for _, said := range []string{
		"k.ptx:8:14: undeclared register or variable %q3 (", "k.ptx:9:16: undeclared register or variable %tdi.x; did you mean %tid.x?",
		"k.ptx:13:205: unknown label NOWHERE\n    bra NOWHERE;\n        ^\n",
	} {
		if strings.Count(r.errOut, said) != 1 && !strings.Contains(said, "(") {
			t.Errorf("%q is missing in\n%s", said, r.errOut)
		}
	}
	if strings.Count(r.errOut, "%q3") != 4 { // the message and thrice in its line
		t.Errorf("an undeclared register is told more than once:\n%s", r.errOut)
	}
	put(t, "w.ptx", header+".global .u32 x[] = {"+strings.Repeat("1, ", 100)+"oops"+strings.Repeat(", 1", 100)+"};\n")
	match(t, "a wide line", hyptx("parse", "w.ptx").must(t, exitInput).errOut, `(?s)^hyptx: w.ptx:4:\d+: .*\n    \.\.\..*oops.*\.\.\.\n +\^\n`)
}
