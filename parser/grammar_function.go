package parser

import "github.com/alecthomas/participle/v2/lexer"

// The grammar of functions, up to their bodies. A function is a kernel or a device
// function, declared or defined: the ; or the body at its end tells which. Neither
// overloads, nor knows a parameter by anything but its place, so that a header is
// all that a call of it needs.

// declarationRule is what a linking directive (PTX ISA 11.6) may stand before.
type declarationRule struct {
	Pos      lexer.Position
	Linkage  string        `parser:"@('.visible' | '.extern' | '.weak' | '.common')?"`
	Entry    *entryRule    `parser:"( @@"`
	Func     *funcRule     `parser:"| @@"`
	Variable *variableRule `parser:"| @@ )"`
}

// entryRule is a kernel (PTX ISA 11.2.1).
type entryRule struct {
	Pos        lexer.Position
	Name       lexer.Token  `parser:"'.entry' @Name"`
	Params     *paramsRule  `parser:"@@?"`
	Directives []headerRule `parser:"@@*"`
	Body       scope        `parser:"( @@ | ';' )"`
}

// funcRule is a device function (PTX ISA 11.2.2).
type funcRule struct {
	Pos        lexer.Position
	Attributes *attributesRule `parser:"'.func' @@?"`
	Returns    *paramsRule     `parser:"@@?"`
	Name       lexer.Token     `parser:"@Name"`
	Params     *paramsRule     `parser:"@@?"`
	Directives []headerRule    `parser:"@@*"`
	Body       scope           `parser:"( @@ | ';' )"`
}

// paramsRule is a list of parameters or of return values.
type paramsRule struct {
	Pos    lexer.Position
	Params []paramRule `parser:"'(' ( @@ (',' @@)* )? ')'"`
}

// headerRule is a directive between a function's header and its body.
type headerRule struct {
	Sizes    *sizesRule    `parser:"@@"`
	Number   *numberRule   `parser:"| @@"`
	Flag     *flagRule     `parser:"| @@"`
	Memory   *memoryRule   `parser:"| @@"`
	Language *languageRule `parser:"| @@"`
	Pragma   *pragmaRule   `parser:"| @@"`
}

// sizesRule is a directive with one to three sizes (PTX ISA 11.4.2, 11.4.3, 11.7.1).
type sizesRule struct {
	Pos  lexer.Position
	Name string `parser:"@('.maxntid' | '.reqntid' | '.reqnctapercluster')"`
	Args []expr `parser:"@@ (',' @@ (',' @@)?)?"`
}

// numberRule is a directive with one number (PTX ISA 11.4, 11.7.3).
type numberRule struct {
	Pos  lexer.Position
	Name string `parser:"@('.minnctapersm' | '.maxnreg' | '.maxnctapersm' | '.maxclusterrank' | '.abi_preserve' | '.abi_preserve_control')"`
	Arg  expr   `parser:"@@"`
}

// flagRule is a directive without arguments (PTX ISA 11.4.6, 11.7.2, 11.8.1).
type flagRule struct {
	Pos  lexer.Position
	Name string `parser:"@('.noreturn' | '.explicitcluster' | '.blocksareclusters')"`
}

// memoryRule is .minperctamemory, which the manual writes with and without a
// semicolon (PTX ISA 11.4.10); the ; belongs to it where the header goes on.
type memoryRule struct {
	Pos  lexer.Position
	Name string `parser:"@'.minperctamemory'"`
	Size expr   `parser:"@@ ((?= ';' ('{' | '.pragma' | '.maxntid' | '.reqntid' | '.reqnctapercluster' | '.minnctapersm' | '.maxnreg' | '.maxnctapersm' | '.maxclusterrank' | '.abi_preserve' | '.abi_preserve_control' | '.noreturn' | '.explicitcluster' | '.blocksareclusters' | '.language')) ';')?"`
}

// languageRule is .language (PTX ISA 11.8.2).
type languageRule struct {
	Pos  lexer.Position
	Name string    `parser:"@'.language'"`
	Args []argRule `parser:"@@ (',' @@)*"`
}

// argRule is a string or a constant expression.
type argRule struct {
	String string `parser:"@String"`
	Expr   expr   `parser:"| @@"`
}
