package parser

import (
	"errors"
	"strings"
	"testing"
)

// Each text has exactly the errors that stand under it: "line:col: message".
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{"1:1: the file holds no PTX; expected .version"}},
		{"\x00\x00\x00", []string{"1:1: the file holds no PTX; expected .version"}},
		{".version 7.0\n\x00.target sm_70", []string{"2:1: byte 0x00 is no PTX; expected ASCII text"}},
		{".version 7.0\n.entry k() {\nret;\x00\x00\nmov.b32 \x00 a, b; // \x00\n}\n\x00\x00", []string{
			"3:5: byte 0x00 is no PTX; expected ASCII text; a statement starts with a label, a guard, an opcode or a directive",
			"4:9: unexpected byte 0x00; expected a name, a number or a constant expression"}},
		{" // x\n", []string{"2:1: the file holds no PTX; expected .version"}},
		{"hello world", []string{"1:1: unexpected hello; expected .version, with which PTX begins"}},
		{"\x7fELF\x02\x01\x01", []string{"1:1: this is a compiled binary (ELF); expected PTX text"}},
		{"PK\x03\x04\xff\xfe.entry", []string{"1:1: unexpected PK; expected .version, with which PTX begins"}},
		{"\x80\x81\x82\n.version 7.0\n", []string{"1:1: byte 0x80 is no PTX; expected ASCII text"}},
		{".entry k() {}", []string{"1:1: unexpected .entry; expected .version before it, such as .version 7.0"}},
		{".version 7", []string{"1:10: 7 is no PTX version; expected major.minor such as 7.0"}},
		{".version 0.5", []string{"1:10: 0.5 is no PTX version; expected major.minor such as 7.0"}},
		{".version x", []string{"1:10: unexpected x; expected a number or an integer"}},
		{".version 7.0 .version 7.1", []string{"1:23: second .version; expected one, at the start of the module"}},
		{".version 7.0\n.target 70\n.address_size 48\n.address_size 32 .address_size 64", []string{
			"2:9: unexpected 70; expected a name", "3:15: 48 is no address size; expected 32 or 64",
			"4:32: second .address_size; expected one"}},
		{".version 7.0\n.global .u32 x\n.global .u32 y;\n.global z;", []string{
			"2:15: expected ; behind x, before .global on another line", "4:9: unexpected z; expected a type such as .b32, or .align"}},
		{".version 7.0\n.global .u32 .u32 x;", []string{"2:14: second type in one declaration; expected a name after the first"}},
		{".version 7.0\n.global .align 4 .align 4 .u32 x;", []string{"2:18: second .align in one declaration; expected a name after the first"}},
		{".version 7.0\n.global .v2 .v4 .u32 x;", []string{"2:13: second vector length in one declaration; expected a name after the first"}},
		{".version 7.0\n.global .align 4 x;", []string{"2:1: this declaration has no type; expected one such as .b32 before the name"}},
		{".version 7.0\n.global .align .u32 x;", []string{"2:16: unexpected .u32; expected a constant expression"}},
		{".version 7.0\n.global .u32 x[4;", []string{"2:17: unexpected end of the statement; expected ]"}},
		{".version 7.0\n.global .u32 x = ;\n.global .u32 y = {1,2;\n.global .u32 z = {1,};\n.global .u32 w = 1 2;\n.global .b8 s = \"x\";", []string{
			"2:18: unexpected end of the statement; expected a name, a number or a constant expression",
			"3:22: unexpected end of the statement; expected , or }",
			"4:21: unexpected }; expected a name, a number or a constant expression",
			"5:20: unexpected 2; expected ;",
			`6:17: unexpected "; expected a name, a number or a constant expression`}},
		{".version 7.0\n.global .texref t = {width=1, 2};", []string{"2:31: unexpected 2; expected the name of a field such as width"}},
		{".version 7.0\n.function f;", []string{"2:1: unexpected .function; expected .func"}},
		{".version 7.0\n.visble .entry k() {}\n.entyr j() {}\n.address_sise 64", []string{"2:1: unexpected .visble; did you mean .visible?",
			"3:1: unexpected .entyr; did you mean .entry?", "4:1: unexpected .address_sise; did you mean .address_size?"}},
		{".verison 7.0\n.target sm_70", []string{"1:1: unexpected .verison; did you mean .version?"}},
		{".version 7.0\n.struct x;", []string{"2:1: unexpected .struct; PTX has no structures; expected a .b8 array"}},
		{".version 7.0\n.sreg .b32 x;", []string{"2:1: unexpected .sreg; special registers are predefined; expected .reg"}},
		{".version 7.0\nfoo\n.entry k() {ret;}", []string{"2:1: unexpected foo; expected .entry, .func or a variable such as .global .b32 x"}},
		{".version 7.0\n.visible .file 1 \"a\"", []string{"2:10: unexpected .file; expected .entry, .func or a variable such as .global .b32 x"}},
		{".version 7.0\n.entry k(.param .u32 a .param .u32 b) { bad bad bad; }\n.entry (.param .u32 x) {}\n.entry k(.param u32 x) { }", []string{
			"2:24: unexpected .param; expected , or )", "3:8: unexpected (; expected a name", "4:17: unexpected u32; expected a type such as .b32, or .align"}},
		{".version 7.0\n.entry k() .maxntid { ret; }\n.entry k() .maxntid 1,2,3,4 { ret; }\n.entry j() .bogus { }\n.entry i() .maxnreg 08 {}", []string{
			"2:21: unexpected {; expected a constant expression", "3:26: unexpected ,; expected { and a body or ;",
			"4:12: unexpected .bogus; expected { and a body or ;",
			"5:21: integer literal 08: expected digits 0 to 7 (a leading 0 makes it octal), then at most a suffix U"}},
		{".version 7.0\n.global .attribute(.foo) .u32 x;\n.func f() .language ;", []string{
			"2:20: unexpected .foo; expected .managed, .unified", "3:21: unexpected end of the statement; expected a string, a constant expression"}},
		{".version 7.0\n.file x \"a\"\n.alias a b;\n.const[ .b32 x;", []string{
			"2:7: unexpected x; expected an integer", "3:10: unexpected b; expected ,", "4:9: unexpected .b32; expected a constant expression"}},
		{".version 7.0\n.file 99999999999 \"a\"", []string{"2:7: 99999999999 is too large; expected a number below 2147483648"}},
		{".version 7.0\n.pragma \"abc;\n.pragma \"x\";", []string{`2:9: this string does not end on its line; expected "`}},
		{".version 7.0\n.section .debug { .b8 1", []string{"2:17: the text of .section does not end; expected }"}},
		{".version 7.0\n.nv_intermediate_source_section { .source_begin } ", []string{
			"2:33: the text of .nv_intermediate_source_section does not end; expected }"}},
		{".version 7.0\n. x", []string{"2:1: a lone dot; expected a directive such as .entry or a type such as .b32"}},
		{".version 7.0\n}\n.entry k() {ret;}", []string{"2:1: unexpected }; expected .entry, .func or a variable such as .global .b32 x"}},
	} {
		checkErrors(t, []byte(c.text), c.want)
	}
}

