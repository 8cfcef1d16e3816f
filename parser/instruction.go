package parser

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// instruction splits an instruction statement; nil means that c.err is set.
func (c *cursor) instruction(t *lexer.Token) *Instruction {
	c.begin(t.Value, t.Pos)
	in := c.nodes.instruction()
	in.Pos = tokenPos(t.Pos)
	if c.at(0) == '@' {
		in.Guard = c.guard()
	}
	if c.err != nil {
		return nil
	}
	in.OpcodePos = c.placeOf(c.off)
	if first := c.at(0); !is(first, isLetter) && first != '_' {
		c.next()
		c.unexpected("an opcode such as mov.u32")
		return nil
	}
	in.Opcode = c.opcode()
	if strings.HasSuffix(in.Opcode, ".") || strings.Contains(in.Opcode, "..") {
		c.fail(in.OpcodePos, "opcode %s has a dot without a word; expected a form such as mov.u32", clip(in.Opcode))
		return nil
	}
	c.next()
	in.Operands = c.operands(isCall(in.Opcode))
	if c.err != nil {
		return nil
	}
	in.End = c.pos
	return in
}

// isCall says whether an opcode's parentheses hold arguments.
func isCall(opcode string) bool {
	return strings.HasPrefix(opcode, "call") && (len(opcode) == 4 || opcode[4] == '.')
}

// guard reads @p or @!p, blanks anywhere.
func (c *cursor) guard() *Guard {
	g := c.nodes.guard()
	c.off++
	c.skip()
	if c.at(0) == '!' {
		g.Not = true
		c.off++
		c.skip()
	}
	g.Pos = c.placeOf(c.off)
	if !c.startsName() {
		c.next()
		c.unexpected("a predicate after @")
		return nil
	}
	g.Name = c.plainName()
	c.skip()
	return g
}
