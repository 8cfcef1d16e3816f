package parser

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// bodyReader reads the body of a function by hand, since participle's
// reflection costs more than the whole rest: instructions, labels, scopes and
// the plain forms of directives. What is left goes to the grammar.
type bodyReader struct {
	statementReader
	cursor cursor
	tokens *lexer.PeekingLexer
	// stack holds the statements of the scopes that are not complete.
	stack []Stmt
}

// readScope is a body that was read by hand.
type readScope struct {
	block *Block
	errs  ErrorList
	nodes int
}

func (r *readScope) build(b *builder) *Block {
	b.errs = append(b.errs, r.errs...)
	b.nodes.nodes += r.nodes
	return r.block
}

// fastScope stands for the production Scope.
func fastScope(tokens *lexer.PeekingLexer) (scope, error) {
	t := tokens.Peek()
	if t.Type != tokPunct || t.Value != "{" {
		return nil, participle.NextMatch
	}
	r := bodyReader{tokens: tokens}
	r.cursor.nodes = &r.nodes
	r.parse = func(tokens *lexer.PeekingLexer) (*statementRule, error) {
		return fastStatement().ParseFromLexer(tokens, participle.AllowTrailing(true))
	}
	block := r.scope()
	return &readScope{block, r.errs, r.nodes.nodes}, nil
}

// scope reads { ... }; the lexer has capped how deep scopes nest.
func (r *bodyReader) scope() *Block {
	block := &Block{Pos: tokenPos(r.tokens.Next().Pos)}
	base := len(r.stack)
	for !endsScope(r.tokens.Peek()) {
		r.statement()
	}
	r.errs.close(block, r.tokens.Next())
	block.Stmts = append([]Stmt(nil), r.stack[base:]...)
	r.nodes.nodes++
	r.stack = r.stack[:base]
	return block
}

// statement reads one statement of a scope.
func (r *bodyReader) statement() {
	t := r.tokens.Peek()
	switch {
	case t.Type == tokInstruction:
		r.instruction(t)
	case t.Type == tokLabel && !r.namesDirective():
		r.tokens.Next()
		l := r.nodes.label()
		l.Pos, l.Name = tokenPos(t.Pos), t.Value
		r.stack = append(r.stack, l)
	case t.Type == tokDirective:
		r.directive(t)
	case t.Type == tokPunct && t.Value == "{":
		r.stack = append(r.stack, r.scope())
	default:
		r.grammar(r.tokens)
	}
}

// instruction reads an instruction; where that gives up, the production reads
// the words of the same token.
func (r *bodyReader) instruction(t *lexer.Token) {
	r.tokens.Next()
	if len(r.errs) == maxErrors {
		return // no error would be told, and no tree be used
	}
	if in := r.cursor.instruction(t); in != nil {
		r.stack = append(r.stack, in)
		return
	}
	rule, err := production[instructionRule](replay(open(*t)))
	if err != nil {
		r.errs.add(explain(err))
		return
	}
	r.stack = append(r.stack, rule.build(&builder{nodes: &r.nodes}))
}

// namedWords are the directives to which the label before them belongs.
var namedWords = set(".branchtargets", ".calltargets", ".callprototype")

// namesDirective says whether the label at r belongs to a directive.
func (r *bodyReader) namesDirective() bool {
	before := r.tokens.MakeCheckpoint()
	r.tokens.Next()
	next := r.tokens.Peek()
	r.tokens.LoadCheckpoint(before)
	return next.Type == tokDirective && namedWords[next.Value]
}

// directive reads a directive: in one go where it has the plain form that
// compilers print by the thousand, otherwise by the grammar.
func (r *bodyReader) directive(t *lexer.Token) {
	before := r.tokens.MakeCheckpoint()
	s := r.plain(t)
	if s == nil {
		r.tokens.LoadCheckpoint(before)
		r.grammar(r.tokens)
		return
	}
	r.stack = append(r.stack, s)
}

// grammar reads a statement by its production.
func (r *bodyReader) grammar(tokens *lexer.PeekingLexer) {
	if s := r.read(tokens); s != nil {
		r.stack = append(r.stack, s)
	}
}
