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
	tokens tokenRun
	text   *moduleLexer // behind the tokens, nil where these are all there is
	// stack holds the statements of the scopes that are not complete.
	stack []Stmt
	// lasting are the nodes of what is of use behind its part.
	lasting slab
	// total and wrong are the nodes and errors of all bodies read before.
	total, wrong int
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
	if t.Type == tokBody {
		return unreadScope(tokenPos(tokens.Next().Pos)), nil
	}
	if t.Type != tokPunct || t.Value != "{" {
		return nil, participle.NextMatch
	}
	r := bodyReader{}
	block, errs := r.body(peeked{tokens})
	return &readScope{block, errs, r.nodes.nodes}, nil
}

// body reads a function's body.
func (r *bodyReader) body(tokens lexer.Lexer) (*Block, ErrorList) {
	r.start(tokens)
	block := r.scope()
	return block, r.errs
}

// behind reads the body at l, behind its { .
func (r *bodyReader) behind(l *moduleLexer, open *lexer.Token) (*Block, ErrorList) {
	r.start(&unreadLexer{chunkLexer{l}, open})
	r.tokens.Peek() // the {
	r.text = l
	return r.scope(), r.errs
}

// start sets r before a body.
func (r *bodyReader) start(tokens lexer.Lexer) {
	r.tokens.begin(tokens)
	r.text, r.errs = nil, nil
	r.cursor.nodes, r.lasting = &r.nodes, slab{}
	r.parse = func(tokens *lexer.PeekingLexer) (*statementRule, error) {
		return fastStatement().ParseFromLexer(tokens, participle.AllowTrailing(true))
	}
}

// part reads the next statements of a body whose { is read, at most so many, and says
// whether that was not all.
func (r *bodyReader) part(block *Block, most int) (more bool) {
	r.stack = r.stack[:0]
	for {
		if len(r.stack) < most && r.direct() {
			continue
		}
		if endsScope(r.tokens.Peek()) {
			break
		}
		if len(r.stack) >= most {
			block.Stmts = r.stack
			return true
		}
		r.statement()
	}
	r.errs.close(block, r.tokens.Next())
	if len(r.stack) > 0 {
		block.Stmts = r.stack
	}
	r.nodes.nodes++
	return false
}

// scope reads { ... }; the lexer has capped how deep scopes nest.
func (r *bodyReader) scope() *Block {
	block := &Block{Pos: tokenPos(r.tokens.Next().Pos)}
	base := len(r.stack)
	for {
		if r.direct() {
			continue
		}
		if endsScope(r.tokens.Peek()) {
			break
		}
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
	r.tokens.statement()
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
		r.directive()
	case t.Type == tokPunct && t.Value == "{":
		r.stack = append(r.stack, r.scope())
	case t.Type == tokBad: // by itself: what a grammar is to read of thousands is gathered for each
		r.errs.add(&Error{Pos: tokenPos(t.Pos), Msg: t.Value})
		r.tokens.Next()
	case t.Type == tokLabel:
		r.nodes, r.lasting = r.lasting, r.nodes
		r.directive()
		r.nodes, r.lasting = r.lasting, r.nodes
	default:
		r.grammar()
	}
}

// instruction reads an instruction; where that gives up, the production reads
// the words of the same token.
func (r *bodyReader) instruction(t *lexer.Token) {
	r.tokens.Next()
	if len(r.errs) == maxErrors {
		return // no error would be told, and no tree be used
	}
	if in := r.cursor.ofToken(t); in != nil {
		r.stack = append(r.stack, in)
		return
	}
	words := open(*t)
	rule, err := production[instructionRule](replay(words))
	if err != nil {
		r.errs.add(unended(explain(err), words))
		return
	}
	r.stack = append(r.stack, rule.build(&builder{nodes: &r.nodes}))
}

// namedWords are the directives to which the label before them belongs.
var namedWords = set(".branchtargets", ".calltargets", ".callprototype")

// namesDirective says whether the label at r belongs to a directive.
func (r *bodyReader) namesDirective() bool {
	next := r.tokens.fill(1)
	return next.Type == tokDirective && namedWords[next.Value]
}

// directive reads a directive, its label included: in one go where it has the plain form that
// compilers print by the thousand, otherwise by the grammar.
func (r *bodyReader) directive() {
	before := r.tokens.at
	plain := plainReader{&r.tokens, &r.nodes}
	s := plain.statement()
	if s == nil {
		r.tokens.at = before
		r.grammar()
		return
	}
	r.stack = append(r.stack, s)
}

// grammar reads a statement by its production.
func (r *bodyReader) grammar() {
	if r.unclosed() {
		return
	}
	tokens := r.tokens.directive()
	if s := r.read(tokens); s != nil {
		r.stack = append(r.stack, s)
	}
	r.tokens.at += int(tokens.RawCursor())
}

// unclosed reads a directive that no ; closes from the words up to the next of its kind; it is
// false, and has told nothing, where that is none, or has errors. Thousands may follow each
// other, and whoever is to read one need not be given all of them.
func (r *bodyReader) unclosed() bool {
	n := r.tokens.unclosed()
	if n == 0 {
		return false
	}
	tokens := replay(r.tokens.ahead[r.tokens.at : r.tokens.at+n+1])
	rule, err := r.parse(tokens)
	if err != nil || int(tokens.RawCursor()) > n {
		return false
	}
	b := builder{nodes: &r.nodes}
	s := rule.build(&b)
	if len(b.errs) > 0 {
		return false
	}
	r.stack = append(r.stack, s)
	r.tokens.at += int(tokens.RawCursor())
	return true
}
