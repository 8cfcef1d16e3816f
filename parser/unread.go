package parser

import (
	"fmt"

	"github.com/alecthomas/participle/v2/lexer"
)

// Bodies are most of a text, and their trees take some twenty times its memory. Who
// goes over a module function by function needs one of them at a time: Open reads all
// but the bodies, and Function.Read a body when its turn has come, into the nodes of
// the one before.
//
// Where a body ends is found out by the same lexer that gives its tokens later. So a
// module is the same in both ways, errors included, up to the limits: they are those
// of a function then, and end nothing but the reading of bodies.

// Open reads a PTX module but for the bodies of its functions, which [Function.Read]
// reads. Where there are errors outside of bodies it does what [Parse] does.
func Open(file string, src []byte) (*Module, error) {
	m, err := parse(file, src, &parser{items: fast, later: &bodyReader{}})
	if err != nil {
		return Parse(file, src) // all errors are told together
	}
	return m, nil
}

// unreadBody is where a body stands.
type unreadBody struct {
	at     moduleLexer // behind the {
	open   lexer.Token // the {
	file   string
	reader *bodyReader // of all bodies of the module
}

// headLexer gives the tokens of a piece up to the { of a body, and one token for that.
type headLexer struct {
	*moduleLexer
	body  *unreadBody
	count int // instructions of the body
}

func (h *headLexer) Next() (lexer.Token, error) {
	if h.boundary {
		return lexer.EOFToken(h.position()), nil
	}
	t, err := h.moduleLexer.Next()
	if h.depth != 1 || t.Type != tokPunct {
		return t, err
	}
	h.body = &unreadBody{at: *h.moduleLexer, open: t}
	for !h.boundary {
		in, _ := h.moduleLexer.Next()
		if in.EOF() {
			break
		}
		if in.Type == tokInstruction {
			h.count++
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

// Read reads the body that [Open] left, and sets Body and Errors. The tree of the body
// that was read before is of no use any more.
func (f *Function) Read() {
	u := f.unread
	if u == nil {
		return
	}
	f.unread = nil
	r := u.reader
	if r.total > maxNodes || r.wrong > maxBodyErrors {
		f.Errors = ErrorList{{File: u.file, Pos: f.Body.Pos,
			Msg: fmt.Sprintf("not read: hyptx takes %d syntax nodes of a module, and %d errors in its bodies", maxNodes, maxBodyErrors)}}
		return
	}
	r.nodes.reset()
	f.Body, f.Errors = r.body(&unreadLexer{chunkLexer{&u.at}, &u.open})
	r.total += r.nodes.nodes
	r.wrong += len(f.Errors)
	for _, e := range f.Errors {
		e.File = u.file
	}
}
