package ir

import (
	"cmp"
	"fmt"
	"slices"

	"hyptx/ir/isa"
	"hyptx/parser"
)

// Lower resolves the names of a syntax tree, decodes its opcodes, checks its
// types and builds the functions' control-flow graphs. It reports all errors
// that it finds, up to a cap, as a [parser.ErrorList] in the order of the
// text. There is a module beside them where all stand within bodies: these
// functions, and what calls them, are refused ([Func.Refused]), the others are
// of use. Else there is none.
//
// It goes over the module three times, because PTX lets names be used before
// they are declared: functions and variables are declared first, then their
// initialisers are laid out, which may hold each other's addresses, then the
// bodies are read. Within a body registers and variables must be declared
// before their use; labels need not, so branches are resolved at its end. Only
// when all is well are the functions analysed.
//
// The tree is used up: its bodies are empty afterwards. Those that [parser.Open] left
// are read when their turn comes, so that there is never more than one.
func Lower(src *parser.Module, options ...Option) (*Module, error) {
	l := &lowerer{
		src:     src,
		m:       &Module{File: src.File, Files: make(map[int]string), byName: make(map[string]*Func)},
		global:  newScope(nil),
		most:    maxErrors,
		opcodes: make(map[string]*opcode),
		funcs:   make(map[*Func]*parser.Function),

		misdeclared: make(map[string]bool),
	}
	for _, o := range options {
		o(l)
	}
	l.header()
	l.declareItems()
	l.m.Instrs = make([]Instr, 0, l.instructions())
	for _, f := range l.m.Funcs {
		if def := l.funcs[f]; def != nil && def.Body != nil {
			l.lowerApart(f, def)
			l.finish(f)
		}
	}
	l.separatePrivates()
	l.resolveAliases()
	if src.Unusable && len(l.errs) == 0 {
		l.errorf(src.Version.Pos, "the text has errors outside of bodies")
	}
	if len(l.errs) > 0 {
		return nil, l.told()
	}
	l.refuseCallers()
	l.m.NumVars = l.vars
	for _, f := range l.m.Funcs {
		if f.Defined && f.flow == nil {
			f.flow = new(controlFlow)
		}
	}
	for _, f := range l.m.Funcs {
		f.shareBody()
	}
	if why := l.told(); len(why) > 0 {
		return l.m, why
	}
	return l.m, nil
}

// lowerer is the state of lowering one module.
type lowerer struct {
	src    *parser.Module
	m      *Module
	global *scope
	// errs are the errors so far, within a body its own; most is how many there may be.
	errs parser.ErrorList
	most int
	// refusals are the errors of all functions that are refused.
	refusals int
	// opcodes are the opcodes decoded so far, by their spelling.
	opcodes map[string]*opcode
	recent  recentOpcodes
	// noShortWays: all operands go the general way, with which a test compares the short one.
	noShortWays bool
	// funcs holds for each function the definition, or else the first
	// prototype.
	funcs map[*Func]*parser.Function
	inits []pendingInit
	// misdeclared are names at module scope, and those of ranges without their numbers, whose
	// declarations are wrong, for which there is no module.
	misdeclared map[string]bool
	aliases     []*parser.Alias
	vars        int // number of variables so far
	slab        slab
	spare       []Reg // to use again; see finish

	finished func(*Func) // see Finished; nil keeps all
	lenient  bool
	lost     bool               // of the body, statements were not read: names may be missing for that
	warned   map[string]bool    // what has been said of the module once
	privates []*parser.Variable // registers and locals at module scope
	private  map[string][]*Func // who names them
}

// instructions is how many the module holds, all at once where it keeps them.
func (l *lowerer) instructions() (n int) {
	for _, d := range l.funcs {
		switch {
		case d.Body == nil:
		case l.finished != nil:
			n = max(n, d.Instructions)
		case d.Instructions > 0:
			n += d.Instructions
		default:
			n += countInstrs(d.Body)
		}
	}
	return n
}

// Finished has done called with each kernel that calls nothing as soon as it is
// lowered. Of such a kernel the module keeps no instructions, blocks and registers.
func Finished(done func(*Func)) Option { return func(l *lowerer) { l.finished = done } }

