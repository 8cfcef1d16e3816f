package parser

import (
	"fmt"

	"github.com/alecthomas/participle/v2/lexer"
)

// Bodies are most of a text, and their trees take some fifty times its memory. Who
// goes over a module statement by statement needs few of them at a time: Open reads all
// but the bodies, and Function.Read a part of a body when its turn has come, into the
// nodes of the part before.
//
// Where a body ends is found out by the same lexer that gives its tokens later. So a
// module is the same in both ways, errors included, up to the limits: they are those
// of a function then, and end nothing but the reading of bodies.

// Open reads a PTX module but for the bodies of its functions, which [Function.Read]
// reads. Where there are errors outside of bodies it does what [Parse] does. The first
// line of src is line first of the file: 1, unless others stand before it.
func Open(file string, src []byte, first int) (*Module, error) {
	m, err := parse(file, src, &parser{items: fast, later: &bodyReader{}, first: first})
	if err != nil { // all errors are told together
		return parse(file, src, &parser{items: fast, bodies: &bodyReader{}, first: first})
	}
	return m, nil
}

// unreadBody is where a body stands.
type unreadBody struct {
	at     moduleLexer // behind the {
	open   lexer.Token // the {
	file   string
	reader *bodyReader // of all bodies of the module
	begun  bool        // the reader stands in it
	part   int         // how many statements are read at once
	tooBig *Error      // why nothing of it is read
}

// partStatements is how many statements of a body are read at once. A body in which
// calls name prototypes is read as a whole, for these may stand behind them.
const partStatements = 1 << 7

// headLexer gives the tokens of a piece up to the { of a body, and one token for that.
type headLexer struct {
	*moduleLexer
	body  *unreadBody
	count int  // instructions of the body
	stay  bool // behind the {, where the body is read next
}

func (h *headLexer) Next() (lexer.Token, error) {
	if h.boundary || h.body != nil {
		return lexer.EOFToken(h.position()), nil
	}
	t, err := h.moduleLexer.Next()
	if h.depth != 1 || t.Type != tokPunct {
		return t, err
	}
	h.body = &unreadBody{at: *h.moduleLexer, open: t, part: partStatements}
	if h.stay {
		return lexer.Token{Type: tokBody, Pos: t.Pos}, nil
	}
	h.count = h.passPlain()
	for !h.boundary {
		h.count += h.passOver()
		in, _ := h.moduleLexer.Next()
		if in.EOF() {
			break
		}
		switch {
		case in.Type == tokInstruction:
			h.count++
		case in.Type == tokBad && h.all > maxBodyTokens:
			h.body.tooBig, h.count = &Error{Pos: tokenPos(in.Pos), Msg: in.Value}, 0
		case in.Type == tokDirective && prototypeWords[in.Value]:
			h.body.part = maxBodyTokens
		}
	}
	h.boundary = true
	return lexer.Token{Type: tokBody, Pos: t.Pos}, nil
}

// unreadScope stands for a body that is read later.
type unreadScope Pos

func (s unreadScope) build(*builder) *Block { return &Block{Pos: Pos(s)} }

// unreadLexer gives the tokens of a body, its { included.
type unreadLexer struct {
	chunkLexer
	open *lexer.Token // nil once it is given
}

func (b *unreadLexer) Next() (lexer.Token, error) {
	if t := b.open; t != nil {
		b.open = nil
		return *t, nil
	}
	return b.chunkLexer.Next()
}

// prototypeWords begin what calls name.
var prototypeWords = set(".calltargets", ".callprototype")

// Read reads the next part of the body that [Open] left, sets Body and Errors to what
// is in it, and says whether that was not all. What was read before is of no use any
// more, but for lists of targets and prototypes.
func (f *Function) Read() (more bool) {
	u := f.unread
	if u == nil {
		return false
	}
	r := u.reader
	r.nodes.reset()
	f.Body.Stmts = nil
	if f.Errors = u.refuse(f.Body.Pos); f.Errors == nil {
		more = f.readPart(u)
	}
	if !more {
		r.total += r.lasting.nodes
		f.unread = nil
	}
	for _, e := range f.Errors {
		e.File = u.file
	}
	return more
}

// refuse says why the rest of a body is not read.
func (u *unreadBody) refuse(at Pos) ErrorList {
	switch {
	case u.tooBig != nil:
		return ErrorList{u.tooBig}
	case u.reader.total > maxNodes || u.reader.wrong > maxBodyErrors:
		return ErrorList{{Pos: at,
			Msg: fmt.Sprintf("not read: hyptx takes %d syntax nodes of a module, and %d errors in its bodies", maxNodes, maxBodyErrors)}}
	}
	return nil
}

// readPart reads a part of a body.
func (f *Function) readPart(u *unreadBody) (more bool) {
	r := u.reader
	if !u.begun {
		u.begun = true
		r.start(&unreadLexer{chunkLexer{&u.at}, &u.open})
		f.Body = &Block{Pos: tokenPos(r.tokens.Next().Pos)}
		r.text = &u.at
	}
	told := len(r.errs)
	more = r.part(f.Body, u.part)
	f.Errors = r.errs[told:len(r.errs):len(r.errs)]
	r.total += r.nodes.nodes
	r.wrong += len(f.Errors)
	return more
}
