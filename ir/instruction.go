package ir

import (
	"slices"
	"strings"

	"hyptx/ir/isa"
	"hyptx/parser"
)

// instruction lowers one statement: it decodes the opcode, lowers guard and
// operands as the instruction's form asks for them, and notes which registers
// are read and written. After an error it leaves no instruction behind; the
// module is not returned then.
func (fl *funcLowerer) instruction(s *scope, st *parser.Instruction) {
	c := fl.decode(st)
	if c == nil {
		return
	}
	inst := c.inst
	fl.withoutOffsets(s, st, inst)
	fl.withoutIndices(s, st, inst)
	pc := PC(len(fl.m.Instrs))
	fl.m.Instrs = append(fl.m.Instrs, Instr{PC: pc, Inst: inst, Pos: st.OpcodePos, Guard: NoReg})
	fl.m.setPlace(pc, fl.source)
	fl.in = &fl.m.Instrs[pc]
	fl.guard(s, st.Guard)
	wrong := len(fl.errs)
	if inst.IsCall() {
		fl.f.Calls = append(fl.f.Calls, pc)
		fl.call(s, st, fl.in)
	} else {
		fl.operands(s, st, c)
	}
	fl.cite(inst, fl.errs[wrong:])
	fl.effects()
}

// cite says in errors that name the instruction where the manual has it.
func (fl *funcLowerer) cite(inst *isa.Inst, wrong parser.ErrorList) {
	for _, e := range wrong {
		if strings.Contains(e.Msg, inst.Opcode) {
			e.Msg += " (PTX ISA " + inst.Form.Section + ")"
		}
	}
}

// guard lowers @p or @!p.
func (fl *funcLowerer) guard(s *scope, g *parser.Guard) {
	if g == nil {
		return
	}
	sym, suffix := fl.resolve(s, g.Name)
	switch {
	case sym == nil:
		fl.undeclared(s, g.Pos, "register", g.Name)
	case len(sym.regs) != 1 || suffix != "":
		fl.errorf(g.Pos, "%s is no predicate register", g.Name)
	case fl.f.Regs[sym.regs[0]].Type != isa.Pred:
		fl.errorf(g.Pos, "guard %s is of type %s; a predicate is expected", g.Name, fl.f.Regs[sym.regs[0]].Type)
	default:
		fl.in.Guard, fl.in.GuardNot = sym.regs[0], g.Not
	}
}

// operands lowers the operands of everything but calls.
func (fl *funcLowerer) operands(s *scope, st *parser.Instruction, c *opcode) {
	if c.fixed && c.takes(st.Operands) {
		fl.fixedOperands(s, st, c)
	} else if !fl.placed(s, st) {
		return
	}
	fl.checkParts(st.OpcodePos)
}

// placed lowers operands whose places are to be found; it is false where they have none.
func (fl *funcLowerer) placed(s *scope, st *parser.Instruction) bool {
	specs := fl.in.Inst.Form.Operands
	bracketTexture(fl.in.Inst, st)
	at, ok := match(fl.in.Inst, specs, st.Operands)
	if !ok {
		fl.mismatch(st, specs)
		return false
	}
	ops := fl.slab.operands(len(specs))
	fl.in.setOps(ops)
	for i := range specs {
		ops[i].Reg, ops[i].Pair = NoReg, NoReg
		if at[i] < 0 {
			continue
		}
		if err := specs[i].Check(fl.m.PTXVersion, fl.m.Target); err != nil {
			fl.overlook(st.Operands[at[i]].Pos, "%s: %v", st.Opcode, err)
		}
		if o, ok := fl.operand(s, &st.Operands[at[i]], fl.place(i)); ok {
			ops[i] = o
		}
	}
	return true
}

// bracketTexture writes a texture and its coordinates in brackets where they stand
// without: for compatibility with older PTX that is legal (PTX ISA 9.7.12.3).
func bracketTexture(inst *isa.Inst, st *parser.Instruction) {
	if inst.Form.Class != isa.Texture || len(st.Operands) < 3 || st.Operands[1].Kind != parser.OperandExpr ||
		inst.Form.Operands[1].Kind != isa.Brackets {
		return
	}
	op := parser.Operand{Pos: st.Operands[1].Pos, Kind: parser.OperandAddress, Elems: st.Operands[1:3:3]}
	st.Operands = append([]parser.Operand{st.Operands[0], op}, st.Operands[3:]...)
}

