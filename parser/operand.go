package parser

// What an operand is, its first mark tells: { a vector, [ an address, ( a list, but
// only in a call, where elsewhere it begins an expression. Everything else is an
// expression, and some of what expressions read is none:
//
//	%p1|%p2      a pair of destinations, read as a bit-or of two names
//	!%p, -%r1    a negated operand, read as a unary operator before a name
//	WARP_SZ|1    a bit-or after all: WARP_SZ is a constant and no place
//
// splitPair and classify tell them apart once an expression is whole, for both
// ways to parse, so that the two cannot differ in it.

// The levels of operands in one statement; see operandList.
const (
	levelOperand = iota
	levelElement
	levelInner
)

// operands reads the operands of a statement, before whose first c stands, up to its end.
func (c *cursor) operands(call bool) []Operand {
	list := c.nodes.list(levelOperand)
	for first := true; ; first = false {
		if !c.plainOperand(&list) {
			if c.next(); first && c.kind == kEnd {
				return nil
			}
			c.operand(list.add(c.nodes), call)
		}
		if c.kind != ',' {
			break
		}
	}
	if c.kind != kEnd {
		c.fail()
	}
	return list.done()
}

// operand reads one operand; in a call a parenthesis holds arguments.
func (c *cursor) operand(o *Operand, call bool) {
	o.Pos = c.pos
	switch {
	case c.kind == '{':
		c.vector(o, levelElement)
		if c.kind == '|' {
			c.vectorPair(o)
		}
	case c.kind == '[':
		c.address(o)
	case c.kind == '(' && call:
		o.Kind = OperandParens
		o.Elems = c.list(')', levelElement)
	default:
		c.simple(o)
		splitPair(c.nodes, o)
	}
}

// vector reads { a, b }; vectors do not nest.
func (c *cursor) vector(o *Operand, level int) {
	o.Kind = OperandVector
	o.Elems = c.list('}', level)
	if len(o.Elems) == 0 {
		c.fail()
	}
}

// address reads [ a ] with what may stand in and after the brackets.
func (c *cursor) address(o *Operand) {
	o.Kind = OperandAddress
	o.Elems = c.list(']', levelElement)
	if len(o.Elems) == 0 {
		c.fail()
	}
	for c.kind == kWord {
		o.Suffix += c.text
		c.next()
	}
}

// list reads elements up to a closing mark; the opening one stands at c.
func (c *cursor) list(closing kind, level int) []Operand {
	list := c.nodes.list(level)
	c.next()
	for empty := c.kind == closing; !empty; c.next() {
		o := list.add(c.nodes)
		o.Pos = c.pos
		if c.kind == '{' && closing == ']' {
			c.vector(o, levelInner)
		} else {
			c.simple(o)
		}
		if c.kind != ',' {
			break
		}
	}
	if c.kind != closing {
		c.fail()
		return nil
	}
	c.next()
	return list.done()
}

// simple reads a name, a constant expression, or an element name[x].
func (c *cursor) simple(o *Operand) {
	if c.kind != kName {
		classify(o, c.expr())
		return
	}
	x := c.nodes.expr()
	x.Pos, x.Text = c.pos, c.text
	c.next()
	switch c.kind {
	case ',', kEnd, ']', '}', ')':
		o.X = x
	case '[':
		o.Kind, o.Name = OperandArray, x.Text
		c.next()
		o.X = c.expr()
		c.want(']')
	default:
		c.ops = 0
		c.generic(x)
		classify(o, c.conditionAfter(c.binaryAfter(x, precOr)))
	}
}

// isPlace says whether x names a register, a variable or the sink, and no
// constant.
func isPlace(x *Expr) bool { return x.Kind == ExprName && x.Text != "WARP_SZ" }

// classify sets o to x, where a sign or a ! before a name belongs to the
// operand: !p, -a.
func classify(o *Operand, x *Expr) {
	o.X = x
	if x == nil || x.Kind != ExprUnary || x.X == nil || !isPlace(x.X) {
		return
	}
	if o.Not, o.Neg = x.Text == "!", x.Text == "-"; o.Not || o.Neg {
		o.X = x.X
	}
}

// splitPair makes a pair of a|b, which expressions read as bit-or, where a is
// a name.
func splitPair(nodes *slab, o *Operand) {
	x := o.X
	if o.Kind != OperandExpr || x == nil || x.Kind != ExprBinary || x.Text != "|" || !isPlace(x.X) {
		return
	}
	first, second := Operand{Pos: x.X.Pos, X: x.X}, Operand{Pos: x.Y.Pos}
	classify(&second, x.Y)
	*o = pair(nodes, first, second)
}

// pair makes the two destinations first|second; the place is that of the first.
func pair(nodes *slab, first, second Operand) Operand {
	list := nodes.list(levelElement)
	*list.add(nodes) = first
	*list.add(nodes) = second
	return Operand{Pos: first.Pos, Kind: OperandPair, Elems: list.done()}
}

// vectorPair reads the |p after the vector o.
func (c *cursor) vectorPair(o *Operand) {
	c.next()
	second := Operand{Pos: c.pos}
	c.simple(&second)
	*o = pair(c.nodes, *o, second)
}
