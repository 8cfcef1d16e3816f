package parser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2/lexer"
)

// lex gives the kinds and texts of all tokens.
func lex(t *testing.T, text string) string {
	t.Helper()
	names := lexer.SymbolsByRune(definition{})
	l, err := definition{}.Lex("x.ptx", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := lexer.ConsumeAll(l)
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for _, tok := range tokens[:len(tokens)-1] {
		parts = append(parts, fmt.Sprintf("%s %s", names[tok.Type], tok.Value))
	}
	return strings.Join(parts, " | ")
}

func TestTokens(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{".version 8.10", "Directive .version | Float 8.10"},
		{".05 1. 5.x .x", "Float .05 | Float 1. | Int 5 | Directive .x | Directive .x"},
		{".ptr.global.align 16 p", "Directive .ptr | Directive .global | Directive .align | Int 16 | Name p"},
		{".align 8.b8 x", "Directive .align | Int 8 | Type .b8 | Name x"},
		{"a_$1 _x $y %z _", "Name a_$1 | Name _x | Name $y | Name %z | Name _"},
		{"16%4 16 % 4 x%y", "Int 16 | Punct % | Int 4 | Int 16 | Punct % | Int 4 | Name x | Name %y"},
		{"<<>><=>===!=&&||<>!&|", "Punct << | Punct >> | Punct <= | Punct >= | Punct == | Punct != | Punct && | Punct || | Punct < | Punct > | Punct ! | Punct & | Punct |"},
		{`"a\"b;{" "c"`, `String "a\"b;{" | String "c"`},
		{"a = {1, (2)}, b = 3; c", "Name a | Punct = | Init {1, (2)} | Punct , | Name b | Punct = | Init 3 | Punct ; | Name c"},
		{".section .x { } { ret; }", "Directive .section | Directive .x | Payload { } | Punct { | Instruction ret | Punct }"},
		{"{ @p mov.u32 {a,\n b}, c; L: M : { } ; }", "Punct { | Instruction @p mov.u32 {a,\n b}, c | Label L | Label M | Punct { | Punct } | Punct }"},
		{"{ a::b.c d; x:y z; }", "Punct { | Instruction a::b.c d | Label x | Instruction y z | Punct }"},
		{"{ .loc 1 2 3 ret; .loc 1 2 3, function_name x+1, inlined_at 1 2 3 L: }",
			"Punct { | Directive .loc | Int 1 | Int 2 | Int 3 | Instruction ret | Directive .loc | Int 1 | Int 2 | Int 3 | Punct , | Name function_name | Name x | Punct + | Int 1 | Punct , | Name inlined_at | Int 1 | Int 2 | Int 3 | Label L | Punct }"},
		{"@@DWARF .byte 1 // x\n@@DWARF", "Directive @@DWARF | Line  .byte 1 // x | Directive @@DWARF | Line "},
		{"{ ret; .entry k", "Punct { | Instruction ret | Unclosed .entry | Directive .entry | Name k"},
		{"#define x\n  # 1 \"f\"\na", "Name a"},
		{"a /* b */ // c\n d", "Name a | Name d"},
	} {
		if got := lex(t, c.text); got != c.want {
			t.Errorf("%s\n gives %s\n  want %s", c.text, got, c.want)
		}
	}
}

func TestTokenPositions(t *testing.T) {
	l := newModuleLexer(".a\n\t.b /* \n\n */ c\r\n{ x\n y; z; }")
	want := []Pos{{1, 1}, {2, 2}, {4, 5}, {5, 1}, {5, 3}, {6, 5}, {6, 8}}
	for i, w := range want {
		tok, _ := l.Next()
		if tokenPos(tok.Pos) != w {
			t.Errorf("token %d, %q, at %v, want %v", i, tok.Value, tokenPos(tok.Pos), w)
		}
	}
}
