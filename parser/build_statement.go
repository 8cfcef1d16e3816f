package parser

// The nodes of bodies. By the grammar alone a body has been built, statement by
// statement, when its scope is: statementReader hands over what is there.
//
// build makes a scope; that its } is missing is told once, for the innermost.
func (r *scopeRule) build(b *builder) *Block {
	block := &Block{Pos: tokenPos(r.Pos), Stmts: r.Statements.build(b)}
	b.errs.close(block, r.End)
	b.nodes.nodes++
	return block
}

// build makes the statements of a scope that matched as a whole. Only the grammar
// as it stands comes here, which tests hold against the two ways to parse.
func (r *statementsRule) build(b *builder) []Stmt {
	var out []Stmt
	for i := range r.List {
		out = append(out, r.List[i].build(b))
	}
	return out
}

// build makes the one thing that a statement is.
func (r *statementRule) build(b *builder) Stmt {
	switch {
	case r.Instruction != nil:
		return r.Instruction.build(b)
	case r.Label != nil:
		return r.Label.build(b)
	case r.Scope != nil:
		return r.Scope.build(b)
	}
	return r.Directive.build(b)
}

// build makes a label, or what the label names: lists of targets and prototypes
// have no name of their own (PTX ISA 11.3).
func (r *labelRule) build(b *builder) Stmt {
	p := tokenPos(r.Pos)
	switch {
	case r.BranchTargets != nil:
		return &BranchTargets{Pos: p, Name: r.Name, Labels: targets(b, r.BranchTargets.Targets)}
	case r.CallTargets != nil:
		return &CallTargets{Pos: p, Name: r.Name, Functions: targets(b, r.CallTargets.Targets)}
	case r.CallPrototype != nil:
		c := r.CallPrototype
		return &CallPrototype{Pos: p, Name: r.Name, Returns: c.Returns.build(b), Params: c.Params.build(b),
			Directives: directives(b, c.Directives)}
	}
	l := b.nodes.label()
	l.Pos, l.Name = p, r.Name
	return l
}
