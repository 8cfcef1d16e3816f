package analysis

import (
	"slices"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// PTX does not say which parameters are pointers: nvcc declares them as .u64, like a
// size_t. A bare file's launch has to guess, and both mistakes hurt. A pointer that is
// taken for the scalar 1024 makes the kernel fault; a scalar that is taken for a pointer
// makes a loop of 2^46 rounds out of one of 1024. So the text decides: a parameter is a
// pointer if its value gets, unscaled, to where an address stands. Real pointers do so
// by additions alone: base + 4 * i; what was multiplied on its way is the i.

// reachesAddress reports whether the value of a kernel's parameter becomes an
// address: the base of an access or the source of cvta, through moves and
// additions. What is multiplied or shifted first is an index, not a pointer; so is
// what is narrower than an address (a .u32 that is added to one), and what is an
// array is a structure, whose bytes may be anything.
func reachesAddress(k *ir.Func, param *ir.Var) bool {
	if int(param.Bytes)*8 != k.Module.AddressSize || param.Count > 1 || param.Type.IsFloat() {
		return false
	}
	carries := carriers(k, param)
	for i := range k.Instrs() {
		in := &k.Instrs()[i]
		if in.Inst.Op == isa.OpCvta && slices.ContainsFunc(in.Uses(), func(r ir.RegID) bool { return carries[r] }) {
			return true
		}
		for n := range in.Ops() {
			if op := &in.Ops()[n]; op.Kind == ir.OperandAddr && op.Reg != ir.NoReg && carries[op.Reg] {
				return true
			}
		}
	}
	return false
}

// carriers are the registers that may hold a parameter's value plus something.
func carriers(k *ir.Func, param *ir.Var) []bool {
	// They grow until nothing changes, which needs as many rounds as a value goes back up
	// in the text.
	carries, kept := make([]bool, len(k.Regs)), map[stackPlace]bool{}
	for changed := true; changed; {
		changed = false
		for i := range k.Instrs() {
			in := &k.Instrs()[i]
			if at, ok := keeps(in, carries); ok && !kept[at] {
				kept[at], changed = true, true
			}
			if !passesPointer(in, param, carries) && !kept[loadsFrom(in)] {
				continue
			}
			for _, d := range in.Defs() {
				if !carries[d] {
					carries[d], changed = true, true
				}
			}
		}
	}
	return carries
}

// stackPlace is where code that nobody optimised keeps a parameter between two statements: on
// its stack, so many bytes behind what a register or a variable's name says.
type stackPlace struct {
	reg ir.RegID
	v   *ir.Var
	off int64
}

// keeps returns where in stores a register that carries the value.
func keeps(in *ir.Instr, carries []bool) (stackPlace, bool) {
	if in.Inst.Op != isa.OpSt || len(in.Ops()) < 2 || in.Ops()[0].Kind != ir.OperandAddr ||
		in.Ops()[1].Kind != ir.OperandReg || !carries[in.Ops()[1].Reg] {
		return stackPlace{}, false
	}
	at := &in.Ops()[0]
	return stackPlace{at.Reg, at.Var, int64(at.Imm)}, true
}

// loadsFrom is where a load reads, a place that nothing is kept in for anything else.
func loadsFrom(in *ir.Instr) stackPlace {
	if in.Inst.Op != isa.OpLd || len(in.Ops()) < 2 || in.Ops()[1].Kind != ir.OperandAddr {
		return stackPlace{reg: ir.NoReg}
	}
	at := &in.Ops()[1]
	return stackPlace{at.Reg, at.Var, int64(at.Imm)}
}

// passesPointer reports whether what in writes may be the parameter's value
// plus something.
func passesPointer(in *ir.Instr, param *ir.Var, carries []bool) bool {
	operand := func(n int) bool {
		return n < len(in.Ops()) && in.Ops()[n].Kind == ir.OperandReg && carries[in.Ops()[n].Reg]
	}
	switch in.Inst.Op {
	case isa.OpLd:
		return len(in.Ops()) > 1 && in.Ops()[1].Kind == ir.OperandAddr && in.Ops()[1].Var == param
	case isa.OpAdd, isa.OpSub, isa.OpSelp:
		return operand(1) || operand(2)
	case isa.OpMov, isa.OpCvt, isa.OpCvta:
		return operand(1)
	case isa.OpMad:
		return operand(3)
	}
	return false
}
