package parser

import "strconv"

// variable writes a declaration without its semicolon.
func (p *printer) variable(v *Variable) {
	p.linkage(v.Linkage)
	if v.Hidden {
		p.text(".hidden ")
	}
	p.text(".", v.Space)
	if v.Bank != nil {
		p.text("[")
		p.expr(v.Bank)
		p.text("]")
	}
	p.text(" ")
	p.attributes(v.Attribute)
	p.align(v.Align)
	if v.Vec != 0 {
		p.text(".v", strconv.Itoa(v.Vec), " ")
	}
	p.text(".", v.Type, " ")
	if v.Ptr != nil {
		p.text(".ptr ")
		if v.Ptr.Space != "" {
			p.text(".", v.Ptr.Space, " ")
		}
		p.align(v.Ptr.Align)
	}
	for i := range v.Names {
		p.text(separator(i, "", ", "))
		p.declarator(&v.Names[i])
	}
}

// align writes an alignment and the blank after it.
func (p *printer) align(e *Expr) {
	if e != nil {
		p.text(".align ")
		p.expr(e)
		p.text(" ")
	}
}

// attributes writes .attribute(...), or nothing.
func (p *printer) attributes(list []Attribute) {
	for i, a := range list {
		p.text(separator(i, ".attribute(", ", "), ".", a.Name)
		for j := range a.Args {
			p.text(separator(j, "(", ", "))
			p.expr(&a.Args[j])
		}
		if len(a.Args) > 0 {
			p.text(")")
		}
	}
	if len(list) > 0 {
		p.text(") ")
	}
}

// declarator writes a declared name; the first dimension may be empty.
func (p *printer) declarator(d *Declarator) {
	p.text(d.Name)
	p.count(d.Count)
	for _, size := range d.Dims {
		p.text("[")
		if size != nil {
			p.expr(size)
		}
		p.text("]")
	}
	if d.Init != nil {
		p.text(" = ")
		p.initialiser(d.Init)
	}
}

// count writes the <N> of name<N>.
func (p *printer) count(e *Expr) {
	if e != nil {
		p.text("<")
		p.exprAt(e, precShift+1)
		p.text(">")
	}
}

// initialiser writes what follows the = of a declaration.
func (p *printer) initialiser(init *Init) {
	switch {
	case init.Fields != nil:
		for i := range init.Fields {
			p.text(separator(i, "{ ", ", "), init.Fields[i].Name, " = ")
			p.expr(&init.Fields[i].Value)
		}
		p.text(" }")
	case init.List != nil:
		p.text("{")
		for i := range init.List {
			p.text(separator(i, "", ", "))
			p.initialiser(&init.List[i])
		}
		p.text("}")
	case init.Mask != nil:
		p.expr(init.Mask)
		p.text("(")
		p.expr(init.Value)
		p.text(")")
	default:
		p.expr(init.Value)
	}
}
