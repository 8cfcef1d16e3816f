package ir

import (
	"hyptx/ir/isa"
	"hyptx/parser"
)

// Var is a variable in memory: module-scope .global/.const/.shared, a
// function's .local/.shared, a parameter (.param), or a call's .param. A
// kernel's parameter has Space isa.ParamEntry; a device function's parameters
// and the .param variables of calls have isa.ParamFunc.
type Var struct {
	Pos  parser.Pos
	Name string
	// Index numbers the variables of a module, all scopes together.
	Index int
	Space isa.Space
	// Type is the element's type, Count the number of elements (all array
	// dimensions and vector lengths multiplied); Bytes is the whole size, 0
	// for an unsized .extern array.
	Type  isa.Type
	Count int
	Bytes int64
	Align int
	// Func is the function whose scope declares it; nil at module scope.
	Func *Func
	// Extern: declared .extern; for .shared, the dynamic segment's start.
	Extern  bool
	linkage parser.Linkage
	// Pointer: a kernel parameter with .ptr, PtrSpace the space it points to.
	Pointer  bool
	PtrSpace isa.Space
	// Offset is a kernel parameter's place in the parameter block, in bytes.
	Offset int
	// Init is the initial contents, zero filled to Bytes when shorter; Relocs
	// are the addresses to be patched into it.
	Init   []byte
	Relocs []reloc
	// Fields are the field initialisers of an opaque variable.
	Fields []Field
}

// Field is one field of an opaque variable's initialiser: width = 4, or
// filter_mode = nearest, where Word is the value.
type Field struct {
	Name  string
	Word  string
	Value int64
}

// reloc is an address in an initialiser: at byte At of the variable stand
// Bytes bytes of (address of Var or Func + Addend) >> Shift; Generic asks for
// the generic address.
type reloc struct {
	At, Bytes int
	Shift     int
	Var       *Var
	Func      *Func
	Addend    int64
	Generic   bool
}
