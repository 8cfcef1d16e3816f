package parser

import "strings"

// Everything that looks at bytes is here: what is a blank, a name, a number, an
// opcode, and where lines begin. One byte has one table look-up; that is most of
// what a fast parser of PTX does.
//
// Names are wider than the manual's (PTX ISA 4.4): compilers put dots into them
// ("_ZN3foo.bar"), and the components of special registers and the selectors of
// video instructions are glued to them ("%tid.x", "r.b0"). Whether such a suffix is
// part of a symbol's name or a component is for package ir, which knows symbols.

// scanner walks over PTX text, or over an excerpt of it, and knows at which
// line and column it stands. Both the lexer and the splitter of statements
// are built on it.
type scanner struct {
	src  string
	off  int
	line int32
	bol  int // offset of the line's first byte; negative when src is an excerpt
	// unclosed is the place of a /* without */ , zero when there is none.
	unclosed Pos
}

// placeOf is the place of an offset on the current line.
func (s *scanner) placeOf(off int) Pos {
	return Pos{Line: s.line, Col: int32(off - s.bol + 1)}
}

// The classes of bytes (PTX ISA 4.1, 4.4).
const (
	isBlank  = 1 << iota // separates tokens
	isLetter             // A-Z a-z
	isDigit
	isFollow // may continue an identifier
	isStop   // ends the quick run over a statement's plain text
	isGap    // a blank within a line
	isGlued  // may continue an identifier with what is glued to it by dots
	isMark   // a mark that is none of an operator of two bytes
)

var class = func() (t [256]uint8) {
	mark := func(set string, bit uint8) {
		for i := range len(set) {
			t[set[i]] |= bit
		}
	}
	letters := "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	mark(" \t\r\n\v\f", isBlank)
	mark(letters, isLetter|isFollow)
	mark("0123456789", isDigit|isFollow)
	mark("_$", isFollow)
	mark("\n;{}/\"#", isStop)
	mark(" \t\r\v\f", isGap)
	mark(letters+"0123456789_$.", isGlued)
	mark("()[]{},:+-*~^?", isMark)
	return t
}()

func is(c byte, bits uint8) bool { return class[c]&bits != 0 }

// at is the byte n bytes ahead, 0 at the end.
func (s *scanner) at(n int) byte {
	if s.off+n < len(s.src) {
		return s.src[s.off+n]
	}
	return 0
}

// skip moves over blanks, comments and preprocessor lines.
func (s *scanner) skip() {
	for s.blanks(); s.off < len(s.src); s.blanks() {
		switch c := s.src[s.off]; {
		case c == '/' && (s.at(1) == '/' || s.at(1) == '*'):
			s.skipComment()
		case c == '#' && s.firstOnLine():
			s.skipLine()
		default:
			return
		}
	}
}

// blanks moves over blanks and ends of lines.
func (s *scanner) blanks() {
	off := s.off
	for ; off < len(s.src); off++ {
		if c := s.src[off]; c == '\n' {
			s.line++
			s.bol = off + 1
		} else if !is(c, isGap) {
			break
		}
	}
	s.off = off
}

// newline steps over the line feed that s stands at.
func (s *scanner) newline() {
	s.off++
	s.line++
	s.bol = s.off
}

// skipLine stops before the line's end.
func (s *scanner) skipLine() {
	if n := strings.IndexByte(s.src[s.off:], '\n'); n >= 0 {
		s.off += n
	} else {
		s.off = len(s.src)
	}
}

func (s *scanner) skipComment() {
	if s.at(1) == '/' {
		s.skipLine()
		return
	}
	start := s.placeOf(s.off)
	n := strings.Index(s.src[s.off+2:], "*/")
	if n < 0 {
		s.unclosed = start
		n = len(s.src) - s.off - 4
	}
	s.skipTo(s.off + 2 + n + 2)
}

// skipTo moves to an offset and counts the lines on the way.
func (s *scanner) skipTo(end int) {
	for {
		n := strings.IndexByte(s.src[s.off:end], '\n')
		if n < 0 {
			s.off = end
			return
		}
		s.off += n
		s.newline()
	}
}

// firstOnLine says whether only blanks stand before s on its line, which makes
// a # the start of a preprocessor line.
func (s *scanner) firstOnLine() bool {
	for i := s.off - 1; i >= max(s.bol, 0); i-- {
		if !is(s.src[i], isBlank) {
			return false
		}
	}
	return s.bol >= 0
}

