package parser

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// words that the manual's list of directives holds and that a module cannot.
var noDirectives = map[string]bool{
	".sreg":     true,                                // special registers are predefined
	".function": true,                                // misspelt .func
	".byte":     true, ".4byte": true, ".quad": true, // in @@DWARF lines
	".struct": true, ".union": true, // never part of PTX
	// formats of opcodes, no types of declarations
	".tf32": true, ".e4m3": true, ".e5m2": true, ".e2m3": true, ".e3m2": true, ".e2m1": true, ".ue8m0": true,
	".ue4m3": true, ".s2f6": true, ".f32x2": true, ".u16x2": true, ".s16x2": true, ".u8x4": true, ".s8x4": true,
}

// The list of directives beside the project names all that PTX has.
func TestGrammarNamesEveryDirective(t *testing.T) {
	table, err := os.ReadFile("../../shared/isa/ptx-isa-directives.tsv")
	if err != nil {
		t.Skip("the table of directives is not here")
	}
	ebnf := Grammar()
	for _, line := range strings.Split(string(table), "\n")[1:] {
		fields := strings.Split(line, "\t")
		if len(fields) < 2 || fields[0] == ".target string" || fields[0] == "pragma string" {
			continue
		}
		for _, word := range regexp.MustCompile(`[.@][\w@]+`).FindAllString(fields[1], -1) {
			if !noDirectives[word] && !strings.Contains(ebnf, `"`+word+`"`) {
				t.Errorf("the grammar does not name %s", word)
			}
		}
	}
}

func TestGrammarDefinesWhatItUses(t *testing.T) {
	ebnf := Grammar()
	defined := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(ebnf), "\n") {
		name, _, ok := strings.Cut(line, " = ")
		if !ok || !strings.HasSuffix(line, " .") || defined[name] {
			t.Errorf("no production, or a second one: %s", line)
		}
		defined[name] = true
	}
	bare := regexp.MustCompile(`"[^"]*"`).ReplaceAllString(ebnf, "")
	for _, name := range regexp.MustCompile(`\b[A-Za-z]\w+`).FindAllString(regexp.MustCompile(`<\w+>`).ReplaceAllString(bare, ""), -1) {
		if !defined[name] {
			t.Errorf("%s is used and not defined", name)
		}
	}
}

// The plain forms that bodies read without the grammar are what the grammar
// reads.
func TestPlainFormsAgreeWithGrammar(t *testing.T) {
	for _, text := range []string{
		".loc 1 2 3", ".loc 0x1 017 3",
		".reg .b32 x;", ".reg .pred %p<4>;", ".reg .b32 a, b<0x10>, c<010>;", ".param .b64 param0;", ".local .b8 x;", ".shared .f32 t;",
	} {
		stmts := parseBody(t, text)
		tokens, err := lexer.Upgrade(bodyLexer(text))
		if err != nil {
			t.Fatal(err)
		}
		rule, err := directiveParser().ParseFromLexer(tokens, participle.AllowTrailing(true))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		b := builder{nodes: &slab{}}
		want := &Function{Body: &Block{Stmts: []Stmt{rule.build(&b)}}}
		got := &Function{Body: &Block{Stmts: stmts}}
		if d := difference(&Module{Items: []Item{got}}, &Module{Items: []Item{want}}); d != "" {
			t.Errorf("%s: %s", text, d)
		}
		if plain := (&bodyRule{tokens: replay(t, text), cursor: cursor{nodes: &slab{}}}); plain.plain(plain.tokens.Peek()) == nil {
			t.Errorf("%s is not taken for plain", text)
		}
	}
	for _, text := range []string{
		".loc 1 2 3, inlined_at 1 2 3", ".loc 99999999999 1 1", ".loc 1 x",
		".reg .v2 .b32 x;", ".reg .b32 x<2+3>;", ".reg .b32 x<08>;", ".reg .b32 x<4;", ".shared .b8 x[4];", ".shared .align 4 .b8 x;", ".reg .b32 x", ".reg .b32 ;",
	} {
		b := &bodyRule{tokens: replay(t, text), cursor: cursor{nodes: &slab{}}}
		if b.plain(b.tokens.Peek()) != nil {
			t.Errorf("%s is taken for plain", text)
		}
	}
}

// bodyLexer stands at a statement of a body.
func bodyLexer(text string) *moduleLexer {
	l := newModuleLexer(text)
	l.depth, l.statement = 1, true
	return l
}

func replay(t *testing.T, text string) *lexer.PeekingLexer {
	t.Helper()
	tokens, err := lexer.Upgrade(bodyLexer(text))
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}
