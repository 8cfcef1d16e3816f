package parser

import "github.com/alecthomas/participle/v2/lexer"

// The grammar of constant expressions (PTX ISA 4.5). Each level of precedence
// is a production, as in C (PTX ISA 4.5.3, table 4), from the weakest operator
// to the strongest; the operators of a level associate to the left.

// exprRule is a constant expression or a name in one; ?: associates to the right.
type exprRule struct {
	Cond orRule `parser:"@@"`
	Then expr   `parser:"( '?' @@"`
	Else expr   `parser:"  ':' @@ )?"`
}

// countRule is the N of name<N>, in which no operator may be a > .
type countRule struct {
	Sum sumRule `parser:"@@"`
}

type orRule struct {
	X   andRule   `parser:"@@"`
	Ops []string  `parser:"( @'||'"`
	Ys  []andRule `parser:"@@ )*"`
}

type andRule struct {
	X   bitOrRule   `parser:"@@"`
	Ops []string    `parser:"( @'&&'"`
	Ys  []bitOrRule `parser:"@@ )*"`
}

type bitOrRule struct {
	X   bitXorRule   `parser:"@@"`
	Ops []string     `parser:"( @'|'"`
	Ys  []bitXorRule `parser:"@@ )*"`
}

type bitXorRule struct {
	X   bitAndRule   `parser:"@@"`
	Ops []string     `parser:"( @'^'"`
	Ys  []bitAndRule `parser:"@@ )*"`
}

type bitAndRule struct {
	X   equalRule   `parser:"@@"`
	Ops []string    `parser:"( @'&'"`
	Ys  []equalRule `parser:"@@ )*"`
}

type equalRule struct {
	X   orderRule   `parser:"@@"`
	Ops []string    `parser:"( @('==' | '!=')"`
	Ys  []orderRule `parser:"@@ )*"`
}

type orderRule struct {
	X   shiftRule   `parser:"@@"`
	Ops []string    `parser:"( @('<=' | '>=' | '<' | '>')"`
	Ys  []shiftRule `parser:"@@ )*"`
}

type shiftRule struct {
	X   sumRule   `parser:"@@"`
	Ops []string  `parser:"( @('<<' | '>>')"`
	Ys  []sumRule `parser:"@@ )*"`
}

type sumRule struct {
	X   productRule   `parser:"@@"`
	Ops []string      `parser:"( @('+' | '-')"`
	Ys  []productRule `parser:"@@ )*"`
}

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
