package parser

// Nearly all operands are a register, a small number or an address of these two, with a
// comma or the ; behind. They are read here by their bytes, without lexemes: an
// instruction has some ten of these, each looked at four times on the general way.

// plainOperand reads such an operand and the , or ; behind it into the list; it is false, and
// has moved nothing, where another stands there. The cursor stands behind the opcode or
// the comma before; after the ; it stands at that, as after next.
func (c *cursor) plainOperand(list *operandList) bool {
	off := c.gap(c.off)
	if off+1 >= len(c.src) {
		return false
	}
	if c.src[off] == '[' {
		return c.plainAddress(list, off)
	}
	kind, bits, start, ok := ExprName, uint64(0), off, true
	switch {
	case c.beginsName(off):
		off = c.endOfName(off)
	case is(c.src[off], isDigit):
		kind = ExprInt
		bits, off, ok = c.decimal(off)
	default:
		return false
	}
	if !ok || !c.endsOperand(off) {
		return false
	}
	o, x := list.add(c.nodes), c.nodes.expr()
	x.Pos, x.Kind, x.Text, x.Bits = c.placeOf(start), kind, c.src[start:off], bits
	o.Pos, o.X = x.Pos, x
	return c.endOperand(off)
}

// plainAddress reads [name] and [name+number].
func (c *cursor) plainAddress(list *operandList, open int) bool {
	name := open + 1
	if name+1 >= len(c.src) || !c.beginsName(name) {
		return false
	}
	end := c.endOfName(name)
	var n uint64
	number, off := 0, end
	if off < len(c.src) && c.src[off] == '+' {
		ok := false
		number = off + 1
		if n, off, ok = c.decimal(number); !ok {
			return false
		}
	}
	if off >= len(c.src) || c.src[off] != ']' || !c.endsOperand(off+1) {
		return false
	}
	x := c.nodes.expr()
	x.Pos, x.Text = c.placeOf(name), c.src[name:end]
	if number > 0 {
		sum, y := c.nodes.expr(), c.nodes.expr()
		y.Pos, y.Kind, y.Text, y.Bits = c.placeOf(number), ExprInt, c.src[number:off], n
		sum.Pos, sum.Kind, sum.Text, sum.X, sum.Y = x.Pos, ExprBinary, c.src[end:number], x, y
		x = sum
	}
	inner := c.nodes.list(levelElement)
	e := inner.add(c.nodes)
	e.Pos, e.X = x.Pos, x
	o := list.add(c.nodes)
	o.Pos, o.Kind, o.Elems = c.placeOf(open), OperandAddress, inner.done()
	return c.endOperand(off + 1)
}

// gap is where the blanks at off end.
func (s *scanner) gap(off int) int {
	for off < len(s.src) && is(s.src[off], isGap) {
		off++
	}
	return off
}

// beginsName says whether a letter, or % and a letter, stands at off.
func (s *scanner) beginsName(off int) bool {
	return is(s.src[off], isLetter) || s.src[off] == '%' && is(s.src[off+1], isLetter)
}

// decimal reads a decimal integer of a few digits and says where it ends.
func (s *scanner) decimal(off int) (n uint64, end int, ok bool) {
	end = off
	for end < len(s.src) && is(s.src[end], isDigit) {
		end++
	}
	if end == off {
		return 0, end, false
	}
	n, ok = shortDecimal(s.src[off:end])
	return n, end, ok
}

// endsOperand says whether the mark at off ends an operand.
func (s *scanner) endsOperand(off int) bool {
	return off < len(s.src) && (s.src[off] == ',' || s.src[off] == ';')
}

// endOperand moves behind the comma at off, or to the ; .
func (c *cursor) endOperand(off int) bool {
	c.off, c.kind = off+1, ','
	if c.src[off] == ';' {
		c.off, c.kind, c.text, c.pos = off, kEnd, "", c.placeOf(off)
	}
	return true
}
