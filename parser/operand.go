package parser

// The levels of operands in one statement; see operandList.
const (
	levelOperand = iota
	levelElement
	levelInner
)

// operands reads the operands of a statement up to its end.
func (c *cursor) operands(call bool) []Operand {
	if c.kind == kEnd {
		return nil
	}
	list := c.nodes.list(levelOperand)
	for {
		c.operand(list.add(c.nodes), call)
		if c.kind != ',' || c.err != nil {
			break
		}
		c.next()
	}
	if c.kind != kEnd {
		c.unexpected(", before another operand, or ; after the last")
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
		if o.Kind == OperandExpr {
			c.splitPair(o)
		}
	}
}

// vector reads { a, b }; vectors do not nest.
func (c *cursor) vector(o *Operand, level int) {
	o.Kind = OperandVector
	o.Elems = c.list('}', level)
	if c.err == nil && len(o.Elems) == 0 {
		c.fail(o.Pos, "empty vector; expected at least one element between { and }")
	}
}

// address reads [ a ] with what may stand in and after the brackets.
func (c *cursor) address(o *Operand) {
	o.Kind = OperandAddress
	o.Elems = c.list(']', levelElement)
	if c.err == nil && len(o.Elems) == 0 {
		c.fail(o.Pos, "empty address; expected a register, a name or a number between [ and ]")
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
		c.unexpected(", or " + string(rune(closing)))
		return nil
	}
	c.next()
	return list.done()
}

// simple reads a name, a constant expression, or an element name[x].
func (c *cursor) simple(o *Operand) {
	if c.kind != kName {
		c.classify(o, c.expr())
		return
	}
	x := c.nodes.expr()
	x.Pos, x.Name = c.pos, c.text
	c.next()
	switch c.kind {
	case ',', kEnd, ']', '}', ')':
		o.X = x
	case '[':
		o.Kind, o.Name = OperandArray, x.Name
		c.next()
		o.X = c.expr()
		c.want(']', "] after the index")
	default:
		c.ops = 0
		c.afterName(x)
		c.classify(o, c.conditionAfter(c.binaryAfter(x, precOr)))
	}
}

// isPlace says whether x names a register, a variable or the sink, and no
// constant.
func isPlace(x *Expr) bool { return x.Kind == ExprName && x.Name != "WARP_SZ" }

// classify sets o to x, where a sign or a ! before a name belongs to the
// operand: !p, -a.
func (c *cursor) classify(o *Operand, x *Expr) {
	o.X = x
	if x.Kind != ExprUnary || x.X == nil || !isPlace(x.X) {
		return
	}
	switch x.Op {
	case "!":
		o.Not, o.X = true, x.X
	case "-":
		o.Neg, o.X = true, x.X
	}
}

// splitPair makes a pair of a|b, which expressions read as bit-or, where a is
// a name.
func (c *cursor) splitPair(o *Operand) {
	x := o.X
	if x == nil || x.Kind != ExprBinary || x.Op != "|" || !isPlace(x.X) {
		return
	}
	list := c.nodes.list(levelElement)
	*list.add(c.nodes) = Operand{Pos: x.X.Pos, X: x.X}
	second := list.add(c.nodes)
	second.Pos = x.Y.Pos
	c.classify(second, x.Y)
	*o = Operand{Pos: o.Pos, Kind: OperandPair, Elems: list.done()}
}

// vectorPair reads the |p after the vector o.
func (c *cursor) vectorPair(o *Operand) {
	c.next()
	list := c.nodes.list(levelElement)
	*list.add(c.nodes) = *o
	second := list.add(c.nodes)
	second.Pos = c.pos
	c.simple(second)
	*o = Operand{Pos: o.Pos, Kind: OperandPair, Elems: list.done()}
}
