package isa

import "sync"

// The opcodes of the library: what no instruction of PTX does and CUDA's own functions do
// (package devicelib, which writes the modules that have them). No other module can: they
// are no forms of the table.
const (
	OpLibraryMath Op = iota + firstLibrary
	OpLibraryPrint
	OpLibraryAssert
	OpLibraryFail
)

// libraryOperations: print is heard of outside, and the others end the launch.
var libraryOperations = []operation{
	{OpLibraryMath, "library.math", computes, UnitALU, PowerALU, plain},
	{OpLibraryPrint, "library.print", behaviour{FlowNext, "reads reads", lanesOwn, syncNone, writesMachine}, UnitMemory, PowerNone, plain},
	{OpLibraryAssert, "library.assert", behaviour{FlowTrap, "reads reads reads", lanesOwn, syncNone, stateNone}, UnitBranch, PowerNone, plain},
	{OpLibraryFail, "library.fail", flows(FlowTrap), UnitBranch, PowerNone, plain},
}

// libraryRows: a calculation by its number, a format and its arguments, what an assertion
// says, the number of a message.
var libraryRows = []row{
	{"library.math d:any, n:imm, a:any{, b:any}{, c:any}{, e:any}", "", Misc, "1.0", "", "9.7."},
	{"library.print d:b32, [a], [b]", "", Misc, "1.0", "", "9.7."},
	{"library.assert [a], [b], line:b32, [c]", "", Control, "1.0", "", "9.7."},
	{"library.fail n:imm", "", Control, "1.0", "", "9.7."},
}

// libraryOpcodes are the instructions of the library by their opcodes.
var libraryOpcodes = sync.OnceValue(func() map[string]*Inst {
	all := map[string]*Inst{}
	for i := range libraryRows {
		f := parseRow(&libraryRows[i], newMods())
		f.Index = -1
		all[f.Op.String()] = &Inst{Form: f, Op: f.Op, Opcode: f.Op.String()}
	}
	return all
})

// Library returns the instruction of the library of that opcode, nil if there is none.
func Library(opcode string) *Inst { return libraryOpcodes()[opcode] }
