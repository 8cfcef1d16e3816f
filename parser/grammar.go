package parser

import (
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar of PTX: one struct a production, in participle's notation, here
// and in the other files whose names begin with grammar. Each production has a
// build method that makes the node of the syntax tree.
//
// In a tag 'x' matches that word, Name a token of that kind (token.go); @ before
// either captures it into the field, and @@ reads the production that the field's
// type is. Parentheses, | ? * and + are those of regular expressions and may
// reach over several fields, so that a struct is read from its first tag to its
// last: List and Suffix of addressRule together say
//
//	"[" Element ("," Element)* "]" <word>*
//
// Grammar prints them so. A field Pos is filled with the place of the first token.
//
// One token decides between alternatives, with a few that look at the next one
// (?= ...), so that the first error in a text is the one that is told.
//
// The grammar alone parses all of PTX, at a quarter of a megabyte a second. Most
// of that time goes into three productions: scopes, expressions and initialisers. For Parse hand-written readers stand in their places, some
// fifty times faster, which build the same nodes and know no error: where one
// does not understand a text, its production reads the same words again and
// says what is wrong, or takes it.

// The productions that something else can stand for: the production itself in the
// reference, what a reader by hand has read in the fast parser. Either can build
// the node, and that is all that those who hold it ask. The interfaces have the
// names that the printed grammar shows.
type (
	expr        interface{ build(*builder) *Expr }
	initialiser interface{ build(*builder) *Init }
	scope       interface{ build(*builder) *Block }
	statements  interface{ build(*builder) []Stmt }
)

// The parsers. Building one takes milliseconds, so that is left to its first use.
var (
	grammar            func() *participle.Parser[itemRule] // the productions as they stand
	reference          func() *participle.Parser[itemRule] // goes on after errors in bodies; see statementReader
	referenceStatement func() *participle.Parser[statementRule]
	fast               func() *participle.Parser[itemRule] // with the hand-written readers
	fastStatement      func() *participle.Parser[statementRule]
)

// The readers use the parsers in which they stand, so these are set here.
func init() {
	participle.MaxIterations = maxNodes // tables have millions of elements
	grammar = parserOf[itemRule](append(productions, participle.Union[statements](&statementsRule{}))...)
	going := append(productions, participle.ParseTypeWith(parseStatements))
	reference, referenceStatement = parserOf[itemRule](going...), parserOf[statementRule](going...)
	readers := []participle.Option{participle.ParseTypeWith(fastExpr),
		participle.ParseTypeWith(fastInit), participle.ParseTypeWith(fastScope)}
	fast, fastStatement = parserOf[itemRule](readers...), parserOf[statementRule](readers...)
}

var productions = slices.Clip([]participle.Option{
	participle.Union[expr](&exprRule{}), participle.Union[initialiser](&initialiserRule{}),
	participle.Union[scope](&scopeRule{}),
})

func parserOf[P any](stands ...participle.Option) func() *participle.Parser[P] {
	return sync.OnceValue(func() *participle.Parser[P] {
		return participle.MustBuild[P](append(slices.Clip(stands), participle.Lexer(definition{}), participle.UseLookahead(0))...)
	})
}

// production reads what a production describes, by the grammar alone. It is where
// every reader ends that has given up: on an instruction or an initialiser that
// is wrong, or is right and rare.
func production[P any](tokens *lexer.PeekingLexer) (*P, error) {
	p, err := participle.ParserForProduction[P](referenceStatement())
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return p.ParseFromLexer(tokens, participle.AllowTrailing(true))
}

// Grammar is the grammar in EBNF: what participle derives from the productions
// that run, and the types that the token <type> stands for.
func Grammar() string {
	var out strings.Builder
	for line := range strings.Lines(grammar().String()) {
		line = strings.TrimSpace(strings.ReplaceAll(line, "Rule", ""))
		if name, is, _ := strings.Cut(line, " = "); is != name+" ." { // no interface
			out.WriteString(line + "\n")
		}
	}
	out.WriteString(`<type> = "` + strings.Join(typeWords, `" | "`) + "\" .\n")
	return out.String()
}
