package parser

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// A ; that is missing is found out at the next word, which stands on another line, and
// whoever reads the message looks there in vain. So such an error stands where the ;
// belongs: behind the last word before.

// unended moves an error in tokens that were read to where a ; is missing, if one is.
func unended(e *Error, read []lexer.Token) *Error {
	if !strings.HasSuffix(e.Msg, "; expected ;") && !strings.HasSuffix(e.Msg, words["EndRule"]) {
		return e
	}
	var last, found lexer.Token
	for i := 0; i < len(read) && found.Value == ""; i++ {
		for _, t := range opened(read[i]) {
			if at := tokenPos(t.Pos); at == e.Pos {
				found = t
				break
			} else if earlier(at, e.Pos) {
				last = t
			}
		}
	}
	if last.Value == "" || found.Value == "" || last.Pos.Line == found.Pos.Line || !startsStatement(found.Value) {
		return e
	}
	return &Error{Pos: behind(last), Msg: "expected ; behind " + clip(last.Value) + ", before " + clip(found.Value) + " on another line"}
}

// opened are the words of a token.
func opened(t lexer.Token) []lexer.Token {
	if t.Type == tokInstruction || t.Type == tokInit {
		return open(t)
	}
	return []lexer.Token{t}
}

func earlier(a, b Pos) bool { return a.Line < b.Line || a.Line == b.Line && a.Col < b.Col }

// startsStatement reports whether a word may begin what follows a ;, and is no operand that
// a comma is missing before.
func startsStatement(word string) bool {
	return is(word[0], isLetter) || word[0] == '.' || word[0] == '@'
}

// behind is the place behind a word.
func behind(t lexer.Token) Pos {
	p := tokenPos(t.Pos)
	p.Col += int32(len(t.Value))
	return p
}

// mostUnended is the longest text of an instruction in which a last word is looked for.
const mostUnended = 1 << 12

// unclosedStatement is the error of an instruction that ends before a brace.
func (l *moduleLexer) unclosedStatement(text string, p lexer.Position, brace string) lexer.Token {
	at := l.position()
	if len(text) <= mostUnended {
		for _, t := range open(lexer.Token{Type: tokInstruction, Value: text, Pos: p}) {
			if t.Type != tokEnd {
				at = t.Pos
				at.Column += len(t.Value)
			}
		}
	}
	return l.give(at, tokBad, "expected ; to close the statement before "+brace)
}
