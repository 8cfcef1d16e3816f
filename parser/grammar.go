package parser

import (
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar: one struct a production, in participle's notation. Each
// production has a build method that makes the node of the syntax tree.
//
// One token decides between alternatives (no lookahead beyond it), so that the
// first error in a directive is the one that is told.

// Building the parsers takes milliseconds, so that is left to the first Parse.
var (
	itemParser = sync.OnceValue(func() *participle.Parser[itemRule] {
		return participle.MustBuild[itemRule](participle.Lexer(definition{}), participle.UseLookahead(0))
	})
	directiveParser = sync.OnceValue(func() *participle.Parser[directiveRule] {
		return participle.MustBuild[directiveRule](participle.Lexer(definition{}), participle.UseLookahead(0))
	})
)

// itemRule is one thing at module scope.
type itemRule struct {
	Version      *versionRule      `parser:"@@"`
	Target       *targetRule       `parser:"| @@"`
	AddressSize  *addressSizeRule  `parser:"| @@"`
	Declaration  *declarationRule  `parser:"| @@"`
	File         *fileRule         `parser:"| @@"`
	Section      *sectionRule      `parser:"| @@"`
	Dwarf        *dwarfRule        `parser:"| @@"`
	Pragma       *pragmaRule       `parser:"| @@"`
	Alias        *aliasRule        `parser:"| @@"`
	Intermediate *intermediateRule `parser:"| @@"`
}

// versionRule is .version major.minor (PTX ISA 11.1.1); 8.10 is no number.
type versionRule struct {
	Number lexer.Token `parser:"'.version' @(Float | Int)"`
}

// targetRule is .target with an architecture and options (PTX ISA 11.1.2).
type targetRule struct {
	Pos   lexer.Position
	Names []string `parser:"'.target' @Name (',' @Name)*"`
}

// addressSizeRule is .address_size 32 or 64 (PTX ISA 11.1.3).
type addressSizeRule struct {
	Bits lexer.Token `parser:"'.address_size' @Int"`
}

// fileRule is .file (PTX ISA 11.5.3).
type fileRule struct {
	Pos   lexer.Position
	Index lexer.Token  `parser:"'.file' @Int"`
	Name  string       `parser:"@String"`
	Time  *lexer.Token `parser:"(',' @Int"`
	Size  *lexer.Token `parser:"',' @Int)?"`
}

// sectionRule is .section (PTX ISA 11.5.2).
type sectionRule struct {
	Pos  lexer.Position
	Name string `parser:"'.section' @(Directive | Name)+"`
	Text string `parser:"@Payload"`
}

// dwarfRule is a @@DWARF line (PTX ISA 11.5.1).
type dwarfRule struct {
	Pos  lexer.Position
	Text lexer.Token `parser:"'@@DWARF' @Line"`
}

// pragmaRule is .pragma (PTX ISA 11.4.7).
type pragmaRule struct {
	Pos     lexer.Position
	Strings []string `parser:"'.pragma' @String (',' @String)* ';'"`
}

// aliasRule is .alias (PTX ISA 11.2.3).
type aliasRule struct {
	Pos     lexer.Position
	Name    string `parser:"'.alias' @Name ','"`
	Aliasee string `parser:"@Name ';'"`
}

// intermediateRule is .nv_intermediate_source_section (PTX ISA 11.5.6).
type intermediateRule struct {
	Pos  lexer.Position
	Name string `parser:"@'.nv_intermediate_source_section'"`
	Text string `parser:"@Payload"`
}

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
	Body       *bodyRule    `parser:"( @@ | ';' )"`
}

// funcRule is a device function (PTX ISA 11.2.2).
type funcRule struct {
	Pos        lexer.Position
	Attributes *attributesRule `parser:"'.func' @@?"`
	Returns    *paramsRule     `parser:"@@?"`
	Name       lexer.Token     `parser:"@Name"`
	Params     *paramsRule     `parser:"@@?"`
	Directives []headerRule    `parser:"@@*"`
	Body       *bodyRule       `parser:"( @@ | ';' )"`
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
	Name string     `parser:"@('.maxntid' | '.reqntid' | '.reqnctapercluster')"`
	Args []exprRule `parser:"@@ (',' @@ (',' @@)?)?"`
}

// numberRule is a directive with one number (PTX ISA 11.4, 11.7.3).
type numberRule struct {
	Pos  lexer.Position
	Name string    `parser:"@('.minnctapersm' | '.maxnreg' | '.maxnctapersm' | '.maxclusterrank' | '.abi_preserve' | '.abi_preserve_control')"`
	Arg  *exprRule `parser:"@@"`
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
	Name string    `parser:"@'.minperctamemory'"`
	Size *exprRule `parser:"@@ ((?= ';' ('{' | '.pragma' | '.maxntid' | '.reqntid' | '.reqnctapercluster' | '.minnctapersm' | '.maxnreg' | '.maxnctapersm' | '.maxclusterrank' | '.abi_preserve' | '.abi_preserve_control' | '.noreturn' | '.explicitcluster' | '.blocksareclusters' | '.language')) ';')?"`
}

// languageRule is .language (PTX ISA 11.8.2).
type languageRule struct {
	Pos  lexer.Position
	Name string    `parser:"@'.language'"`
	Args []argRule `parser:"@@ (',' @@)*"`
}

// argRule is a string or a constant expression.
type argRule struct {
	String string    `parser:"@String"`
	Expr   *exprRule `parser:"| @@"`
}

