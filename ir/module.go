package ir

import (
	"sort"

	"hyptx/ir/isa"
	"hyptx/parser"
)

// Module is a PTX file, lowered. Instructions of all functions stand in one
// list, so that a PC alone says which instruction is meant: counters, sets and
// tables of the engines are slices indexed by it, without a function beside it.
type Module struct {
	File string
	// PTXVersion is major*100+minor: 705 for 7.5.
	PTXVersion int
	Target     isa.Target
	// AddressSize is 32 or 64 (bits).
	AddressSize int
	// Library: it defines functions of CUDA's, and its instructions stand for others that
	// nobody knows.
	Library bool
	// Vars are the module-scope variables in the order of the file.
	Vars []*Var
	// Funcs are the kernels and device functions, defined or declared.
	Funcs []*Func
	// Instrs are the instructions of all functions, in the order of the file;
	// the index is the instruction's PC. Each Func holds a part of it.
	Instrs []Instr
	// NumVars is the number of variables, all scopes together: one more than the
	// largest Var.Index.
	NumVars int
	// Files are the names given by .file, by index.
	Files map[int]string
	// Warnings are what [Lenient] let pass.
	Warnings parser.ErrorList

	byName map[string]*Func
	// places are the places in the source, by the first instruction of each: some have none,
	// and most have that of the one before.
	places []placeFrom
	// bodies are the functions with instructions of their own, by First.
	bodies []*Func
}

// PC numbers an instruction of a module: its index in Module.Instrs.
type PC = int32

// Func returns the function of the given name, or nil.
func (m *Module) Func(name string) *Func {
	return m.byName[name]
}

// Kernels returns the kernels that have a body, in the order of the file, those that
// are refused, too.
func (m *Module) Kernels() []*Func {
	var ks []*Func
	for _, f := range m.Funcs {
		if f.Kernel && (f.Defined || f.Refused != nil) {
			ks = append(ks, f)
		}
	}
	return ks
}

// FuncOf returns the function that holds instruction pc, the aliasee rather
// than an alias; nil if there is no such instruction.
func (m *Module) FuncOf(pc PC) *Func {
	i := sort.Search(len(m.bodies), func(i int) bool { return pc < m.bodies[i].End })
	if i == len(m.bodies) || pc < m.bodies[i].First {
		return nil
	}
	return m.bodies[i]
}
