package parser

import "testing"

// TestOneFault: a slip of one mark is one error, and costs one function.
func TestOneFault(t *testing.T) {
	for _, c := range []struct{ slip, want string }{
		{"add.s32 %r1, %r2, %r3\n{ .param .b32 z; ret; }", "4:22: expected ; to close the statement before {"},
		{"add.s32 %r1, %r2, %r3\n{ // callseq 0\n.param .b32 z; ret; }", "4:22: expected ; to close the statement before {"},
		{"/ %bb.2:\n{ // callseq 0\n.param .b32 z; ret; }", `4:1: unexpected "/"; a statement starts with a label, a guard, an opcode or a directive`},
		{"/ %bb.2:\n{ // of\nadd.s32 %r1, %r2, %r3; }", `4:1: unexpected "/"; a statement starts with a label, a guard, an opcode or a directive`},
		{"add.s32 %r1, %r2, %r3};", "4:22: unexpected }; expected , before another operand, or ; after the last"},
		{"ld.u32 %r1, [big+}];", "4:18: unexpected }; expected a name, a number or a constant expression"},
		{"add.s32 %r1}, %r2, %r3;", "4:12: unexpected }; expected , before another operand, or ; after the last"},
		{"mov.u32 %r1, (1 == .x);", "4:20: unexpected .x; expected a name, a number or a constant expression"},
		{"mov.u32 %r1, 1 <;", "4:17: unexpected end of the statement; expected a name, a number or a constant expression"},
		{"mov.u32 %r1, 1 ^;", "4:17: unexpected end of the statement; expected a name, a number or a constant expression"},
	} {
		text := []byte(".version 8.0\n.target sm_80\n.entry k() { .reg .b32 %r<4>;\n" + c.slip + "\nret;\n}\n.entry j() { ret; }\n")
		m, err := Parse("k.ptx", text)
		if err == nil || err.Error() != "k.ptx:"+c.want || m.Unusable || len(m.Items) != 2 {
			t.Errorf("%s\ngives %v", c.slip, err)
		}
		if d := disagreement(text); d != "" {
			t.Errorf("%s: %s", c.slip, d)
		}
	}
}
