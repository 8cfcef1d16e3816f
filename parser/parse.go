package parser

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unsafe"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// A file is parsed piece by piece (chunk.go), a piece item by item. An error ends
// an item, or within a body a statement, and parsing goes on behind it, so that
// one run tells all that is wrong with a file, up to maxErrors. The first error is
// always right; a later one may follow from an earlier, which is why recovery is
// careful rather than clever: it goes on only where something begins that cannot
// stand within what was wrong.

// Parse reads a PTX module. The file's name is for messages only. When the
// text has errors, Parse gives an [ErrorList] and the module without the
// statements that are wrong. That module is of use where all errors stand within
// bodies ([Module.Unusable]): then only these functions are lost. Names and literals
// of the module are parts of src, which nobody may change any more.
func Parse(file string, src []byte) (*Module, error) {
	return parse(file, src, &parser{items: fast, bodies: &bodyReader{}, first: 1})
}

// ParseReference does what [Parse] does, by the grammar alone: slowly, and to
// the same tree and the same errors.
func ParseReference(file string, src []byte) (*Module, error) {
	return parse(file, src, &parser{items: reference, words: true, first: 1})
}

func parse(file string, src []byte, p *parser) (*Module, error) {
	p.module, p.nodes = &Module{File: file}, &slab{}
	if e := unfit(src, Pos{Line: int32(p.first), Col: 1}); e != nil {
		p.errs = ErrorList{e}
	} else {
		p.parse(unsafe.String(unsafe.SliceData(src), len(src)))
	}
	return p.module, p.result()
}

// unfit says why src cannot be PTX at all.
func unfit(src []byte, start Pos) *Error {
	if len(src) > MaxSourceBytes {
		return &Error{Pos: start, Msg: fmt.Sprintf("the text is %d bytes long; hyptx takes %d", len(src), MaxSourceBytes)}
	}
	if len(src) > 3 && string(src[:4]) == "\x7fELF" {
		return &Error{Pos: start, Msg: "this is a compiled binary (ELF); expected PTX text"}
	}
	return nil
}

type parser struct {
	module *Module
	builder
	items  func() *participle.Parser[itemRule] // fast or reference
	words  bool                                // the grammar sees the words of instructions
	later  *bodyReader                         // of bodies that are read later, nil for none
	bodies *bodyReader                         // of bodies that are read from the text itself, nil for none
	run    tokenRun                            // of the present header
	first  int                                 // the line of the file with which the text begins
	stop   bool
}

func (p *parser) parse(src string) {
	// NUL bytes end images that were embedded in programs; elsewhere they are none of PTX.
	l := newModuleLexer(strings.TrimRight(strings.TrimPrefix(src, "\ufeff"), "\x00"))
	l.line = int32(p.first)
	if !p.startsModule(*l) {
		return
	}
	for !p.stop {
		before := *l
		if p.later != nil && p.head(l) || p.bodies != nil && p.function(l) {
			continue
		}
		*l = before
		tokens, ok, err := nextChunk(l, p.words)
		if err != nil {
			panic("BUG: the lexer gives errors as tokens, and gave " + err.Error())
		}
		if !ok {
			return
		}
		p.chunk(tokens)
	}
}

// head parses a piece but for the body at its end; it is false where something is
// wrong with it, or no piece is left, and has done nothing then.
func (p *parser) head(l *moduleLexer) bool {
	if !l.nextPiece() {
		return false
	}
	h := &headLexer{moduleLexer: l}
	items, ok := p.heads(p.run.begin(h))
	if !ok {
		return false
	}
	for _, item := range items {
		item.build(&p.builder, p.module)
	}
	if h.body != nil {
		f := p.module.Items[len(p.module.Items)-1].(*Function)
		f.Instructions, f.unread = h.count, h.body
		f.unread.file, f.unread.reader = p.module.File, p.later
	}
	p.limit(tokenPos(l.position()))
	return true
}

// function reads a function of plain form with its body; it is false where something else
// stands there, and has done nothing then.
func (p *parser) function(l *moduleLexer) bool {
	if !l.nextPiece() {
		return false
	}
	h := &headLexer{moduleLexer: l, stay: true}
	run := p.run.begin(h)
	if !startsFunction(run.Peek()) {
		return false
	}
	plain := plainReader{run, p.nodes}
	f := plain.function()
	if f == nil || !run.Peek().EOF() {
		return false
	}
	if h.body != nil {
		f.Body, f.Errors = p.bodies.behind(l, &h.body.open)
		p.nodes.nodes += p.bodies.nodes.nodes
		p.bodies.nodes.nodes = 0
		p.wrong += len(f.Errors)
	}
	f.build(&p.builder, p.module)
	p.limit(tokenPos(l.position()))
	return true
}

// readItem is an item that was read, of which the module may have a node.
type readItem interface{ build(*builder, *Module) }

