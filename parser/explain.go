package parser

import (
	"errors"
	"regexp"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// explain words an error of participle for people who know PTX and not the
// grammar's notation.
func explain(err error, what string) *Error {
	var p participle.Error
	if !errors.As(err, &p) {
		return &Error{Pos: Pos{Line: 1, Col: 1}, Msg: err.Error()}
	}
	at := tokenPos(p.Position())
	var u *participle.UnexpectedTokenError
	if !errors.As(err, &u) {
		return &Error{Pos: at, Msg: p.Message()}
	}
	if u.Unexpected.Type == tokBad {
		return &Error{Pos: at, Msg: u.Unexpected.Value}
	}
	found := u.Unexpected.Value
	if u.Unexpected.Type == lexer.EOF {
		found = "the end of the file"
	}
	if _, ebnf, ok := strings.Cut(p.Message(), " (expected "); ok {
		what = expectation(strings.TrimSuffix(ebnf, ")"))
	}
	return &Error{Pos: at, Msg: unexpected(found, what)}
}

func unexpected(found, want string) string {
	msg := "unexpected " + clip(found)
	if hint, ok := wrongWords[found]; ok {
		return msg + "; " + hint
	}
	return msg + "; expected " + want
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

// words are the grammar's names in plain words.
var words = map[string]string{
	"<name>": "a name", "<int>": "an integer", "<float>": "a number", "<string>": `a string in "quotes"`,
	"<payload>": "{ and the section's text", "<init>": "an initialiser", "<type>": "a type such as .b32",
	"<directive>": "a directive", "exprRule": "a constant expression", "countRule": "a count",
	"bodyRule": "{ and a body", "ModifierRule": "a type such as .b32, or .align", "DeclaratorRule": "a name",
	"ParamRule": "a parameter such as .param .b32 x", "TargetName": "a name",
	"EntryRule": ".entry", "FuncRule": ".func", "VariableRule": "a variable such as .global .b32 x",
	"AttributeRule": ".managed, .unified", "ArgRule": "a string, a constant expression",
	"BranchTargetsRule": ".branchtargets", "CallTargetsRule": ".calltargets", "CallPrototypeRule": ".callprototype",
}

var terminal = regexp.MustCompile(`"[^"]*"|<\w+>|\w+`)

// expectation words what a production expects first: one terminal, or a choice
// of few.
func expectation(ebnf string) string {
	first := ebnf
	if !strings.HasPrefix(ebnf, "(") {
		first = terminal.FindString(ebnf)
	} else if end := strings.IndexByte(ebnf, ')'); end > 0 {
		first = ebnf[:end]
	}
	var out []string
	for _, w := range terminal.FindAllString(first, 6) {
		if plain, ok := words[w]; ok {
			out = append(out, plain)
		} else {
			out = append(out, strings.Trim(w, `"`))
		}
	}
	return orList(out)
}

// orList joins choices: "a, b or c".
func orList(list []string) string {
	last := len(list) - 1
	if last < 1 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:last], ", ") + " or " + list[last]
}