// finish is done with a function, if nothing that is to come depends on it: no other
// function calls a kernel, and what a function calls may yet be refused.
func (l *lowerer) finish(f *Func) {
	if l.finished == nil || !f.Kernel || !f.Defined || len(f.Calls) > 0 || len(l.errs) > 0 {
		l.slab.keep()
		return
	}
	f.flow = new(controlFlow)
	l.finished(f)
	l.m.Instrs = l.m.Instrs[:f.First]
	if n := len(l.m.bodies); n > 0 && l.m.bodies[n-1] == f {
		l.m.bodies = l.m.bodies[:n-1]
	}
	l.spare = f.Regs
	f.Regs, f.Vars, f.Blocks, f.labels, f.flow = nil, nil, nil, nil, new(controlFlow)
	l.slab.free()
}

// pendingInit is an initialiser to be laid out when all names are known.
type pendingInit struct {
	v *Var
	d *parser.Variable
	n *parser.Declarator
}

// newestPTX is the newest version of which the instructions are known, as Module.PTXVersion.
const newestPTX = 904

// header checks .version, .target and .address_size.
func (l *lowerer) header() {
	v := l.src.Version
	l.m.PTXVersion = v.Major*100 + v.Minor
	if v.Major < 1 || v.Minor < 0 || v.Minor > 99 {
		l.errorf(v.Pos, "the module does not start with .version")
	} else if l.m.PTXVersion > newestPTX {
		l.overlook(v.Pos, ".version %d.%d: the newest that is known is %d.%d", v.Major, v.Minor, newestPTX/100, newestPTX%100)
	}
	l.m.AddressSize = 32
	switch l.src.AddressSize {
	case 0:
		if l.wideParams() {
			l.m.AddressSize = 64
		}
	case 32, 64:
		l.m.AddressSize = l.src.AddressSize
	default:
		l.errorf(v.Pos, ".address_size %d: 32 or 64 is expected", l.src.AddressSize)
	}
	l.target()
	if l.src.AddressSize != 0 {
		l.since(v.Pos, "address_size")
	}
}

// target checks .target.
func (l *lowerer) target() {
	pos := l.src.TargetPos
	if pos == (parser.Pos{}) {
		pos = l.src.Version.Pos
	}
	target, err := isa.ParseTarget(l.src.Targets)
	if err != nil && target.SM == 0 {
		target = isa.NewestTarget(l.m.PTXVersion)
		if l.lenient {
			err = fmt.Errorf("%w; %s is assumed", err, target)
		}
	}
	switch need := target.MinPTX(); {
	case err != nil:
		l.overlook(pos, ".target: %v%s", err, l.lenientHint())
	case need > l.m.PTXVersion:
		l.overlook(pos, ".target %s needs PTX %d.%d, the module has %d.%d%s", target, need/100, need%100, l.m.PTXVersion/100, l.m.PTXVersion%100, l.lenientHint())
	}
	l.m.Target = target
}

// wideParams reports whether a kernel has a parameter of 64 bits. Without
// .address_size addresses have 32 (PTX ISA 11.1.3); where a kernel takes numbers of
// 64, somebody forgot to write it.
func (l *lowerer) wideParams() bool {
	for _, item := range l.src.Items {
		f, ok := item.(*parser.Function)
		if !ok || !f.Kernel {
			continue
		}
		for _, p := range f.Params {
			if t := isa.ParseType(p.Type); t == isa.U64 || t == isa.B64 || t == isa.S64 {
				return true
			}
		}
	}
	return false
}

// declareItems declares everything at module scope, then lays the
// initialisers out, which may name what stands after them.
func (l *lowerer) declareItems() {
	noUnrollAll := false
	for _, item := range l.src.Items {
		switch it := item.(type) {
		case *parser.Variable:
			l.declareModuleVars(it)
		case *parser.Function:
			l.declareFunc(it)
		case *parser.Alias:
			l.since(it.Pos, "alias")
			l.aliases = append(l.aliases, it)
		case *parser.FileDirective:
			l.m.Files[it.Index] = it.Name
		case *parser.Pragma:
			l.since(it.Pos, "pragma")
			noUnrollAll = noUnrollAll || slices.Contains(it.Strings, noUnroll)
		}
	}
	for _, f := range l.m.Funcs {
		f.NoUnrollAll = f.NoUnrollAll || noUnrollAll
	}
	for _, a := range l.aliases {
		l.declareAlias(a)
	}
	for _, p := range l.inits {
		l.initialise(p.v, p.d, p.n)
	}
}

