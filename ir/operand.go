package ir

import (
	"strings"

	"hyptx/ir/isa"
	"hyptx/parser"
)

// What an operand may be follows from where it stands: the form of the
// instruction has for each place a kind, a type and what may be left out or
// negated (isa.OperandSpec). A name is looked up in the scopes first, then
// among the special registers; it may be a register, a component of a vector
// register, a variable or a function, whose address it then is. Each error
// says the operand's name in the manual, the instruction, what is expected and
// what was found.

// place is where an operand stands: what the instruction takes there.
type place struct {
	spec *isa.OperandSpec
	inst *isa.Inst
	// typ is the operand's type, NoType where there is nothing to check.
	typ isa.Type
	// elem: an element of a vector operand.
	elem bool
}

// alone is the type of the one register that may stand at p instead of a vector of another size.
func (p place) alone() isa.Type {
	if alt := p.spec.Alt; alt != isa.NoType && alt.Bits() != p.spec.Type.Bits() && p.inst.Elements(p.spec) > 1 {
		return alt
	}
	return isa.NoType
}

// value lowers a register, constant, special register or the address of a
// variable or function.
func (fl *funcLowerer) value(s *scope, op *parser.Operand, p place) (Operand, bool) {
	switch op.Kind {
	case parser.OperandVector:
		return fl.vector(s, op, p)
	case parser.OperandPair:
		return fl.pair(s, op, p)
	case parser.OperandArray:
		return fl.element(s, op, p)
	case parser.OperandExpr:
		if op.X != nil {
			break
		}
		fallthrough
	default:
		return fl.refuse(op.Pos, "operand %s of %s: a register or constant is expected", p.spec.Name, p.inst)
	}
	x, err := evalLinear(op.X)
	if err != nil {
		fl.fail(op.Pos, err)
		return Operand{}, false
	}
	if x.name == nil {
		return fl.immediate(op, x.c, p)
	}
	if x.generic {
		return fl.refuse(op.Pos, "generic() stands in initialisers only; use cvta")
	}
	o, ok := fl.named(s, op, x, p)
	if !ok {
		return o, false
	}
	switch {
	case op.Neg && !p.spec.MayNeg:
		fl.errorf(op.Pos, "operand %s of %s cannot be negated with -", p.spec.Name, p.inst)
	case op.Not && !p.spec.MayNot:
		fl.errorf(op.Pos, "operand %s of %s cannot be negated with !", p.spec.Name, p.inst)
	}
	o.Not, o.Neg = op.Not, op.Neg
	return o, true
}

// immediate lowers a constant.
func (fl *funcLowerer) immediate(op *parser.Operand, c exprValue, p place) (Operand, bool) {
	if p.spec.Write {
		return fl.refuse(op.Pos, "operand %s of %s is written; a constant cannot stand there", p.spec.Name, p.inst)
	}
	if op.Neg || op.Not {
		fl.errorf(op.Pos, "a constant cannot be negated here")
	}
	switch {
	case p.typ != isa.NoType:
	case p.spec.Kind == isa.Immediate: // a scale of -1 is written so
		p.typ = isa.S64
	default:
		p.typ = isa.B64
	}
	bits, err := c.immediate(p.typ)
	if whole := asWhole(err); whole != nil {
		if !fl.overlook(op.Pos, "operand %s of %s: %v", p.spec.Name, p.inst, err) {
			return Operand{}, false
		}
		bits, err = whole.value().immediate(p.typ)
	}
	if err != nil {
		return fl.refuse(op.Pos, "operand %s of %s: %v", p.spec.Name, p.inst, err)
	}
	return Operand{Kind: OperandImm, Type: p.typ, Reg: NoReg, Pair: NoReg, Imm: bits}, true
}