// place returns what the instruction takes as operand i.
func (fl *funcLowerer) place(i int) place {
	inst := fl.in.Inst
	spec := &inst.Form.Operands[i]
	return place{spec: spec, inst: inst, typ: inst.OperandType(spec)}
}

// maxOperands bounds the operands of a form.
const maxOperands = 16

// match finds for each operand of a form the one that is written for it, -1
// for an optional one left out: the first assignment, from the left, in which
// addresses stand where addresses are expected, and a cache policy exactly
// where .L2::cache_hint announces one.
func match(inst *isa.Inst, specs []isa.OperandSpec, ops []parser.Operand) (at [maxOperands]int, ok bool) {
	ok = matchFrom(inst, specs, ops, 0, 0, &at)
	return at, ok
}

// matchFrom is match for the operands from i on, of which next is the first
// written one not yet placed. It tries the operand as written before it leaves
// an optional one out, and comes back if the rest does not fit.
func matchFrom(inst *isa.Inst, specs []isa.OperandSpec, ops []parser.Operand, i, next int, at *[maxOperands]int) bool {
	if i == len(specs) {
		return next == len(ops)
	}
	spec := &specs[i]
	if inst.Takes(spec) && next < len(ops) && fits(inst, spec, &ops[next]) {
		at[i] = next
		if matchFrom(inst, specs, ops, i+1, next+1, at) {
			return true
		}
	}
	at[i] = -1
	return spec.Optional && !inst.Needs(spec) && matchFrom(inst, specs, ops, i+1, next, at)
}

// fits reports whether op is written as spec asks for.
func fits(inst *isa.Inst, spec *isa.OperandSpec, op *parser.Operand) bool {
	switch op.Kind {
	case parser.OperandAddress:
		return spec.Kind == isa.Address || spec.Kind == isa.Brackets || spec.Kind == isa.Descriptor
	case parser.OperandArray:
		return true
	case parser.OperandVector:
		if spec.Optional && inst.Elements(spec) == 0 {
			return false // it may be that of the next operand
		}
	default:
		if n := inst.Elements(spec); spec.Optional && (n < 0 || n > 1) {
			return false // a list: without braces it is the next operand
		}
	}
	if spec.Optional && spec.Kind == isa.Value && inst.Elements(spec) < 0 && op.Kind != parser.OperandVector {
		return false // a list of any length stands in braces
	}
	return spec.Kind != isa.Address && spec.Kind != isa.Brackets
}

// operand lowers one operand.
func (fl *funcLowerer) operand(s *scope, op *parser.Operand, p place) (Operand, bool) {
	switch p.spec.Kind {
	case isa.Address:
		return fl.address(s, op, p)
	case isa.Brackets:
		return fl.brackets(s, op, p)
	case isa.Label, isa.Targets:
		return fl.target(s, op, p)
	}
	if op.Kind == parser.OperandAddress {
		return fl.brackets(s, op, p) // of a Descriptor
	}
	o, ok := fl.value(s, op, p)
	if !ok {
		return o, false
	}
	if !fl.whole(op, &o, p) {
		return o, false
	}
	if p.spec.Kind == isa.Immediate && o.Kind != OperandImm {
		return fl.refuse(op.Pos, "operand %s of %s must be a constant", p.spec.Name, p.inst)
	}
	if o.Kind == OperandImm {
		if err := p.inst.CheckConstant(p.spec, int64(o.Imm)); err != nil {
			return fl.refuse(op.Pos, "operand %s of %s: %v", p.spec.Name, p.inst, err)
		}
	}
	if p.spec.Pair && op.Kind != parser.OperandPair {
		return fl.refuse(op.Pos, "operand %s of %s must be a pair d|p", p.spec.Name, p.inst)
	}
	return o, true
}

