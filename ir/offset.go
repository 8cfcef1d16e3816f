package ir

import (
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
		name := func(text string) parser.Operand {
			return parser.Operand{Pos: op.Pos, X: &parser.Expr{Pos: op.Pos, Text: text}}
		}
		constant := parser.Operand{Pos: op.Pos, X: &parser.Expr{Pos: op.Pos, Kind: parser.ExprInt, Bits: x.c.bits, Unsigned: x.c.unsigned}}
		fl.instruction(s, &parser.Instruction{Pos: st.Pos, OpcodePos: st.OpcodePos, Opcode: add, End: st.End,
			Operands: []parser.Operand{name(sum), name(x.name.Text), constant}})
		*op = name(sum)
	}
}

// additions add a constant to a register of a type.
var additions = map[isa.Type]string{
	isa.U16: "add.u16", isa.S16: "add.s16", isa.B16: "add.u16", isa.U32: "add.u32", isa.S32: "add.s32", isa.B32: "add.u32",
	isa.U64: "add.u64", isa.S64: "add.s64", isa.B64: "add.u64",
}
