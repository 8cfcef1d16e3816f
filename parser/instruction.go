package parser

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// instruction reads an instruction statement; nil means that it gave up.
func (c *cursor) instruction(t *lexer.Token) *Instruction {
	if len(t.Value) > maxStatementWords {
		return nil // only the grammar counts the words of a statement
	}
	c.begin(t.Value, t.Pos)
	in := c.nodes.instruction()
	in.Pos = tokenPos(t.Pos)
	if c.at(0) == '@' && !c.guard(in) {
		return nil
	}
	in.OpcodePos = c.placeOf(c.off)
	if !c.startsOpcode() {
		return nil
	}
	in.Opcode = c.opcode()
	if hasEmptyWord(in.Opcode) {
		return nil
	}
	c.next()
	in.Operands = c.operands(isCall(in.Opcode))
	if c.bad {
		return nil
	}
	in.End = c.pos
	return in
}

// startsOpcode says whether an opcode starts at s.
func (s *scanner) startsOpcode() bool { return is(s.at(0), isLetter) || s.at(0) == '_' }

// hasEmptyWord says whether an opcode has a dot without a word after it.
func hasEmptyWord(opcode string) bool {
	return strings.HasSuffix(opcode, ".") || strings.Contains(opcode, "..")
}

// isCall says whether an opcode's parentheses hold arguments.
func isCall(opcode string) bool {
	return strings.HasPrefix(opcode, "call") && (len(opcode) == 4 || opcode[4] == '.')
}

// guard reads @p or @!p, blanks anywhere; false means that it gave up.
func (c *cursor) guard(in *Instruction) bool {
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
		return false
	}
	g.Name = c.plainName()
	c.skip()
	in.Guard = g
	return true
}