func TestErrorsInBodies(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"mov.u32 a b;", []string{"2:11: unexpected b; expected , before another operand, or ; after the last"}},
		{"mov.u32 %r1 %r2;", []string{"2:13: unexpected %r2; expected , before another operand, or ; after the last"}},
		{"mov.u32 a, ;\nadd a,, b;\nmov.u32 a, b $ c;", []string{
			"2:12: unexpected end of the statement; expected a name, a number or a constant expression",
			"3:7: unexpected ,; expected a name, a number or a constant expression",
			"4:14: unexpected $; expected , before another operand, or ; after the last"}},
		{"ld [a;\nld [];\nld [[a]];\nld [a,];", []string{"2:6: unexpected end of the statement; expected , or ]",
			"3:5: unexpected ]; expected a name, a number or a constant expression",
			"4:5: unexpected [; expected a name, a number or a constant expression",
			"5:7: unexpected ]; expected a name, a number or a constant expression"}},
		{"st {};\nst {{a}};\nst {a,b;", []string{"2:5: unexpected }; expected a name, a number or a constant expression",
			"3:5: unexpected {; expected a name, a number or a constant expression",
			"4:8: unexpected end of the statement; expected , or }"}},
		{"@ ;\n@p 5;\n@p;\nmov. a;\nmov..u32 a;", []string{"2:3: unexpected end of the statement; expected a predicate after @",
			"3:4: unexpected 5; expected an opcode such as mov.u32",
			"4:3: unexpected end of the statement; expected an opcode such as mov.u32",
			"5:1: opcode mov. has a dot without a word; expected a form such as mov.u32",
			"6:1: opcode mov..u32 has a dot without a word; expected a form such as mov.u32"}},
		{"ld .global.u32 a, [b];", []string{"2:4: unexpected .global; expected a name, a number or a constant expression"}},
		{".reg u32 x;\n.reg .b32 ;\n.loc 1 2\nret;\n.pragma x;\n.bogus 1;\nret;", []string{
			"2:6: unexpected u32; expected a type such as .b32, or .align", "3:11: unexpected end of the statement; expected a name",
			"5:1: unexpected ret; expected an integer", `6:9: unexpected x; expected a string in "quotes"`,
			"7:1: unexpected .bogus; expected a directive of a body such as .reg, .loc or .pragma"}},
		{".branchtargets a;\nts: .branchtargets ;\nt: .calltargets f g;", []string{
			"2:1: unexpected .branchtargets; expected a directive of a body such as .reg, .loc or .pragma",
			"3:20: unexpected end of the statement; expected a name", "4:19: unexpected g; expected ;"}},
		{"call (a, f;\nmov a, (1+2;\nmov a, 1 ? 2;\nmov a, (.f32)1;\nmov a, (.s64 1);", []string{
			"2:11: unexpected end of the statement; expected , or )",
			"3:12: unexpected end of the statement; expected ) of the parenthesis before it",
			"4:13: unexpected end of the statement; expected : of the condition before it",
			"5:9: unexpected .f32; expected a cast (.s64) or (.u64) or a constant expression",
			"6:14: unexpected 1; expected ) after the cast's type"}},
		{"? ret;\nmov a, b.;\nmov a, \x80;\nret;", []string{
			`2:1: unexpected "?"; a statement starts with a label, a guard, an opcode or a directive`,
			"3:9: unexpected .; expected , before another operand, or ; after the last",
			"4:8: unexpected byte 0x80; expected a name, a number or a constant expression"}},
		{"mov.u32 a, b\nmov.u32 c, d;\nret", []string{
			"2:13: expected ; behind b, before mov.u32 on another line",
			"4:4: expected ; to close the statement before }"}},
		{"mov.u32 a, b // c\n{ .reg .b32 c; ret; }", []string{"2:13: expected ; to close the statement before {"}},
		{"mov.u32 a,\nb\n%c;\nld.u32 a, [b] /* c */\n@p ret;", []string{
			"4:1: unexpected %c; expected , before another operand, or ; after the last",
			"5:14: expected ; behind ], before @ on another line"}},
		{".reg .b32 a<4>\n.reg .pred p;\n.shared .b32 s\nmov.u32 a, b;", []string{
			"2:15: expected ; behind >, before .reg on another line", "4:15: expected ; behind s, before mov.u32 on another line"}},
		{".rge .b32 a;\n.shard .b32 s;\n.reg .u23 b;\n.pragmas \"x\";", []string{
			"2:1: unexpected .rge; did you mean .reg?", "3:1: unexpected .shard; did you mean .shared?",
			"4:6: unexpected .u23; did you mean .u32?", "5:1: unexpected .pragmas; did you mean .pragma?"}},
		{"mov.u32 a, /* no end ;", []string{"2:12: this comment does not end; expected */"}},
		{"/* no end", []string{"2:1: this comment does not end; expected */"}},
		{"ret;\n.visible .entry j() {\nret;", []string{"3:1: expected } before .visible, which cannot stand in a body; the { at 1:25 is open"}},
		{"{ ret;\n.func j() {\n{ ret;", []string{"3:1: expected } before .func, which cannot stand in a body; the { at 2:1 is open",
			"6:1: expected } before the end of the file; the { at 3:11 is open"}},
	} {
		checkErrors(t, []byte(".version 7.0 .entry k() {\n"+c.text+"\n}\n"), c.want)
	}
}

