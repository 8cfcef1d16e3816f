package parser

import "github.com/alecthomas/participle/v2/lexer"

// build makes the statement that the grammar matched.
func (r *directiveRule) build(b *builder) Stmt {
	switch {
	case r.Variable != nil:
		return r.Variable.Variable.build(b)
	case r.Loc != nil:
		return r.Loc.build(b)
	case r.Intermediate != nil:
		return r.Intermediate.build()
	case r.Pragma != nil:
		return r.Pragma.build()
	case r.Labelled != nil:
		return r.Labelled.build(b)
	case r.Section != nil:
		return r.Section.build()
	case r.Dwarf != nil:
		return r.Dwarf.build()
	}
	panic("BUG: a directive without a production")
}

func (r *locRule) build(b *builder) *LocDirective {
	at := b.place(r.Place)
	loc := &LocDirective{Pos: tokenPos(r.Pos), File: at[0], Line: at[1], Col: at[2],
		FunctionName: r.Function, FunctionOffset: r.Offset.build()}
	if r.InlinedAt != nil {
		at := b.place(r.InlinedAt)
		loc.InlinedAt = &at
	}
	return loc
}

func (b *builder) place(tokens []lexer.Token) (at [3]int) {
	for i := range at {
		at[i] = b.whole(tokens[i])
	}
	return at
}

func (r *locIntermediateRule) build() *RawDirective {
	text := r.Place[0].Value + " " + r.Place[1].Value + " " + r.Place[2].Value
	return &RawDirective{Pos: tokenPos(r.Pos), Name: r.Name[1:], Text: text}
}

func targets(rules []targetName) []TargetName {
	out := make([]TargetName, len(rules))
	for i, r := range rules {
		out[i] = TargetName{Pos: tokenPos(r.Pos), Name: r.Name, Count: r.Count.build()}
	}
	return out
}

func (r *labelledRule) build(b *builder) Stmt {
	p := tokenPos(r.Pos)
	switch {
	case r.BranchTargets != nil:
		return &BranchTargets{Pos: p, Name: r.Label, Labels: targets(r.BranchTargets.Targets)}
	case r.CallTargets != nil:
		return &CallTargets{Pos: p, Name: r.Label, Functions: targets(r.CallTargets.Targets)}
	}
	c := r.CallPrototype
	return &CallPrototype{Pos: p, Name: r.Label, Returns: c.Returns.build(b), Params: c.Params.build(b),
		Directives: directives(c.Directives)}
}
