package isa

// Form is one row of the table, parsed: an instruction form.
type Form struct {
	// Index is the row's position in Forms().
	Index int
	// Syntax is the row's text, in the manual's notation.
	Syntax string
	Op     Op
	Class  Class
	// Operands in the order written.
	Operands []OperandSpec
	// Results: some operand is written.
	Results bool
	// The columns of the operation: see their types.
	Flow  Flow
	Lanes Lanes
	Sync  Sync
	State State
	Unit  Unit
	Power Power
	Cost  *Cost
	// Memory is what the form does through each address operand, in their order;
	// Anywhere, that it also accesses memory which no operand addresses; Async, that
	// the accesses go on after the instruction.
	Memory          []Access
	Anywhere, Async bool
	// Tensor is what it does to tensor memory, 0 if nothing.
	Tensor Access
	// Matrices: the form reads matrices in shared memory that descriptors name.
	Matrices bool
	// Object is what the form does to the memory of the texture or surface that an operand
	// within brackets names.
	Object Access
	// Unseen: what the form moves nobody counts, because nothing in the text says how
	// much it is, or because it is not executed.
	Unseen bool
	// Apart: what the form moves of shared memory moves by itself, and an mbarrier hears of it
	// or nobody does: no access of a warp, of which banks and requests would be counted.
	Apart bool
	// Bulk: a size or a tensor map says how much of global memory the form moves, so that
	// it is found, and counted, by doing it.
	Bulk bool
	// UntilPTX is the PTX version, as major*100+minor, that dropped the form for
	// targets from UntilSM on, 70 for sm_70; 0 when it still stands.
	UntilPTX, UntilSM int
	// Beyond: the manual does not have the form, but ptxas takes it.
	Beyond bool
	// Section is the manual's section (PTX ISA 9.4 numbering).
	Section string

	need  requirement // which PTX version and targets first have the form
	slots []slot
}

// OperandKind is what may stand at an operand's place.
type OperandKind uint8

// The kinds of operands.
const (
	Value      OperandKind = iota // register, constant, special register, address of a variable
	Address                       // [a]
	Immediate                     // constant expression only
	Label                         // bra target
	Targets                       // brx.idx list, call's target list or prototype
	Function                      // call's callee: name or register
	Arguments                     // call's ( ... ) lists
	Policy                        // cache-policy and other operands that only hint
	Brackets                      // [a, b, ...]: what addresses no memory of its own: a texture with coordinates, a tensor map, tensor memory
	Descriptor                    // a descriptor of a matrix in a register, or [a] in tensor memory
)

// typeRule says how an operand's type follows from the instruction.
type typeRule uint8

// The rules. An operand "b:u32" of a row is Fixed.
const (
	fromType0 typeRule = iota // the instruction's first type
	fromType1                 // the second, and so on
	fromType2
	fromType3
	fromType4
	double0       // twice the width of the first type (mul.wide, mad.wide)
	Fixed         // OperandSpec.Type
	noOperandType // no register type to check (labels, functions, addresses)
)

// OperandSpec is one operand of a form.
type OperandSpec struct {
	Name string
	Kind OperandKind
	// Write: the operand is written, Read: and read before, as an accumulator. A pair
	// "d|p" has Pair set; Pair's type is always .pred.
	Write    bool
	Read     bool
	Pair     bool // d|p must be written
	MayPair  bool // d[|p]
	Optional bool
	MayNot   bool // {!}c
	Rule     typeRule
	Type     Type // with Fixed
	// Alt is another type that the operand may have instead, or NoType.
	Alt Type
	// Wider: the register may be wider than the type (ld, st, cvt).
	Wider bool
	// Vector is the number of elements of a braced operand that the form
	// itself fixes (mma fragments); 0 when Inst.Vec decides, or the modifiers do:
	// see Inst.Elements.
	Vector int
	// MayNeg: {-}a.
	MayNeg bool
	// Parts are the operands within Brackets.
	Parts []OperandSpec

	need    requirement
	with    string   // the operand stands where a modifier begins so, and nowhere else
	pads    bool     // coordinates: see MayPad
	length  length   // how modifiers decide the number of elements
	selects selector // which parts of a register may be named: a.b0
}
