package parser

import (
	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The precedence of binary operators, as in C (PTX ISA 4.5.3, table 4). The
// grammar has a production for each level, ten calls deep for a single name;
// by hand one loop that climbs from level to level does the same.
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

// precedences are those of the marks that are binary operators; precCond, which
// is 0, of all others.
var precedences = [256]uint8{
	kOr: precOr, kAnd: precAnd, '|': precBitOr, '^': precBitXor, '&': precBitAnd,
	kEQ: precEqual, kNE: precEqual, '<': precOrder, '>': precOrder, kLE: precOrder, kGE: precOrder,
	kShl: precShift, kShr: precShift, '+': precSum, '-': precSum, '*': precProduct, '/': precProduct, '%': precProduct,
}

func precedence(k kind) int { return int(precedences[k]) }

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
	c.want(':')
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
		if c.ops++; c.ops > fastOperators {
			c.fail()
			return x
		}
		e := c.nodes.expr()
		e.Pos, e.Kind, e.Text, e.X = x.Pos, ExprBinary, c.text, x
		c.next()
		e.Y = c.binary(prec + 1)
		x = e
	}
}

func (c *cursor) unary() *Expr {
	e := c.nodes.expr()
	e.Pos = c.pos
	switch c.kind {
	case kName:
		e.Text = c.text
		c.next()
		c.generic(e)
	case kNumber:
		if err := setLiteral(e, c.text); err != nil {
			c.fail()
		}
		c.next()
	case '+', '-', '!', '~':
		e.Kind, e.Text = ExprUnary, c.text
		c.operandOf(e)
	case '(':
		return c.parens(e)
	default:
		c.fail()
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

// generic reads the (x) of generic(x) (PTX ISA 5.4.5), if e, which has been
// read, is that name.
func (c *cursor) generic(e *Expr) {
	if c.kind != '(' || e.Text != "generic" || !c.enter() {
		return
	}
	e.Kind, e.Text = ExprGeneric, ""
	c.next()
	e.X = c.condition()
	c.want(')')
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
			c.fail()
			return e
		}
		e.Kind, e.Text = ExprUnary, "("+c.text+")"
		c.next()
		if c.kind != ')' {
			c.fail()
			return e
		}
		c.operandOf(e)
		c.leave()
		return e
	}
	x := c.condition()
	c.want(')')
	c.leave()
	return x
}

// readExpr is an expression that was read by hand.
type readExpr struct{ *Expr }

func (r readExpr) build(*builder) *Expr { return r.Expr }

// fastExpr stands for the production Expr within directives. It reads their
// tokens by hand; where that gives up, the production reads the same tokens.
func fastExpr(tokens *lexer.PeekingLexer) (expr, error) {
	before := tokens.MakeCheckpoint()
	c := cursor{tokens: tokens, nodes: &slab{}}
	c.look()
	if !c.startsExpr() {
		return nil, participle.NextMatch
	}
	if x := c.expr(); !c.bad {
		return readExpr{x}, nil
	}
	tokens.LoadCheckpoint(before)
	return production[exprRule](tokens)
}