// startsName says whether an identifier starts at s. A lone % is the remainder
// operator, a lone _ the sink.
func (s *scanner) startsName() bool {
	switch c := s.at(0); {
	case is(c, isLetter), c == '_':
		return true
	case c == '%', c == '$':
		return is(s.at(1), isFollow)
	}
	return false
}

// plainName reads an identifier.
func (s *scanner) plainName() string {
	start := s.off
	s.off++
	s.run(isFollow)
	return s.src[start:s.off]
}

// name reads an identifier with what is glued to it by dots: a vector
// component or a selector (%tid.x, r.b0), or the dots that some compilers leave
// inside symbol names.
func (s *scanner) name() string {
	start := s.off
	s.off = s.endOfName(start)
	return s.src[start:s.off]
}

// endOfName is where the name at off ends; what ends by a dot does not end there.
func (s *scanner) endOfName(off int) int {
	for off++; off < len(s.src) && is(s.src[off], isGlued); off++ {
	}
	for s.src[off-1] == '.' {
		off--
	}
	return off
}

// word reads a dotted word, whose first letter may be a digit (.2d, .4byte).
func (s *scanner) word() string { return s.plainName() }

// opcode reads an opcode with its modifiers: dotted words, with :: and, after
// a ::, single colons in them (.sp::2:4).
func (s *scanner) opcode() string {
	start, qualified := s.off, false
	for s.run(isGlued); s.off < len(s.src); s.run(isGlued) {
		c := s.src[s.off]
		switch {
		case c == '%' && s.off == start:
			s.off++
		case c == ':' && s.at(1) == ':' && is(s.at(2), isFollow):
			s.off += 2
			qualified = true
		case c == ':' && qualified && is(s.at(1), isFollow):
			s.off++
		case c == '[' && s.bank(start) > 0:
			s.off += s.bank(start)
		default:
			return s.src[start:s.off]
		}
	}
	return s.src[start:s.off]
}

// bank is the length of "[2]" after .const in the opcode that begins at start, as it
// was written before PTX 2.2 (PTX ISA 5.1.3); 0 for anything else.
func (s *scanner) bank(start int) int {
	n := 1
	for is(s.at(n), isDigit) {
		n++
	}
	if n == 1 || s.at(n) != ']' || !strings.HasSuffix(s.src[start:s.off], ".const") {
		return 0
	}
	return n + 1
}

// startsNumber says whether a literal starts at s.
func (s *scanner) startsNumber() bool {
	return is(s.at(0), isDigit) || s.at(0) == '.' && is(s.at(1), isDigit)
}

// number reads the spelling of a literal, without judging it.
func (s *scanner) number() string {
	start := s.off
	if s.src[s.off] == '0' && strings.IndexByte("xXbBfFdD", s.at(1)) >= 0 && s.off+1 < len(s.src) {
		s.off += 2
		s.run(isFollow)
		return s.src[start:s.off]
	}
	s.run(isDigit)
	if s.at(0) == '.' && (!is(s.at(1), isLetter) || s.exponent(1) > 0) {
		s.off++
		s.run(isDigit)
	}
	if n := s.exponent(0); n > 0 {
		s.off += n
		s.run(isDigit)
	}
	s.run(isFollow) // a suffix U, or what is wrong with the literal
	return s.src[start:s.off]
}

// run moves over bytes of these classes. Its place is in a local, which the compiler
// keeps in a register: this loop is where a reader spends its time.
func (s *scanner) run(bits uint8) {
	off := s.off
	for off < len(s.src) && is(s.src[off], bits) {
		off++
	}
	s.off = off
}

// exponent is the length of "e", an optional sign and the first digit, n bytes
// ahead; 0 when there is no exponent.
func (s *scanner) exponent(n int) int {
	switch sign := s.at(n + 1); {
	case s.at(n)|0x20 != 'e':
		return 0
	case is(sign, isDigit):
		return 2
	case (sign == '+' || sign == '-') && is(s.at(n+2), isDigit):
		return 3
	}
	return 0
}

// quoted reads a string; it is false when that does not end on its line.
func (s *scanner) quoted() bool {
	for i := s.off + 1; i < len(s.src) && s.src[i] != '\n'; i++ {
		switch s.src[i] {
		case '\\':
			i++
			if i < len(s.src) && s.src[i] == '\n' {
				s.off = i
				return false
			}
		case '"':
			s.off = i + 1
			return true
		}
	}
	s.skipLine()
	return false
}
