package ir

import (
	"unsafe"

	"hyptx/ir/isa"
	"hyptx/parser"
)

// Instr is one instruction. There are millions of them, of five bytes of text each: what a
// few have, or many have in common, stands elsewhere (see Module.Source).
type Instr struct {
	PC PC
	// Guard is the guard predicate, NoReg without one; GuardNot for @!p.
	Guard RegID
	Inst  *isa.Inst
	Pos   parser.Pos
	// Block is the index of its block in Func.Blocks.
	Block int32
	// Target is the PC of bra's target. It may equal the function's End: a
	// label at the end of the body, where threads fall off (and return).
	Target PC
	// Call is what a call instruction holds, nil for others.
	Call *Call
	// ops is the first of the operands. Of registers, regs is the first of those that are
	// written and, from place used on, of those that are read, so many in all. Slices would
	// be twice as long. See Ops, Defs and Uses.
	ops      *Operand
	regs     *RegID
	numRegs  uint32
	used     uint16
	numOps   uint8
	GuardNot bool
}

// Call is the particular part of a call instruction.
type Call struct {
	// Callee is the function of a direct call. For an indirect call it is nil,
	// Address is the operand with the function's address and Candidates are
	// the functions of .calltargets, or nil: any whose address is taken and
	// whose signature agrees with the prototype.
	Callee     *Func
	Address    Operand
	Candidates []*Func
	// Args and Returns are the actual parameters: each a register, a constant
	// (arguments), a .param variable (OperandVar) or a sink.
	Args, Returns []Operand
}

// OperandKind says which fields of an Operand are set.
type OperandKind uint8

// The kinds of lowered operands.
const (
	NoOperand       OperandKind = iota // optional and not written
	OperandReg                         // Reg
	OperandSink                        // _
	OperandImm                         // Imm: the bits in the operand's type
	OperandSReg                        // SReg
	OperandVar                         // address of Var + Imm (in Var's space)
	OperandFunc                        // address of Rare.Func + Imm
	OperandAddr                        // memory: [Reg+Imm] (Reg may be NoReg: absolute) or [Var+Imm], in Var's space even where the opcode names none
	OperandVec                         // Elems
	OperandLabel                       // bra's target, in Instr.Target(s)
	OperandCall                        // call's lists, in Instr.Call
	OperandBrackets                    // [ Elems ]: no address of memory; the first is an OperandAddr, or an OperandImm
)

// Operand is an operand of an Instr. There are millions of them: what few have has a
// place elsewhere, and a field more is 8 bytes of each.
type Operand struct {
	Kind OperandKind
	// Type is what the instruction takes it for: .f32 for the sources of
	// add.f32, .u32 for a shift count, .b64 for an immediate without a type;
	// for memory, the access type.
	Type isa.Type
	// Not: a source predicate is negated. Neg: -a, which only video
	// instructions have, as they have parts of registers.
	Not, Neg bool
	Selector selector
	SReg     isa.SReg
	Reg      RegID
	// Pair is the second destination of d|p; NoReg otherwise, and with _.
	Pair RegID
	// Imm is a constant's value; of an address the offset, read as an int64.
	Imm uint64
	Var *Var
	// Rare is nil for nearly all.
	Rare *rarity
}

// rarity is what few operands have.
type rarity struct {
	elems []Operand
	Func  *Func // of an OperandFunc
	table *[]PC // of brx.idx: its targets
}

// Elems returns the elements of a vector operand; each Kind is OperandReg,
// OperandImm, OperandSink or OperandSReg.
func (o *Operand) Elems() []Operand {
	if o.Rare == nil {
		return nil
	}
	return o.Rare.elems
}

// Ops returns the operands in the order of Inst.Form.Operands; an optional one that is not
// written has Kind NoOperand. A pair d|p is one operand with Pair.
func (in *Instr) Ops() []Operand { return unsafe.Slice(in.ops, in.numOps) }

// setOps notes the operands; no form has more than some twenty.
func (in *Instr) setOps(ops []Operand) {
	in.ops, in.numOps = unsafe.SliceData(ops), uint8(len(ops))
}

// Defs returns the registers that the instruction writes, the condition code
// included, each once.
func (in *Instr) Defs() []RegID { return in.registers()[:in.used:in.used] }

// Uses returns the registers that the instruction reads, each once: operands,
// address bases, the guard, the condition code. A guarded definition does not
// make the old value a use here; SSA adds that.
func (in *Instr) Uses() []RegID { return in.registers()[in.used:] }

// registers returns what setRegisters was given.
func (in *Instr) registers() []RegID { return unsafe.Slice(in.regs, in.numRegs) }

// setRegisters notes the registers that are written, so many, and those that are read.
func (in *Instr) setRegisters(regs []RegID, written int) {
	in.regs, in.numRegs, in.used = unsafe.SliceData(regs), uint32(len(regs)), uint16(written)
}

// maxWritten bounds the registers that one instruction writes; the largest matrices have 256.
const maxWritten = 1<<16 - 1

// Targets returns brx.idx's targets, by index.
func (in *Instr) Targets() []PC {
	if !in.Inst.IsSwitch() || len(in.Ops()) == 0 || in.targetList().Rare == nil {
		return nil // so far, or what is wrong was told
	}
	return *in.targetList().Rare.table
}

// targetList returns the operand of a brx.idx that names its targets.
func (in *Instr) targetList() *Operand { return &in.Ops()[len(in.Ops())-1] }
