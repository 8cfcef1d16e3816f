package oracle

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Programs about passing values. A function takes and gives values of every type
// that a register can have, in registers and in .param variables, direct,
// through an address and by recursion; what it makes of them goes into a running
// number, and the number decides branches and is stored. A bit that gets lost on
// the way shows.

// registerTypes are the types that a register, and so a parameter, can have.
var registerTypes = []string{"pred", "b8", "u16", "b16", "f16", "b32", "s32", "f32", "f16x2", "u64", "b64", "f64", "b128"}

// signature is what a function takes and gives: types by name, and whether
// each stands in a .param variable instead of a register.
type signature struct {
	params, results []string
	inVar           map[string]bool // a formal's name
}

// passingProgram writes a program whose functions pass values of all register
// types, in registers and in .param variables: called by name, through an
// address, by themselves, by a part of the lanes, and with some lanes that
// return early. What comes back decides branches and is stored. The same seed
// gives the same program.
func passingProgram(seed uint64) *program {
	w := &writer{r: rand.New(rand.NewPCG(seed, 0xd1b54a32d192ed03))}
	p := &program{n: w.constant(), grid: [3]uint32{1, 1, 1}, block: [3]uint32{uint32(1 + w.r.IntN(40)), 1, 1}}
	w.line(".version 8.8\n.target sm_90\n.address_size 64\n")
	var sigs []signature
	for i := range 1 + w.r.IntN(3) {
		s := w.signature()
		sigs = append(sigs, s)
		w.passing(fmt.Sprintf("f%da", i), s)
		w.passing(fmt.Sprintf("f%db", i), s)
	}
	w.line(".visible .entry k(.param .u64 out, .param .u32 n)\n{\n.reg .b64 %%out;")
	w.scratch()
	w.line("ld.param.u64 %%out, [out];\nmov.u32 %%t, %%tid.x;\nmul.wide.u32 %%x, %%t, %d;\nadd.u64 %%out, %%out, %%x;", 4*slotWords)
	w.line("ld.param.u32 %%t, [n];\ncvt.u64.u32 %%acc, %%t;\nmov.u32 %%t, %%tid.x;\ncvt.u64.u32 %%x, %%t;\nadd.u64 %%acc, %%acc, %%x;\nmov.b32 %%depth, %d;", w.r.IntN(3))
	for i, s := range sigs {
		w.passTo(fmt.Sprintf("f%da", i), fmt.Sprintf("f%db", i), s)
	}
	w.line("st.global.b32 [%%out], %%depth;\ncvt.u32.u64 %%t, %%acc;\nst.global.b32 [%%out+4], %%t;\nshr.u64 %%acc, %%acc, 32;\ncvt.u32.u64 %%t, %%acc;\nst.global.b32 [%%out+8], %%t;\nret;\n}")
	p.ptx = w.text.String()
	return p
}

// signature chooses parameters and results.
func (w *writer) signature() signature {
	s := signature{inVar: map[string]bool{}}
	list := func(prefix string, n int) (types []string) {
		for i := range n {
			t := registerTypes[w.r.IntN(len(registerTypes))]
			types = append(types, t)
			s.inVar[fmt.Sprint(prefix, i)] = t != "pred" && w.r.IntN(3) == 0
		}
		return types
	}
	s.params, s.results = list("a", 1+w.r.IntN(4)), list("r", 1+w.r.IntN(3))
	return s
}

// head writes a function's heading.
func (s signature) head(name string) string {
	formals := func(prefix string, types []string) []string {
		var list []string
		for i, t := range types {
			at := fmt.Sprint(prefix, i)
			space := ".reg"
			if s.inVar[at] {
				space, t = ".param", bitsOf(t)
			}
			list = append(list, fmt.Sprintf("%s .%s %s", space, t, at))
		}
		return list
	}
	params := append([]string{".reg .u32 level"}, formals("a", s.params)...)
	return fmt.Sprintf(".func (%s) %s(%s)", strings.Join(formals("r", s.results), ", "), name, strings.Join(params, ", "))
}

// bitsOf returns the untyped type as wide as a register's.
func bitsOf(t string) string {
	switch strings.TrimLeft(t, "bsuf") {
	case "8":
		return "b8"
	case "16":
		return "b16"
	case "64":
		return "b64"
	case "128":
		return "b128"
	}
	return "b32"
}

// scratch declares what every body computes with.
func (w *writer) scratch() {
	w.line(".reg .b32 %%t, %%depth;\n.reg .b64 %%acc, %%x, %%y, %%fp, %%fq;\n.reg .b16 %%h;\n.reg .pred %%p, %%q;")
}

// passing writes a function: it makes a number of its parameters, results of
// the number, and calls itself as deep as it is told.
func (w *writer) passing(name string, s signature) {
	w.line("%s\n{", s.head(name))
	w.scratch()
	w.line("mov.u64 %%acc, %d;", w.r.Uint64()>>1)
	for i, t := range s.params {
		w.absorb(fmt.Sprint("a", i), t, s.inVar[fmt.Sprint("a", i)])
	}
	give := func() {
		for i, t := range s.results {
			w.produce(fmt.Sprint("r", i), t, s.inVar[fmt.Sprint("r", i)])
		}
	}
	give()
	if w.r.IntN(2) == 0 {
		w.line("and.b64 %%x, %%acc, 5;\nsetp.eq.u64 %%p, %%x, 1;\n@%%p ret;")
	}
	w.line("setp.eq.u32 %%p, level, 0;\n@%%p ret;\nsub.u32 %%depth, level, 1;")
	w.passTo(name, "", s)
	give()
	w.line("ret;\n}")
}

