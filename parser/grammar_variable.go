package parser

import "github.com/alecthomas/participle/v2/lexer"

// The grammar of declarations and their initialisers.
//
//	.global .align 4 .v2 .f32 t[2][2] = {{1.0, 2.0}, {3.0, 4.0}};
//	space   modifiers         name, dimensions, initialiser
//
// Variables at module scope, registers, locals and parameters are all written so.
// Which of the parts may stand with which space is not syntax: a .reg with an
// initialiser is refused by package ir, which can say why.

// variableRule declares variables of one space and type (PTX ISA 5.4.1).
type variableRule struct {
	specRule
	Names []declaratorRule `parser:"@@ (',' @@)* ';'"`
}

// paramRule declares one parameter; .hidden is undocumented and seen in the
// output of NVIDIA's own compiler.
type paramRule struct {
	Hidden bool `parser:"@'.hidden'?"`
	specRule
	Declarator declaratorRule `parser:"@@"`
}

// specRule is what stands before the names of a declaration. After the space
// the order is free: compilers and the manual's examples differ in it.
type specRule struct {
	Pos       lexer.Position
	Space     string         `parser:"@('.reg' | '.param' | '.global' | '.shared' | '.local' | '.const' | '.tex' | '.surf')"`
	Bank      expr           `parser:"('[' @@ ']')?"`
	Modifiers []modifierRule `parser:"@@+"`
}

// modifierRule is a part of a declaration before the names.
type modifierRule struct {
	Pos        lexer.Position
	Type       string          `parser:"@Type"`
	Align      expr            `parser:"| '.align' @@"`
	Vector     string          `parser:"| @('.v2' | '.v4' | '.v8')"`
	Ptr        *ptrRule        `parser:"| @@"`
	Attributes *attributesRule `parser:"| @@"`
}

// ptrRule says what a kernel's parameter points to (PTX ISA 5.1.6.3).
type ptrRule struct {
	Space string `parser:"'.ptr' @('.global' | '.const' | '.local' | '.shared')?"`
	Align expr   `parser:"('.align' @@)?"`
}

// attributesRule is .attribute (PTX ISA 5.4.8).
type attributesRule struct {
	List []attributeRule `parser:"'.attribute' '(' @@ (',' @@)* ')'"`
}

type attributeRule struct {
	Name string `parser:"@('.managed' | '.unified')"`
	Args []expr `parser:"('(' @@ ',' @@ ')')?"`
}

// declaratorRule is a declared name.
type declaratorRule struct {
	Pos   lexer.Position
	Name  string      `parser:"@Name"`
	Count *countRule  `parser:"('<' @@ '>')?"`
	Dims  []dimRule   `parser:"@@*"`
	Init  initialiser `parser:"('=' @@)?"`
}

// dimRule is one dimension of an array; the first may be empty.
type dimRule struct {
	Open string `parser:"@'['"`
	Size expr   `parser:"@@? ']'"`
}

// initialiserRule is what follows the = of a declaration (PTX ISA 5.4.4).
type initialiserRule struct {
	Pos   lexer.Position
	List  *initListRule `parser:"@@"`
	Mask  *maskRule     `parser:"| (?= Int '(') @@"`
	Value expr          `parser:"| @@"`
}

// initListRule is the elements of an array, or the fields of an opaque variable.
type initListRule struct {
	Open   string            `parser:"@'{'"`
	Fields []fieldRule       `parser:"( (?= Name '=') @@ (',' @@)*"`
	List   []initialiserRule `parser:"| @@ (',' @@)* )? '}'"`
}

// fieldRule is a field of an opaque variable (PTX ISA 5.3).
type fieldRule struct {
	Name  string `parser:"@Name"`
	Value expr   `parser:"'=' @@"`
}

// maskRule takes a byte of an address, 0xFF00(sym+4).
type maskRule struct {
	Pos   lexer.Position
	Mask  string     `parser:"@Int"`
	Value expr       `parser:"'(' @@"`
	Close *closeRule `parser:"@@"`
}
