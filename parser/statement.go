package parser

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// Where a statement of a body begins, and where it ends. That is found out without
// understanding it: a label is a name and a colon that is not one of two
// (ld.global.L2::128B has two), a directive begins with a dot, and anything else
// runs to its semicolon, over strings and comments in which a ; means nothing.

// statementToken reads the start of a statement of a body: a brace, a label, a
// directive's word, or a whole instruction.
func (l *moduleLexer) statementToken() lexer.Token {
	p := l.position()
	switch c := l.src[l.off]; {
	case c == '{':
		l.opaque = ""
		return l.openBrace(p)
	case c == '}':
		return l.closeBrace(p)
	case c == '.':
		return l.bodyDirective(p)
	case c == '@' && strings.HasPrefix(l.src[l.off:], "@@DWARF"):
		l.statement = false
		return l.dwarfWord(p)
	case c == '@':
		return l.instruction(p)
	case l.startsName():
		if name, ok := l.label(); ok {
			return l.give(p, tokLabel, name)
		}
		return l.instruction(p)
	}
	msg := strangeByte(l.src[l.off])
	if isASCII(l.src[l.off]) {
		l.off++
		l.lost = true
		l.statementEnd()
		l.lost = false
	}
	for l.off < len(l.src) && !isASCII(l.src[l.off]) && !is(l.src[l.off], isBlank) {
		l.off++ // nobody wrote these in the place of a statement
	}
	return l.give(p, tokBad, msg+"; a statement starts with a label, a guard, an opcode or a directive")
}

func (l *moduleLexer) bodyDirective(p lexer.Position) lexer.Token {
	before := l.scanner
	t := l.wordToken(p)
	if moduleWords[t.Value] { // once for each scope that is open
		l.scanner = before
		l.depth--
		l.statement, l.boundary = l.depth > 0, l.depth == 0
		return l.give(p, tokUnclosed, t.Value)
	}
	l.statement = false
	l.open = openWords[t.Value]
	return t
}

// endsOpen says whether a directive that no ; closes is over: .loc 1 2 3 takes
// numbers, and after a comma an attribute (PTX ISA 11.5.4).
func (l *moduleLexer) endsOpen() bool {
	switch c := l.src[l.off]; {
	case is(c, isDigit), c == ',', c == '+':
		return false
	case l.startsName(), c == '.':
		return l.last != "," && l.last != "function_name" && l.last != "inlined_at"
	}
	return true
}

// label reads "name:", which may have blanks before the colon; ok is false,
// and l unmoved, when an opcode stands here.
func (l *moduleLexer) label() (name string, ok bool) {
	before := l.scanner
	name = l.plainName()
	if is(l.at(0), isBlank) || l.at(0) == '/' {
		l.skip()
	}
	if l.at(0) == ':' && l.at(1) != ':' {
		l.off++
		return name, true
	}
	l.scanner = before
	return "", false
}

// instruction reads a statement up to its ; as one token.
func (l *moduleLexer) instruction(p lexer.Position) lexer.Token {
	start := l.off
	switch l.statementEnd() {
	case ';':
		l.off++
		return l.give(p, tokInstruction, l.src[start:l.off-1])
	case 0:
		if l.unclosed != (Pos{}) {
			return l.unclosedComment()
		}
		return l.give(p, tokBad, "this statement does not end; expected ; before the end of the file")
	case '{':
		return l.unclosedStatement(l.src[start:l.off], p, "{")
	}
	return l.unclosedStatement(l.src[start:l.off], p, "}")
}

// Where a statement ends decides how much an error costs. A ; ends it always. A
// brace may belong to a vector or be that of a scope, where the ; before it was
// forgotten: a closing brace too many, or one that opens before a directive,
// cannot be a vector's, so the statement ends there and the scope is intact.

// statementEnd moves to the mark that ends the statement at l: its ;, or where
// that is missing the } or { of a scope. It gives the mark, 0 at the end of
// the text. The braces of vectors are part of a statement.
func (l *moduleLexer) statementEnd() byte {
	braces := 0
	for {
		off := l.plainText(l.off)
		for off < len(l.src) && !is(l.src[off], isStop) {
			off++
		}
		if l.off = off; off >= len(l.src) {
			return 0
		}
		switch c := l.src[l.off]; c {
		case ';':
			return c
		case '\n':
			l.newline()
		case '{':
			if l.opensScope() || l.lost && l.firstOnLine() {
				return c
			}
			braces++
			l.off++
		case '}':
			if braces == 0 && !l.strayBrace() {
				return c
			}
			braces = max(braces-1, 0)
			l.off++
		default:
			l.stepOver(c)
		}
	}
}

// plainText is an offset in the eight bytes up to which no byte from off on ends a statement.
func (s *scanner) plainText(off int) int {
	for ; off+8 <= len(s.src); off += 8 {
		b := s.src[off : off+8]
		if (class[b[0]]|class[b[1]]|class[b[2]]|class[b[3]]|class[b[4]]|class[b[5]]|class[b[6]]|class[b[7]])&isStop != 0 {
			break
		}
	}
	return off
}

// stepOver moves past a comment, a string or a preprocessor line, or past the
// byte c alone.
func (l *moduleLexer) stepOver(c byte) {
	switch {
	case c == '"':
		l.quoted()
	case c == '/' && (l.at(1) == '/' || l.at(1) == '*'):
		l.skipComment()
	case c == '#' && l.firstOnLine():
		l.skipLine()
	default:
		l.off++
	}
}

// opensScope tells the brace of a scope whose first statement is a directive, behind a comment
// perhaps, from that of a vector; no vector starts with a dot and a letter.
func (l *moduleLexer) opensScope() bool {
	in := l.scanner
	in.off++
	for in.blanks(); in.at(0) == '/' && in.at(1) == '/'; in.blanks() {
		in.skipLine()
	}
	return in.at(0) == '.' && is(in.at(1), isLetter)
}

// strayBrace tells a } that somebody slipped into a statement, which goes on behind it in its line,
// from that of a scope.
func (l *moduleLexer) strayBrace() bool {
	for i := l.off + 1; i < len(l.src); i++ {
		if c := l.src[i]; !is(c, isGap) {
			return c == ';' || c == ',' || c == ']'
		}
	}
	return false
}