// named lowers a name, or a name plus an offset.
func (fl *funcLowerer) named(s *scope, op *parser.Operand, x linear, p place) (Operand, bool) {
	o := Operand{Type: p.typ, Reg: NoReg, Pair: NoReg}
	name := x.name.Text
	if name == "_" {
		if !p.spec.Write && !(p.elem && leavesOut(p.inst)) {
			return fl.refuse(op.Pos, "operand %s of %s is read; _ cannot stand there", p.spec.Name, p.inst)
		}
		o.Kind = OperandSink
		return o, true
	}
	sym, suffix := fl.resolve(s, name)
	switch {
	case sym == nil:
		return fl.special(s, op, x, p)
	case sym.regs != nil:
		if x.c.bits != 0 {
			return fl.refuse(op.Pos, "an offset can be added to a register only within [ ]")
		}
		return fl.register(op, sym, suffix, name, p)
	}
	if suffix != "" {
		return fl.refuse(op.Pos, "%s has no component .%s", strings.TrimSuffix(name, "."+suffix), suffix)
	}
	if p.spec.Write || p.elem {
		return fl.refuse(op.Pos, "operand %s of %s: %s is not a register", p.spec.Name, p.inst, name)
	}
	if sym.fn != nil {
		o.Kind, o.Rare = OperandFunc, fl.slab.rarity(rarity{Func: sym.fn.callee()})
	} else {
		o.Kind, o.Var = OperandVar, sym.v
	}
	o.Imm = x.c.bits
	if t := p.typ; t != isa.NoType && (t.Bits() != 64 && t.Bits() != 32 || t.IsFloat()) {
		return fl.refuse(op.Pos, "the address of %s does not fit into type %s", name, t)
	}
	return o, true
}

// leavesOut says whether an element of the vector that is stored may be _, where nothing is
// written then (PTX ISA 9.7.10.11).
func leavesOut(inst *isa.Inst) bool {
	return inst.Op == isa.OpSt && int(inst.Vec)*inst.Type().Bytes() == 32
}

// resolve looks a name up; if it is unknown and has a suffix, what stands
// before the suffix.
func (fl *funcLowerer) resolve(s *scope, name string) (*symbol, string) {
	if sym := fl.lookup(s, name); sym != nil {
		return sym, ""
	}
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		if sym := fl.lookup(s, name[:i]); sym != nil {
			return sym, name[i+1:]
		}
	}
	return nil, ""
}

// register lowers a register, a component of a vector register, or a whole
// one.
func (fl *funcLowerer) register(op *parser.Operand, sym *symbol, suffix, name string, p place) (Operand, bool) {
	o := Operand{Kind: OperandReg, Type: p.typ, Reg: sym.regs[0], Pair: NoReg}
	switch {
	case suffix == "" && len(sym.regs) > 1:
		return fl.wholeVector(op, sym, name, p)
	case suffix != "" && len(sym.regs) > 1:
		i := component(suffix)
		if i < 0 || i >= len(sym.regs) {
			return fl.refuse(op.Pos, "%s: the vector has no component .%s", name, suffix)
		}
		o.Reg = sym.regs[i]
	case suffix != "" && p.spec.Selects(suffix):
		o.Selector = newSelector(suffix)
	case suffix != "":
		return fl.refuse(op.Pos, "%s: the register has no component .%s", name, suffix)
	}
	if !fl.checkType(op.Pos, p, name, fl.f.Regs[o.Reg].Type) {
		return o, false
	}
	return o, true
}

// wholeVector lowers the name of a vector register to its components.
func (fl *funcLowerer) wholeVector(op *parser.Operand, sym *symbol, name string, p place) (Operand, bool) {
	o := Operand{Kind: OperandVec, Type: p.typ, Reg: NoReg, Pair: NoReg}
	typ, ok := fl.elementType(op.Pos, p, len(sym.regs))
	if !ok || p.elem {
		if ok {
			fl.errorf(op.Pos, "%s is a vector; name one of its components", name)
		}
		return o, false
	}
	p.typ = typ
	elems := fl.slab.operands(len(sym.regs))
	for i, r := range sym.regs {
		if !fl.checkType(op.Pos, p, name, fl.f.Regs[r].Type) {
			return o, false
		}
		elems[i] = Operand{Kind: OperandReg, Type: typ, Reg: r, Pair: NoReg}
	}
	o.Rare = fl.slab.rarity(rarity{elems: elems})
	return o, true
}

