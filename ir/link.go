package ir

import (
	"errors"
	"fmt"
	"slices"

	"hyptx/parser"
)

// Linking. A program may be compiled in parts: a module declares .extern what another
// one defines. The linker puts the functions of several modules into one and lets what
// names a declaration name the definition. Which that is follows the linking directives
// (PTX ISA 11.6), as with any linker: of definitions with one name that other modules
// see, one may be .visible, or a kernel, and a .weak or .common one gives way to it; of
// several of those the first stands. What has no directive is the module's own. What
// nobody defines stays as it is: calling it is an error, not that it is there.

// linker is the state of linking.
type linker struct {
	m *Module
	// exports are what modules may name of each other, by name.
	exports map[string]*export
	// funcs and vars are what stands in the place of a declaration, or of a definition
	// that gives way.
	funcs map[*Func]*Func
	vars  map[*Var]*Var
	errs  []error
}

// export is a definition that other modules see: of a function or of a variable.
type export struct {
	fn   *Func
	v    *Var
	file string
	weak bool
}

// Link makes one module of several, which are used up. The errors are those of names that
// are defined twice, or otherwise than they are declared.
func Link(mods []*Module) (*Module, error) {
	if len(mods) == 1 {
		return mods[0], nil
	}
	lk := &linker{
		m:       &Module{File: mods[0].File, Files: map[int]string{}, byName: map[string]*Func{}, Target: mods[0].Target, AddressSize: mods[0].AddressSize},
		exports: map[string]*export{}, funcs: map[*Func]*Func{}, vars: map[*Var]*Var{},
	}
	for _, mod := range mods {
		if mod.AddressSize != lk.m.AddressSize {
			lk.errorf("%s has addresses of %d bits, %s of %d", mods[0].File, mods[0].AddressSize, mod.File, mod.AddressSize)
		}
		if mod.Library {
			lk.define(mod)
			continue
		}
		lk.m.PTXVersion = max(lk.m.PTXVersion, mod.PTXVersion)
		if mod.Target.SM > lk.m.Target.SM {
			lk.m.Target = mod.Target
		}
		lk.define(mod)
	}
	for _, mod := range mods {
		lk.resolve(mod)
	}
	if err := errors.Join(lk.errs...); err != nil {
		return nil, err
	}
	for _, mod := range mods {
		lk.add(mod)
	}
	lk.finish()
	return lk.m, nil
}

func (lk *linker) errorf(format string, args ...any) {
	lk.errs = append(lk.errs, fmt.Errorf(format, args...))
}

// define enters what a module lets others see.
func (lk *linker) define(mod *Module) {
	for _, f := range mod.Funcs {
		if f.undefined() {
			continue
		}
		if f.Kernel || f.linkage == parser.Visible || f.linkage == parser.Weak {
			lk.export(f.Name, f.Pos, &export{fn: f, file: mod.File, weak: f.linkage == parser.Weak})
		}
	}
	for _, v := range mod.Vars {
		switch v.linkage {
		case parser.Visible, parser.Weak, parser.Common:
			lk.export(v.Name, v.Pos, &export{v: v, file: mod.File, weak: v.linkage != parser.Visible})
		}
	}
}

// export enters one definition; of several of a name one stands.
func (lk *linker) export(name string, pos parser.Pos, e *export) {
	old := lk.exports[name]
	switch {
	case old == nil:
	case (old.fn == nil) != (e.fn == nil):
		lk.errorf("%s:%d:%d: %s is a function here and a variable there: %s", e.file, pos.Line, pos.Col, name, old.place())
		return
	case !old.weak && !e.weak:
		lk.errorf("%s:%d:%d: %s is defined twice: %s, too", e.file, pos.Line, pos.Col, name, old.place())
		return
	case e.weak:
		if e.v == nil || old.v.linkage != parser.Common || e.v.Bytes <= old.v.Bytes { // of .common variables the largest stands
			return
		}
	}
	lk.exports[name] = e
}

// place says where a definition stands.
func (e *export) place() string {
	pos := parser.Pos{}
	if e.fn != nil {
		pos = e.fn.Pos
	} else {
		pos = e.v.Pos
	}
	return fmt.Sprintf("%s:%d:%d", e.file, pos.Line, pos.Col)
}

// resolve finds what the declarations of a module mean.
func (lk *linker) resolve(mod *Module) {
	for _, f := range mod.Funcs {
		e := lk.exports[f.Name]
		if e == nil || e.fn == f || !f.undefined() && !f.Kernel && f.linkage != parser.Weak {
			continue
		}
		if e.fn == nil || e.fn.Kernel != f.Kernel || !sameSignature(f, e.fn) {
			lk.errorf("%s:%d:%d: %s is declared otherwise than it is defined: %s", mod.File, f.Pos.Line, f.Pos.Col, f.Name, e.place())
			continue
		}
		lk.funcs[f] = e.fn
	}
	for _, v := range mod.Vars {
		e := lk.exports[v.Name]
		if e == nil || e.v == v || !v.Extern && v.linkage != parser.Weak && v.linkage != parser.Common {
			continue
		}
		if e.v == nil || e.v.Space != v.Space || v.Extern && v.Bytes != 0 && v.Bytes != e.v.Bytes {
			lk.errorf("%s:%d:%d: variable %s is declared otherwise than it is defined: %s", mod.File, v.Pos.Line, v.Pos.Col, v.Name, e.place())
			continue
		}
		lk.vars[v] = e.v
	}
}

