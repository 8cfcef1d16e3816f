package parser

import (
	"maps"
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

// The kinds of tokens. What the lexer itself gives is coarse: a whole
// instruction statement, initialiser or debug payload is one token, which the
// hand-written readers split as they go. The grammar sees the words in them:
// see open.
//
// Errors of the lexer are tokens as well. A tokBad is told wherever parsing stands,
// and lexing has gone on behind it or has ended; a tokFault is a word like any
// other until the grammar comes to it, since it may never do so: in
// "mov.b32 ) 08;" the ) is the first error and the 08 none.
const (
	tokDirective lexer.TokenType = iota + 1 // .entry, .align, .debug_info, @@DWARF
	tokType                                 // .b32: a word of typeWords
	tokName                                 // an identifier
	tokInt
	tokFloat
	tokString      // with its quotes
	tokPunct       // one operator or mark
	tokInit        // what follows the = of a declaration
	tokPayload     // { ... } of a .section, with the braces
	tokLine        // what follows @@DWARF on its line
	tokLabel       // name, and the colon is swallowed
	tokInstruction // an instruction statement, without its ;
	tokUnclosed    // a scope ends here for want of a }: before what, "" where an error is told
	tokBad         // the value is an error message
	tokBody        // a function's body that is read later

	// Only within an instruction or an initialiser that was opened:

	tokGuard   // the @ of a guard
	tokOpcode  // an opcode with its modifiers
	tokCall    // an opcode that begins with call
	tokWord    // .unified, .s64
	tokMark    // one operator or mark
	tokEnd     // the ; of an instruction
	tokStrange // a byte that PTX does not know

	// tokFault is a word that is wrong in itself; the value says what is wrong.
	// Other than tokBad it is told only where the parser comes to it.
	tokFault
	// tokNoOpcode is a fault that stands where an opcode must.
	tokNoOpcode
)

// symbolTable names the kinds for the grammar.
func symbolTable() map[string]lexer.TokenType {
	return map[string]lexer.TokenType{
		"EOF":         lexer.EOF,
		"Directive":   tokDirective,
		"Type":        tokType,
		"Name":        tokName,
		"Int":         tokInt,
		"Float":       tokFloat,
		"String":      tokString,
		"Punct":       tokPunct,
		"Init":        tokInit,
		"Payload":     tokPayload,
		"Line":        tokLine,
		"Label":       tokLabel,
		"Instruction": tokInstruction,
		"Unclosed":    tokUnclosed,
		"Bad":         tokBad,
		"Body":        tokBody,
		"Guard":       tokGuard,
		"Opcode":      tokOpcode,
		"Call":        tokCall,
		"Word":        tokWord,
		"Mark":        tokMark,
		"End":         tokEnd,
		"Strange":     tokStrange,
		"NoOpcode":    tokNoOpcode,
		"Fault":       tokFault,
	}
}

// typeWords are the types that a declaration may have (PTX ISA 5.2, 5.3).
// Formats that stand only in opcodes are package isa's matter.
var typeWords = []string{
	".b8", ".b16", ".b32", ".b64", ".b128",
	".u8", ".u16", ".u32", ".u64", ".s8", ".s16", ".s32", ".s64",
	".f16", ".f16x2", ".f32", ".f64", ".bf16", ".bf16x2", ".pred",
	".texref", ".samplerref", ".surfref",
}

var isTypeWord = set(typeWords...)

// moduleWords begin what cannot stand in a body: when one does, a } is missing
// before it.
var moduleWords = set(".version", ".target", ".address_size", ".entry", ".func",
	".extern", ".visible", ".weak", ".common", ".alias", ".nv_intermediate_source_section")

// itemWords begin something at module scope; recovery from errors stops there.
var itemWords = set(slices.AppendSeq([]string{".file", ".section", ".pragma", ".global", ".const", ".shared", ".tex", ".surf", "@@DWARF"},
	maps.Keys(moduleWords))...)

// directiveWords are the words of directives (PTX ISA 4.3.1, 5 and 11), against which a
// mistyped one is held.
var directiveWords = []string{
	".abi_preserve", ".abi_preserve_control", ".address_size", ".alias", ".align", ".attribute", ".blocksareclusters",
	".branchtargets", ".callprototype", ".calltargets", ".common", ".const", ".entry", ".explicitcluster", ".extern", ".file",
	".func", ".global", ".language", ".loc", ".loc_intermediate", ".local", ".managed", ".maxclusterrank", ".maxnctapersm",
	".maxnreg", ".maxntid", ".minnctapersm", ".minperctamemory", ".noreturn", ".nv_intermediate_source_section", ".param",
	".pragma", ".ptr", ".reg", ".reqnctapercluster", ".reqntid", ".section", ".shared", ".surf", ".target", ".tex", ".unified",
	".version", ".visible", ".weak",
}

// openWords are statements of bodies that no ; closes.
var openWords = set(".loc", ".loc_intermediate")

// unclosedWords are all of these in bodies, debug sections included.
var unclosedWords = set(".loc", ".loc_intermediate", ".section", "@@DWARF")

// payloadWords are followed by text in braces that is not PTX.
var payloadWords = set(".section", ".nv_intermediate_source_section")

// innerSemicolon are directives of a function's header that have a ; of their
// own (PTX ISA 11.4.7, 11.4.10).
var innerSemicolon = set(".pragma", ".minperctamemory")

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}
