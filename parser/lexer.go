package parser

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// The lexer gives coarse tokens. At module scope a token is a word; in a body it is
// a whole instruction, since that is what the reader of bodies takes in one pass:
//
//	.visible .entry f ( .param .u64 p ) {           one token each
//	  .reg .b32 %r < 3 > ;                          one token each
//	  L1:                                           tokLabel
//	  @%p add.s32 %r1, %r2, 1;                      tokInstruction
//	}                                               one token
//
// A network's PTX has millions of instructions. All their words at once, 64 bytes
// for a token of participle, would be gigabytes; the grammar, where it has to read
// an instruction after all, gets the words of that one (open.go).
//
// What may come next depends on what came before, and that is all the state of a
// moduleLexer: how many braces are open, whether a statement may start, whether a
// directive is open that no ; ends, whether an initialiser or raw text follows.

// definition is the lexer that the grammar is built with.
type definition struct{}

func (definition) Symbols() map[string]lexer.TokenType { return symbolTable() }

func (definition) Lex(_ string, r io.Reader) (lexer.Lexer, error) {
	src, err := io.ReadAll(r)
	return newModuleLexer(string(src)), err
}

// moduleLexer makes tokens of a module. At module scope and within directives
// they are words, literals and marks; where a statement of a body may start,
// a whole instruction statement is one token.
type moduleLexer struct {
	scanner
	depth     int  // open braces of bodies and scopes
	statement bool // a statement of a body may start here
	open      bool // in a directive of a body that no ; closes
	lost      bool // in a statement that is none, which no vector belongs to
	init      bool // an initialiser starts here
	line1     bool // the rest of a @@DWARF line starts here
	function  bool // in the header of a .func
	done      bool // what follows is not worth reading

	lastType lexer.TokenType
	last     string // text of the token before
	word     string // the last directive
	opaque   string // a directive whose text in braces is no PTX, until that comes

	// boundary is set where something at module scope is complete, so that a
	// module can be parsed in pieces; see chunkLexer.
	boundary bool
	// header and all count the piece's tokens outside bodies and in all.
	header, all int
	// nesting counts the marks of the current directive.
	nesting nesting
}

func newModuleLexer(src string) *moduleLexer {
	return &moduleLexer{scanner: scanner{src: src, line: 1}}
}

// Next implements lexer.Lexer. What is wrong becomes a token of type tokBad,
// so that a parser can say it among other errors.
func (l *moduleLexer) Next() (lexer.Token, error) {
	if l.done {
		return l.end(""), nil
	}
	if l.line1 {
		l.line1 = false
		return l.dwarfLine(), nil
	}
	l.skip()
	for (l.statement || l.all == 0) && l.at(0) == ';' { // an empty statement, or one behind a body
		l.off++
		l.skip()
	}
	if l.unclosed != (Pos{}) {
		return l.unclosedComment(), nil
	}
	if l.off >= len(l.src) {
		l.open = false
		return l.end(endOfFile), nil
	}
	if l.open && l.endsOpen() {
		l.open, l.statement = false, true
		return l.Next()
	}
	var t lexer.Token
	if l.statement {
		t = l.statementToken()
	} else {
		t = l.nesting.check(l.directiveToken())
	}
	if msg := l.count(); msg != "" && !l.done {
		t = l.give(t.Pos, tokBad, msg)
		l.done = true
	}
	l.lastType, l.last = t.Type, t.Value
	return t, nil
}

const endOfFile = "the end of the file"

// end ends the text: first each scope that is open, before what is given, or
// without a word where an error right before has been told, then all of it.
func (l *moduleLexer) end(before string) lexer.Token {
	if l.depth > 0 {
		l.depth--
		if l.lastType == tokBad {
			before = ""
		}
		return l.give(l.position(), tokUnclosed, before)
	}
	l.done = true
	return lexer.EOFToken(l.position())
}

// count counts a token of the piece; it gives a message beyond the limits.
func (l *moduleLexer) count() string {
	if l.depth == 0 {
		l.header++
	}
	l.all++
	switch {
	case l.header > maxHeaderTokens:
		return fmt.Sprintf("this directive has too many words, hyptx takes %d; is a ; missing?", maxHeaderTokens)
	case l.all > maxBodyTokens:
		return fmt.Sprintf("this function has too many statements, hyptx takes %d; what stands behind is not read", maxBodyTokens)
	}
	return ""
}

func (l *moduleLexer) position() lexer.Position {
	return lexer.Position{Offset: l.off, Line: int(l.line), Column: l.off - l.bol + 1}
}

func (l *moduleLexer) give(p lexer.Position, typ lexer.TokenType, value string) lexer.Token {
	return lexer.Token{Type: typ, Value: value, Pos: p}
}

func (l *moduleLexer) unclosedComment() lexer.Token {
	p := l.position()
	p.Line, p.Column = int(l.unclosed.Line), int(l.unclosed.Col)
	l.unclosed, l.done = Pos{}, true
	return l.give(p, tokBad, "this comment does not end; expected */")
}

