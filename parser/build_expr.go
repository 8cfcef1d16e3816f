package parser

// exprs builds a list of expressions that the tree holds by value.
func exprs(b *builder, rules []expr) []Expr {
	out := make([]Expr, len(rules))
	for i, r := range rules {
		out[i] = *r.build(b)
	}
	return out
}

// optional builds an expression or a count that need not be there.
func optional[R interface {
	comparable
	build(*builder) *Expr
}](b *builder, r R) *Expr {
	var none R
	if r == none {
		return nil
	}
	return r.build(b)
}

// build makes a condition where there is one. Its place, like that of each binary
// operator, is where its first operand begins.
func (r *exprRule) build(b *builder) *Expr {
	x := r.Cond.build(b)
	if r.Then == nil {
		return x
	}
	e := b.nodes.expr()
	e.Pos, e.Kind, e.X, e.Y, e.Z = x.Pos, ExprCond, x, r.Then.build(b), r.Else.build(b)
	return e
}

// build makes the N of name<N>.
func (r *countRule) build(b *builder) *Expr { return r.Sum.build(b) }

// fold makes a tree of x op y op z, which associates to the left. A level without
// its operator leaves no node: most expressions are one name or number, ten levels
// down.
func fold[T any, P interface {
	*T
	build(*builder) *Expr
}](b *builder, first P, ops []string, ys []T) *Expr {
	x := first.build(b)
	for i, op := range ops {
		e := b.nodes.expr()
		e.Pos, e.Kind, e.Text, e.X, e.Y = x.Pos, ExprBinary, op, x, P(&ys[i]).build(b)
		x = e
	}
	return x
}

// The levels of precedence.
func (r *orRule) build(b *builder) *Expr      { return fold(b, &r.X, r.Ops, r.Ys) }
func (r *andRule) build(b *builder) *Expr     { return fold(b, &r.X, r.Ops, r.Ys) }
func (r *bitOrRule) build(b *builder) *Expr   { return fold(b, &r.X, r.Ops, r.Ys) }
func (r *bitXorRule) build(b *builder) *Expr  { return fold(b, &r.X, r.Ops, r.Ys) }
func (r *bitAndRule) build(b *builder) *Expr  { return fold(b, &r.X, r.Ops, r.Ys) }
func (r *equalRule) build(b *builder) *Expr   { return fold(b, &r.X, r.Ops, r.Ys) }
func (r *orderRule) build(b *builder) *Expr   { return fold(b, &r.X, r.Ops, r.Ys) }
func (r *shiftRule) build(b *builder) *Expr   { return fold(b, &r.X, r.Ops, r.Ys) }
func (r *sumRule) build(b *builder) *Expr     { return fold(b, &r.X, r.Ops, r.Ys) }
func (r *productRule) build(b *builder) *Expr { return fold(b, &r.X, r.Ops, r.Ys) }

// build makes what stands between binary operators.
func (r *unaryRule) build(b *builder) *Expr {
	if r.Parens != nil && r.Parens.Expr != nil {
		return r.Parens.Expr.build(b) // parentheses leave no trace in the tree
	}
	e := b.nodes.expr()
	e.Pos = tokenPos(r.Pos)
	switch {
	case r.Op != "":
		e.Kind, e.Text, e.X = ExprUnary, r.Op, r.X.build(b)
	case r.Parens != nil:
		e.Kind, e.Text, e.X = ExprUnary, "("+r.Parens.Cast.Type+")", r.Parens.Cast.X.build(b)
	case r.Generic != nil && r.Generic.X != nil:
		e.Kind, e.X = ExprGeneric, r.Generic.X.build(b)
	case r.Generic != nil:
		e.Text = r.Generic.Name
	case r.Name != "":
		e.Text = r.Name
	default:
		b.literal(e, r.Number)
	}
	return e
}

// literal reads the spelling of a number, which the lexer has judged.
func (b *builder) literal(e *Expr, text string) {
	if err := setLiteral(e, text); err != nil {
		panic("BUG: the lexer let a literal pass: " + err.Error())
	}
}
