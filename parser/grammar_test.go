package parser

import (
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
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

// TestGrammarIsNeeded: the grammar as it stands parses each seed, in the form
// of a module or of statements, to the tree of Parse; and the seeds have
// something for every field of every production and for every mark and word.
// So nothing can be taken out of the grammar without one of them failing.
func TestGrammarIsNeeded(t *testing.T) {
	seen := coverage{fields: map[reflect.Type]map[string]bool{}, words: map[string]bool{}}
	for _, seed := range seeds {
		src := []byte(".version 8.0\n" + seed)
		want, err := Parse("x.ptx", src)
		if err != nil {
			src = body(seed)
			if want, err = Parse("x.ptx", src); err != nil {
				t.Errorf("seed %s: %v", seed, err)
				continue
			}
		}
		got := &parser{module: &Module{File: "x.ptx"}, builder: builder{nodes: &slab{}}, words: true, items: grammar, first: 1}
		got.parse(string(src))
		if err := got.result(); err != nil || !reflect.DeepEqual(got.module, want) {
			t.Errorf("seed %s: %v, %s", seed, err, difference(got.module, want))
			continue
		}
		seen.add(t, src)
	}
	for typ, fields := range seen.fields {
		for i := range typ.NumField() {
			if f := typ.Field(i); f.Tag.Get("parser") != "" && !fields[f.Name] {
				t.Errorf("no seed has something for %s of %s", f.Name, typ.Name())
			}
		}
	}
	ebnf := Grammar()
	for _, line := range strings.Split(strings.TrimSpace(ebnf), "\n") {
		name, rest, _ := strings.Cut(line, " = ")
		if name == "<type>" {
			continue
		}
		if !slices.ContainsFunc(slices.Collect(maps.Keys(seen.fields)), func(t reflect.Type) bool {
			return strings.EqualFold(strings.TrimSuffix(t.Name(), "Rule"), name)
		}) {
			t.Errorf("no seed has a %s", name)
		}
		for _, word := range regexp.MustCompile(`"[^"]+"`).FindAllString(rest, -1) {
			if !seen.words[strings.Trim(word, `"`)] {
				t.Errorf("no seed has the word %s of %s", word, name)
			}
		}
	}
}

// coverage is what of the grammar texts have made use of.
type coverage struct {
	fields map[reflect.Type]map[string]bool
	words  map[string]bool // the tokens
}

func (c *coverage) add(t *testing.T, src []byte) {
	t.Helper()
	for l := newModuleLexer(string(src)); !l.done; {
		tokens, _, err := nextChunk(l, true)
		if err != nil {
			t.Fatal(err)
		}
		for !tokens.Peek().EOF() {
			start := tokens.RawCursor()
			rule, err := grammar().ParseFromLexer(tokens, participle.AllowTrailing(true))
			if err != nil {
				t.Fatal(err)
			}
			c.walk(reflect.ValueOf(rule))
			for _, token := range tokens.Range(start, tokens.RawCursor()) {
				c.words[token.Value] = true
			}
		}
	}
}

// walk notes the fields of productions that hold something.
func (c *coverage) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			c.walk(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			c.walk(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[lexer.Token]() {
			return
		}
		if c.fields[v.Type()] == nil {
			c.fields[v.Type()] = map[string]bool{}
		}
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				c.fields[v.Type()][v.Type().Field(i).Name] = true
				c.walk(v.Field(i))
			}
		}
	}
}

