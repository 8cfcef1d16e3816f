package isa

import "sync"

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

// isaTable is the table, parsed.
type isaTable struct {
	forms []*Form
	byOp  [numOps][]*Form
	mods  *mods
	// legacy are the forms of older PTX by their opcodes.
	legacy map[string]legacyForm
}

// table parses the rows at its first use: hundreds of them take milliseconds,
// which a program that only prints its help does not spend. It never changes
// afterwards, so that any number of goroutines may read it.
var table = sync.OnceValue(func() *isaTable {
	t := &isaTable{mods: newMods()}
	for _, family := range families {
		for i := range family {
			f := parseRow(&family[i], t.mods)
			f.Index = len(t.forms)
			t.forms = append(t.forms, f)
			t.byOp[f.Op] = append(t.byOp[f.Op], f)
		}
	}
	t.legacy = parseLegacy(t.mods)
	return t
})

// Forms returns all forms; Forms()[i].Index is i. The slice and the forms are
// shared: do not change them.
func Forms() []*Form { return table().forms }
