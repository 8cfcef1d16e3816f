// Package parser turns PTX text into a syntax tree and back.
//
// It knows what PTX looks like, not what it means: names are not resolved,
// types are not checked and opcodes are not looked up (package ir does that).
//
// The text passes three stages:
//
//	scanner, moduleLexer   text to tokens; in a body one token an instruction,
//	                       labels, braces and directives finer; initialisers
//	                       and debug payloads as one token each
//	grammar, builder       a participle grammar for all directives, and what
//	                       makes nodes of its matches
//	cursor                 instructions, initialisers and constant expressions,
//	                       split by the scanner that the lexer uses
//
// Participle keeps every token and works by reflection; one token an
// instruction, and bodies that take their tokens themselves, are what makes
// large modules parse at tens of megabytes per second.
//
// Start with [Parse]; the tree's root is [Module]; [Print] writes a tree so
// that parsing it again gives an equal tree; [Grammar] is the grammar in EBNF.
package parser
