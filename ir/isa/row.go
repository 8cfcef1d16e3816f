package isa

import (
	"strings"
	"sync"
)

// row is one row of the table, as written: see notation.go.
type row struct {
	// syntax is the form in the manual's notation.
	syntax string
	// slots defines the slots of syntax: ".rnd = .rn .rz; .type = .u16 .u32".
	slots string
	class Class
	// ptx is the first PTX version that has the form, "7.0"; also
	// "3.0 until 6.4/70": dropped in 6.4 for sm_70 and later. "7.8 ptxas": the manual
	// does not have it, but ptxas takes it.
	ptx string
	// sm names the targets that have it, "80" or "90a" or "100a 103a": one of
	// them is needed; "" for any.
	sm string
	// section is the manual's section.
	section string
}

// families are the rows of the table, one file a family.
var families = [][]row{
	integerRows, carryRows, floatRows, halfRows, mixedRows, compareRows, logicRows,
	moveRows, memoryRows, convertRows, narrowRows, controlRows, syncRows, warpRows, atomicRows, matrixRows, sparseRows, stackRows,
	videoRows, textureRows, wmmaRows, bulkRows, tensorMapRows, multimemRows, fabricRows, wgmmaRows, tensorRows, tensorMmaRows,
}

// isaTable is the table. Its hundreds of rows take milliseconds to parse, and a program
// has a few dozen operations: those of an operation are parsed when it is asked for.
// Any number of goroutines may do so.
type isaTable struct {
	forms []*Form // those of operations asked for; see all
	rows  [numOps][]*row
	byOp  [numOps][]*Form
	asked [numOps]sync.Once
	mods  *mods
	// legacy are the forms of older PTX by their opcodes.
	legacy func() map[string]legacyForm
}

// table sorts the rows by their operations.
var table = sync.OnceValue(func() *isaTable {
	t := &isaTable{mods: newMods()}
	for _, family := range families {
		for i := range family {
			f := &Form{Index: len(t.forms)}
			t.forms = append(t.forms, f)
			opcode, _, _ := strings.Cut(family[i].syntax, " ")
			op, _ := splitRow(opcode)
			t.rows[op] = append(t.rows[op], &family[i])
			t.byOp[op] = append(t.byOp[op], f)
		}
	}
	t.legacy = sync.OnceValue(func() map[string]legacyForm { return parseLegacy(t.mods) })
	return t
})

// of returns the forms of an operation.
func (t *isaTable) of(op Op) []*Form {
	t.asked[op].Do(func() {
		for i, r := range t.rows[op] {
			f := parseRow(r, t.mods)
			f.Index = t.byOp[op][i].Index
			*t.byOp[op][i] = *f
		}
	})
	return t.byOp[op]
}

// all returns the forms of all operations.
func (t *isaTable) all() []*Form {
	for op := range t.rows {
		t.of(Op(op))
	}
	t.legacy()
	return t.forms
}

// Forms returns all forms; Forms()[i].Index is i. The slice and the forms are
// shared: do not change them.
func Forms() []*Form { return table().all() }
