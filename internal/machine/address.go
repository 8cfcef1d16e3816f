package machine

import (
	"hyptx/ir"
	"hyptx/ir/isa"
)

// parameter reads a kernel's parameter, or a word of constant memory at an address
// that is known when the code is made: both are operands from the constant bank.
func (b *builder) parameter(in *ir.Instr, width uint8) (id, bool) {
	a := &in.Ops()[1]
	if v, offset, ok := b.bankWord(in, a); ok && in.Inst.Type().Bits() == int(width) {
		return b.add(node{kind: paramNode, width: width, imm: constParam | uint64(offset), v: v}), true
	}
	if a.Kind != ir.OperandAddr || a.Var == nil || a.Var.Space != isa.ParamEntry || in.Ops()[0].Kind != ir.OperandReg {
		return 0, false
	}
	return b.add(node{kind: paramNode, width: width, imm: uint64(a.Var.Offset) + uint64(int64(a.Imm))}), true
}

// bankWord returns the variable and the offset in it that a load of a whole word
// of constant memory reads, if they do not depend on the launch.
func (b *builder) bankWord(in *ir.Instr, a *ir.Operand) (v *ir.Var, offset int64, ok bool) {
	bits := in.Inst.Type().Bits()
	if in.Inst.Space != isa.Const || a.Kind != ir.OperandAddr || bits != 32 && bits != 64 || in.Inst.Vec > 1 || in.Inst.IsVolatile() || in.Guard != ir.NoReg {
		return nil, 0, false
	}
	if a.Var != nil {
		return a.Var, int64(a.Imm), true
	}
	if a.Reg == ir.NoReg {
		return nil, 0, false
	}
	s := b.sumOf(b.at(b.s.Use(in.PC, a.Reg)))
	if len(s.args) != 1 || s.coef[0] != 1 {
		return nil, 0, false
	}
	v = b.variable(s.args[0])
	return v, s.k + int64(a.Imm), v != nil && s.k+int64(a.Imm) >= 0
}

// address returns the register part of a memory operand, 0 for none, and what is
// part of the instruction: the address of a variable that it can hold, and a
// constant.
func (b *builder) address(in *ir.Instr, op *ir.Operand) (base id, v *ir.Var, offset int64) {
	var n id
	switch {
	case op.Var != nil:
		n = b.add(node{kind: symNode, width: 64, v: op.Var})
	case op.Reg != ir.NoReg:
		n = b.at(b.s.Use(in.PC, op.Reg))
	default:
		return 0, nil, int64(op.Imm)
	}
	short := in.Inst.Space == isa.Shared || in.Inst.Space == isa.Local
	if short && b.nodes[n].width == 64 {
		n = b.narrow(n, 0)
	}
	s := b.sumOf(n)
	rest := sum{width: s.width, args: make([]id, 0, len(s.args)), coef: make([]int64, 0, len(s.args))}
	for i, a := range s.args {
		if s.coef[i] == 1 && b.immediate(a) {
			v = b.variable(a)
			continue
		}
		rest.args, rest.coef = append(rest.args, a), append(rest.coef, s.coef[i])
	}
	const offsetBits = 24 // of a memory instruction's immediate offset, Volta and later
	if s.k < -1<<(offsetBits-1) || s.k >= 1<<(offsetBits-1) {
		rest.k = s.k
	}
	if offset = s.k - rest.k + int64(op.Imm); len(rest.args) == 0 {
		return 0, v, offset
	}
	return b.linear(rest), v, offset
}

// immediate reports whether a node is the address of a variable outside of
// global memory, known when the code is made.
func (b *builder) immediate(n id) bool {
	v := b.variable(n)
	return v != nil && v.Space != isa.Global
}

// variable returns the variable whose address a node is, nil for none.
func (b *builder) variable(n id) *ir.Var {
	d := &b.nodes[n]
	if d.kind == truncNode {
		d = &b.nodes[d.args[0]]
	}
	if d.kind != symNode {
		return nil
	}
	return d.v
}
