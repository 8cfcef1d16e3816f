package parser

// The nodes of declarations.
//
// build makes the variables of one statement.
func (r *variableRule) build(b *builder) *Variable {
	v := r.specRule.build(b)
	v.Names = make([]Declarator, len(r.Names))
	for i := range r.Names {
		r.Names[i].build(b, &v.Names[i])
	}
	return v
}

// build makes one parameter: a declaration of one name.
func (r *paramRule) build(b *builder) *Variable {
	v := r.specRule.build(b)
	v.Hidden = r.Hidden
	v.Names = make([]Declarator, 1)
	r.Declarator.build(b, &v.Names[0])
	return v
}

// build makes what the names of a declaration share. The grammar takes its parts in
// any order and any number; that a type is there is found out here.
func (r *specRule) build(b *builder) *Variable {
	v := &Variable{Pos: tokenPos(r.Pos), Space: r.Space[1:], Bank: optional(b, r.Bank)}
	for i := range r.Modifiers {
		r.Modifiers[i].build(b, v)
	}
	if v.Type == "" {
		b.fail(v.Pos, "this declaration has no type; expected one such as .b32 before the name")
	}
	return v
}

// build sets one part of a declaration, which must not be there twice.
func (r *modifierRule) build(b *builder, v *Variable) {
	what, twice := "", false
	switch {
	case r.Type != "":
		what, twice = "type", v.Type != ""
		v.Type = r.Type[1:]
	case r.Align != nil:
		what, twice = ".align", v.Align != nil
		v.Align = r.Align.build(b)
	case r.Vector != "":
		what, twice = "vector length", v.Vec != 0
		v.Vec = int(r.Vector[2] - '0')
	case r.Ptr != nil:
		what, twice = ".ptr", v.Ptr != nil
		v.Ptr = r.Ptr.build(b)
	default:
		what, twice = ".attribute", v.Attribute != nil
		v.Attribute = r.Attributes.build(b)
	}
	if twice {
		b.fail(tokenPos(r.Pos), "second %s in one declaration; expected a name after the first", what)
	}
}

// build makes what a kernel's parameter points to.
func (r *ptrRule) build(b *builder) *Ptr {
	p := &Ptr{Align: optional(b, r.Align)}
	if r.Space != "" {
		p.Space = r.Space[1:]
	}
	return p
}

// build makes a declared name with its dimensions and its initialiser.
func (r *declaratorRule) build(b *builder, d *Declarator) {
	d.Pos, d.Name, d.Count = tokenPos(r.Pos), r.Name, optional(b, r.Count)
	for i := range r.Dims {
		d.Dims = append(d.Dims, optional(b, r.Dims[i].Size))
	}
	if r.Init != nil {
		d.Init = r.Init.build(b)
	}
}

// build makes an initialiser.
func (r *initialiserRule) build(b *builder) *Init {
	init := &Init{}
	r.set(b, init)
	return init
}

// set fills an element in place, for tables hold millions of them.
func (r *initialiserRule) set(b *builder, init *Init) {
	init.Pos = tokenPos(r.Pos)
	b.nodes.nodes++
	switch {
	case r.Mask != nil:
		init.Mask, init.Value = b.nodes.expr(), r.Mask.Value.build(b)
		init.Mask.Pos = tokenPos(r.Mask.Pos)
		b.literal(init.Mask, r.Mask.Mask)
	case r.Value != nil:
		init.Value = r.Value.build(b)
	case r.List.Fields != nil:
		for _, f := range r.List.Fields {
			init.Fields = append(init.Fields, initField{Name: f.Name, Value: *f.Value.build(b)})
		}
	default:
		init.List = make([]Init, len(r.List.List))
		for i := range r.List.List {
			r.List.List[i].set(b, &init.List[i])
		}
	}
}
