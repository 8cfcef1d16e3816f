package parser

func (r *scopeRule) build(b *builder) *Block {
	block := &Block{Pos: tokenPos(r.Pos), Stmts: r.Statements.build(b)}
	b.errs.close(block, r.End)
	b.nodes.nodes++
	return block
}

func (r *statementsRule) build(b *builder) []Stmt {
	var out []Stmt
	for i := range r.List {
		out = append(out, r.List[i].build(b))
	}
	return out
}

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
