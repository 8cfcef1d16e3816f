// Package parser turns PTX text into a syntax tree.
//
// It knows what PTX looks like, not what it means: names are not resolved,
// types are not checked, constant expressions have no value and opcodes are not
// looked up (package ir does that).
//
// # Two ways
//
// The grammar of PTX is written once, as participle productions: structs whose
// tags say what they match, in the files grammar*.go. What they match, the
// functions in build*.go make nodes of (ast.go). That alone parses everything,
// [ParseReference], but participle works by reflection and takes some ten
// microseconds for an operand. A network's PTX has millions of them. So for
// [Parse] three productions of the same grammar have a reader by hand in their
// place: the body of a function (body.go, with instruction.go and operand.go
// for what most of it is), expressions (expr.go) and initialisers
// (initialiser.go).
//
// The readers are an optimisation and nothing else. They know no error message
// and need not know all of PTX: where one does not understand a text it gives
// up, and the production for which it stands reads the same words again. Either
// that takes the text, or its error is what is told. So both ways tell the same
// errors by construction, and all that tests and a fuzzer must hold is that a
// reader takes nothing that its production refuses, and makes the same tree.
//
// # Stages
//
//	scanner.go, lexer.go,   text to coarse tokens: in a body one token an
//	statement.go,           instruction, labels, braces and directives finer;
//	payload.go              initialisers and debug payloads as one token each
//	direct.go               instructions that are right, from the text without a token
//	plainoperand.go         operands that are a register, a number or an address of these
//	plainbody.go            the ends of bodies with a statement a line
//	chunk.go                a module in pieces, for participle keeps all tokens
//	unread.go, run.go       bodies that are read when their turn comes; their tokens
//	plain.go                headers and directives of plain form
//	open.go, nesting.go     the words of coarse tokens, where the grammar sees
//	                        them; limits on how deep they nest
//	grammar.go, parse.go    the parsers, and the loop over a module's items
//	recover.go, explain.go  how parsing goes on after an error, and its words
//
// Start with [Parse], or with [Open] to have one body at a time; the tree's root
// is [Module]; [Grammar] is the grammar in EBNF. Tests print trees to text, which
// has to give the same trees again.
package parser