// component returns the index of a vector component's name, or -1.
func component(suffix string) int {
	if len(suffix) != 1 {
		return -1
	}
	if i := strings.IndexByte(components, suffix[0]); i >= 0 {
		return i
	}
	return strings.IndexByte("rgba", suffix[0])
}

// checkType reports whether a register of type r may stand at p, after an
// error if not.
func (fl *funcLowerer) checkType(pos parser.Pos, p place, name string, r isa.Type) bool {
	spec := p.spec
	if p.typ != p.inst.OperandType(p.spec) { // a part of a vector, or the p of d|p
		spec = &isa.OperandSpec{Rule: isa.Fixed, Type: p.typ}
	}
	if p.typ == isa.NoType || spec.Accepts(p.inst, r) {
		return true
	}
	takes := p.typ.String()
	if spec.Alt != isa.NoType {
		takes += " or " + spec.Alt.String()
	}
	const said = "operand %s of %s is of type %s, register %s is %s"
	if !p.typ.Contained(r) {
		fl.errorf(pos, said, p.spec.Name, p.inst, takes, name, r)
		return false
	}
	return fl.overlook(pos, said, p.spec.Name, p.inst, takes, name, r)
}

// special lowers a special register, or all components of one that is a
// vector.
func (fl *funcLowerer) special(s *scope, op *parser.Operand, x linear, p place) (Operand, bool) {
	o := Operand{Kind: OperandSReg, Type: p.typ, Reg: NoReg, Pair: NoReg}
	name := x.name.Text
	sreg, ok := isa.ParseSReg(name)
	if !ok || x.c.bits != 0 {
		return fl.undeclared(s, op.Pos, "register or variable", name)
	}
	if p.spec.Write {
		return fl.refuse(op.Pos, "special register %s cannot be written", name)
	}
	if err := sreg.Check(fl.m.PTXVersion, fl.m.Target); err != nil && !fl.overlook(op.Pos, "%v", err) {
		return o, false
	}
	if n := sreg.Components(); n > 1 && !strings.Contains(name, ".") {
		o.Kind = OperandVec
		if p.elem || p.inst.Elements(p.spec) == 0 && p.typ.Bits() <= 32 {
			return fl.refuse(op.Pos, "%s is a vector; name one of its components, as %s.x", name, name)
		}
		if p.typ, ok = fl.elementType(op.Pos, p, n); !ok {
			return o, false
		}
		elems := fl.slab.operands(n)
		for i := range n {
			elems[i] = Operand{Kind: OperandSReg, Type: p.typ, Reg: NoReg, Pair: NoReg, SReg: sreg + isa.SReg(i)}
		}
		o.Rare = fl.slab.rarity(rarity{elems: elems})
		return o, fl.checkSpecial(op.Pos, p, sreg)
	}
	o.SReg = sreg
	return o, fl.checkSpecial(op.Pos, p, sreg)
}

// checkSpecial reports whether special register r may stand at p, after an
// error if not. mov and cvt may read the low bits of a wider one, and before PTX 2.0,
// when %tid and its like had 16 bits, everything might (PTX ISA 10.1, 10.6).
func (fl *funcLowerer) checkSpecial(pos parser.Pos, p place, r isa.SReg) bool {
	t := r.Type()
	low := p.inst.Op == isa.OpMov || p.inst.Op == isa.OpCvt || fl.m.PTXVersion < 200 && p.typ.Bits() == 16
	switch {
	case p.typ == isa.NoType, agree(p.typ, t):
		return true
	case low && t != isa.Pred && p.typ != isa.Pred && !p.typ.IsFloat() && p.typ.Bits() < t.Bits():
		return true
	}
	fl.errorf(pos, "operand %s of %s is of type %s, special register %s is %s", p.spec.Name, p.inst, p.typ, r, t)
	return false
}

// agree reports whether a value of type r may stand where type t is asked for.
func agree(t, r isa.Type) bool {
	spec := isa.OperandSpec{Rule: isa.Fixed, Type: t}
	return spec.Accepts(nil, r)
}
