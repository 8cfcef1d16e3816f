package ir

import (
	"hyptx/ir/isa"
	"hyptx/parser"
)

// maxVarBytes bounds a variable's size, so that a product of dimensions cannot
// overflow; it is far above any GPU's memory.
const maxVarBytes = 1 << 40

// maxVarRange bounds name<N> of variables, which, unlike registers, exist
// whether they are used or not.
const maxVarRange = 1 << 16

// maxAlign is the largest alignment that .align may ask for in bytes.
const maxAlign = 1 << 20

// declaredType returns the type of a declaration, or NoType after an error.
// Only fundamental and opaque types can be declared (PTX ISA 5.2, 5.3); the
// alternate and packed formats live in .b registers.
func (l *lowerer) declaredType(d *parser.Variable) isa.Type {
	t := isa.ParseType(d.Type)
	switch {
	case t == isa.NoType:
		l.errorf(d.Pos, "unknown type .%s", d.Type)
	case !t.IsFundamental() && t.Kind() != isa.Opaque:
		l.errorf(d.Pos, "nothing can be declared of type %s; declare it %s", t, isa.BitsType(t.Bits()))
		return isa.NoType
	}
	l.since(d.Pos, d.Type)
	return t
}

// declareRegs declares the registers of a .reg statement in scope s of fl.
func (fl *funcLowerer) declareRegs(s *scope, d *parser.Variable) {
	t := fl.declaredType(d)
	if t == isa.NoType {
		return
	}
	if t.Kind() == isa.Opaque {
		fl.errorf(d.Pos, "a register cannot be of type %s", t)
		return
	}
	vec := d.Vec
	if vec != 0 && (vec != 2 && vec != 4 || t == isa.Pred || vec*t.Bits() > 128) {
		fl.errorf(d.Pos, "there is no vector register .v%d %s: 2 or 4 elements, 128 bits at most", vec, t)
		return
	}
	if d.Align != nil {
		fl.errorf(d.Pos, ".align does not apply to registers")
	}
	for i := range d.Names {
		n := &d.Names[i]
		if len(n.Dims) != 0 || n.Init != nil {
			fl.errorf(n.Pos, "register %s cannot be an array or have an initialiser", n.Name)
			continue
		}
		if n.Count != nil {
			fl.declareRange(s, n, t, vec)
			continue
		}
		if !fl.isFree(s, n.Pos, n.Name) {
			continue
		}
		s.names[n.Name] = &symbol{pos: n.Pos, regs: fl.addRegs(n.Name, t, vec)}
	}
}

// maxRanges is how many ranges a scope may have of names that differ in digits alone: each is held
// against the others.
const maxRanges = 10_000

// declareRange declares name<N>, whose members get registers when they are
// named (see [scope]).
func (fl *funcLowerer) declareRange(s *scope, n *parser.Declarator, t isa.Type, vec int) {
	count, err := evalInt(n.Count, "the number of registers", 0, 1<<31)
	if err != nil {
		fl.fail(n.Pos, err)
		fl.undeclarable(n.Name + "<")
		return
	}
	r := regRange{pos: n.Pos, prefix: n.Name, n: uint64(count), typ: t, vec: vec}
	if len(s.rangesOf(stem(r.prefix))) == maxRanges {
		fl.errorf(n.Pos, "%s<%d> is one range of registers too many: of those whose names differ in digits alone hyptx takes %d in a scope", n.Name, count, maxRanges)
		return
	}
	if where, taken := s.conflict(&r); taken {
		fl.errorf(n.Pos, "%s<%d> declares a register that is already declared at %d:%d", n.Name, count, where.Line, where.Col)
		return
	}
	s.addRange(r)
}

// addRegs makes the register name, or one for each component of a vector.
func (fl *funcLowerer) addRegs(name string, t isa.Type, vec int) []RegID {
	if vec == 0 {
		return fl.slab.registers([]RegID{fl.addReg(name, t)}, nil)
	}
	regs := make([]RegID, vec)
	for i := range regs {
		regs[i] = fl.addReg(name+"."+components[i:i+1], t)
	}
	return regs
}

// components name the elements of a vector register (PTX ISA 6.4.3).
const components = "xyzw"

func (fl *funcLowerer) addReg(name string, t isa.Type) RegID {
	fl.f.Regs = append(fl.f.Regs, Reg{Name: name, Type: t})
	return RegID(len(fl.f.Regs) - 1)
}

// isFree reports whether name can be declared in s, after an error if not.
func (l *lowerer) isFree(s *scope, pos parser.Pos, name string) bool {
	if where, taken := s.declared(name); taken && l.lost {
		return false // in another block, perhaps, whose brace is missing
	} else if taken {
		l.errorf(pos, "%s is already declared at %d:%d", name, where.Line, where.Col)
		return false
	}
	return true
}

// memorySpaces are the spaces in which a variable may be declared, by their
// spelling, at module scope and in a function's body.
var (
	moduleSpaces = map[string]isa.Space{"global": isa.Global, "const": isa.Const, "shared": isa.Shared, "tex": isa.Global, "surf": isa.Global}
	bodySpaces   = map[string]isa.Space{"local": isa.Local, "shared": isa.Shared, "param": isa.ParamFunc}
	// staticSpaces are those of variables that a function sees alone, and that are the
	// module's all the same.
	staticSpaces = map[string]isa.Space{"global": isa.Global, "const": isa.Const, "tex": isa.Global, "surf": isa.Global}
)

