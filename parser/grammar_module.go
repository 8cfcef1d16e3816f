package parser

import "github.com/alecthomas/participle/v2/lexer"

// The grammar of a module: what stands at its outermost level. Items come in any
// order but for .version, which is first (parse.go looks at that before anything
// is parsed). A parser reads one item and is called again for the next, so that an
// error costs an item and not the rest of the file.

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
