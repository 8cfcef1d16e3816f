package parser

import "github.com/alecthomas/participle/v2/lexer"

// The plain forms of directives in bodies, and of the headers of functions. Reading
// them by the grammar takes microseconds a word, and code with line numbers, with
// calls or of small kernels has as many of them as instructions. The grammar knows
// these forms too, and a test compares what both make of them. Whatever deviates from
// a plain form, such as a sum for a number, sends the tokens back to where
// they were, and the grammar reads them.

// plainReader reads directives of plain form; nil means that one has another.
type plainReader struct {
	tokens *tokenRun
	nodes  *slab
}

// plainOpening reads .version, .target or .address_size, with which every module opens; nil, with
// nothing taken, is anything else, or a wrong one.
func plainOpening(run *tokenRun) *itemRule {
	at := run.at
	switch word := run.Next(); word.Value {
	case ".version":
		if n := run.Next(); n.Type == tokFloat || n.Type == tokInt {
			return &itemRule{Version: &versionRule{Number: *n}}
		}
	case ".address_size":
		if n := run.Next(); n.Type == tokInt {
			return &itemRule{AddressSize: &addressSizeRule{Bits: *n}}
		}
	case ".target":
		r := &targetRule{Pos: word.Pos}
		for more := true; more; {
			name := run.Next()
			if name.Type != tokName {
				run.at = at
				return nil
			}
			r.Names = append(r.Names, name.Value)
			if more = run.Peek().Value == ","; more {
				run.Next()
			}
		}
		return &itemRule{Target: r}
	}
	run.at = at
	return nil
}

// statement reads a directive of a body.
func (r *plainReader) statement() Stmt {
	if r.tokens.Peek().Type == tokLabel {
		if b := r.branchTargets(); b != nil {
			return b
		}
		return nil
	}
	switch r.tokens.Peek().Value {
	case ".loc":
		if loc := r.loc(); loc != nil {
			return loc
		}
	case ".reg", ".param", ".local", ".shared":
		if v := r.variables(); v != nil {
			return v
		}
	case ".pragma":
		p := &Pragma{Pos: tokenPos(r.tokens.Next().Pos)}
		if s := r.tokens.Next(); s.Type == tokString {
			p.Strings = []string{unquote(s.Value)}
			if r.takes(";") {
				return p
			}
		}
	}
	return nil
}

// takes takes the next token if it is this mark.
func (r *plainReader) takes(mark string) bool {
	t := r.tokens.Peek()
	if t.Type != tokPunct || t.Value != mark {
		return false
	}
	r.tokens.Next()
	return true
}

// loc reads .loc file line column with its attributes, each once.
func (r *plainReader) loc() *LocDirective {
	p := tokenPos(r.tokens.Next().Pos)
	at, ok := r.place()
	if !ok {
		return nil
	}
	loc := r.nodes.loc()
	loc.Pos, loc.File, loc.Line, loc.Col = p, at[0], at[1], at[2]
	for r.takes(",") {
		switch word := r.tokens.Next(); {
		case word.Value == "inlined_at" && loc.InlinedAt == nil:
			at, ok := r.place()
			if !ok {
				return nil
			}
			loc.InlinedAt = &at
		case word.Value == "function_name" && loc.FunctionName == "":
			name := r.tokens.Next()
			if name.Type != tokName && name.Type != tokDirective {
				return nil
			}
			if loc.FunctionName = name.Value; r.takes("+") {
				if loc.FunctionOffset = r.number(); loc.FunctionOffset == nil {
					return nil
				}
			}
		default:
			return nil
		}
	}
	if r.tokens.Peek().Type == tokPunct {
		return nil // of a sum, perhaps
	}
	return loc
}

// place reads file, line and column.
func (r *plainReader) place() (at [3]int, ok bool) {
	for i := range at {
		v := r.tokens.Next()
		e := Expr{}
		if v.Type != tokInt || setInt(&e, v.Value) != nil || e.Bits > 1<<31-1 {
			return at, false
		}
		at[i] = int(e.Bits)
	}
	return at, true
}

// branchTargets reads a list of labels with its own; a large switch has thousands.
func (r *plainReader) branchTargets() *BranchTargets {
	label := r.tokens.Next()
	b := &BranchTargets{Pos: tokenPos(label.Pos), Name: label.Value}
	if r.tokens.Next().Value != ".branchtargets" {
		return nil
	}
	for {
		t := r.tokens.Next()
		if t.Type != tokName {
			return nil
		}
		b.Labels = append(b.Labels, TargetName{Pos: tokenPos(t.Pos), Name: t.Value})
		if r.takes(";") {
			return b
		}
		if !r.takes(",") {
			return nil
		}
	}
}

// variables reads a declaration without vectors and initialisers.
func (r *plainReader) variables() *Variable {
	v := r.spec()
	if v == nil {
		return nil
	}
	for {
		if !r.declarator(v) {
			return nil
		}
		if r.takes(";") {
			return v
		}
		if !r.takes(",") {
			return nil
		}
	}
}

