package ir

import (
	"hyptx/ir/isa"
	"hyptx/parser"
)

// Func is a kernel or a device function.
type Func struct {
	Module *Module
	Pos    parser.Pos
	Name   string
	// File is where it stands, and linkage who may see it.
	File    string
	linkage parser.Linkage
	// Library: it stands for a function of CUDA's, whose instructions nobody knows.
	Library bool
	// Index is the place in Module.Funcs.
	Index int
	// Kernel: .entry. Defined: it has a body that is understood (an alias shares its
	// aliasee's).
	Kernel, Defined bool
	// Refused is what is wrong with the body, nil if there is none or nothing is.
	Refused parser.ErrorList
	// Params and Returns are the formal parameters: for each, either a
	// variable (.param) or a register (.reg).
	Params, Returns []Formal
	// ParamBytes is the size of a kernel's parameter block.
	ParamBytes int
	// ReqNTID, MaxNTID and ReqNCTAPerCluster are zero when not given; what is
	// left out of a given one is 1. MaxClusterRank is zero when not given.
	ReqNTID, MaxNTID, ReqNCTAPerCluster [3]int
	MaxClusterRank                      int
	// MaxRegisters (.maxnreg) and MinCTAsPerSM (.minnctapersm) are zero when not
	// given.
	MaxRegisters, MinCTAsPerSM int
	// ExplicitCluster: .explicitcluster. BlocksAreClusters:
	// .blocksareclusters (PTX ISA 11.7.2, 11.8.1).
	ExplicitCluster, BlocksAreClusters bool
	NoReturn                           bool
	// NoUnroll are the places of .pragma "nounroll" (PTX ISA 12): a PC stands
	// for the loop in whose header block it is; nil for none. NoUnrollAll: the
	// whole function has it.
	NoUnroll    map[PC]bool
	NoUnrollAll bool
	// AliasOf is the function whose body an .alias shares, nil for others. No
	// call has an alias for its callee.
	AliasOf *Func
	// Regs are the registers of the body: those declared one by one, shadowed
	// ones too, of a range (%r<100>) those that are named, and the condition
	// code; index is RegID.
	Regs []Reg
	// CC is the register that stands for CC.CF, or NoReg when unused.
	CC RegID
	// Vars are the variables of the function's own scopes.
	Vars []*Var
	// First and End bound the function's instructions in Module.Instrs.
	First, End PC
	// Blocks is the control-flow graph in the order of the text; Blocks[0] is
	// the entry. An empty body has one empty block.
	Blocks []*Block
	// labels are the labels, ascending; the first where several name a place.
	labels []labelled
	// Calls are the PCs of the call instructions.
	Calls []PC

	flow *controlFlow
}

// Formal is a formal parameter: Var, or Reg if Var is nil.
type Formal struct {
	Var *Var
	Reg RegID
}

// RegID numbers a register within its function.
type RegID int32

// NoReg is the absence of a register.
const NoReg RegID = -1

// Reg is a declared register. A vector register (.v2, .v4) is lowered to one
// Reg for each component.
type Reg struct {
	Name string
	Type isa.Type
}

// Instrs returns the function's instructions; element i has PC First+i.
func (f *Func) Instrs() []Instr { return f.Module.Instrs[f.First:f.End] }
