package parser

import "github.com/alecthomas/participle/v2/lexer"

// build makes what a linking directive may stand before. The declaration's place is
// that of the directive, where there is one.
func (r *declarationRule) build(b *builder, m *Module) {
	linkage := Linkage("")
	if r.Linkage != "" {
		linkage = Linkage(r.Linkage[1:])
	}
	if r.Variable != nil {
		v := r.Variable.build(b)
		v.Pos, v.Linkage = tokenPos(r.Pos), linkage
		m.Items = append(m.Items, v)
		return
	}
	var f *Function
	if r.Entry != nil {
		f = r.Entry.build(b)
	} else {
		f = r.Func.build(b)
	}
	f.Pos, f.Linkage = tokenPos(r.Pos), linkage
	m.Items = append(m.Items, f)
}

// build makes a kernel. No parameters at all and an empty list differ in the tree.
func (r *entryRule) build(b *builder) *Function {
	f := &Function{Pos: tokenPos(r.Pos), Kernel: true, Name: r.Name.Value, NamePos: tokenPos(r.Name.Pos),
		Params: r.Params.build(b), Directives: directives(b, r.Directives)}
	f.Body, f.Errors = functionBody(b, r.Body)
	return f
}

// build makes a device function.
func (r *funcRule) build(b *builder) *Function {
	f := &Function{Pos: tokenPos(r.Pos), Attribute: r.Attributes.build(b), Returns: r.Returns.build(b),
		Name: r.Name.Value, NamePos: tokenPos(r.Name.Pos),
		Params: r.Params.build(b), Directives: directives(b, r.Directives)}
	f.Body, f.Errors = functionBody(b, r.Body)
	return f
}

// functionBody builds a function's body, nil when it has none, and gives what is
// wrong with it: that is the function's matter and not the module's.
func functionBody(b *builder, r scope) (*Block, ErrorList) {
	if r == nil {
		return nil, nil
	}
	outside := b.errs
	b.errs = nil
	body := r.build(b)
	wrong := b.errs
	b.errs, b.wrong = outside, b.wrong+len(wrong)
	return body, wrong
}

// build makes the variables of a list; nil when there is no list.
func (r *paramsRule) build(b *builder) []*Variable {
	if r == nil {
		return nil
	}
	out := make([]*Variable, len(r.Params))
	for i := range r.Params {
		out[i] = r.Params[i].build(b)
	}
	return out
}

// build makes the list of an .attribute.
func (r *attributesRule) build(b *builder) []Attribute {
	if r == nil {
		return nil
	}
	var out []Attribute
	for _, a := range r.List {
		attribute := Attribute{Name: a.Name[1:]}
		if a.Args != nil {
			attribute.Args = exprs(b, a.Args)
		}
		out = append(out, attribute)
	}
	return out
}

// directives makes what stands between the header of a function and its body, in
// the order in which it was written; package ir gives it a meaning.
func directives(b *builder, rules []headerRule) []Directive {
	var out []Directive
	for i := range rules {
		out = append(out, rules[i].build(b))
	}
	return out
}

// build makes one directive. They differ in their arguments alone, so the tree has
// one type for all of them.
func (r *headerRule) build(b *builder) Directive {
	switch {
	case r.Sizes != nil:
		d := directive(r.Sizes.Pos, r.Sizes.Name)
		for i := range r.Sizes.Args {
			d.Args = append(d.Args, DirectiveArg{Expr: r.Sizes.Args[i].build(b)})
		}
		return d
	case r.Number != nil:
		return directive(r.Number.Pos, r.Number.Name, DirectiveArg{Expr: r.Number.Arg.build(b)})
	case r.Flag != nil:
		return directive(r.Flag.Pos, r.Flag.Name)
	case r.Memory != nil:
		return directive(r.Memory.Pos, r.Memory.Name, DirectiveArg{Expr: r.Memory.Size.build(b)})
	case r.Language != nil:
		return r.Language.build(b)
	}
	d := directive(r.Pragma.Pos, ".pragma")
	for _, s := range r.Pragma.Strings {
		d.Args = append(d.Args, stringArg(s))
	}
	return d
}

func stringArg(quoted string) DirectiveArg {
	text := unquote(quoted)
	return DirectiveArg{String: &text}
}

// directive makes a directive of the word with its dot.
func directive(p lexer.Position, word string, args ...DirectiveArg) Directive {
	return Directive{Pos: tokenPos(p), Name: word[1:], Args: args}
}

// build makes a .language, whose arguments are strings and numbers.
func (r *languageRule) build(b *builder) Directive {
	d := directive(r.Pos, r.Name)
	for _, a := range r.Args {
		if a.Expr != nil {
			d.Args = append(d.Args, DirectiveArg{Expr: a.Expr.build(b)})
		} else {
			d.Args = append(d.Args, stringArg(a.String))
		}
	}
	return d
}
