package ir

import (
	"hyptx/ir/isa"
	"hyptx/parser"
)

// declareFunc enters a kernel or device function, defined or only declared,
// into the module. Repeated declarations must agree; one of them may have a
// body.
func (l *lowerer) declareFunc(d *parser.Function) {
	sym := l.global.names[d.Name]
	if sym == nil {
		f := l.addFunc(d.Name, d.NamePos)
		l.setHeader(f, d)
		return
	}
	f := sym.fn
	if f == nil || f.Defined && d.Body != nil {
		l.isFree(l.global, d.NamePos, d.Name)
		return
	}
	again := &Func{Module: l.m, Name: d.Name, CC: NoReg}
	vars := l.vars
	l.setSignature(again, d)
	if again.Kernel != f.Kernel || !sameSignature(again, f) {
		l.errorf(d.NamePos, "%s is declared differently at %d:%d", d.Name, sym.pos.Line, sym.pos.Col)
		return
	}
	if d.Body == nil {
		l.vars = vars
		f.NoReturn = f.NoReturn || again.NoReturn
		return
	}
	f.Regs, f.Pos = nil, d.NamePos
	sym.pos = d.NamePos
	l.setHeader(f, d)
}

// addFunc adds a function to the module.
func (l *lowerer) addFunc(name string, pos parser.Pos) *Func {
	f := &Func{Module: l.m, File: l.m.File, Library: l.m.Library, Pos: pos, Name: name, Index: len(l.m.Funcs), CC: NoReg}
	l.m.Funcs = append(l.m.Funcs, f)
	l.m.byName[name] = f
	l.global.names[name] = &symbol{pos: pos, fn: f}
	return f
}

// setHeader fills f from everything but the body of d.
func (l *lowerer) setHeader(f *Func, d *parser.Function) {
	l.funcs[f] = d
	if d.Linkage != "" {
		f.linkage = d.Linkage
		l.since(d.Pos, string(d.Linkage))
	}
	for _, a := range d.Attribute {
		l.since(d.Pos, a.Name)
	}
	f.Defined = d.Body != nil
	if f.Defined && d.Linkage == parser.Extern {
		l.overlook(d.NamePos, "%s is .extern and has a body, though that stands in another module (PTX ISA 11.6.1)", d.Name)
	}
	l.setSignature(f, d)
	l.setDirectives(f, d.Directives)
}

// setSignature makes f's formal parameters.
func (l *lowerer) setSignature(f *Func, d *parser.Function) {
	f.Kernel = d.Kernel
	for _, dir := range d.Directives {
		f.NoReturn = f.NoReturn || dir.Name == "noreturn"
	}
	if f.Kernel && len(d.Returns) != 0 {
		l.errorf(d.Pos, "kernel %s cannot return values", d.Name)
	}
	f.Returns = l.formals(f, d.Returns)
	f.Params = l.formals(f, d.Params)
	if f.NoReturn && (f.Kernel || len(f.Returns) > 0) {
		l.overlook(d.NamePos, "%s is .noreturn, which is of functions without return values (PTX ISA 11.4.6)", d.Name)
	}
	if f.Kernel {
		l.layout(f, d.Pos)
	}
}

// formals makes one formal parameter for each declaration.
func (l *lowerer) formals(f *Func, ds []*parser.Variable) []Formal {
	var formals []Formal
	for _, d := range ds {
		for i := range d.Names {
			if d.Space == "reg" && d.Vec != 0 && !f.Kernel {
				formals = append(formals, l.vectorFormals(f, d, &d.Names[i])...)
			} else if formal, ok := l.formal(f, d, &d.Names[i]); ok {
				formals = append(formals, formal)
			}
		}
	}
	return formals
}

// formal makes one formal parameter: a variable for .param, for device
// functions also a register for .reg. A kernel's parameters lie in its
// parameter block, a device function's are its own.
func (l *lowerer) formal(f *Func, d *parser.Variable, n *parser.Declarator) (Formal, bool) {
	if n.Count != nil || n.Init != nil {
		l.errorf(n.Pos, "parameter %s cannot be a range or have an initialiser", n.Name)
		return Formal{}, false
	}
	switch {
	case d.Space == "param":
		space := isa.ParamFunc
		if f.Kernel {
			space = isa.ParamEntry
		}
		v := l.newVar(d, n, space)
		if v == nil {
			return Formal{}, false
		}
		v.Func = f
		if d.Ptr != nil {
			l.since(d.Pos, "ptr")
			l.setPointer(v, d, f.Kernel)
		}
		return Formal{Var: v, Reg: NoReg}, true
	case d.Space == "reg" && !f.Kernel:
		t := l.declaredType(d)
		if t == isa.NoType {
			return Formal{}, false
		}
		if t.Kind() == isa.Opaque || len(n.Dims) != 0 {
			l.errorf(n.Pos, "register parameter %s must be a scalar", n.Name)
			return Formal{}, false
		}
		f.Regs = append(f.Regs, Reg{Name: n.Name, Type: t})
		return Formal{Reg: RegID(len(f.Regs) - 1)}, true
	}
	l.errorf(n.Pos, "parameter %s cannot be .%s; use .param", n.Name, d.Space)
	return Formal{}, false
}

