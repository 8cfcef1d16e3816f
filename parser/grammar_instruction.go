package parser

import "github.com/alecthomas/participle/v2/lexer"

// The grammar of instruction statements: guard, opcode and operands. It knows no
// opcode but call. Which operands an instruction has, how many and of what type is
// a table in package ir/isa, so that an instruction that hyptx does not know yet is
// an error there that names it, and not a syntax error.
//
//	@!%p1  ld.global.v2.f32  {%f1, %f2}, [%rd1+8];
//	guard  opcode            vector      address

// instructionRule is an instruction statement (PTX ISA 4.3.2). A call is told
// by its opcode, for its parentheses hold arguments and no expression.
type instructionRule struct {
	Pos       lexer.Position
	Guard     *guardRule     `parser:"@@?"`
	Call      *callRule      `parser:"( @@"`
	Operation *operationRule `parser:"| @@ )"`
}

// guardRule is @p or @!p (PTX ISA 9.3).
type guardRule struct {
	Not       bool           `parser:"'@' @'!'?"`
	Predicate *predicateRule `parser:"@@"`
}

// predicateRule is the register of a guard.
type predicateRule struct {
	Pos  lexer.Position
	Name string `parser:"@Name"`
}

// operationRule is any instruction but a call.
type operationRule struct {
	Opcode   lexer.Token   `parser:"@Opcode"`
	Operands []operandRule `parser:"( @@ (',' @@)*"`
	End      *endRule      `parser:"@@ | @@ )"`
}

// callRule is a call (PTX ISA 9.7.14.5).
type callRule struct {
	Opcode   lexer.Token       `parser:"@Call"`
	Operands []callOperandRule `parser:"( @@ (',' @@)*"`
	End      *endRule          `parser:"@@ | @@ )"`
}

// endRule is the semicolon of an instruction.
type endRule struct {
	Pos  lexer.Position
	Mark string `parser:"@';'"`
}

// operandRule is an operand (PTX ISA 6). The two destinations a|p read like a
// bit-or; building the operand tells one from the other.
type operandRule struct {
	Pos     lexer.Position
	Vector  *vectorRule  `parser:"@@"`
	Second  *simpleRule  `parser:"('|' @@)?"`
	Address *addressRule `parser:"| @@"`
	Simple  *simpleRule  `parser:"| @@"`
}

// callOperandRule is an operand of a call, or one of its lists.
type callOperandRule struct {
	Arguments *argumentsRule `parser:"@@"`
	Operand   *operandRule   `parser:"| @@"`
}

// argumentsRule is the list of a call's results or arguments, or none of them.
type argumentsRule struct {
	Pos  lexer.Position
	List []simpleRule `parser:"'(' ( @@ (',' @@)* )? ')'"`
}

// vectorRule is a vector of registers or constants (PTX ISA 6.4.3).
type vectorRule struct {
	Pos  lexer.Position
	List []simpleRule `parser:"'{' @@ (',' @@)* '}'"`
}

// addressRule is an address and what may stand with it in the brackets:
// coordinates, samplers and barriers (PTX ISA 6.4.1, 9.7.10). A suffix such as
// .unified follows them.
type addressRule struct {
	Pos    lexer.Position
	List   []elementRule `parser:"'[' @@ (',' @@)* ']'"`
	Suffix string        `parser:"@Word*"`
}

// elementRule is one thing in the brackets of an address.
type elementRule struct {
	Vector *vectorRule `parser:"@@"`
	Simple *simpleRule `parser:"| @@"`
}

// simpleRule is an operand of one part: a register, a name or a constant
// expression, or an element of an array.
type simpleRule struct {
	Pos   lexer.Position
	Array *arrayRule `parser:"(?= Name '[') @@"`
	Expr  expr       `parser:"| @@"`
}

// arrayRule is an element of an array variable, s[4] (PTX ISA 6.4.2).
type arrayRule struct {
	Name  string `parser:"@Name"`
	Index expr   `parser:"'[' @@ ']'"`
}