// The plain forms that bodies read without the grammar are what the grammar
// reads.
func TestPlainFormsAgreeWithGrammar(t *testing.T) {
	for _, text := range []string{
		".loc 1 2 3", ".loc 0x1 017 3",
		".reg .b32 x;", ".reg .pred %p<4>;", ".reg .b32 a, b<0x10>, c<010>;", ".param .b64 param0;", ".local .b8 x;", ".shared .f32 t;",
		".loc 1 2 3, inlined_at 1 2 3", ".loc 1 2 3, function_name x, inlined_at 1 2 3", ".loc 1 2 3, inlined_at 1 2 3, function_name .debug_str+4",
		".shared .b8 x[4];", ".shared .align 4 .b8 x;", ".param .b8 .align 8 p[16][0x2], q;", `.pragma "nounroll";`,
	} {
		stmts := parseBody(t, text)
		rule, err := production[statementRule](bodyTokens(t, text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		b := builder{nodes: &slab{}}
		want := &Function{Body: &Block{Stmts: []Stmt{rule.build(&b)}}}
		got := &Function{Body: &Block{Stmts: stmts}}
		if d := difference(&Module{Items: []Item{got}}, &Module{Items: []Item{want}}); d != "" {
			t.Errorf("%s: %s", text, d)
		}
		if (&plainReader{&tokenRun{from: bodyLexer(text)}, &slab{}}).statement() == nil {
			t.Errorf("%s is not taken for plain", text)
		}
	}
	for _, text := range []string{
		".loc 1 2 3, function_name x+1, function_name y", ".loc 1 2 3, function_name x+1+2", ".loc 1 2 3, inlined_at 1 2 3, inlined_at 4 5 6",
		".loc 1 2 3, inlined_at 1 2", ".loc 1 2 3, inlined_at 1 2 99999999999", ".loc 1 2 3, x", ".loc 1 2 3, function_name 4", ".loc 99999999999 1 1", ".loc 1 x",
		".reg .v2 .b32 x;", ".reg .b32 x<2+3>;", ".reg .b32 x<08>;", ".reg .b32 x<4;", ".shared .b8 x[4+1];", ".shared .align 4*2 .b8 x;", ".shared .b8 x[];",
		`.pragma "a", "b";`, ".reg .b32 .b32 x;", ".reg x;", ".reg .b32 x", ".reg .b32 ;",
	} {
		if (&plainReader{&tokenRun{from: bodyLexer(text)}, &slab{}}).statement() != nil {
			t.Errorf("%s is taken for plain", text)
		}
	}
}

// TestUnclosed: of directives that no ; closes each is what the grammar makes of all of them.
func TestUnclosed(t *testing.T) {
	for _, body := range []string{
		".loc 1 2 3, inlined_at 1 2 3 .loc 1 2, 3 .loc 1 2 3", ".loc 1 2 3, function_name .loc 1 2 3", ".loc 1 2 3, function_name .loc .loc 4 5 6",
		".loc 1 2 3, function_name x+1, function_name y .loc 1 2 3", ".loc 1 2 3, function_name x+1+2 .loc 1 2 3", ".loc 1 2 3, function_name .section .x { }",
		".loc 1 2 3, function_name x+y, inlined_at 1 2 3 .section .y { }", ".loc_intermediate 1 2 3 .loc_intermediate 1 2 .loc 1 2 3",
		".loc 1 2 3, function_name x + 1, inlined_at 1 2 99999999999 .loc 1 2 3", ".section .x { } @@DWARF y\n .loc 1 2 3 4", ".loc .loc .loc 1 2 3 .loc",
		".loc_intermediate 1 2 3 .section .x { .b8 1 } .section .y { .reg", ".loc 1 2 3, function_name x+(2), .loc 1 2 3", ".loc 1 2 3 .pragma .loc 1 2 3",
	} {
		for _, end := range []string{" ret; }", " }", "", " .reg .b32 x; }", " L: }"} {
			if d := disagreement([]byte(".version 8.0\n.target sm_80\n.entry k() {\n" + body + end)); d != "" {
				t.Errorf("%s%s: %s", body, end, d)
			}
		}
	}
}

// The plain forms of headers are what the grammar reads, too.
func TestPlainHeadersAgreeWithGrammar(t *testing.T) {
	for text, plain := range map[string]bool{
		".visible .entry k(.param .u64 a, .param .align 8 .b8 b[16]) .maxntid 128, 1, 1 .minnctapersm 2 { ret; }": true,
		".entry k() { .reg .b32 x; }": true, ".entry k { }": true, ".extern .func f;": true,
		".weak .func (.param .b32 r) f(.param .b64 a, .reg .b32 b) { ret; }":                                 true,
		".entry k(.param .u64 .ptr .global .align 1 a, .param .u64 .ptr b) .reqntid 32 .maxnreg 40 { ret; }": true,
		".entry k(.param .u64 .ptr .align 2 .align 4 a);":                                                    true,
		".entry k(.param .b8 a[]) {}":                                                                        false, ".entry k() .maxntid 8*4 {}": false, ".func f() .noreturn {}": false,
		".visible .global .u32 a;": false, ".entry k(,) {}": false, ".entry k(.param .u64 a,) {}": false, ".entry k(.param .u64 a, b) {}": false,
		".entry k() .maxntid 1, 2, 3, 4 {}": false, ".entry k() x": false, ".entry 1": false, ".entry k(.global .u32 a);": false,
	} {
		run := &tokenRun{from: &headLexer{moduleLexer: newModuleLexer(text)}}
		if taken := (&plainReader{run, &slab{}}).function() != nil; taken != plain {
			t.Errorf("%s is taken for plain: %v", text, taken)
		}
		if d := disagreement([]byte(".version 8.0\n.target sm_80\n.global .u32 before;\n" + text)); d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
}

// bodyLexer stands at a statement of a body.
func bodyLexer(text string) *moduleLexer {
	l := newModuleLexer(text)
	l.depth, l.statement = 1, true
	return l
}

func bodyTokens(t *testing.T, text string) *lexer.PeekingLexer {
	t.Helper()
	tokens, err := lexer.Upgrade(bodyLexer(text))
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}