// spec reads what stands before the names of a declaration: .space, and behind it
// .align N, a type and .ptr.
func (r *plainReader) spec() *Variable {
	word := r.tokens.Next()
	v := &Variable{Pos: tokenPos(word.Pos), Space: word.Value[1:]}
	for {
		t := r.tokens.Peek()
		switch {
		case t.Type == tokName && v.Type != "":
			return v
		case t.Type == tokType && v.Type == "":
			v.Type = t.Value[1:]
			r.tokens.Next()
		case t.Value == ".align" && v.Align == nil:
			r.tokens.Next()
			if v.Align = r.number(); v.Align == nil {
				return nil
			}
		case t.Value == ".ptr" && v.Ptr == nil:
			r.tokens.Next()
			if v.Ptr = r.ptr(); v.Ptr == nil {
				return nil
			}
		default:
			return nil
		}
	}
}

// ptr reads what stands behind .ptr, whose .align is not the declaration's.
func (r *plainReader) ptr() *Ptr {
	p := &Ptr{}
	switch t := r.tokens.Peek(); t.Value {
	case ".global", ".const", ".local", ".shared":
		p.Space = t.Value[1:]
		r.tokens.Next()
	}
	if r.tokens.Peek().Value == ".align" {
		r.tokens.Next()
		if p.Align = r.number(); p.Align == nil {
			return nil
		}
	}
	return p
}

// declarator reads name, name<N> or name[N]... and adds it to v.
func (r *plainReader) declarator(v *Variable) bool {
	name := r.tokens.Next()
	if name.Type != tokName {
		return false
	}
	d := Declarator{Pos: tokenPos(name.Pos), Name: name.Value}
	if r.takes("<") {
		if d.Count = r.number(); d.Count == nil || !r.takes(">") {
			return false
		}
	}
	for r.takes("[") {
		n := r.number()
		if n == nil || !r.takes("]") {
			return false
		}
		d.Dims = append(d.Dims, n)
	}
	v.Names = append(v.Names, d)
	return true
}

// number reads an integer; what follows tells whether it is a whole expression.
func (r *plainReader) number() *Expr {
	n := r.tokens.Next()
	e := r.nodes.expr()
	e.Pos = tokenPos(n.Pos)
	if n.Type != tokInt || setInt(e, n.Value) != nil {
		return nil
	}
	return e
}

// function reads a function up to its body, which is read later, or to its ; .
func (r *plainReader) function() *Function {
	t := r.tokens.Next()
	f := &Function{Pos: tokenPos(t.Pos)}
	switch t.Value {
	case ".visible", ".extern", ".weak":
		f.Linkage = Linkage(t.Value[1:])
		t = r.tokens.Next()
	}
	f.Kernel = t.Value == ".entry"
	if !f.Kernel && t.Value != ".func" || !f.Kernel && !r.params(&f.Returns) {
		return nil
	}
	name := r.tokens.Next()
	if name.Type != tokName {
		return nil
	}
	f.Name, f.NamePos = name.Value, tokenPos(name.Pos)
	if !r.params(&f.Params) || !r.sizes(f) {
		return nil
	}
	if t = r.tokens.Next(); t.Type == tokBody {
		f.Body = &Block{Pos: tokenPos(t.Pos)}
	} else if t.Type != tokPunct || t.Value != ";" {
		return nil
	}
	return f
}

// params reads a list of parameters, if one stands here.
func (r *plainReader) params(list *[]*Variable) bool {
	if !r.takes("(") {
		return true
	}
	*list = []*Variable{}
	for first := true; !r.takes(")"); first = false {
		if !first && !r.takes(",") {
			return false
		}
		if s := r.tokens.Peek().Value; s != ".param" && s != ".reg" {
			return false
		}
		v := r.spec()
		if v == nil || !r.declarator(v) {
			return false
		}
		*list = append(*list, v)
	}
	return true
}

// sizes reads the directives of a header that take numbers.
func (r *plainReader) sizes(f *Function) bool {
	for t := r.tokens.Peek(); t.Type == tokDirective; t = r.tokens.Peek() {
		d := directive(t.Pos, t.Value)
		most := 1
		switch t.Value {
		case ".maxntid", ".reqntid":
			most = 3
		case ".minnctapersm", ".maxnreg":
		default:
			return false
		}
		r.tokens.Next()
		for more := true; more; more = len(d.Args) < most && r.takes(",") {
			n := r.number()
			if n == nil {
				return false
			}
			d.Args = append(d.Args, DirectiveArg{Expr: n})
		}
		f.Directives = append(f.Directives, d)
	}
	return true
}

// build puts a function into the module.
func (f *Function) build(_ *builder, m *Module) { m.Items = append(m.Items, f) }

// startsFunction says whether t may begin a function.
func startsFunction(t *lexer.Token) bool {
	switch t.Value {
	case ".visible", ".extern", ".weak", ".entry", ".func":
		return t.Type == tokDirective
	}
	return false
}
