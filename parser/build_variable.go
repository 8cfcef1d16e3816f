package parser

func (r *variableRule) build(b *builder) *Variable {
	v := r.specRule.build(b)
	v.Names = make([]Declarator, len(r.Names))
	for i := range r.Names {
		r.Names[i].build(b, &v.Names[i])
	}
	return v
}

func (r *paramRule) build(b *builder) *Variable {
	v := r.specRule.build(b)
	v.Hidden = r.Hidden
	v.Names = make([]Declarator, 1)
	r.Declarator.build(b, &v.Names[0])
	return v
}

func (r *specRule) build(b *builder) *Variable {
	v := &Variable{Pos: tokenPos(r.Pos), Space: r.Space[1:], Bank: r.Bank.build()}
	for i := range r.Modifiers {
		r.Modifiers[i].build(b, v)
	}
	if v.Type == "" {
		b.fail(v.Pos, "this declaration has no type; expected one such as .b32 before the name")
	}
	return v
}

func (r *modifierRule) build(b *builder, v *Variable) {
	what, twice := "", false
	switch {
	case r.Type != "":
		what, twice = "type", v.Type != ""
		v.Type = r.Type[1:]
	case r.Align != nil:
		what, twice = ".align", v.Align != nil
		v.Align = r.Align.expr
	case r.Vector != "":
		what, twice = "vector length", v.Vec != 0
		v.Vec = int(r.Vector[2] - '0')
	case r.Ptr != nil:
		what, twice = ".ptr", v.Ptr != nil
		v.Ptr = r.Ptr.build()
	default:
		what, twice = ".attribute", v.Attribute != nil
		v.Attribute = r.Attributes.build()
	}
	if twice {
		b.fail(tokenPos(r.Pos), "second %s in one declaration; expected a name after the first", what)
	}
}

func (r *ptrRule) build() *Ptr {
	p := &Ptr{Align: r.Align.build()}
	if r.Space != "" {
		p.Space = r.Space[1:]
	}
	return p
}

func (r *declaratorRule) build(b *builder, d *Declarator) {
	d.Pos, d.Name, d.Count = tokenPos(r.Pos), r.Name, r.Count.build()
	for i := range r.Dims {
		d.Dims = append(d.Dims, r.Dims[i].Size.build())
	}
	if r.Init == nil {
		return
	}
	init, err := parseInit(b.nodes, r.Init)
	if err != nil {
		b.errs = append(b.errs, err)
		return
	}
	d.Init = init
}
