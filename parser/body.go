package parser

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// bodyRule is the body of a function. It takes the tokens of its statements
// itself, since participle's reflection costs more than the whole rest:
// instructions, labels, scopes and plain .loc lines are split here, and other
// directives go through the grammar's [directiveRule].
type bodyRule struct {
	block *Block
	errs  ErrorList
	nodes int

	cursor cursor
	tokens *lexer.PeekingLexer
	// stack holds the statements of the scopes that are not complete.
	stack []Stmt
}

// Parse implements participle's Parseable.
func (b *bodyRule) Parse(tokens *lexer.PeekingLexer) error {
	t := tokens.Peek()
	if t.Type != tokPunct || t.Value != "{" {
		return participle.NextMatch
	}
	b.tokens = tokens
	b.cursor.nodes = &slab{}
	b.block = b.scope()
	if tokens.Peek().Type == tokUnclosed {
		tokens.Next()
	}
	b.nodes = b.cursor.nodes.nodes
	b.cursor, b.stack, b.tokens = cursor{}, nil, nil
	return nil
}

func (b *bodyRule) fail(p Pos, msg string) {
	if len(b.errs) < MaxErrors {
		b.errs = append(b.errs, &Error{Pos: p, Msg: msg})
	}
}

// scope reads { ... }; the lexer has capped how deep scopes nest.
func (b *bodyRule) scope() *Block {
	block := &Block{Pos: tokenPos(b.tokens.Next().Pos)}
	base := len(b.stack)
	for b.statement(block) {
	}
	block.Stmts = append([]Stmt(nil), b.stack[base:]...)
	b.cursor.nodes.nodes++
	b.stack = b.stack[:base]
	return block
}

// statement reads one statement of a scope; it is false after the last.
func (b *bodyRule) statement(block *Block) bool {
	t := b.tokens.Peek()
	switch t.Type {
	case tokInstruction:
		b.tokens.Next()
		if len(b.errs) == MaxErrors {
			break // no error would be told, and no tree be used
		}
		if in := b.cursor.instruction(t); in != nil {
			b.stack = append(b.stack, in)
		} else {
			b.fail(b.cursor.err.Pos, b.cursor.err.Msg)
		}
	case tokLabel:
		b.label(t)
	case tokDirective:
		b.directive(t)
	case tokBad:
		b.tokens.Next()
		b.fail(tokenPos(t.Pos), t.Value)
	case lexer.EOF, tokUnclosed:
		b.unclosed(block, t)
		return false
	default:
		return b.brace(block, t)
	}
	return true
}

// brace handles the marks that may stand where a statement does.
func (b *bodyRule) brace(block *Block, t *lexer.Token) bool {
	switch {
	case t.Type == tokPunct && t.Value == "{":
		b.stack = append(b.stack, b.scope())
	case t.Type == tokPunct && t.Value == "}":
		b.tokens.Next()
		block.End = tokenPos(t.Pos)
		return false
	default:
		b.fail(tokenPos(t.Pos), unexpected(t.Value, "a label, a guard, an opcode, a directive, or } to close the body"))
		b.recover()
	}
	return true
}

// unclosed reports that a } is missing, once for all the scopes that are open.
func (b *bodyRule) unclosed(block *Block, t *lexer.Token) {
	block.End = tokenPos(t.Pos)
	last := len(b.errs) - 1
	if last >= 0 && b.errs[last].Pos == block.End || b.endsInError(t) {
		return
	}
	what := "the end of the file"
	if t.Type == tokUnclosed {
		what = t.Value + ", which cannot stand in a body"
	}
	b.fail(block.End, "expected } before "+what+"; the { at "+block.Pos.String()+" is open")
}

// endsInError says whether the text ended because of an error that is already
// told: a token tokBad stands right before the end t.
func (b *bodyRule) endsInError(t *lexer.Token) bool {
	if t.Type != lexer.EOF {
		return false
	}
	end := b.tokens.RawCursor()
	return end > 0 && b.tokens.Range(end-1, end)[0].Type == tokBad
}

// label reads a label, or the directive that it names.
func (b *bodyRule) label(t *lexer.Token) {
	before := b.tokens.MakeCheckpoint()
	b.tokens.Next()
	if next := b.tokens.Peek(); next.Type == tokDirective && namedWords[next.Value] {
		b.tokens.LoadCheckpoint(before)
		b.grammar()
		return
	}
	l := b.cursor.nodes.label()
	l.Pos, l.Name = tokenPos(t.Pos), t.Value
	b.stack = append(b.stack, l)
}

// namedWords are the directives to which the label before them belongs.
var namedWords = set(".branchtargets", ".calltargets", ".callprototype")

// directive reads a directive: in one go where it has the plain form that
// compilers print by the thousand, otherwise by the grammar.
func (b *bodyRule) directive(t *lexer.Token) {
	before := b.tokens.MakeCheckpoint()
	s := b.plain(t)
	if s == nil {
		b.tokens.LoadCheckpoint(before)
		b.grammar()
		return
	}
	b.stack = append(b.stack, s)
}

// grammar reads a directive by the grammar.
func (b *bodyRule) grammar() {
	start := b.tokens.RawCursor()
	rule, err := directiveParser().ParseFromLexer(b.tokens, participle.AllowTrailing(true))
	if err != nil {
		e := asError(err, "a directive of a body such as .reg, .loc or .pragma")
		b.fail(e.Pos, e.Msg)
		if b.tokens.RawCursor() == start {
			b.tokens.Next()
		}
		b.recover()
		return
	}
	bld := builder{nodes: b.cursor.nodes}
	if s := rule.build(&bld); s != nil {
		b.stack = append(b.stack, s)
	}
	for _, e := range bld.errs {
		b.fail(e.Pos, e.Msg)
	}
}

// recover skips to the next statement after an error in a directive.
func (b *bodyRule) recover() {
	for {
		t := b.tokens.Peek()
		switch t.Type {
		case tokInstruction, tokLabel, tokUnclosed, lexer.EOF:
			return
		case tokPunct:
			switch t.Value {
			case ";":
				b.tokens.Next()
				return
			case "{", "}":
				return
			}
		}
		b.tokens.Next()
	}
}