// add puts a module's variables and functions behind those that are there.
func (lk *linker) add(mod *Module) {
	m := lk.m
	files := 0 // what is added to the numbers of the module's files
	for i := range m.Files {
		files = max(files, i)
	}
	for i, name := range mod.Files {
		m.Files[files+i] = name
	}
	for _, v := range mod.Vars {
		v.Index += m.NumVars
		if lk.vars[v] == nil {
			m.Vars = append(m.Vars, v)
		}
	}
	for _, f := range mod.Funcs {
		f.Module = m
		if f.AliasOf == nil {
			f.renumber(m.NumVars)
		}
		if lk.funcs[f] != nil {
			continue
		}
		f.Index = len(m.Funcs)
		m.Funcs = append(m.Funcs, f)
		if old := m.byName[f.Name]; old == nil || lk.exports[f.Name] != nil && lk.exports[f.Name].fn == f {
			m.byName[f.Name] = f
		}
		if f.AliasOf == nil {
			f.move(m, mod, files)
		}
	}
	m.NumVars += mod.NumVars
}

// renumber moves the numbers of a function's variables.
func (f *Func) renumber(by int) {
	own := map[*Var]bool{}
	for _, v := range f.Vars {
		own[v] = true
	}
	for _, p := range slices.Concat(f.Params, f.Returns) {
		if p.Var != nil {
			own[p.Var] = true
		}
	}
	for v := range own {
		v.Index += by
	}
}

// move puts a function's instructions behind those of m.
func (f *Func) move(m, from *Module, files int) {
	delta := PC(len(m.Instrs)) - f.First
	if f.End > f.First {
		m.bodies = append(m.bodies, f)
	}
	m.Instrs = append(m.Instrs, from.Instrs[f.First:f.End]...)
	f.First, f.End = f.First+delta, f.End+delta
	for i := range f.Instrs() {
		in := &f.Instrs()[i]
		if in.Inst.IsBranch() && !in.Inst.IsSwitch() {
			in.Target += delta
		}
		p := from.placeOf(in.PC)
		if p != (sourcePlace{}) {
			p.file += int32(files)
		}
		in.PC += delta
		m.setPlace(in.PC, p)
		if old := in.Targets(); old != nil {
			table := slices.Clone(old)
			for k := range table {
				table[k] += delta
			}
			in.targetList().Rare = &rarity{table: &table}
		}
	}
	for _, b := range f.Blocks {
		b.First, b.End = b.First+delta, b.End+delta
	}
	for i := range f.labels {
		f.labels[i].pc += delta
	}
	for i := range f.Calls {
		f.Calls[i] += delta
	}
	if f.NoUnroll != nil {
		places := f.NoUnroll
		f.NoUnroll = make(map[PC]bool, len(places))
		for pc, on := range places {
			f.NoUnroll[pc+delta] = on
		}
	}
}

// finish lets everything name what it means.
func (lk *linker) finish() {
	m := lk.m
	for i := range m.Instrs {
		in := &m.Instrs[i]
		lk.operands(in.Ops())
		if c := in.Call; c != nil {
			c.Callee = lk.function(c.Callee)
			for k := range c.Candidates {
				c.Candidates[k] = lk.function(c.Candidates[k])
			}
			lk.operands(c.Args)
			lk.operands(c.Returns)
		}
	}
	for _, v := range m.Vars {
		for i := range v.Relocs {
			r := &v.Relocs[i]
			r.Func, r.Var = lk.function(r.Func), lk.variable(r.Var)
		}
	}
	for _, f := range m.Funcs {
		if f.AliasOf != nil {
			f.AliasOf = lk.function(f.AliasOf)
			f.shareBody()
		}
	}
	(&lowerer{m: m, refusals: 1, most: maxErrors}).refuseCallers()
}

// operands lets operands name what they mean.
func (lk *linker) operands(ops []Operand) {
	for i := range ops {
		if r := ops[i].Rare; r != nil {
			r.Func = lk.function(r.Func)
		}
		ops[i].Var = lk.variable(ops[i].Var)
		lk.operands(ops[i].Elems())
	}
}

// function returns the definition that a function means.
func (lk *linker) function(f *Func) *Func {
	if to := lk.funcs[f]; to != nil {
		return to.callee()
	}
	return f
}

// variable returns the definition that a variable means.
func (lk *linker) variable(v *Var) *Var {
	if to := lk.vars[v]; to != nil {
		return to
	}
	return v
}

// AsLibrary lowers a module of package devicelib, which has instructions of its own.
func AsLibrary(l *lowerer) { l.m.Library = true }

// undefined reports whether a function is only declared.
func (f *Func) undefined() bool { return !f.Defined && f.Refused == nil && f.AliasOf == nil }

// Missing returns the functions that are called, or whose address is taken, and that
// nobody defines, by name.
func (m *Module) Missing() map[string]*Func {
	missing := map[string]*Func{}
	if !slices.ContainsFunc(m.Funcs, (*Func).undefined) {
		return missing
	}
	note := func(f *Func) {
		if f != nil && f.undefined() {
			missing[f.Name] = f
		}
	}
	for i := range m.Instrs {
		in := &m.Instrs[i]
		if in.Call != nil {
			note(in.Call.Callee)
			for _, f := range in.Call.Candidates {
				note(f)
			}
		}
		for k := range in.Ops() {
			if r := in.Ops()[k].Rare; r != nil {
				note(r.Func)
			}
		}
	}
	return missing
}

// FileOf returns the file in which an instruction stands: linked modules have several.
func (m *Module) FileOf(pc PC) string {
	if f := m.FuncOf(pc); f != nil {
		return f.File
	}
	return m.File
}
