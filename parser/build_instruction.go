package parser

// The nodes of instructions. The reader by hand makes the same in instruction.go
// and operand.go; what is neither syntax nor meaning, that a|p is a pair and that a
// sign before a register belongs to the operand, both do by the functions there.
//
// build makes an instruction. Its end is the place of the semicolon.
func (r *instructionRule) build(b *builder) *Instruction {
	in := b.nodes.instruction()
	in.Pos = tokenPos(r.Pos)
	if r.Guard != nil {
		in.Guard = r.Guard.build(b)
	}
	switch {
	case r.Call != nil:
		in.Opcode, in.OpcodePos = r.Call.Opcode.Value, tokenPos(r.Call.Opcode.Pos)
		in.Operands = operands(b, r.Call.Operands, (*callOperandRule).build)
		in.End = tokenPos(r.Call.End.Pos)
	default:
		in.Opcode, in.OpcodePos = r.Operation.Opcode.Value, tokenPos(r.Operation.Opcode.Pos)
		in.Operands = operands(b, r.Operation.Operands, (*operandRule).build)
		in.End = tokenPos(r.Operation.End.Pos)
	}
	return in
}

// build makes a guard; its place is that of the predicate, not of the @.
func (r *guardRule) build(b *builder) *Guard {
	g := b.nodes.guard()
	g.Not, g.Name, g.Pos = r.Not, r.Predicate.Name, tokenPos(r.Predicate.Pos)
	return g
}

// operands builds a list; nil when it is empty.
func operands[T any](b *builder, rules []T, build func(*T, *builder) Operand) []Operand {
	var out []Operand
	for i := range rules {
		out = append(out, build(&rules[i], b))
	}
	b.nodes.nodes += len(rules)
	return out
}

// build makes an operand of a call, where parentheses are a list.
func (r *callOperandRule) build(b *builder) Operand {
	if r.Arguments == nil {
		return r.Operand.build(b)
	}
	return Operand{Pos: tokenPos(r.Arguments.Pos), Kind: OperandParens, Elems: operands(b, r.Arguments.List, (*simpleRule).build)}
}

// build makes an operand. A pair's first part may be a vector, which no expression
// holds; any other pair was read as a bit-or.
func (r *operandRule) build(b *builder) Operand {
	switch {
	case r.Address != nil:
		return r.Address.build(b)
	case r.Simple != nil:
		o := r.Simple.build(b)
		splitPair(b.nodes, &o)
		return o
	}
	o := r.Vector.build(b)
	if r.Second != nil {
		return pair(b.nodes, o, r.Second.build(b))
	}
	return o
}

// build makes a vector.
func (r *vectorRule) build(b *builder) Operand {
	return Operand{Pos: tokenPos(r.Pos), Kind: OperandVector, Elems: operands(b, r.List, (*simpleRule).build)}
}

// build makes an address; words after the brackets are glued as they stand.
func (r *addressRule) build(b *builder) Operand {
	return Operand{Pos: tokenPos(r.Pos), Kind: OperandAddress, Elems: operands(b, r.List, (*elementRule).build), Suffix: r.Suffix}
}

// build makes one thing within the brackets of an address.
func (r *elementRule) build(b *builder) Operand {
	if r.Vector != nil {
		return r.Vector.build(b)
	}
	return r.Simple.build(b)
}

// build makes an operand of one part.
func (r *simpleRule) build(b *builder) Operand {
	o := Operand{Pos: tokenPos(r.Pos)}
	if r.Array != nil {
		o.Kind, o.Name, o.X = OperandArray, r.Array.Name, r.Array.Index.build(b)
		return o
	}
	classify(&o, r.Expr.build(b))
	return o
}
