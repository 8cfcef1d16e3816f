package parser

import "github.com/alecthomas/participle/v2/lexer"

// The grammar of bodies: scopes, statements and the directives among them. What a
// statement is, its first token tells: the lexer has found out whether a word is a
// label or an opcode (statement.go), which no single token could.

// scopeRule is a body, or a scope within one (PTX ISA 4.3, 5.4.1). Where its }
// is missing the lexer gives a token that says before what.
type scopeRule struct {
	Pos        lexer.Position
	Statements statements   `parser:"'{' @@"`
	End        *lexer.Token `parser:"( @'}' | @Unclosed )"`
}

// statementsRule is the statements of a scope. A scope of a million of them is
// not kept as matches: see statementReader, which stands for this production.
type statementsRule struct {
	List []statementRule `parser:"@@*"`
}

// statementRule is one statement (PTX ISA 4.3).
type statementRule struct {
	Instruction *instructionRule `parser:"@@"`
	Label       *labelRule       `parser:"| @@"`
	Scope       scope            `parser:"| @@"`
	Directive   *directiveRule   `parser:"| @@"`
}

// labelRule is a label, or a directive that the label before it names.
type labelRule struct {
	Pos           lexer.Position
	Name          string             `parser:"@Label"`
	BranchTargets *branchTargetsRule `parser:"( @@"`
	CallTargets   *callTargetsRule   `parser:"| @@"`
	CallPrototype *callPrototypeRule `parser:"| @@ )?"`
}

// directiveRule is a directive among the statements of a body.
type directiveRule struct {
	Variable     *variableRule        `parser:"@@"`
	Loc          *locRule             `parser:"| @@"`
	Intermediate *locIntermediateRule `parser:"| @@"`
	Pragma       *pragmaRule          `parser:"| @@"`
	Section      *sectionRule         `parser:"| @@"`
	Dwarf        *dwarfRule           `parser:"| @@"`
}

// locRule is .loc (PTX ISA 11.5.4).
type locRule struct {
	Pos       lexer.Position
	Place     []lexer.Token `parser:"'.loc' @(Int Int Int)"`
	Function  string        `parser:"(',' ( 'function_name' @(Name | Directive)"`
	Offset    expr          `parser:"        ('+' @@)?"`
	InlinedAt []lexer.Token `parser:"    | 'inlined_at' @(Int Int Int) ))*"`
}

// locIntermediateRule is .loc_intermediate (PTX ISA 11.5.5).
type locIntermediateRule struct {
	Pos   lexer.Position
	Name  string        `parser:"@'.loc_intermediate'"`
	Place []lexer.Token `parser:"@(Int Int Int)"`
}

// branchTargetsRule is .branchtargets (PTX ISA 11.3.1).
type branchTargetsRule struct {
	Targets []targetName `parser:"'.branchtargets' @@ (',' @@)* ';'"`
}

// callTargetsRule is .calltargets (PTX ISA 11.3.2).
type callTargetsRule struct {
	Targets []targetName `parser:"'.calltargets' @@ (',' @@)* ';'"`
}

// targetName is a name or a range of names N<5>.
type targetName struct {
	Pos   lexer.Position
	Name  string     `parser:"@Name"`
	Count *countRule `parser:"('<' @@ '>')?"`
}

// callPrototypeRule is .callprototype (PTX ISA 11.3.3).
type callPrototypeRule struct {
	Returns    *paramsRule  `parser:"'.callprototype' @@? '_'"`
	Params     *paramsRule  `parser:"@@?"`
	Directives []headerRule `parser:"@@* ';'"`
}
