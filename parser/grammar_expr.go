package parser

import "github.com/alecthomas/participle/v2/lexer"

// The grammar of constant expressions (PTX ISA 4.5). Each level of precedence
// is a production, as in C (PTX ISA 4.5.3, table 4), from the weakest operator
// to the strongest; the operators of a level associate to the left.
//
// So in "a + 4 * b" sumRule has two terms, of which the second is a productRule of
// two factors; and the name a alone goes through ten levels, each of which matches
// it as its first operand and finds no operator of its own. That is what makes
// expressions slow by the grammar, and fast by one loop over precedences (expr.go).

// exprRule is a constant expression or a name in one; ?: associates to the right.
type exprRule struct {
	Cond orRule `parser:"@@"`
	Then expr   `parser:"( '?' @@"`
	Else expr   `parser:"  ':' @@ )?"`
}

// countRule is the N of name<N>, in which no operator may be a > : in "%r<2>3>" the
// first one closes. From shifts on upwards there are such operators, so that a
// count is a sum at most; in parentheses it is any expression.
type countRule struct {
	Sum sumRule `parser:"@@"`
}

// orRule is the logical or: not zero on either side.
type orRule struct {
	X   andRule   `parser:"@@"`
	Ops []string  `parser:"( @'||'"`
	Ys  []andRule `parser:"@@ )*"`
}

// andRule is the logical and.
type andRule struct {
	X   bitOrRule   `parser:"@@"`
	Ops []string    `parser:"( @'&&'"`
	Ys  []bitOrRule `parser:"@@ )*"`
}

// bitOrRule is the bitwise or; at the top of an operand it makes a pair.
type bitOrRule struct {
	X   bitXorRule   `parser:"@@"`
	Ops []string     `parser:"( @'|'"`
	Ys  []bitXorRule `parser:"@@ )*"`
}

// bitXorRule is the bitwise exclusive or.
type bitXorRule struct {
	X   bitAndRule   `parser:"@@"`
	Ops []string     `parser:"( @'^'"`
	Ys  []bitAndRule `parser:"@@ )*"`
}

// bitAndRule is the bitwise and.
type bitAndRule struct {
	X   equalRule   `parser:"@@"`
	Ops []string    `parser:"( @'&'"`
	Ys  []equalRule `parser:"@@ )*"`
}

// equalRule compares for equality.
type equalRule struct {
	X   orderRule   `parser:"@@"`
	Ops []string    `parser:"( @('==' | '!=')"`
	Ys  []orderRule `parser:"@@ )*"`
}

// orderRule compares in order.
type orderRule struct {
	X   shiftRule   `parser:"@@"`
	Ops []string    `parser:"( @('<=' | '>=' | '<' | '>')"`
	Ys  []shiftRule `parser:"@@ )*"`
}

// shiftRule shifts; the count is unsigned.
type shiftRule struct {
	X   sumRule   `parser:"@@"`
	Ops []string  `parser:"( @('<<' | '>>')"`
	Ys  []sumRule `parser:"@@ )*"`
}

// sumRule adds: the +4 of an address.
type sumRule struct {
	X   productRule   `parser:"@@"`
	Ops []string      `parser:"( @('+' | '-')"`
	Ys  []productRule `parser:"@@ )*"`
}

// productRule multiplies and divides; a % that could start a name is
// told from one by what stands before it, see cursor.
type productRule struct {
	X   unaryRule   `parser:"@@"`
	Ops []string    `parser:"( @('*' | '/' | '%')"`
	Ys  []unaryRule `parser:"@@ )*"`
}

// unaryRule is an expression without a binary operator outside of parentheses.
type unaryRule struct {
	Pos     lexer.Position
	Op      string       `parser:"( @('+' | '-' | '!' | '~')"`
	X       *unaryRule   `parser:"  @@ )"`
	Parens  *parensRule  `parser:"| @@"`
	Generic *genericRule `parser:"| @@"`
	Name    string       `parser:"| @Name"`
	Number  string       `parser:"| @(Int | Float)"`
}

// parensRule is a cast, or an expression in parentheses.
type parensRule struct {
	Cast  *castRule  `parser:"'(' ( @@"`
	Expr  expr       `parser:"    | @@"`
	Close *closeRule `parser:"      @@ )"`
}

// castRule is the rest of a cast and what it applies to.
type castRule struct {
	Type string     `parser:"@('.s64' | '.u64')"`
	X    *unaryRule `parser:"')' @@"`
}

// genericRule is generic(x), the generic address of a variable (PTX ISA
// 5.4.5); generic alone is a name.
type genericRule struct {
	Name  string     `parser:"@'generic'"`
	X     expr       `parser:"( '(' @@"`
	Close *closeRule `parser:"  @@ )?"`
}

// closeRule is the end of what holds one expression, and no list.
type closeRule struct {
	Mark string `parser:"@')'"`
}
