package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hyptx/analysis"
	"hyptx/emulator"
	"hyptx/internal/devicelib"
	"hyptx/ir"
)

// hyptx isa --missing FILE: what of a file is read and counted, but not executed. Mode
// static needs none of it; mode control only what a decision depends on, which the
// error of a profile says.

// lack is one opcode, or one function, that is not executed.
type lack struct {
	what, why string
	uses      int
	first     *ir.Instr
	functions []string
}

// missing lists what a file lacks.
func (a *app) missing(path string) error {
	src, err := a.ptx(path)
	if err != nil {
		return err
	}
	mods, err := a.modules(src)
	failed := a.showFaults(src.Text, err)
	for _, m := range mods {
		a.warn(m.Warnings)
		lacks := lacksOf(m)
		refused := refusedOf(m)
		if len(lacks) == 0 {
			text := "everything that was read is executed"
			if len(refused) > 0 {
				text += "; not looked at, for their errors: " + strings.Join(refused, ", ")
			}
			a.say("%s, %s: %s", m.File, m.Target, text)
			continue
		}
		a.say("%s, %s: not executed:", m.File, m.Target)
		t := sheet{indent: "  "}
		t.add("instruction", "uses", "first", "in", "why")
		for _, l := range lacks {
			t.add(l.what, fmt.Sprint(l.uses), fmt.Sprintf("%d:%d", l.first.Pos.Line, l.first.Pos.Col), functionNames(l.functions), l.why)
		}
		t.print(a.text, a.columns())
		if len(refused) > 0 {
			a.say("  not looked at, for their errors: %s", strings.Join(refused, ", "))
		}
	}
	return failed
}

// refusedOf names the functions of which errors left nothing to look at.
func refusedOf(m *ir.Module) (names []string) {
	for _, f := range m.Funcs {
		if f.Refused != nil {
			names = append(names, analysis.Demangle(f.Name))
		}
	}
	return names
}

// lacksOf are a module's, in the order of their first uses.
func lacksOf(m *ir.Module) []*lack {
	byName := map[string]*lack{}
	for _, f := range m.Funcs {
		for i := range f.Instrs() {
			in := &f.Instrs()[i]
			what, why := in.Inst.Opcode, emulator.NotExecuted(in.Inst)
			if c := in.Call; c != nil && c.Callee != nil && !c.Callee.Defined && !devicelib.Known(c.Callee.Name) {
				what, why = "call "+analysis.Demangle(c.Callee.Name), "the file declares it only"
			}
			if why == "" {
				continue
			}
			l := byName[what]
			if l == nil {
				l = &lack{what: what, why: why, first: in}
				byName[what] = l
			}
			l.uses++
			if name := analysis.Demangle(f.Name); !slices.Contains(l.functions, name) {
				l.functions = append(l.functions, name)
			}
		}
	}
	var all []*lack
	for _, l := range byName {
		all = append(all, l)
	}
	slices.SortFunc(all, func(x, y *lack) int { return cmp.Compare(x.first.PC, y.first.PC) })
	return all
}

// functionNames names the first of several functions, and says how many more there are.
func functionNames(names []string) string {
	if n := len(names) - 1; n > 0 {
		return fmt.Sprintf("%s and %d more", names[0], n)
	}
	return names[0]
}
