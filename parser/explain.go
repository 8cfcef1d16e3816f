package parser

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"hyptx/internal/spelling"
)

// In "add.s32 %r1 %r2;" participle misses an EndRule at %r2. What is told is
//
//	unexpected %r2; expected , before another operand, or ; after the last
//
// The first half is the token in the text's own words, the second what the rest of
// the production begins with, each alternative looked up in words. A name that is
// not there is told as the grammar has it; a test looks for such.

// explain words an error of participle for people who know PTX and not the
// grammar's notation. Participle says at which token it stands and what it
// expected, as EBNF; where it looked ahead and nothing fitted it does not say
// what: that is the case of operands and initialisers alone.
func explain(err error) *Error {
	var p participle.Error
	if !errors.As(err, &p) {
		return &Error{Pos: Pos{Line: 1, Col: 1}, Msg: err.Error()}
	}
	at := tokenPos(p.Position())
	var u *participle.UnexpectedTokenError
	if !errors.As(err, &u) {
		return &Error{Pos: at, Msg: p.Message()}
	}
	if u.Unexpected.Type == tokInstruction {
		u.Unexpected = open(u.Unexpected)[0] // where the grammar sees words, this is the first
	}
	switch u.Unexpected.Type {
	case tokBad, tokFault, tokNoOpcode:
		return &Error{Pos: at, Msg: u.Unexpected.Value}
	}
	want := constantWords
	if _, ebnf, ok := strings.Cut(p.Message(), " (expected "); ok {
		want = expectation(strings.TrimSuffix(ebnf, ")"))
	}
	return &Error{Pos: at, Msg: unexpected(foundWord(u.Unexpected), want)}
}

// foundWord is a token as a reader of the text sees it.
func foundWord(t lexer.Token) string {
	switch {
	case t.Type == lexer.EOF:
		return endOfFile
	case t.Value == ";":
		return "end of the statement"
	case t.Type == tokStrange && (t.Value[0] < ' ' || t.Value[0] >= 0x7F):
		return fmt.Sprintf("byte 0x%02X", t.Value[0])
	}
	return t.Value
}

func unexpected(found, want string) string {
	msg := "unexpected " + clip(found)
	if hint, ok := wrongWords[found]; ok {
		return msg + "; " + hint
	}
	if near := nearWord(found); near != "" {
		return msg + "; did you mean " + near + "?"
	}
	return msg + "; expected " + want
}

// nearWord returns the directive that a word may be, mistyped; "" if it is one itself, or
// no one's neighbour.
func nearWord(word string) string {
	if word == "" || word[0] != '.' || len(word) > mostDirective {
		return ""
	}
	near, least := "", maxSlip(word)+1
	for _, known := range slices.Concat(directiveWords, typeWords) {
		d := spelling.Distance(word, known)
		if spelling.Slip(word, known) {
			d = min(d, 1)
		}
		if d == 0 {
			return ""
		}
		if d < least {
			near, least = known, d
		}
	}
	return near
}

// mostDirective is how long a word is that may be meant for a directive; others are held
// against none, since that takes time for each letter.
const mostDirective = 40

// maxSlip is how many letters of a word may be wrong.
func maxSlip(word string) int {
	if len(word) < len(".address") {
		return 1
	}
	return 2
}

// wrongWords are words that are seen in PTX and are none, with what is meant.
var wrongWords = map[string]string{
	".function": "expected .func",
	".sreg":     "special registers are predefined; expected .reg",
	".struct":   "PTX has no structures; expected a .b8 array",
	".union":    "PTX has no unions; expected a .b8 array",
	".byte":     "expected .b8; .byte belongs into @@DWARF lines",
	".4byte":    "expected .b32; .4byte belongs into @@DWARF lines",
	".quad":     "expected .b64; .quad belongs into @@DWARF lines",
}

// constantWords are what may begin a constant expression.
const constantWords = "a name, a number or a constant expression"

// words are the grammar's names in plain words, and the rests of productions
// that say more than their first mark does.
var words = map[string]string{
	"<name>": "a name", "<int>": "an integer", "<float>": "a number", "<string>": `a string in "quotes"`,
	"<payload>": "{ and the section's text", "<type>": "a type such as .b32", "<directive>": "a directive",
	"Expr": "a constant expression", "CountRule": "a count", "Initialiser": "an initialiser", "Scope": "{ and a body",
	"ModifierRule": "a type such as .b32, or .align", "DeclaratorRule": "a name",
	"ParamRule": "a parameter such as .param .b32 x", "TargetName": "a name",
	"EntryRule": ".entry", "FuncRule": ".func", "VariableRule": "a variable such as .global .b32 x",
	"AttributeRule": ".managed, .unified", "ArgRule": "a string, a constant expression",
	"FieldRule": "the name of a field such as width", "PredicateRule": "a predicate after @",
	"CallRule": "", "OperationRule": "an opcode such as mov.u32", "UnaryRule": constantWords,
	"ProductRule": constantWords, "SumRule": constantWords, "ShiftRule": constantWords, "OrderRule": constantWords,
	"EqualRule": constantWords, "BitAndRule": constantWords, "BitXorRule": constantWords, "BitOrRule": constantWords,
	"AndRule": constantWords, "OrRule": constantWords, "ExprRule": constantWords,
	"EndRule": ", before another operand, or ; after the last", "CloseRule": ") of the parenthesis before it",
	"CastRule": "a cast (.s64) or (.u64)",

	`"]" <word>*`: ", or ]", `"}"`: ", or }", `")"`: ", or )",
	`":" Expr`: ": of the condition before it", `")" UnaryRule`: ") after the cast's type",
}

var terminal = regexp.MustCompile(`"[^"]*"|<\w+>|\w+`)

// expectation words what a production expects first: a terminal, or a choice.
func expectation(ebnf string) string {
	var out []string
	for _, w := range first(ebnf) {
		plain, ok := words[w]
		if !ok {
			plain = strings.Trim(w, `"`)
		}
		if plain != "" && !slices.Contains(out, plain) && len(out) < 6 {
			out = append(out, plain)
		}
	}
	return orList(out)
}

// first gives what a production in EBNF begins with.
func first(ebnf string) []string {
	if _, ok := words[ebnf]; ok {
		return []string{ebnf}
	}
	if !strings.HasPrefix(ebnf, "(") {
		return []string{terminal.FindString(ebnf)}
	}
	var out []string
	depth, start := 0, 1
	for i := range len(ebnf) {
		switch c := ebnf[i]; {
		case i > 0 && ebnf[i-1] == '"' && i+1 < len(ebnf) && ebnf[i+1] == '"': // a mark that stands for itself
		case c == '(':
			depth++
		case c == '|' && depth == 1, c == ')' && depth == 1:
			out = append(out, first(strings.TrimSpace(ebnf[start:i]))...)
			start = i + 1
			if c == ')' {
				return out
			}
		case c == ')':
			depth--
		}
	}
	return out
}

// orList joins choices: "a, b or c".
func orList(list []string) string {
	last := len(list) - 1
	if last < 1 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:last], ", ") + " or " + list[last]
}
