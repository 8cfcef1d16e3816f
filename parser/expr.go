package parser

import (
	"errors"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The precedence of binary operators, as in C (PTX ISA 4.5.3, table 4).
const (
	precCond = iota
	precOr
	precAnd
	precBitOr
	precBitXor
	precBitAnd
	precEqual
	precOrder
	precShift
	precSum
	precProduct
	precUnary
)

func precedence(k kind) int {
	switch k {
	case kOr:
		return precOr
	case kAnd:
		return precAnd
	case '|':
		return precBitOr
	case '^':
		return precBitXor
	case '&':
		return precBitAnd
	case kEQ, kNE:
		return precEqual
	case '<', '>', kLE, kGE:
		return precOrder
	case kShl, kShr:
		return precShift
	case '+', '-':
		return precSum
	case '*', '/', '%':
		return precProduct
	}
	return precCond
}

// startsExpr says whether a constant expression starts at c.
func (c *cursor) startsExpr() bool {
	switch c.kind {
	case kName, kNumber, '(', '+', '-', '!', '~':
		return true
	}
	return false
}

// expr reads a constant expression, ?: included.
func (c *cursor) expr() *Expr {
	c.ops = 0
	return c.condition()
}

func (c *cursor) condition() *Expr {
	return c.conditionAfter(c.binary(precOr))
}

// conditionAfter goes on behind what may be the condition of ?: .
func (c *cursor) conditionAfter(x *Expr) *Expr {
	if c.kind != '?' || !c.enter() {
		return x
	}
	e := c.nodes.expr()
	e.Pos, e.Kind, e.X = x.Pos, ExprCond, x
	c.next()
	e.Y = c.condition()
	c.want(':', ": of the condition before it")
	e.Z = c.condition()
	c.leave()
	return e
}

// binary reads operators that bind at least as strongly as least.
func (c *cursor) binary(least int) *Expr { return c.binaryAfter(c.unary(), least) }

func (c *cursor) binaryAfter(x *Expr, least int) *Expr {
	for {
		prec := precedence(c.kind)
		if prec < least || prec == precCond {
			return x
		}
		if c.ops++; c.ops > MaxOperators {
			c.fail(c.pos, "this expression has too many operators; hyptx takes %d", MaxOperators)
			return x
		}
		e := c.nodes.expr()
		e.Pos, e.Kind, e.Op, e.X = x.Pos, ExprBinary, c.text, x
		c.next()
		e.Y = c.binary(prec + 1)
		x = e
	}
}

// splitRemainder takes the % of "8 %3" for the operator that it is after a
// constant; the scanner took %3 for a name. "%r1 %2" is a comma forgotten.
func (c *cursor) splitRemainder() {
	if c.kind == kName && c.text[0] == '%' && c.tokens == nil && is(c.text[1], isDigit) {
		c.off -= len(c.text) - 1
		c.kind, c.text = '%', "%"
	}
}

func (c *cursor) unary() *Expr {
	e := c.nodes.expr()
	e.Pos = c.pos
	switch c.kind {
	case kName:
		e.Name = c.text
		c.next()
		c.afterName(e)
	case kNumber:
		if err := setLiteral(e, c.text); err != nil {
			c.fail(c.pos, "%s", err)
		}
		c.next()
		c.splitRemainder()
	case '+', '-', '!', '~':
		e.Kind, e.Op = ExprUnary, c.text
		c.operandOf(e)
	case '(':
		return c.parens(e)
	default:
		c.unexpected("a name, a number or a constant expression")
	}
	return e
}

// operandOf reads what the unary operator at c stands before.
func (c *cursor) operandOf(e *Expr) {
	if !c.enter() {
		return
	}
	c.next()
	e.X = c.unary()
	c.leave()
}

// afterName reads what may belong to the name x, which has been read.
func (c *cursor) afterName(x *Expr) {
	switch {
	case x.Name == "WARP_SZ":
		c.splitRemainder()
	case c.kind == '(' && x.Name == "generic":
		c.generic(x)
	}
}

// generic reads the (x) of generic(x) (PTX ISA 5.4.5).
func (c *cursor) generic(e *Expr) {
	if !c.enter() {
		return
	}
	e.Kind, e.Name = ExprGeneric, ""
	c.next()
	e.X = c.condition()
	c.want(')', ") of generic(")
	c.leave()
}

// parens reads a parenthesised expression, or a cast into e.
func (c *cursor) parens(e *Expr) *Expr {
	if !c.enter() {
		return e
	}
	c.next()
	if c.kind == kWord {
		if c.text != ".s64" && c.text != ".u64" {
			c.unexpected("a cast (.s64) or (.u64)")
			return e
		}
		e.Kind, e.Op = ExprUnary, "("+c.text+")"
		c.next()
		if c.kind != ')' {
			c.unexpected(") after the cast's type")
			return e
		}
		c.operandOf(e)
		c.leave()
		return e
	}
	x := c.condition()
	c.want(')', ") of the parenthesis before it")
	c.splitRemainder()
	c.leave()
	return x
}

// exprRule is a constant expression within a directive.
type exprRule struct{ expr *Expr }

// Parse implements participle's Parseable.
func (r *exprRule) Parse(tokens *lexer.PeekingLexer) (err error) {
	r.expr, err = parseTokens(tokens, (*cursor).expr)
	return err
}

// countRule is the N of name<N>: no operator in it may be a > .
type countRule struct{ expr *Expr }

// Parse implements participle's Parseable.
func (r *countRule) Parse(tokens *lexer.PeekingLexer) (err error) {
	r.expr, err = parseTokens(tokens, func(c *cursor) *Expr { return c.binary(precShift + 1) })
	return err
}

// parseTokens reads an expression from the tokens of a directive.
func parseTokens(tokens *lexer.PeekingLexer, read func(*cursor) *Expr) (*Expr, error) {
	c := cursor{tokens: tokens, nodes: &slab{}}
	c.look()
	if !c.startsExpr() {
		return nil, participle.NextMatch
	}
	start := tokens.RawCursor()
	x := read(&c)
	if c.err != nil {
		if tokens.RawCursor() == start {
			tokens.Next() // so that participle takes no other alternative
		}
		return nil, positioned{c.err}
	}
	return x, nil
}

// positioned is an Error as participle knows errors.
type positioned struct{ err *Error }

func (p positioned) Error() string   { return p.err.Error() }
func (p positioned) Message() string { return p.err.Msg }

func (p positioned) Position() lexer.Position {
	return lexer.Position{Line: int(p.err.Pos.Line), Column: int(p.err.Pos.Col)}
}

var _ participle.Error = positioned{}

// asError makes an Error of what participle gives; what is told when participle
// does not say what it expected.
func asError(err error, what string) *Error {
	var p positioned
	if errors.As(err, &p) {
		return p.err
	}
	return explain(err, what)
}