// absorb makes a value part of %acc.
func (w *writer) absorb(name, t string, inVar bool) {
	if inVar {
		w.serial++
		from := fmt.Sprintf("%%v%d", w.serial)
		w.line(".reg .%s %s;\nld.param.%s %s, [%s];", t, from, bitsOf(t), from, name)
		name = from
	}
	switch bitsOf(t) {
	case "b8":
		w.line("cvt.u64.u8 %%x, %s;", name)
	case "b16":
		w.line("mov.b16 %%h, %s;\ncvt.u64.u16 %%x, %%h;", name)
	case "b64":
		w.line("mov.b64 %%x, %s;", name)
	case "b128":
		w.line("mov.b128 {%%x, %%y}, %s;\nmul.lo.u64 %%y, %%y, 7;\nxor.b64 %%x, %%x, %%y;", name)
	default:
		if t == "pred" {
			w.line("selp.b64 %%x, 17, 3, %s;", name)
			break
		}
		w.line("mov.b32 %%t, %s;\ncvt.u64.u32 %%x, %%t;", name)
	}
	w.line("mul.lo.u64 %%acc, %%acc, 25;\nadd.u64 %%acc, %%acc, %%x;")
}

// produce makes a value of %acc.
func (w *writer) produce(name, t string, inVar bool) {
	to := name
	if inVar {
		w.serial++
		to = fmt.Sprintf("%%v%d", w.serial)
		w.line(".reg .%s %s;", t, to)
	}
	w.line("mul.lo.u64 %%acc, %%acc, %d;\nadd.u64 %%acc, %%acc, %d;\nshr.u64 %%x, %%acc, 9;", 2*w.r.IntN(1e6)+1, w.r.IntN(1e6))
	switch bitsOf(t) {
	case "b8":
		w.line("cvt.u8.u64 %s, %%x;", to)
	case "b16":
		w.line("cvt.u16.u64 %%h, %%x;\nmov.b16 %s, %%h;", to)
	case "b64":
		w.line("mov.b64 %s, %%x;", to)
	case "b128":
		w.line("mov.b128 %s, {%%x, %%acc};", to)
	default:
		if t == "pred" {
			w.line("and.b64 %%x, %%x, 1;\nsetp.ne.u64 %s, %%x, 0;", to)
			break
		}
		w.line("cvt.u32.u64 %%t, %%x;\nmov.b32 %s, %%t;", to)
	}
	if inVar {
		w.line("st.param.%s [%s], %s;", bitsOf(t), name, to)
	}
}

// passTo writes a call of a function or, through an address, of it or another
// of its signature, with values made of %acc; absorbs what comes back and lets
// it decide a branch.
func (w *writer) passTo(name, other string, s signature) {
	w.serial++
	id := w.serial
	w.line("{")
	args, results := []string{"%depth"}, []string{}
	for i, t := range s.params {
		if t != "f32" && t != "f64" && bitsOf(t) != "b128" && bitsOf(t) != "b16" && w.r.IntN(8) == 0 {
			args = append(args, fmt.Sprint(w.r.IntN(2)))
			continue
		}
		at, inVar := w.actual(fmt.Sprintf("a%d_%d", id, i), t)
		args = append(args, at)
		w.produce(at, t, inVar)
	}
	var vars []bool
	for i, t := range s.results {
		at, inVar := w.actual(fmt.Sprintf("r%d_%d", id, i), t)
		results, vars = append(results, at), append(vars, inVar)
		w.produce(at, t, inVar) // where a lane does not call, this stays
	}
	guard := ""
	if w.r.IntN(3) == 0 {
		guard = "@%q "
		w.line("and.b64 %%x, %%acc, 12;\nsetp.ne.u64 %%q, %%x, 0;")
	}
	lists := fmt.Sprintf("(%s)", strings.Join(args, ", "))
	if other == "" || w.r.IntN(2) == 0 {
		w.line("%scall (%s), %s, %s;", guard, strings.Join(results, ", "), name, lists)
	} else {
		w.line("mov.u64 %%fp, %s;\nmov.u64 %%fq, %s;\nand.b64 %%x, %%acc, 2;\nsetp.ne.u64 %%p, %%x, 0;\nselp.b64 %%fp, %%fp, %%fq, %%p;", name, other)
		if w.r.IntN(2) == 0 {
			w.line("L%d: .calltargets %s, %s;", id, name, other)
		} else {
			w.line("L%d: .callprototype %s;", id, strings.TrimPrefix(s.head("_"), ".func "))
		}
		w.line("%scall (%s), %%fp, %s, L%d;", guard, strings.Join(results, ", "), lists, id)
	}
	for i, t := range s.results {
		w.absorb(results[i], t, vars[i])
		if t == "pred" {
			w.line("@%s add.u64 %%acc, %%acc, 1;", results[i])
		}
	}
	w.line("and.b64 %%x, %%acc, 64;\nsetp.eq.u64 %%p, %%x, 0;\n@%%p bra D%d;\nadd.u64 %%acc, %%acc, 11;\nD%d:\n}", id, id)
}

// actual declares what is passed for a parameter: a register or, unless it is a
// predicate, perhaps a variable.
func (w *writer) actual(name, t string) (at string, inVar bool) {
	if t != "pred" && w.r.IntN(3) == 0 {
		w.line(".param .%s %s;", bitsOf(t), name)
		return name, true
	}
	w.line(".reg .%s %%%s;", t, name)
	return "%" + name, false
}
