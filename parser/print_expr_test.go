package parser

// An operand of a binary operator needs parentheses if it binds less than the
// operator, and on the right also if it binds the same, since all associate to the
// left: a-(b-c) keeps its parentheses, (a-b)-c loses them. Unary operators bind
// most, a condition least, and the middle of a ? b : c needs none.

// expr writes an expression.
func (p *printer) expr(e *Expr) { p.exprAt(e, precCond) }

// exprAt writes an expression where least is the weakest operator that needs
// no parentheses.
func (p *printer) exprAt(e *Expr, least int) {
	prec := exprPrecedence(e)
	if prec < least {
		p.text("(")
		defer p.text(")")
	}
	switch e.Kind {
	case ExprName, ExprInt, ExprF32, ExprF64:
		p.text(e.Text)
	case ExprUnary:
		p.text(e.Text)
		p.exprAt(e.X, precUnary)
	case ExprBinary:
		p.binary(e, prec)
	case ExprCond:
		p.exprAt(e.X, precOr)
		p.text(" ? ")
		p.expr(e.Y)
		p.text(" : ")
		p.expr(e.Z)
	case ExprGeneric:
		p.text("generic(")
		p.expr(e.X)
		p.text(")")
	}
}

// binary writes X op Y. Blanks stand around %, which otherwise might start a
// name; the + of an address has none, as compilers print it.
func (p *printer) binary(e *Expr, prec int) {
	p.exprAt(e.X, prec)
	if e.Text == "%" {
		p.text(" % ")
	} else {
		p.text(e.Text)
	}
	p.exprAt(e.Y, prec+1)
}

func exprPrecedence(e *Expr) int {
	switch e.Kind {
	case ExprCond:
		return precCond
	case ExprBinary:
		return precedence(kindOf(e.Text))
	}
	return precUnary
}