// directiveToken reads a token outside of instructions.
func (l *moduleLexer) directiveToken() lexer.Token {
	p := l.position()
	c := l.src[l.off]
	switch {
	case l.init:
		l.init = false
		return l.initialiser(p)
	case l.startsNumber():
		return l.numberToken(p)
	case l.last == ".section" && (l.startsName() || c == '.' && is(l.at(1), isFollow)):
		return l.sectionName(p)
	case c == '.' && l.endsPrototype():
		l.function = false
		l.boundary = true
		return l.give(p, tokPunct, ";")
	case c == '.':
		return l.wordToken(p)
	case l.startsName() && !l.isRemainder():
		return l.give(p, tokName, l.name())
	case c == '"':
		return l.stringToken(p)
	case c == '@' && strings.HasPrefix(l.src[l.off:], "@@DWARF"):
		return l.dwarfWord(p)
	case c == '{':
		return l.openBrace(p)
	case c == '}':
		return l.closeBrace(p)
	case c == ';':
		return l.semicolon(p)
	}
	return l.mark(p)
}

// isRemainder says whether the % at l is an operator although a digit follows:
// 16%4, where a name would make no sense.
func (l *moduleLexer) isRemainder() bool {
	return l.src[l.off] == '%' && is(l.at(1), isDigit) && (l.lastType == tokInt || l.last == ")")
}

func (l *moduleLexer) numberToken(p lexer.Position) lexer.Token {
	text := l.number()
	return l.give(p, literalType(&text), text)
}

// literalType is the kind of a literal; one that is wrong becomes its message.
func literalType(text *string) lexer.TokenType {
	var e Expr
	if err := setLiteral(&e, *text); err != nil {
		*text = err.Error()
		return tokFault
	}
	if e.Kind == ExprInt {
		return tokInt
	}
	return tokFloat
}

func (l *moduleLexer) wordToken(p lexer.Position) lexer.Token {
	if !is(l.at(1), isFollow) {
		l.off++
		return l.give(p, tokBad, "a lone dot; expected a directive such as .entry or a type such as .b32")
	}
	word := l.plainName()
	if isTypeWord[word] {
		return l.give(p, tokType, word)
	}
	l.word = word
	l.function = l.function || word == ".func" && l.depth == 0
	if payloadWords[word] {
		l.opaque = word
	}
	return l.give(p, tokDirective, word)
}

// sectionName reads the name of a debug section, which dots may be in, before digits, too.
func (l *moduleLexer) sectionName(p lexer.Position) lexer.Token {
	start, typ := l.off, tokName
	if l.src[start] == '.' {
		typ = tokDirective
	}
	l.off++
	l.run(isGlued)
	return l.give(p, typ, l.src[start:l.off])
}

// endsPrototype says whether the word at l begins an item although the .func before it
// has neither a body nor a ;. Compilers of 2009 to 2011 wrote prototypes so.
func (l *moduleLexer) endsPrototype() bool {
	if !l.function || l.depth > 0 || l.last != ")" && l.lastType != tokName {
		return false
	}
	before := l.scanner
	word := l.plainName()
	l.scanner = before
	return itemWords[word] && word != ".pragma"
}

func (l *moduleLexer) stringToken(p lexer.Position) lexer.Token {
	start := l.off
	if !l.quoted() {
		return l.give(p, tokBad, `this string does not end on its line; expected "`)
	}
	return l.give(p, tokString, l.src[start:l.off])
}

func (l *moduleLexer) dwarfWord(p lexer.Position) lexer.Token {
	l.off += len("@@DWARF")
	l.line1 = true
	return l.give(p, tokDirective, "@@DWARF")
}

// dwarfLine reads the rest of the line (PTX ISA 11.5.1).
func (l *moduleLexer) dwarfLine() lexer.Token {
	p, start := l.position(), l.off
	l.skipLine()
	l.statement = l.depth > 0
	l.lastType = tokLine
	return l.give(p, tokLine, strings.TrimRight(l.src[start:l.off], "\r"))
}

func (l *moduleLexer) openBrace(p lexer.Position) lexer.Token {
	if l.opaque != "" {
		return l.payload(p)
	}
	l.off++
	l.function = false
	if l.depth == maxNesting {
		l.done = true
		return l.give(p, tokBad, fmt.Sprintf("braces are nested too deep, hyptx takes %d levels", maxNesting))
	}
	l.depth++
	l.statement = true
	return l.give(p, tokPunct, "{")
}

func (l *moduleLexer) closeBrace(p lexer.Position) lexer.Token {
	l.off++
	l.depth = max(l.depth-1, 0)
	l.statement = l.depth > 0
	l.open = false
	l.boundary = l.depth == 0
	return l.give(p, tokPunct, "}")
}

func (l *moduleLexer) semicolon(p lexer.Position) lexer.Token {
	l.off++
	l.opaque, l.function = "", false
	l.statement = l.depth > 0
	l.boundary = l.depth == 0 && !innerSemicolon[l.word]
	return l.give(p, tokPunct, ";")
}

// mark reads an operator or a mark of punctuation.
func (l *moduleLexer) mark(p lexer.Position) lexer.Token {
	text := l.operator()
	if text == "" {
		return l.strange(p)
	}
	l.init = text == "="
	return l.give(p, tokPunct, text)
}

// strange reports a byte that PTX does not know. At module scope there is no
// telling where PTX goes on, if this is PTX at all.
func (l *moduleLexer) strange(p lexer.Position) lexer.Token {
	msg := strangeByte(l.src[l.off])
	l.off++
	l.done = l.depth == 0
	return l.give(p, tokBad, msg)
}