// newVar returns the variable of one declarator without its initialiser, or
// nil after an error.
func (l *lowerer) newVar(d *parser.Variable, n *parser.Declarator, space isa.Space) *Var {
	t := l.declaredType(d)
	if t == isa.NoType {
		return nil
	}
	if t == isa.Pred {
		l.errorf(n.Pos, "%s: predicates exist only in registers", n.Name)
		return nil
	}
	if t.Kind() == isa.Opaque && space != isa.Global && space != isa.ParamEntry {
		l.errorf(n.Pos, "%s: a variable of type %s must be .global or a kernel parameter", n.Name, t)
		return nil
	}
	if d.Vec != 0 && d.Vec*t.Bits() > 128 {
		l.errorf(n.Pos, "%s: a vector has at most 128 bits", n.Name)
		return nil
	}
	for _, a := range d.Attribute {
		l.since(d.Pos, a.Name)
		if a.Name == "managed" && space != isa.Global {
			l.overlook(n.Pos, "%s is .managed, which is of .global variables (PTX ISA 5.4.8)", n.Name)
		}
	}
	l.since(d.Pos, string(d.Linkage))
	v := &Var{Pos: n.Pos, Name: n.Name, Index: l.vars, Space: space, Type: t, Extern: d.Linkage == parser.Extern, linkage: d.Linkage}
	l.vars++
	if !l.setShape(v, d, n) {
		return nil
	}
	v.Align = max(t.Bytes(), 1) * max(d.Vec, 1)
	if d.Align != nil {
		v.Align = l.align(d.Align)
	}
	return v
}

// setShape sets v's Count and Bytes from the dimensions; an empty first
// dimension takes its size from the initialiser. Sizes are bounded before they
// are multiplied, so that no product overflows.
func (l *lowerer) setShape(v *Var, d *parser.Variable, n *parser.Declarator) bool {
	count := int64(max(d.Vec, 1))
	for i, dim := range n.Dims {
		size := int64(0)
		switch {
		case dim != nil:
			var err error
			if size, err = evalInt(dim, "an array dimension", 0, maxVarBytes); err != nil {
				l.fail(n.Pos, err)
				return false
			}
		case i > 0:
			l.errorf(n.Pos, "%s: only the first array dimension can be empty", n.Name)
			return false
		case n.Init != nil:
			size = int64(len(n.Init.List))
		case !v.Extern && v.Space != isa.ParamFunc:
			l.errorf(n.Pos, "%s: an array without a size must be .extern, have an initialiser or be a function's last parameter", n.Name)
			return false
		}
		if size > 0 && count > maxVarBytes/int64(v.Type.Bytes())/size {
			l.errorf(n.Pos, "%s is too large: at most %d bytes", n.Name, int64(maxVarBytes))
			return false
		}
		count *= size
	}
	v.Count = int(count)
	v.Bytes = count * int64(v.Type.Bytes())
	return true
}

// align evaluates .align; after an error it is 1.
func (l *lowerer) align(e *parser.Expr) int {
	a, err := evalInt(e, ".align", 1, maxAlign)
	if err == nil && a&(a-1) != 0 {
		err = errAt(e.Pos, ".align %d is not a power of two", a)
	}
	if err != nil {
		l.fail(e.Pos, err)
		return 1
	}
	return int(a)
}

// declareVars declares the variables of a statement in a body.
func (fl *funcLowerer) declareVars(s *scope, d *parser.Variable) {
	if space, ok := staticSpaces[d.Space]; ok {
		if fl.overlook(d.Pos, "a .%s variable cannot be declared in a function; move it to the module", d.Space) {
			fl.declareStatics(s, d, space)
		}
		return
	}
	space, ok := bodySpaces[d.Space]
	if !ok {
		fl.errorf(d.Pos, "a .%s variable cannot be declared in a function", d.Space)
		return
	}
	for i := range d.Names {
		for _, n := range fl.members(&d.Names[i]) {
			if n.Init != nil {
				fl.errorf(n.Pos, "%s: only .global and .const variables can have an initialiser", n.Name)
				continue
			}
			v := fl.newVar(d, &n, space)
			if v == nil || !fl.isFree(s, n.Pos, n.Name) {
				continue
			}
			v.Func = fl.f
			fl.f.Vars = append(fl.f.Vars, v)
			s.names[n.Name] = &symbol{pos: n.Pos, v: v}
		}
	}
}

// declareStatics declares variables of global or constant memory in a body.
func (fl *funcLowerer) declareStatics(s *scope, d *parser.Variable, space isa.Space) {
	for i := range d.Names {
		for _, n := range fl.members(&d.Names[i]) {
			v := fl.newVar(d, &n, space)
			if v == nil || !fl.isFree(s, n.Pos, n.Name) {
				continue
			}
			fl.m.Vars = append(fl.m.Vars, v)
			s.names[n.Name] = &symbol{pos: n.Pos, v: v}
			if n.Init != nil {
				fl.initialise(v, d, &n)
			}
		}
	}
}

// members returns the declarators that name<N> stands for, or n itself.
func (l *lowerer) members(n *parser.Declarator) []parser.Declarator {
	if n.Count == nil {
		return []parser.Declarator{*n}
	}
	if len(n.Dims) != 0 || n.Init != nil {
		l.errorf(n.Pos, "%s<N> cannot be an array or have an initialiser", n.Name)
		return nil
	}
	count, err := evalInt(n.Count, "the number of variables", 0, maxVarRange)
	if err != nil {
		l.fail(n.Pos, err)
		return nil
	}
	ms := make([]parser.Declarator, count)
	for i := range ms {
		ms[i] = parser.Declarator{Pos: n.Pos, Name: rangeName(n.Name, i)}
	}
	return ms
}