// directiveRule is a directive among the statements of a body; where a label
// belongs to it, with the label.
type directiveRule struct {
	Variable     *localRule           `parser:"@@"`
	Loc          *locRule             `parser:"| @@"`
	Intermediate *locIntermediateRule `parser:"| @@"`
	Pragma       *pragmaRule          `parser:"| @@"`
	Labelled     *labelledRule        `parser:"| @@"`
	Section      *sectionRule         `parser:"| @@"`
	Dwarf        *dwarfRule           `parser:"| @@"`
}

// localRule is a declaration in a body.
type localRule struct {
	Variable variableRule `parser:"@@"`
}

// locRule is .loc (PTX ISA 11.5.4).
type locRule struct {
	Pos       lexer.Position
	Place     []lexer.Token `parser:"'.loc' @(Int Int Int)"`
	Function  string        `parser:"(',' ( 'function_name' @(Name | Directive)"`
	Offset    *exprRule     `parser:"        ('+' @@)?"`
	InlinedAt []lexer.Token `parser:"    | 'inlined_at' @(Int Int Int) ))*"`
}

// locIntermediateRule is .loc_intermediate (PTX ISA 11.5.5).
type locIntermediateRule struct {
	Pos   lexer.Position
	Name  string        `parser:"@'.loc_intermediate'"`
	Place []lexer.Token `parser:"@(Int Int Int)"`
}

// labelledRule is a directive with the label that belongs to it.
type labelledRule struct {
	Pos           lexer.Position
	Label         string             `parser:"@Label"`
	BranchTargets *branchTargetsRule `parser:"( @@"`
	CallTargets   *callTargetsRule   `parser:"| @@"`
	CallPrototype *callPrototypeRule `parser:"| @@ )"`
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
	Space     string         `parser:"@('.reg' | '.param' | '.global' | '.shared' | '.local' | '.const' | '.tex')"`
	Bank      *exprRule      `parser:"('[' @@ ']')?"`
	Modifiers []modifierRule `parser:"@@+"`
}

// modifierRule is a part of a declaration before the names.
type modifierRule struct {
	Pos        lexer.Position
	Type       string          `parser:"@Type"`
	Align      *exprRule       `parser:"| '.align' @@"`
	Vector     string          `parser:"| @('.v2' | '.v4' | '.v8')"`
	Ptr        *ptrRule        `parser:"| @@"`
	Attributes *attributesRule `parser:"| @@"`
}

// ptrRule says what a kernel's parameter points to (PTX ISA 5.1.6.3).
type ptrRule struct {
	Space string    `parser:"'.ptr' @('.global' | '.const' | '.local' | '.shared')?"`
	Align *exprRule `parser:"('.align' @@)?"`
}

// attributesRule is .attribute (PTX ISA 5.4.8).
type attributesRule struct {
	List []attributeRule `parser:"'.attribute' '(' @@ (',' @@)* ')'"`
}

type attributeRule struct {
	Name string     `parser:"@('.managed' | '.unified')"`
	Args []exprRule `parser:"('(' @@ ',' @@ ')')?"`
}

// declaratorRule is a declared name.
type declaratorRule struct {
	Pos   lexer.Position
	Name  string       `parser:"@Name"`
	Count *countRule   `parser:"('<' @@ '>')?"`
	Dims  []dimRule    `parser:"@@*"`
	Init  *lexer.Token `parser:"('=' @Init)?"`
}

// dimRule is one dimension of an array; the first may be empty.
type dimRule struct {
	Open string    `parser:"@'['"`
	Size *exprRule `parser:"@@? ']'"`
}

// handWritten are the productions that participle cannot show: bodies,
// statements, operands and expressions have a parser of their own.
const handWritten = `Module = Item* .
Body = "{" (";" | Body | <label> | Instruction ";" | Directive)* "}" .
Instruction = ("@" "!"? <name>)? <opcode> (Operand ("," Operand)*)? .
Operand = Pair | Simple | Vector | Address | Arguments .
Pair = (<name> | Vector) "|" Simple .
Simple = "!"? <name> | "-"? <name> | <name> "[" Expr "]" | Expr .
Vector = "{" Simple ("," Simple)* "}" .
Address = "[" (Simple | Vector) ("," (Simple | Vector))* "]" <suffix>* .
Arguments = "(" (Simple ("," Simple)*)? ")" .
Init = InitValue | "{" (Init ("," Init)*)? "}" | "{" Field ("," Field)* "}" .
InitValue = <int> "(" Expr ")" | Expr .
Field = <name> "=" Expr .
Count = Expr .
Expr = Unary (<operator> Unary)* ("?" Expr ":" Expr)? .
Unary = ("+" | "-" | "!" | "~" | "(.s64)" | "(.u64)")* (<name> | <int> | <float> | "(" Expr ")" | "generic" "(" Expr ")") .`

// Grammar is the grammar in EBNF: what participle derives from the productions
// above, then what is written by hand, then the types that the token <type>
// stands for.
func Grammar() string {
	lines := strings.Split(itemParser().String()+"\n"+directiveParser().String(), "\n")
	seen := map[string]bool{}
	var out strings.Builder
	for _, line := range lines {
		line = ruleSuffix.Replace(line)
		if !seen[line] {
			out.WriteString(line + "\n")
		}
		seen[line] = true
	}
	out.WriteString(handWritten + "\n")
	out.WriteString(`<type> = "` + strings.Join(typeWords, `" | "`) + "\" .\n")
	return out.String()
}

// ruleSuffix makes the names of productions of the names of Go types.
var ruleSuffix = strings.NewReplacer("exprRule", "Expr", "countRule", "Count", "bodyRule", "Body", "<init>", "Init", "Rule", "")