// vectorFormals makes the formal parameters of a vector register, one for each
// component: what a call gives for it are the components of another.
func (l *lowerer) vectorFormals(f *Func, d *parser.Variable, n *parser.Declarator) (formals []Formal) {
	if d.Vec > len(components) {
		l.errorf(n.Pos, "register parameter %s: a vector has 2 or 4 elements", n.Name)
		return nil
	}
	for i := range d.Vec {
		component := *n
		component.Name += "." + components[i:i+1]
		formal, ok := l.formal(f, d, &component)
		if !ok {
			return nil
		}
		formals = append(formals, formal)
	}
	return formals
}

// setPointer reads .ptr, which says of a kernel's parameter that it is a
// pointer, into which space, and how it is aligned (PTX ISA 5.1.6.3). Compilers write it
// of functions' parameters, too, of which it says nothing that calls do not.
func (l *lowerer) setPointer(v *Var, d *parser.Variable, kernel bool) {
	space, ok := isa.Generic, true
	if d.Ptr.Space != "" {
		space, ok = isa.ParseSpace(d.Ptr.Space)
	}
	switch space {
	case isa.Generic, isa.Const, isa.Global, isa.Local, isa.Shared:
	default:
		ok = false
	}
	if !ok {
		l.errorf(d.Pos, ".ptr .%s: .const, .global, .local or .shared is expected", d.Ptr.Space)
	}
	if d.Ptr.Align != nil {
		l.align(d.Ptr.Align)
	}
	if kernel {
		v.Pointer, v.PtrSpace = true, space
	}
}

// layout places a kernel's parameters in its parameter block: in order, each
// at the next multiple of its alignment. A launch hands the block over as
// bytes, so this is also the layout that manifests and drivers use.
func (l *lowerer) layout(f *Func, pos parser.Pos) {
	at := int64(0)
	for _, p := range f.Params {
		align := int64(p.Var.Align)
		at = (at + align - 1) / align * align
		p.Var.Offset = int(at)
		at += p.Var.Bytes
		if at > maxVarBytes {
			break
		}
	}
	f.ParamBytes = int(at)
	if limit := l.paramLimit(); at > limit {
		l.overlook(pos, "the parameters of %s take %d bytes; PTX %d.%d allows %d", f.Name, at, l.m.PTXVersion/100, l.m.PTXVersion%100, limit)
	}
}

// paramLimit returns the largest parameter block in bytes (PTX ISA 5.1.6.1).
func (l *lowerer) paramLimit() int64 {
	switch {
	case l.m.PTXVersion >= 801:
		return 32764
	case l.m.PTXVersion >= 105:
		return 4352
	}
	return 256
}

// sameSignature reports whether a call of f is a call of g.
func sameSignature(f, g *Func) bool {
	return sameFormals(f, f.Params, g, g.Params) && sameFormals(f, f.Returns, g, g.Returns)
}

// sameFormals reports whether two lists of parameters take the same arguments:
// as many, of types that may stand for each other, arrays of one length.
func sameFormals(f *Func, fs []Formal, g *Func, gs []Formal) bool {
	if len(fs) != len(gs) {
		return false
	}
	for i := range fs {
		ft, fn := fs[i].shape(f)
		gt, gn := gs[i].shape(g)
		if fn != gn || ft != gt && !agree(ft, gt) {
			return false
		}
	}
	return true
}

// Bytes is the size of a formal parameter of f, 0 for an array without one.
func (p Formal) Bytes(f *Func) int { return int(p.bytes(f)) }

// shape returns a formal parameter's type and number of elements.
func (p Formal) shape(f *Func) (isa.Type, int) {
	if p.Var == nil {
		return f.Regs[p.Reg].Type, 1
	}
	return p.Var.Type, p.Var.Count
}
