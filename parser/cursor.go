package parser

import "github.com/alecthomas/participle/v2/lexer"

// The readers by hand. They take a text in one pass from left to right, with a
// switch over the byte or the lexeme where participle would try alternatives,
// and take their nodes from a slab; a lexeme is never kept. That is all there is
// to their speed. What a word is they decide for both ways: open makes the
// grammar's tokens of the lexemes that a cursor stands on.

// kind is the kind of a lexeme: a mark's own byte, or one of these.
type kind uint8

const (
	kEnd  kind = 0
	kName kind = iota + 128
	kNumber
	kWord // .unified, .s64
	kString
	kShl // <<
	kShr // >>
	kLE  // <=
	kGE  // >=
	kEQ  // ==
	kNE  // !=
	kAnd // &&
	kOr  // ||
	kBad
)

// lexeme is a word, literal or mark within a statement or an expression.
type lexeme struct {
	kind kind
	text string
	pos  Pos
}

// cursor stands at one lexeme of a statement, an initialiser or an expression
// and builds nodes from it. It reads the text itself, or the tokens of the
// grammar's lexer where an expression stands within a directive.
//
// It knows no messages: what it does not understand makes it give up, and the
// grammar reads the same text again.
type cursor struct {
	scanner
	tokens *lexer.PeekingLexer // nil: read the text
	lexeme
	nodes *slab
	bad   bool // given up; nothing is read after it
	nest  int
	ops   int // binary operators of the current expression
}

// How deep a cursor goes, and how many operators it takes in an expression. It
// counts nearly as nesting does; the margin to maxNesting and maxOperators is
// what keeps it from taking a text that the grammar refuses.
const (
	fastNesting   = maxNesting - 20
	fastOperators = maxOperators - 100
)

// begin sets c before the first lexeme of an excerpt that begins at p.
func (c *cursor) begin(text string, p lexer.Position) {
	c.scanner = scanner{src: text, line: int32(p.Line), bol: 1 - p.Column}
	c.lexeme = lexeme{}
	c.bad, c.nest, c.ops = false, 0, 0
}

// next moves to the next lexeme.
func (c *cursor) next() {
	if c.bad {
		c.kind = kEnd
		return
	}
	if c.tokens != nil {
		c.tokens.Next()
		c.look()
		return
	}
	c.run(isGap)
	if c.plain() {
		return
	}
	c.skip()
	c.pos = c.placeOf(c.off)
	if c.off >= len(c.src) || c.src[c.off] == ';' { // an excerpt has none, the text behind a statement has
		c.kind, c.text = kEnd, ""
		if c.unclosed != (Pos{}) {
			c.fail()
		}
		return
	}
	switch {
	case c.startsName() && !c.isRemainder():
		c.kind, c.text = kName, c.name()
	case c.startsNumber():
		c.kind, c.text = kNumber, c.number()
	case c.src[c.off] == '.' && is(c.at(1), isFollow):
		c.kind, c.text = kWord, c.word()
	default:
		c.text = c.operator()
		c.kind = kindOf(c.text)
		if c.text == "" {
			c.text = c.src[c.off : c.off+1]
			c.off++
		}
	}
}

// plain reads what nearly all lexemes are: a name, or a mark that is none of two bytes.
func (c *cursor) plain() bool {
	switch b := c.at(0); {
	case is(b, isLetter), b == '%' && is(c.at(1), isLetter):
		c.pos = c.placeOf(c.off)
		c.kind, c.text = kName, c.name()
	case is(b, isMark):
		c.pos = c.placeOf(c.off)
		c.kind, c.text = kind(b), c.src[c.off:c.off+1]
		c.off++
	default:
		return false
	}
	return true
}

// isRemainder says whether the % at c is an operator although a digit follows:
// "8 %3", after a constant, where a name would make no sense. "%r1 %2" is a
// comma forgotten.
func (c *cursor) isRemainder() bool {
	return c.src[c.off] == '%' && is(c.at(1), isDigit) &&
		(c.kind == kNumber || c.kind == ')' || c.kind == kName && c.text == "WARP_SZ")
}

// look reads the token that c.tokens stands at.
func (c *cursor) look() {
	t := c.tokens.Peek()
	c.text, c.pos = t.Value, tokenPos(t.Pos)
	switch t.Type {
	case lexer.EOF:
		c.kind = kEnd
	case tokName:
		c.kind = kName
	case tokInt, tokFloat:
		c.kind = kNumber
	case tokDirective, tokType:
		c.kind = kWord
	case tokString:
		c.kind = kString
	case tokPunct:
		c.kind = kindOf(t.Value)
	default:
		c.kind = kBad
	}
}

func tokenPos(p lexer.Position) Pos { return Pos{Line: int32(p.Line), Col: int32(p.Column)} }

// double are the operators of two bytes.
var double = map[string]kind{
	"<<": kShl, ">>": kShr, "<=": kLE, ">=": kGE, "==": kEQ, "!=": kNE, "&&": kAnd, "||": kOr,
}

func kindOf(mark string) kind {
	switch len(mark) {
	case 0:
		return kBad
	case 1:
		return kind(mark[0])
	}
	return double[mark]
}

// operator reads an operator or a mark; it gives "" and stays where none is.
func (s *scanner) operator() string {
	n := 0
	switch c := s.src[s.off]; c {
	case '(', ')', '[', ']', '{', '}', ',', ';', ':', '@', '+', '-', '*', '/', '%', '~', '^', '?':
		n = 1
	case '<', '>':
		n = 1
		if d := s.at(1); d == c || d == '=' {
			n = 2
		}
	case '=', '!':
		n = 1
		if s.at(1) == '=' {
			n = 2
		}
	case '&', '|':
		n = 1
		if s.at(1) == c {
			n = 2
		}
	}
	s.off += n
	return s.src[s.off-n : s.off]
}

// fail gives up.
func (c *cursor) fail() { c.bad, c.kind = true, kEnd }

// want moves past a mark, which must stand here.
func (c *cursor) want(k kind) {
	if c.kind != k {
		c.fail()
		return
	}
	c.next()
}

// enter counts a level of nesting; it is false beyond the limit.
func (c *cursor) enter() bool {
	if c.nest++; c.nest > fastNesting {
		c.fail()
		return false
	}
	return true
}

func (c *cursor) leave() { c.nest-- }
