package parser

import (
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// Initialisers have a reader by hand for the sake of tables: a network's
// weights or a look-up table are one list of a million numbers, for which the
// grammar would take half a minute and gigabytes. The elements of a list are
// values in one slice, and its length is known before the first is read
// (countElements), so that the slice is not copied as it grows.

// readInit is an initialiser that was read by hand.
type readInit struct {
	init  *Init
	nodes int
}

func (r readInit) build(b *builder) *Init {
	b.nodes.nodes += r.nodes
	return r.init
}

// fastInit stands for the production Initialiser (PTX ISA 5.4.4). Where it
// gives up, the production reads the words of the same token.
func fastInit(tokens *lexer.PeekingLexer) (initialiser, error) {
	t := tokens.Peek()
	if t.Type != tokInit {
		return production[initialiserRule](tokens)
	}
	tokens.Next()
	c := cursor{nodes: &slab{}}
	c.begin(t.Value, t.Pos)
	c.next()
	init := &Init{}
	c.initialiser(init)
	if !c.bad && c.kind == kEnd {
		return readInit{init, c.nodes.nodes}, nil
	}
	words := open(*t)
	opened := replay(append(words, *tokens.Peek()))
	rule, err := production[initialiserRule](opened)
	if err == nil && int(opened.RawCursor()) < len(words) {
		err = &participle.UnexpectedTokenError{Unexpected: *opened.Peek(), Expect: `";"`}
	}
	return rule, err
}

func (c *cursor) initialiser(init *Init) {
	init.Pos = c.pos
	if c.kind == '{' {
		c.initList(init)
		return
	}
	literal := c.kind == kNumber
	init.Value = c.expr()
	if literal && c.kind == '(' && init.Value.Kind == ExprInt {
		c.mask(init)
	}
}

// mask reads the rest of 0xFF00(sym+4), whose literal has been read as a value
// (PTX ISA 5.4.4: mask operator).
func (c *cursor) mask(init *Init) {
	init.Mask = init.Value
	c.next()
	init.Value = c.expr()
	c.want(')')
}

// initList reads the elements in { ... }. The fields of an opaque variable, which
// are few, are left to the grammar: at their = this gives up.
func (c *cursor) initList(init *Init) {
	if !c.enter() {
		return
	}
	init.List = make([]Init, 0, c.countElements())
	c.next()
	for c.kind != '}' {
		init.List = append(init.List, Init{})
		c.initialiser(&init.List[len(init.List)-1])
		c.nodes.nodes++
		if c.kind != ',' {
			break
		}
		c.next()
		if c.kind == '}' {
			c.fail()
		}
	}
	c.want('}')
	c.leave()
}

// countElements estimates how many elements the list at c has: exactly, when
// there are no lists or comments in it. Tables in real code have millions.
func (c *cursor) countElements() int {
	text := c.src[c.off:]
	if end := strings.IndexByte(text, '}'); end >= 0 {
		text = text[:end]
	}
	if inner := strings.IndexByte(text, '{'); inner >= 0 || strings.TrimSpace(text) == "" {
		return 0
	}
	return strings.Count(text, ",") + 1
}
