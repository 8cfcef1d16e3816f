package isa

import "slices"

// Inst is the opcode of one statement, decoded: its form and the modifiers
// that fill the form's slots. It is plain data, comparable by value apart
// from Form, and shared by all consumers.
type Inst struct {
	Form *Form
	Op   Op
	// Types are the type modifiers in the order written: cvt has the
	// destination's first, mma d, a, b, c. Types[0] is "the" type.
	Types [5]Type
	// Space is the first state space written (the destination's for cp.async,
	// the source's for ld), Space2 the second; Generic when there is none.
	Space, Space2 Space
	// Vec is the vector length of ld, st, mov, atom: 1, 2, 4 or 8; of ldmatrix
	// and stmatrix the number of matrices.
	Vec uint8
	// Rnd, Cmp, Bool, Mul, Sem, Scope are zero when not written.
	Rnd   Rounding
	Cmp   Cmp
	Bool  BoolOp
	Mul   MulMode
	Sem   Sem
	Scope Scope
	// Sub is the operation of atom, red, redux, the mode of shfl, vote, match
	// and of everything else that the manual calls .op or .mode (0 if none).
	Sub Mod
	// Mods are all modifiers as written, types and spaces too, and those that older
	// versions of PTX let be left out.
	Mods []Mod
	// Opcode is the opcode as written.
	Opcode string

	written *Form // of older PTX, if Form is what that stands for
}

// String returns the opcode as written.
func (i *Inst) String() string { return i.Opcode }

// modifiers writes the modifiers with their dots.
func (i *Inst) modifiers() string {
	text := ""
	for _, m := range i.Mods {
		text += "." + m.String()
	}
	return text
}

// Type returns the instruction type, the first one written.
func (i *Inst) Type() Type { return i.Types[0] }

// Has reports whether m was written.
func (i *Inst) Has(m Mod) bool { return slices.Contains(i.Mods, m) }

// Rounding is a rounding modifier (PTX ISA 6.5.2 and 9.7.10.24).
type Rounding uint8

// The roundings: RN..RP to a floating-point value, RNI..RPI to an integral one.
const (
	NoRnd Rounding = iota
	RN
	RZ
	RM
	RP
	RNA
	RS
	RNI
	RZI
	RMI
	RPI
)

// Cmp is a comparison operator of set and setp (PTX ISA 9.7.7). The
// unordered ones are true when an operand is NaN.
type Cmp uint8

// The comparisons; LO, LS, HI, HS are the unsigned ones.
const (
	noCmp Cmp = iota
	EQ
	NE
	LT
	LE
	GT
	GE
	LO
	LS
	HI
	HS
	EQU
	NEU
	LTU
	LEU
	GTU
	GEU
	NUM
	NAN
)

// BoolOp combines a comparison with a predicate (set, setp, lop3).
type BoolOp uint8

// The Boolean operators.
const (
	NoBool BoolOp = iota
	AND
	OR
	XOR
)

// MulMode is which part of a product mul and mad return.
type MulMode uint8

// The modes.
const (
	noMul MulMode = iota
	LO_
	HI_
	WIDE
)

// Sem is the memory ordering of an access (PTX ISA 8.4).
type Sem uint8

// The orderings; Weak is the default of ld and st.
const (
	noSem Sem = iota
	Weak
	Relaxed
	Acquire
	Release
	AcqRel
	SeqCst
	Volatile
	MMIO
)

// PastL1 reports whether a load of global memory passes the L1 by. Caches of
// different SMs are not coherent (PTX ISA 9.7.10.1, cache operators): .cg is
// cached in the L2 only, .cv fetched again, and a volatile load (9.7.10.8: as
// .relaxed.sys) or one that is ordered beyond the CTA has to see what other SMs
// wrote.
func (x *Inst) PastL1() bool {
	switch {
	case x.Has(modCg), x.Has(modCv), x.Sem == Volatile, x.Sem == MMIO:
		return true
	case x.Sem == Relaxed, x.Sem == Acquire:
		return x.Scope != CTA
	}
	return false
}

// Scope is the set of threads that an ordering concerns (PTX ISA 8.5).
type Scope uint8

// The scopes.
const (
	noScope Scope = iota
	CTA
	Cluster
	GPU
	Sys
)
