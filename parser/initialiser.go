package parser

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// parseInit splits what follows the = of a declaration (PTX ISA 5.4.4).
func parseInit(nodes *slab, t *lexer.Token) (*Init, *Error) {
	c := cursor{nodes: nodes}
	c.begin(t.Value, t.Pos)
	c.next()
	init := &Init{}
	c.initialiser(init)
	if c.err == nil && c.kind != kEnd {
		c.unexpected(", or ; after the initialiser")
	}
	return init, c.err
}

func (c *cursor) initialiser(init *Init) {
	init.Pos = c.pos
	if c.kind == '{' {
		c.initList(init)
		return
	}
	if c.kind == kString {
		c.unexpected("a number or a name")
		return
	}
	init.Value = c.expr()
	c.mask(init)
}

// mask reads the rest of 0xFF00(sym+4), whose literal has been read as a value
// (PTX ISA 5.4.4: mask operator).
func (c *cursor) mask(init *Init) {
	if c.kind != '(' || init.Value == nil || init.Value.Kind != ExprInt {
		return
	}
	init.Mask = init.Value
	c.next()
	init.Value = c.expr()
	c.want(')', ") after what the mask applies to")
}

// initList reads { ... }: elements, or the fields of an opaque variable.
func (c *cursor) initList(init *Init) {
	if !c.enter() {
		return
	}
	init.List = make([]Init, 0, c.countElements())
	c.next()
	for c.kind != '}' {
		init.List = append(init.List, Init{})
		elem := &init.List[len(init.List)-1]
		c.initialiser(elem)
		if c.kind == '=' && len(init.List) == 1 && elem.Value != nil && elem.Value.Kind == ExprName {
			init.List = nil
			c.fields(init, elem.Value.Name)
			break
		}
		c.nodes.nodes++
		if c.kind != ',' {
			break
		}
		c.next()
		if c.kind == '}' {
			c.unexpected("another element after ,")
		}
	}
	c.want('}', ", or } in the initialiser")
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

// fields reads { name = value, ... }; c stands at the first =.
func (c *cursor) fields(init *Init, name string) {
	for {
		c.want('=', "= after the field's name")
		value := c.expr()
		if c.err != nil {
			return
		}
		init.Fields = append(init.Fields, InitField{Name: name, Value: *value})
		if c.kind != ',' {
			return
		}
		c.next()
		if c.kind != kName {
			c.unexpected("the name of a field such as width")
			return
		}
		name = c.text
		c.next()
	}
}
