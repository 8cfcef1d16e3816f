package parser

import (
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

// Participle ends at the first error. A body has all its errors told, so its
// statements are parsed one by one: after an error the tokens up to the next
// statement are skipped. That also keeps no more than one statement's matches
// in memory. Both the hand-written reader of bodies and the grammar alone come
// here with what they cannot read, so that both tell the same errors.

// An error's token may be a whole instruction or one of its words, depending on who
// reads. Its place and its words come out the same, for explain opens an
// instruction before it names it.

// statementReader reads statements by the grammar; it stands for the
// production Statements.
type statementReader struct {
	parse func(*lexer.PeekingLexer) (*statementRule, error)
	stmts []Stmt
	errs  ErrorList
	nodes slab
}

// parseStatements reads the statements of a scope.
func parseStatements(tokens *lexer.PeekingLexer) (statements, error) {
	r := &statementReader{parse: production[statementRule]}
	for !endsScope(tokens.Peek()) {
		if s := r.read(tokens); s != nil {
			r.stmts = append(r.stmts, s)
		}
	}
	return r, nil
}

func (r *statementReader) build(b *builder) []Stmt {
	for _, e := range r.errs {
		b.errs.add(e)
	}
	b.nodes.nodes += r.nodes.nodes
	return append([]Stmt(nil), r.stmts...)
}

// endsScope says whether a scope ends at t.
func endsScope(t *lexer.Token) bool {
	return t.Type == tokPunct && t.Value == "}" || t.Type == tokUnclosed || t.EOF()
}

// close ends a scope at the token t and reports where its } is missing, once
// for all the scopes that are open.
func (l *ErrorList) close(block *Block, t *lexer.Token) {
	block.End = tokenPos(t.Pos)
	told := len(*l) > 0 && (*l)[len(*l)-1].Pos == block.End
	if t.Type != tokUnclosed || t.Value == "" || told {
		return
	}
	before := t.Value
	if before != endOfFile {
		before += ", which cannot stand in a body"
	}
	l.add(&Error{Pos: block.End, Msg: "expected } before " + before + "; the { at " + block.Pos.String() + " is open"})
}

// read reads a statement; nil when it is wrong.
func (r *statementReader) read(tokens *lexer.PeekingLexer) Stmt {
	first, start := tokens.Peek(), tokens.RawCursor()
	if first.Type == tokBad {
		tokens.Next()
		r.errs.add(&Error{Pos: tokenPos(first.Pos), Msg: first.Value})
		return nil
	}
	if len(r.errs) == maxErrors && startsInstruction(first) {
		skipStatement(tokens, first)
		return nil
	}
	rule, err := r.parse(tokens)
	if err != nil {
		e := explain(err)
		if tokens.RawCursor() == start && !startsInstruction(first) {
			e = noStatement(first)
		}
		skipStatement(tokens, first)
		r.errs.add(unended(e, append(slices.Clip(tokens.Range(start, tokens.RawCursor())), *tokens.Peek())))
		return nil
	}
	b := builder{nodes: &r.nodes, errs: r.errs}
	s := rule.build(&b)
	r.errs = b.errs
	return s
}

// noStatement is the error of a token that no statement starts with.
func noStatement(t *lexer.Token) *Error {
	want := "a label, a guard, an opcode, a directive, or } to close the body"
	if t.Type == tokDirective {
		want = "a directive of a body such as .reg, .loc or .pragma"
	}
	return &Error{Pos: tokenPos(t.Pos), Msg: unexpected(foundWord(*t), want)}
}

func startsInstruction(t *lexer.Token) bool {
	switch t.Type {
	case tokInstruction, tokGuard, tokOpcode, tokCall, tokNoOpcode:
		return true
	}
	return false
}

// skipStatement goes from an error in the statement that began at first to the
// next statement.
func skipStatement(tokens *lexer.PeekingLexer, first *lexer.Token) {
	if startsInstruction(first) {
		for first.Type != tokInstruction && tokens.Peek().Type != tokEnd {
			if tokens.Next().EOF() {
				panic("BUG: an instruction without its end")
			}
		}
		tokens.Next()
		return
	}
	for {
		t := tokens.Peek()
		switch {
		case startsInstruction(t), t.Type == tokLabel, t.Type == tokUnclosed, t.EOF():
			return
		case t.Type == tokPunct && t.Value == ";":
			tokens.Next()
			return
		case t.Type == tokPunct && (t.Value == "{" || t.Value == "}"):
			return
		}
		tokens.Next()
	}
}
