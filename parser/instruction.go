package parser

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// ofToken reads the instruction statement in a token; nil means that it gave up.
func (c *cursor) ofToken(t *lexer.Token) *Instruction {
	if len(t.Value) > maxStatementWords {
		return nil // only the grammar counts the words of a statement
	}
	c.begin(t.Value, t.Pos)
	return c.instruction(tokenPos(t.Pos))
}

// instruction reads an instruction statement, at whose first byte c stands; nil means
// that it gave up.
func (c *cursor) instruction(at Pos) *Instruction {
	var guard *Guard
	if c.at(0) == '@' {
		if guard = c.guard(); guard == nil {
			return nil
		}
	}
	if !c.startsOpcode() {
		return nil
	}
	start := c.placeOf(c.off)
	opcode := c.opcode()
	if hasEmptyWord(opcode) || c.at(0) == ':' { // a label
		return nil
	}
	in := c.nodes.instruction()
	in.Pos, in.Guard, in.Opcode, in.OpcodePos = at, guard, opcode, start
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

// guard reads @p or @!p, blanks anywhere; nil means that it gave up.
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
		return nil
	}
	g.Name = c.plainName()
	c.skip()
	return g
}
