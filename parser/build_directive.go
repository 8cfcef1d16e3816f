package parser

import "github.com/alecthomas/participle/v2/lexer"

// build makes the statement that the grammar matched.
func (r *directiveRule) build(b *builder) Stmt {
	switch {
	case r.Variable != nil:
		return r.Variable.build(b)
	case r.Loc != nil:
		return r.Loc.build(b)
	case r.Intermediate != nil:
		return r.Intermediate.build()
	case r.Pragma != nil:
		return r.Pragma.build()
	case r.Section != nil:
		return r.Section.build()
	case r.Dwarf != nil:
		return r.Dwarf.build()
	}
	panic("BUG: a directive without a production")
}

// build makes a .loc; its attributes may come in any order, the last of a kind
// counts.
func (r *locRule) build(b *builder) *LocDirective {
	at := b.place(r.Place)
	loc := &LocDirective{Pos: tokenPos(r.Pos), File: at[0], Line: at[1], Col: at[2],
		FunctionName: r.Function, FunctionOffset: optional(b, r.Offset)}
	if r.InlinedAt != nil {
		at := b.place(r.InlinedAt)
		loc.InlinedAt = &at
	}
	return loc
}

// place reads file, line and column.
func (b *builder) place(tokens []lexer.Token) (at [3]int) {
	for i := range at {
		at[i] = b.whole(tokens[i])
	}
	return at
}

// build keeps the text: nothing in hyptx looks into it.
func (r *locIntermediateRule) build() *rawDirective {
	text := r.Place[0].Value + " " + r.Place[1].Value + " " + r.Place[2].Value
	return &rawDirective{Pos: tokenPos(r.Pos), Name: r.Name[1:], Text: text}
}

// targets makes the names of a list; N<5> stands for N0 to N4 and is not spelled
// out here, for the tree is what was written.
func targets(b *builder, rules []targetName) []TargetName {
	out := make([]TargetName, len(rules))
	for i, r := range rules {
		out[i] = TargetName{Pos: tokenPos(r.Pos), Name: r.Name, Count: optional(b, r.Count)}
	}
	return out
}
