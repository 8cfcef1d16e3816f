package ir

import (
	"math"

	"hyptx/internal/value"
	"hyptx/ir/isa"
	"hyptx/parser"
)

// A module writes a few opcodes a hundred thousand times, and what may stand behind one
// is the same each time. So that is found once for a spelling: which operand of the form
// each written one is, where that does not depend on what is written, their types, and
// the types of registers that were found to be right. Most operands are a register that
// stands where one like it stood before; all others go the general way, which knows
// what is wrong with them.

// opcode is a spelling of an opcode in a module.
type opcode struct {
	text string // as it is written
	inst *isa.Inst
	// fixed: the instruction takes an operand, or does not, whatever is written. Then
	// places are those that it takes.
	fixed  bool
	places []fixedPlace
}

// fixedPlace is a place that an operand always has.
type fixedPlace struct {
	place
	at     int  // among the form's operands
	scalar bool // a register may stand here that is no vector
	whole  bool // any integer may stand here
	// right has a bit for each type of a register that was found to be right here.
	right uint64
}

// newOpcode finds what is the same for all instructions with an opcode in the module.
func (l *lowerer) newOpcode(text string, inst *isa.Inst) *opcode {
	c := &opcode{text: text, inst: inst, fixed: inst.Form.Class != isa.Texture && !l.noShortWays} // see bracketTexture
	specs := inst.Form.Operands
	for i := range specs {
		spec := &specs[i]
		if !inst.Takes(spec) {
			c.fixed = c.fixed && spec.Optional
			continue
		}
		if spec.Optional && !inst.Needs(spec) || spec.Check(l.m.PTXVersion, l.m.Target) != nil {
			c.fixed = false
		}
		n := inst.Elements(spec)
		p := fixedPlace{
			place:  place{spec: spec, inst: inst, typ: inst.OperandType(spec)},
			at:     i,
			scalar: spec.Kind == isa.Value && !spec.Pair && (n == 0 || n == 1),
		}
		p.whole = p.scalar && !spec.Write && p.typ != isa.NoType && p.typ != isa.Pred && !p.typ.IsFloat() && inst.CheckConstant(spec, math.MinInt64) == nil
		c.places = append(c.places, p)
	}
	return c
}

// takes says whether ops are written as the places of a fixed opcode ask for.
func (c *opcode) takes(ops []parser.Operand) bool {
	if len(ops) != len(c.places) {
		return false
	}
	for i := range ops {
		p := &c.places[i]
		if !(p.scalar && ops[i].Kind == parser.OperandExpr) && !fits(c.inst, p.spec, &ops[i]) {
			return false
		}
	}
	return true
}

// fixedOperands lowers the operands of a fixed opcode that are as it takes them.
func (fl *funcLowerer) fixedOperands(s *scope, st *parser.Instruction, c *opcode) {
	ops := fl.slab.operands(len(c.inst.Form.Operands))
	for i := range ops {
		ops[i].Reg, ops[i].Pair = NoReg, NoReg
	}
	fl.in.setOps(ops)
	for i := range c.places {
		p, op := &c.places[i], &st.Operands[i]
		o := &ops[p.at]
		if fl.plainRegister(s, op, p, o) || p.whole && plainConstant(op, p, o) || fl.plainAddress(s, op, p, o) {
			continue
		}
		if lowered, ok := fl.operand(s, op, p.place); ok {
			*o = lowered
		}
	}
}

// plainRegister lowers a register of a type that is right for p; it is false, and has
// told nothing, where something else stands there.
func (fl *funcLowerer) plainRegister(s *scope, op *parser.Operand, p *fixedPlace, o *Operand) bool {
	x := op.X
	if !p.scalar || op.Kind != parser.OperandExpr || op.Not || op.Neg || x == nil || x.Kind != parser.ExprName ||
		x.Text == "_" || x.Text == "WARP_SZ" {
		return false
	}
	sym := fl.lookup(s, x.Text)
	if sym == nil || len(sym.regs) != 1 {
		return false
	}
	r := sym.regs[0]
	bit := uint64(1) << fl.f.Regs[r].Type
	if p.right&bit == 0 {
		if p.typ != isa.NoType && !p.spec.Accepts(p.inst, fl.f.Regs[r].Type) {
			return false
		}
		p.right |= bit
	}
	o.Kind, o.Type, o.Reg = OperandReg, p.typ, r
	return true
}

// plainConstant lowers an integer that stands for itself, as immediate does.
func plainConstant(op *parser.Operand, p *fixedPlace, o *Operand) bool {
	x := op.X
	if op.Kind != parser.OperandExpr || op.Not || op.Neg || x == nil || x.Kind != parser.ExprInt {
		return false
	}
	o.Kind, o.Type, o.Imm = OperandImm, p.typ, value.Truncate(x.Bits, p.typ.Bits())
	return true
}

// plainAddress lowers a register in brackets, with a number added or without, as address does.
func (fl *funcLowerer) plainAddress(s *scope, op *parser.Operand, p *fixedPlace, o *Operand) bool {
	if p.spec.Kind != isa.Address || op.Kind != parser.OperandAddress || len(op.Elems) != 1 {
		return false
	}
	name, offset := op.Elems[0].X, uint64(0)
	if e := &op.Elems[0]; e.Kind != parser.OperandExpr || e.Not || e.Neg || name == nil {
		return false
	}
	if sum := name; sum.Kind == parser.ExprBinary && sum.Text == "+" && sum.Y.Kind == parser.ExprInt && sum.Y.Bits <= math.MaxInt32 {
		name, offset = sum.X, sum.Y.Bits
	}
	if name.Kind != parser.ExprName {
		return false
	}
	sym := fl.lookup(s, name.Text)
	if sym == nil || len(sym.regs) != 1 {
		return false
	}
	t := fl.f.Regs[sym.regs[0]].Type
	if bit := uint64(1) << t; p.right&bit == 0 {
		if !agree(isa.U32, t) && !agree(isa.U64, t) {
			return false
		}
		p.right |= bit
	}
	o.Kind, o.Type, o.Reg, o.Imm = OperandAddr, p.inst.Type(), sym.regs[0], offset
	return true
}

// recentOpcodes are those met last, at places that their spelling gives: to compare two
// short words takes less than to look one up.
type recentOpcodes [128]*opcode

// of is the place of a spelling.
func (r *recentOpcodes) of(text string) **opcode {
	n := len(text)
	if n == 0 {
		return &r[0]
	}
	return &r[(n+3*int(text[n-1])+5*int(text[n/2])+7*int(text[min(1, n-1)])+11*int(text[max(0, n-3)]))%len(r)]
}
