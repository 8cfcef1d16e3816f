package parser

import (
	"fmt"

	"github.com/alecthomas/participle/v2/lexer"
)

// An instruction is one token until somebody wants its words: the grammar, which
// is built of words, and an error message, which names one. The token
//
//	@%p add.s32 %r1, %r2, 1
//
// opens into tokGuard "@", tokName "%p", tokOpcode "add.s32", tokName "%r1",
// tokMark ",", and so on to tokEnd ";". The fast path never does this for a text
// that is right.

// maxStatementWords is how many words one instruction may have.
const maxStatementWords = 1 << 20

// open gives the words of an instruction or an initialiser, which the lexer
// gives as one token. Reading stops at what no word starts with, for nothing
// after it could be understood; the ; of an instruction follows nevertheless.
func open(t lexer.Token) []lexer.Token {
	o := opener{most: maxStatementWords}
	o.begin(t.Value, t.Pos)
	if t.Type == tokInit {
		o.most = len(t.Value) // tables have no limit but that of all nodes
		o.words()
		return o.out
	}
	if o.at(0) == '@' {
		o.guard()
	}
	if o.startsOpcode() {
		o.opcode()
	} else if o.next(); o.kind != kEnd {
		text := o.text
		found := foundWord(lexer.Token{Type: o.tokenType(&text), Value: o.text})
		o.add(tokNoOpcode, unexpected(found, words["OperationRule"]), o.pos)
	}
	o.words()
	o.skipTo(len(t.Value))
	o.add(tokEnd, ";", o.placeOf(o.off))
	return o.out
}

// opener makes tokens of the words of one token; the cursor that the readers
// of the fast path stand on tells what a word is.
type opener struct {
	cursor
	nesting nesting
	out     []lexer.Token
	most    int // how many words there may be
}

// add makes a token, unless it goes beyond the limits.
func (o *opener) add(typ lexer.TokenType, text string, p Pos) {
	t := lexer.Token{Type: typ, Value: text, Pos: lexer.Position{Line: int(p.Line), Column: int(p.Col)}}
	o.out = append(o.out, o.nesting.check(t))
}

// guard adds @p or @!p, as far as that is there.
func (o *opener) guard() {
	o.add(tokGuard, "@", o.placeOf(o.off))
	o.off++
	o.skip()
	if o.at(0) == '!' {
		o.add(tokMark, "!", o.placeOf(o.off))
		o.off++
		o.skip()
	}
	if o.startsName() {
		p := o.placeOf(o.off)
		o.add(tokName, o.plainName(), p)
		o.skip()
	}
}

// opcode adds an opcode. What is wrong in itself has a token of its own, so that the
// statement is known for an instruction after all.
func (o *opener) opcode() {
	p := o.placeOf(o.off)
	text := o.cursor.opcode()
	switch {
	case hasEmptyWord(text):
		o.add(tokNoOpcode, fmt.Sprintf("opcode %s has a dot without a word; expected a form such as mov.u32", clip(text)), p)
	case isCall(text):
		o.add(tokCall, text, p)
	default:
		o.add(tokOpcode, text, p)
	}
}

// words adds what is left, up to a fault.
func (o *opener) words() {
	if n := len(o.out); n > 0 && o.out[n-1].Type == tokNoOpcode {
		return
	}
	for o.next(); !o.bad && o.kind != kEnd; o.next() {
		text := o.text
		o.add(o.tokenType(&text), text, o.pos)
		switch last := &o.out[len(o.out)-1]; {
		case last.Type == tokFault || last.Type == tokStrange:
			return
		case len(o.out) > o.most:
			last.Type, last.Value = tokFault, fmt.Sprintf("this statement has too many words, hyptx takes %d; is a ; missing?", maxStatementWords)
			return
		}
	}
}

// tokenType is the kind of token of the lexeme at o.
func (o *opener) tokenType(text *string) lexer.TokenType {
	switch o.kind {
	case kName:
		return tokName
	case kNumber:
		return literalType(text)
	case kWord:
		return tokWord
	case kBad:
		return tokStrange
	}
	return tokMark
}

// wordLexer gives the tokens of a piece with the words of its instructions and
// initialisers: what the grammar alone is made for.
type wordLexer struct {
	coarse lexer.Lexer
	words  []lexer.Token
}

// Next implements lexer.Lexer.
func (w *wordLexer) Next() (lexer.Token, error) {
	if len(w.words) > 0 {
		t := w.words[0]
		w.words = w.words[1:]
		return t, nil
	}
	t, err := w.coarse.Next()
	if t.Type != tokInstruction && t.Type != tokInit {
		return t, err
	}
	w.words = open(t)
	return w.Next()
}

// tokenList is a lexer of tokens that are there.
type tokenList []lexer.Token

// Next implements lexer.Lexer.
func (l *tokenList) Next() (lexer.Token, error) {
	if len(*l) == 0 {
		return lexer.EOFToken(lexer.Position{}), nil
	}
	t := (*l)[0]
	*l = (*l)[1:]
	return t, nil
}

// replay lets tokens be parsed.
func replay(list []lexer.Token) *lexer.PeekingLexer {
	l := tokenList(list)
	tokens, err := lexer.Upgrade(&l)
	if err != nil {
		panic("BUG: a list of tokens has no errors, and gave " + err.Error())
	}
	return tokens
}
