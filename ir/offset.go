package ir

import (
	"slices"

	"hyptx/ir/isa"
	"hyptx/parser"
)

// A register plus a constant may stand in brackets alone. Some programs write it as an
// operand, add.u32 d, a+1, b, which ptxas takes and no machine instruction has: it
// becomes an addition before the instruction, which is counted as one.

// withoutOffsets lowers the additions that stand in operands of st, and lets these
// name their sums.
func (fl *funcLowerer) withoutOffsets(s *scope, st *parser.Instruction, inst *isa.Inst) {
	if !fl.lenient {
		return // what is wrong is said where the operand is lowered
	}
	for i := range st.Operands {
		op := &st.Operands[i]
		if op.Kind != parser.OperandExpr || op.X == nil || op.X.Kind != parser.ExprBinary || i == 0 && inst.Form.Results {
			continue
		}
		x, err := evalLinear(op.X)
		if err != nil || x.name == nil || x.generic || x.c.kind != constInt || x.c.bits == 0 {
			continue
		}
		sym, suffix := fl.resolve(s, x.name.Text)
		if sym == nil || len(sym.regs) != 1 || suffix != "" {
			continue
		}
		add := additions[fl.f.Regs[sym.regs[0]].Type]
		if add == "" || !fl.overlook(op.Pos, "an offset can be added to a register only within [ ]; it is taken for an addition before %s", st.Opcode) {
			continue
		}
		sum := x.name.Text + "+" + intConstant(int64(x.c.bits)).String() // a name that nothing can have
		if s.names[sum] == nil {
			s.names[sum] = &symbol{pos: op.Pos, regs: []RegID{fl.addReg(sum, fl.f.Regs[sym.regs[0]].Type)}}
		}
		constant := parser.Expr{Pos: op.Pos, Kind: parser.ExprInt, Bits: x.c.bits, Unsigned: x.c.unsigned}
		fl.before(s, st, add, nameExpr(op.Pos, sum), nameExpr(op.Pos, x.name.Text), &constant)
		*op = parser.Operand{Pos: op.Pos, X: nameExpr(op.Pos, sum)}
	}
}

// before lowers an instruction that stands before st.
func (fl *funcLowerer) before(s *scope, st *parser.Instruction, opcode string, operands ...*parser.Expr) {
	in := &parser.Instruction{Pos: st.Pos, OpcodePos: st.OpcodePos, Opcode: opcode, End: st.End}
	for _, x := range operands {
		in.Operands = append(in.Operands, parser.Operand{Pos: x.Pos, X: x})
	}
	fl.instruction(s, in)
}

func nameExpr(pos parser.Pos, text string) *parser.Expr { return &parser.Expr{Pos: pos, Text: text} }

// withoutIndices lowers the addresses of elements that registers number, a[%r1-2], as
// an access of memory may name them (PTX ISA 6.4.2). No machine instruction has such
// an address: it is calculated before, by one multiply-add that is counted.
func (fl *funcLowerer) withoutIndices(s *scope, st *parser.Instruction, inst *isa.Inst) {
	for i := range st.Operands {
		op := &st.Operands[i]
		if op.Kind != parser.OperandArray || op.X == nil || !accesses(inst) {
			continue
		}
		x, err := evalLinear(op.X)
		array := fl.lookup(s, op.Name)
		if err != nil || x.name == nil || x.generic || x.c.kind != constInt || array == nil || array.v == nil ||
			inst.Space == isa.Generic && array.v.Space != isa.Global {
			continue
		}
		index, suffix := fl.resolve(s, x.name.Text)
		if index == nil || len(index.regs) != 1 || suffix != "" {
			continue
		}
		address := isa.U64
		if fl.m.AddressSize == 32 {
			address = isa.U32
		}
		multiply := indexed[[2]isa.Type{fl.f.Regs[index.regs[0]].Type, address}]
		if multiply == "" {
			continue
		}
		element := op.Name + "[" + x.name.Text + "]" // a name that nothing can have
		if s.names[element] == nil {
			s.names[element] = &symbol{pos: op.Pos, regs: []RegID{fl.addReg(element, address)}}
		}
		bytes := uint64(array.v.Type.Bytes())
		fl.before(s, st, multiply, nameExpr(op.Pos, element), nameExpr(op.Pos, x.name.Text),
			&parser.Expr{Pos: op.Pos, Kind: parser.ExprInt, Bits: bytes}, nameExpr(op.Pos, op.Name))
		offset := &parser.Expr{Pos: op.Pos, Kind: parser.ExprInt, Bits: x.c.bits * bytes}
		at := &parser.Expr{Pos: op.Pos, Kind: parser.ExprBinary, Text: "+", X: nameExpr(op.Pos, element), Y: offset}
		*op = parser.Operand{Pos: op.Pos, Kind: parser.OperandAddress, Elems: []parser.Operand{{Pos: op.Pos, X: at}}}
	}
}

// accesses reports whether an instruction takes an address of memory.
func accesses(inst *isa.Inst) bool {
	return slices.ContainsFunc(inst.Form.Operands, func(o isa.OperandSpec) bool { return o.Kind == isa.Address })
}

// indexed multiply a number of a type and add to an address.
var indexed = map[[2]isa.Type]string{
	{isa.U32, isa.U64}: "mad.wide.u32", {isa.B32, isa.U64}: "mad.wide.u32", {isa.S32, isa.U64}: "mad.wide.s32",
	{isa.U64, isa.U64}: "mad.lo.u64", {isa.B64, isa.U64}: "mad.lo.u64", {isa.S64, isa.U64}: "mad.lo.s64",
	{isa.U32, isa.U32}: "mad.lo.u32", {isa.B32, isa.U32}: "mad.lo.u32", {isa.S32, isa.U32}: "mad.lo.s32",
}

// additions add a constant to a register of a type.
var additions = map[isa.Type]string{
	isa.U16: "add.u16", isa.S16: "add.s16", isa.B16: "add.u16", isa.U32: "add.u32", isa.S32: "add.s32", isa.B32: "add.u32",
	isa.U64: "add.u64", isa.S64: "add.s64", isa.B64: "add.u64",
}