// declareModuleVars declares the variables of one statement at module scope.
func (l *lowerer) declareModuleVars(d *parser.Variable) {
	if d.Space == "reg" || d.Space == "local" {
		l.declarePrivate(d)
		return
	}
	space, ok := moduleSpaces[d.Space]
	if !ok {
		l.errorf(d.Pos, "a .%s variable cannot be declared at module scope; move it into a function", d.Space)
		return
	}
	if d.Bank != nil {
		if _, err := evalInt(d.Bank, "a bank of constant memory", 0, 10); err != nil { // PTX ISA 5.1.3
			l.fail(d.Pos, err)
		}
	}
	if d.Linkage == parser.Common && space != isa.Global {
		l.errorf(d.Pos, ".common applies to .global variables only")
	}
	for i := range d.Names {
		for _, n := range l.members(&d.Names[i]) {
			l.declareModuleVar(d, &n, space)
		}
	}
}

// declareModuleVar declares one variable; an .extern declaration and a
// definition of one name make one variable.
func (l *lowerer) declareModuleVar(d *parser.Variable, n *parser.Declarator, space isa.Space) {
	old := l.global.names[n.Name]
	if old == nil {
		v := l.newVar(d, n, space)
		if v == nil {
			l.misdeclared[n.Name] = true
			return
		}
		l.global.names[n.Name] = &symbol{pos: n.Pos, v: v}
		l.m.Vars = append(l.m.Vars, v)
		if n.Init != nil {
			l.inits = append(l.inits, pendingInit{v, d, n})
		}
		return
	}
	if old.v == nil || !old.v.Extern && d.Linkage != parser.Extern {
		l.isFree(l.global, n.Pos, n.Name)
		return
	}
	v := l.newVar(d, n, space)
	if v == nil {
		return
	}
	if v.Space != old.v.Space || v.Type != old.v.Type || v.Bytes != old.v.Bytes && v.Bytes != 0 && old.v.Bytes != 0 {
		l.errorf(n.Pos, "%s is declared differently at %d:%d", n.Name, old.pos.Line, old.pos.Col)
		return
	}
	l.vars-- // one variable, whose number stays
	if v.Extern {
		return
	}
	v.Index = old.v.Index
	*old.v = *v
	old.pos = n.Pos
	if n.Init != nil {
		l.inits = append(l.inits, pendingInit{old.v, d, n})
	}
}

// declareAlias makes .alias name, aliasee a function of its own that shares
// the aliasee's body; a prototype of the name may stand before.
func (l *lowerer) declareAlias(a *parser.Alias) {
	to := l.global.names[a.Aliasee]
	if to == nil || to.fn == nil || to.fn.Kernel {
		l.errorf(a.Pos, ".alias %s: there is no function %s", a.Name, a.Aliasee)
		return
	}
	f := (*Func)(nil)
	if sym := l.global.names[a.Name]; sym != nil {
		f = sym.fn
		if f == nil || f.Kernel || f.Defined {
			l.isFree(l.global, a.Pos, a.Name)
			return
		}
		if !sameSignature(f, to.fn) {
			l.errorf(a.Pos, ".alias %s: its prototype differs from that of %s", a.Name, a.Aliasee)
			return
		}
	} else {
		f = l.addFunc(a.Name, a.Pos)
	}
	f.AliasOf = to.fn
}

// resolveAliases lets every alias name the function that has the body.
func (l *lowerer) resolveAliases() {
	for _, a := range l.aliases {
		sym := l.global.names[a.Name]
		if sym == nil || sym.fn == nil || sym.fn.AliasOf == nil {
			continue
		}
		to := sym.fn.aliasee()
		if to != nil && to.Refused != nil {
			sym.fn.Refused = to.Refused
		} else if to == nil || !to.Defined {
			l.errorf(a.Pos, ".alias %s: %s has no body", a.Name, a.Aliasee)
			continue
		}
		sym.fn.AliasOf = to
	}
}

// aliasee follows aliases to the function with the body; nil if they form a ring.
func (f *Func) aliasee() *Func {
	slow := f
	for f.AliasOf != nil && f.AliasOf.AliasOf != nil {
		f, slow = f.AliasOf.AliasOf, slow.AliasOf
		if f == slow {
			return nil
		}
	}
	if f.AliasOf != nil {
		return f.AliasOf
	}
	return f
}

// shareBody gives an alias its aliasee's body.
func (f *Func) shareBody() {
	if f.AliasOf == nil {
		return
	}
	alias := *f
	*f = *f.AliasOf
	f.Name, f.Index, f.Pos, f.AliasOf, f.linkage = alias.Name, alias.Index, alias.Pos, alias.AliasOf, alias.linkage
}

// sorted returns the errors in the order of the text.
func (l *lowerer) sorted() parser.ErrorList {
	slices.SortStableFunc(l.errs, func(a, b *parser.Error) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	return l.errs
}
