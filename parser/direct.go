package parser

// Most of a text are instructions that are right. To find the ; of one, hand it on as a
// token and go over its bytes once more is half of what reading it takes. So where a
// body is read from the text itself, the cursor is set on the text where an instruction
// may stand, and reads up to its ; in one go. What it takes is what the lexer would have
// made one token of, since no lexeme of an instruction ends a statement early; where it
// gives up, the lexer stands where it stood.

// direct reads the instruction at which the lexer stands into the stack; it is false,
// and has moved nothing, where none stands there, or one that is out of the ordinary.
func (r *bodyReader) direct() bool {
	l := r.text
	if l == nil || !l.statement || l.boundary || l.done || l.all >= maxBodyTokens || r.tokens.at < len(r.tokens.ahead) || len(r.errs) == maxErrors {
		return false
	}
	before := l.scanner
	l.skip()
	if c := l.at(0); !is(c, isLetter) && c != '@' {
		l.scanner = before
		return false
	}
	c := &r.cursor
	c.beginAt(&l.scanner)
	in := c.instruction(c.placeOf(c.off))
	if in == nil || c.at(0) != ';' {
		l.scanner = before
		return false
	}
	l.off, l.line, l.bol = c.off+1, c.line, c.bol
	l.all++
	l.lastType, l.last = tokInstruction, ""
	r.stack = append(r.stack, in)
	return true
}

// beginAt sets c where s stands; it reads no more than a statement may have.
func (c *cursor) beginAt(s *scanner) {
	c.scanner = *s
	c.src = s.src[:min(len(s.src), s.off+maxStatementWords)]
	c.lexeme = lexeme{}
	c.bad, c.nest, c.ops = false, 0, 0
}

// passLabel moves over a label. Where none stands l is at what does, or behind the first word
// of an instruction, in which nothing ends it.
func (l *moduleLexer) passLabel() bool {
	if l.at(0) == '@' {
		return false // of an instruction, whatever stands behind it
	}
	if before := l.scanner; is(l.at(0), isLetter) {
		l.run(isFollow)
		if c := l.at(0); c != ':' && c != '/' && !is(c, isBlank) {
			return false
		}
		l.scanner = before
	}
	_, ok := l.label()
	return ok
}

// passOver moves over the labels and instructions at l and says how many instructions
// these were: where a body is read later, all that is wanted of it now is its end.
func (l *moduleLexer) passOver() (instructions int) {
	for l.statement && !l.done && l.all < maxBodyTokens {
		l.skip()
		before := l.scanner
		if c := l.at(0); !l.startsName() && (c != '@' || l.at(1) == '@') {
			return instructions
		}
		typ := tokLabel
		if !l.passLabel() {
			if l.statementEnd() != ';' {
				l.scanner = before
				return instructions
			}
			l.off++
			typ = tokInstruction
			instructions++
		}
		l.all++
		l.lastType, l.last = typ, ""
	}
	return instructions
}
