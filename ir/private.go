package ir

import (
	"maps"
	"slices"

	"hyptx/parser"
)

// Registers and locals at module scope, which PTX had before 3.0: each thread has its
// own, and all functions see them. Here each function that names one gets it for
// itself, which is the same as long as no two functions of a thread name it. Where
// they do, the callee is refused.

// privateUntil is the version that has no registers and locals at module scope (PTX
// ISA 5.1.1, 5.1.5).
const privateUntil = 300

// declarePrivate takes a .reg or .local at module scope.
func (l *lowerer) declarePrivate(d *parser.Variable) {
	if l.m.PTXVersion >= privateUntil &&
		!l.overlook(d.Pos, "a .%s variable cannot be declared at module scope since PTX 3.0; move it into a function", d.Space) {
		for i := range d.Names {
			l.misdeclared[d.Names[i].Name] = true
		}
		return
	}
	l.privates = append(l.privates, d)
}

// privateScope declares the module's registers and locals for a function.
func (fl *funcLowerer) privateScope() *scope {
	if len(fl.privates) == 0 {
		return fl.global
	}
	s := newScope(fl.global)
	for _, d := range fl.privates {
		if d.Space == "reg" {
			fl.declareRegs(s, d)
		} else {
			fl.declareVars(s, d)
		}
	}
	fl.outer = s
	return s
}

// usesPrivate notes that a function names something of the module's that each thread
// has for itself.
func (fl *funcLowerer) usesPrivate(name string) {
	if fl.private == nil {
		fl.private = map[string][]*Func{}
	}
	if users := fl.private[name]; !slices.Contains(users, fl.f) {
		fl.private[name] = append(users, fl.f)
	}
}

// separatePrivates refuses device functions that name what another function names.
func (l *lowerer) separatePrivates() {
	for _, name := range slices.Sorted(maps.Keys(l.private)) {
		users := l.private[name]
		for _, f := range users {
			if f.Kernel || len(users) == 1 || f.Refused != nil {
				continue
			}
			l.giveUp(f, parser.ErrorList{{File: l.m.File, Pos: f.Pos,
				Msg: f.Name + ": " + name + " stands at module scope, and other functions name it, too; hyptx gives each function its own"}})
		}
	}
}