// whole reports whether a vector stands where one is asked for, after an error if not.
func (fl *funcLowerer) whole(op *parser.Operand, o *Operand, p place) bool {
	n, alone := p.inst.Elements(p.spec), p.alone()
	if n <= 1 || o.Kind == OperandVec {
		return true
	}
	if alone == isa.NoType {
		fl.errorf(op.Pos, "operand %s of %s is a vector of %d elements", p.spec.Name, p.inst, n)
		return false
	}
	if o.Kind == OperandReg && !agree(alone, fl.f.Regs[o.Reg].Type) {
		fl.errorf(op.Pos, "operand %s of %s is a vector of %d elements or of type %s, register %s is %s",
			p.spec.Name, p.inst, n, alone, fl.f.Regs[o.Reg].Name, fl.f.Regs[o.Reg].Type)
		return false
	}
	return true
}

// target notes a branch's target, which may stand further down.
func (fl *funcLowerer) target(s *scope, op *parser.Operand, p place) (Operand, bool) {
	if op.Kind != parser.OperandExpr || op.X == nil || op.X.Kind != parser.ExprName {
		return fl.refuse(op.Pos, "%s: a label is expected", p.inst)
	}
	fl.fixups.add(branchFixup{pc: fl.in.PC, pos: op.Pos, scope: s, name: op.X.Text, table: p.spec.Kind == isa.Targets})
	return Operand{Kind: OperandLabel, Reg: NoReg, Pair: NoReg}, true
}

// effects fills defs and uses, which all that follows values goes by: operands
// in the order of the form, then what the opcode reads and writes without
// naming it, the condition code of extended-precision arithmetic.
func (fl *funcLowerer) effects() {
	in := fl.in
	e := &fl.scratch
	e.defs, e.uses = e.defs[:0], e.uses[:0]
	ops, specs := in.Ops(), in.Inst.Form.Operands
	for i := range ops {
		o, s := &ops[i], &specs[i]
		switch {
		case o.Kind == OperandReg && o.Pair == NoReg && !s.Write: // most are read alone
			e.use(o.Reg)
			continue
		case s.Read:
			e.operand(o, false)
		}
		e.operand(o, s.Write)
	}
	if c := in.Call; c != nil {
		for i := range c.Args {
			e.operand(&c.Args[i], false)
		}
		for i := range c.Returns {
			e.operand(&c.Returns[i], true)
		}
	}
	if in.Guard != NoReg {
		e.use(in.Guard)
	}
	if in.Inst.ReadsCC() {
		e.use(fl.carry())
	}
	if in.Inst.WritesCC() {
		e.def(fl.carry())
	}
	if len(e.defs) > maxWritten {
		fl.errorf(in.Pos, "%s writes %d registers, hyptx takes %d", in.Inst, len(e.defs), maxWritten)
		e.defs = nil
	}
	in.setRegisters(fl.slab.registers(e.defs, e.uses), len(e.defs))
}

// effects collects registers, each once.
type effects struct{ defs, uses []RegID }

func (e *effects) def(r RegID) {
	if !slices.Contains(e.defs, r) {
		e.defs = append(e.defs, r)
	}
}

func (e *effects) use(r RegID) {
	if !slices.Contains(e.uses, r) {
		e.uses = append(e.uses, r)
	}
}

// operand adds the registers of o, which is written or read; an address is
// read even where memory is written.
func (e *effects) operand(o *Operand, write bool) {
	switch o.Kind {
	case OperandReg:
		if write {
			e.def(o.Reg)
		} else {
			e.use(o.Reg)
		}
	case OperandAddr:
		if o.Reg != NoReg {
			e.use(o.Reg)
		}
	case OperandVec, OperandBrackets:
		for i := range o.Elems() {
			e.operand(&o.Elems()[i], write)
		}
	}
	if o.Pair != NoReg {
		e.def(o.Pair)
	}
}

// carry returns the register that stands for CC.CF.
func (fl *funcLowerer) carry() RegID {
	if fl.f.CC == NoReg {
		fl.f.CC = fl.addReg("%cc", isa.Pred)
	}
	return fl.f.CC
}