// heads parses the items of a piece, openings and functions of plain form by hand.
func (p *parser) heads(run *tokenRun) (items []readItem, ok bool) {
	for rule := plainOpening(run); rule != nil; rule = plainOpening(run) {
		items = append(items, rule)
	}
	at := run.at
	if startsFunction(run.Peek()) {
		plain := plainReader{run, p.nodes}
		if f := plain.function(); f != nil && run.Peek().EOF() {
			return append(items, f), true // to make the grammar takes as long as reading 100 KB
		}
		run.at = at
	}
	for n := 0; !run.fill(n).EOF(); n++ {
	}
	tokens := replay(run.ahead[at:])
	for !tokens.Peek().EOF() {
		rule, err := p.items().ParseFromLexer(tokens, participle.AllowTrailing(true))
		if err != nil {
			return nil, false
		}
		items = append(items, rule)
	}
	return items, true
}

// startsModule checks that the text begins with .version (PTX ISA 11.1.1). A
// text that begins with no directive at all is no PTX and not read further.
func (p *parser) startsModule(l moduleLexer) bool {
	t, _ := l.Next()
	switch {
	case t.Value == ".version" || t.Value == "@@DWARF":
		return true
	case t.Type == lexer.EOF:
		p.fail(tokenPos(t.Pos), "the file holds no PTX; expected .version")
	case t.Type == tokBad:
		p.fail(tokenPos(t.Pos), "%s", t.Value)
	case !itemWords[t.Value]:
		p.fail(tokenPos(t.Pos), "%s", unexpected(t.Value, ".version, with which PTX begins"+sourceOf(p.module.File)))
	default:
		p.fail(tokenPos(t.Pos), "%s", unexpected(t.Value, ".version before it, such as .version 7.0"))
		return true
	}
	return false
}

// sourceOf says what to do with a file that by its name is a program for a compiler.
func sourceOf(file string) string {
	switch strings.ToLower(path.Ext(file)) {
	case ".cu", ".cuh", ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp":
		return "; a compiler makes PTX of this file (README, Getting PTX)"
	}
	return ""
}

// chunk parses the items of a piece. After an error parsing goes on with what
// looks like the next item, so that one run tells all errors of a file: the
// errors within a body do not end its item, see statementReader, and the error
// of a header skips the body that belongs to it.
func (p *parser) chunk(tokens *lexer.PeekingLexer) {
	for !p.stop && !tokens.Peek().EOF() {
		start := tokens.RawCursor()
		rule, err := p.items().ParseFromLexer(tokens, participle.AllowTrailing(true))
		if err != nil {
			p.errs = append(p.errs, explain(err))
			last := len(p.errs) - 1
			p.recover(tokens, start)
			p.errs[last] = unended(p.errs[last], append(slices.Clip(tokens.Range(start, tokens.RawCursor())), *tokens.Peek()))
		} else {
			rule.build(&p.builder, p.module)
		}
		p.limit(tokenPos(tokens.Peek().Pos))
	}
}

// limit stops where the module is too large, or there are too many errors.
func (p *parser) limit(at Pos) {
	if p.nodes.nodes > maxNodes {
		p.fail(at, "the module is too large, hyptx takes %d syntax nodes", maxNodes)
		p.stop = true
	}
	p.stop = p.stop || len(p.errs) > maxErrors || p.wrong > maxBodyErrors
}

// recover skips to what may be the next item: a word that begins one, first on
// its line and outside of bodies.
func (p *parser) recover(tokens *lexer.PeekingLexer, start lexer.RawCursor) {
	if tokens.RawCursor() == start {
		p.step(tokens)
	}
	line := 0
	if before := tokens.RawCursor(); before > 0 {
		line = tokens.Range(before-1, before)[0].Pos.Line
	}
	for depth := 0; ; {
		t := tokens.Peek()
		if t.EOF() {
			return
		}
		if t.Type == tokDirective && depth == 0 && t.Pos.Line > line && itemWords[t.Value] {
			return
		}
		line = t.Pos.Line
		if t.Type == tokPunct {
			switch t.Value {
			case "{":
				depth++
			case "}":
				depth--
			}
		}
		p.step(tokens)
	}
}

// step moves over a token; what the lexer has to say of it must not get lost.
func (p *parser) step(tokens *lexer.PeekingLexer) {
	t := tokens.Next()
	last := len(p.errs) - 1
	if t.Type == tokBad && p.errs[last].Pos != tokenPos(t.Pos) && len(p.errs) <= maxErrors {
		p.fail(tokenPos(t.Pos), "%s", t.Value)
	}
}

// result gives the errors in order, with the file's name.
func (p *parser) result() error {
	p.module.Unusable = len(p.errs) > 0 || p.stop
	for _, item := range p.module.Items {
		if f, ok := item.(*Function); ok {
			for _, e := range f.Errors {
				e.File = p.module.File
			}
			p.errs = append(p.errs, f.Errors...)
		}
	}
	if len(p.errs) == 0 {
		return nil
	}
	p.errs.sort()
	if len(p.errs) > maxErrors {
		p.errs = p.errs[:maxErrors]
		at, rest := p.errs[maxErrors-1].Pos, ""
		if p.stop {
			rest = "; the rest of the file was not read"
		}
		p.fail(at, "more errors than %d%s", maxErrors, rest)
	}
	for _, e := range p.errs {
		e.File = p.module.File
	}
	return p.errs
}