func checkErrors(t *testing.T, src []byte, want []string) {
	t.Helper()
	_, err := Parse("x.ptx", src)
	var list ErrorList
	if !errors.As(err, &list) {
		t.Errorf("%.200q: error %v, want %q", src, err, want)
		return
	}
	got := strings.Split(list.Error(), "\n")
	for i := range got {
		got[i] = strings.TrimPrefix(got[i], "x.ptx:")
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%.200q gives\n  %s\nwant\n  %s", src, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func TestErrorListUnwraps(t *testing.T) {
	_, err := Parse("x.ptx", []byte("hello"))
	var one *Error
	if !errors.As(err, &one) || one.File != "x.ptx" || one.Pos != (Pos{1, 1}) {
		t.Errorf("%v unwraps to %v", err, one)
	}
}

// What is right beside an error is in the tree.
func TestRecoveryKeepsTheRest(t *testing.T) {
	m, err := Parse("x.ptx", []byte(`.version 7.0
.global .u32 a
.global .u32 b;
.entry k() { mov.u32 x y; ret; { st {; } exit; }
.func g( { ret; }
.entry j() { ret; }
`))
	if err == nil || len(err.(ErrorList)) != 4 {
		t.Errorf("errors %v, want 4", err)
	}
	var got []string
	for _, it := range m.Items {
		switch x := it.(type) {
		case *Variable:
			got = append(got, x.Names[0].Name)
		case *Function:
			got = append(got, x.Name+"{"+showStmts(x.Body.Stmts)+"}")
		}
	}
	if want := "b k{ret ; {  } ; exit} j{ret}"; strings.Join(got, " ") != want {
		t.Errorf("items %v, want %s", got, want)
	}
}
