package parser

import "github.com/alecthomas/participle/v2/lexer"

// A body is read with one token in hand, and participle wants all of a list before it
// begins: 64 bytes each, more than the text. So the tokens of a body pass through a
// short buffer, of which the grammar gets what can belong to one directive.

// tokenRun gives the tokens of a body one by one and knows those that were looked at.
type tokenRun struct {
	from  interface{ Next() (lexer.Token, error) }
	ahead []lexer.Token
	at    int // of ahead: those before were taken
}

// begin starts with other tokens; the buffer keeps its memory.
func (r *tokenRun) begin(from interface{ Next() (lexer.Token, error) }) *tokenRun {
	*r = tokenRun{from: from, ahead: r.ahead[:0]}
	return r
}

// fill makes ahead[at+n] be there.
func (r *tokenRun) fill(n int) *lexer.Token {
	for r.at+n >= len(r.ahead) {
		t, err := r.from.Next()
		if err != nil {
			panic("BUG: the lexer gives errors as tokens, and gave " + err.Error())
		}
		r.ahead = append(room(r.ahead), t)
	}
	return &r.ahead[r.at+n]
}

// Peek gives the next token, which holds up to the next statement.
func (r *tokenRun) Peek() *lexer.Token { return r.fill(0) }

// Next gives the next token and takes it.
func (r *tokenRun) Next() *lexer.Token {
	t := r.fill(0)
	r.at++
	return t
}

// statement forgets the tokens of statements before.
func (r *tokenRun) statement() {
	n := copy(r.ahead, r.ahead[r.at:])
	r.ahead, r.at = r.ahead[:n], 0
}

// directive gives what can belong to the directive at r, and the token behind it, of
// which an error tells. No more: many directives may follow each other.
func (r *tokenRun) directive() *lexer.PeekingLexer {
	n := 0
	for t := r.fill(0); n == 0 || !endsDirective(t); t = r.fill(n) {
		n++
		if t.EOF() || t.Type == tokPunct && t.Value == ";" {
			break
		}
	}
	r.fill(n)
	return replay(r.ahead[r.at : r.at+n+1])
}

// A .loc has no end but the next statement, and code with debug information may have thousands
// of them before an instruction comes. Most are of plain form (plain.go); of one that is not,
// the grammar is to see its own words, not those of all that follow.

// unclosed fills up to the directive behind the one at r, if no ; closes this, and says how many
// words stand before it; 0 where something else stands between.
func (r *tokenRun) unclosed() int {
	if t := r.fill(0); t.Type != tokDirective || !unclosedWords[t.Value] {
		return 0
	}
	for n := 1; ; n++ {
		t := r.fill(n)
		if t.Type == tokDirective && unclosedWords[t.Value] && r.ahead[r.at+n-1].Value != "function_name" {
			return n
		}
		if endsDirective(t) || t.EOF() || t.Type == tokPunct && t.Value == ";" {
			return 0
		}
	}
}

// endsDirective says whether t, behind the first word of a directive, is none of its.
func endsDirective(t *lexer.Token) bool {
	return t.Type == tokInstruction || t.Type == tokLabel || endsScope(t) || t.Type == tokPunct && t.Value == "{"
}

// peeked gives the tokens of a list that participle holds.
type peeked struct{ *lexer.PeekingLexer }

func (p peeked) Next() (lexer.Token, error) { return *p.PeekingLexer.Next(), nil }
