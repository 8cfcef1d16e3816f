package ir

import (
	"math"

	"hyptx/ir/isa"
	"hyptx/parser"
)

// What stands in the brackets is checked as far as the text says: the register
// must be wide enough for an address, the variable must lie in the space that
// the opcode names, the offset must fit. Whether the address is in bounds is
// only known when it is run.
//
// All forms become one operand: a register or none, a variable or none, and a byte
// offset. [%rd1+8] is (%rd1, none, 8), [table+16] (none, table, 16), [4096] the offset
// alone, and table[2] of 4-byte elements is what [table+8] is, so that what runs has
// one way to find an address.

// address lowers a memory operand: [reg+imm], [var+imm], [imm] or var[imm].
// The offset is folded into Imm.
func (fl *funcLowerer) address(s *scope, op *parser.Operand, p place) (Operand, bool) {
	o := Operand{Kind: OperandAddr, Type: p.inst.Type(), Reg: NoReg, Pair: NoReg}
	x := op
	if op.Kind == parser.OperandAddress && len(op.Elems) > 0 {
		if x = &op.Elems[0]; len(op.Elems) > 1 {
			return fl.refuse(op.Elems[1].Pos, "operand %s of %s: one address in [ ] is expected, an offset from it stands behind a +", p.spec.Name, p.inst)
		}
	}
	if x.Kind == parser.OperandArray {
		e, ok := fl.element(s, x, p)
		o.Var, o.Imm = e.Var, e.Imm
		return o, ok && fl.checkSpace(x.Pos, p, o.Var)
	}
	if op.Kind != parser.OperandAddress || x.Kind != parser.OperandExpr || x.X == nil || x.Not || x.Neg {
		return fl.refuse(op.Pos, "operand %s of %s: an address in [ ] is expected", p.spec.Name, p.inst)
	}
	l, err := evalLinear(x.X)
	if err == nil && l.c.kind != constInt {
		err = errAt(x.Pos, "an address takes an integer offset")
	}
	if err != nil {
		fl.fail(x.Pos, err)
		return o, false
	}
	o.Imm = l.c.bits
	if l.name == nil {
		return o, fl.namesParameter(x.Pos, p)
	}
	sym, suffix := fl.resolve(s, l.name.Text)
	switch {
	case sym == nil:
		return fl.undeclared(s, x.Pos, "register or variable", l.name.Text)
	case sym.regs != nil:
		return fl.based(x, l, sym, suffix, o)
	case sym.v == nil || suffix != "" || l.generic:
		return fl.refuse(x.Pos, "%s is no address", l.name.Text)
	}
	o.Var = sym.v
	return o, fl.checkSpace(x.Pos, p, o.Var) && fl.withinParameter(x.Pos, p, &o)
}

// namesParameter reports whether a number may stand for an address: parameters have names, and
// nobody knows where they lie.
func (fl *funcLowerer) namesParameter(pos parser.Pos, p place) bool {
	switch p.inst.AddressSpace(p.number()) {
	case isa.Param, isa.ParamEntry, isa.ParamFunc:
		return fl.overlook(pos, "operand %s of %s: the name of a parameter is missing", p.spec.Name, p.inst)
	}
	return true
}

// withinParameter reports whether an access by the name of a parameter stays in it: what lies
// behind is none of the program's business.
func (fl *funcLowerer) withinParameter(pos parser.Pos, p place, o *Operand) bool {
	v := o.Var
	if v.Space != isa.ParamEntry && v.Space != isa.ParamFunc || v.Bytes == 0 || !p.inst.PlainAccess() {
		return true
	}
	size := int64(p.inst.Type().Bytes()) * int64(max(p.inst.Vec, 1))
	if at := int64(o.Imm); at < 0 || at+size > v.Bytes {
		return fl.overlook(pos, "%s of %d bytes at byte %d of %s, which has %d", p.inst, size, at, v.Name, v.Bytes)
	}
	return true
}

// brackets lowers [a, b, ...] where a is no address of memory that the instruction
// itself names: a texture or surface with the place in it, a tensor map with
// coordinates, a word of tensor memory.
func (fl *funcLowerer) brackets(s *scope, op *parser.Operand, p place) (Operand, bool) {
	o := Operand{Kind: OperandBrackets, Type: p.typ, Reg: NoReg, Pair: NoReg}
	specs := p.spec.Parts
	if p.spec.Kind == isa.Descriptor {
		specs = tensorWord
	}
	at, ok := match(p.inst, specs, op.Elems)
	if !ok {
		return fl.refuse(op.Pos, "operand %s of %s has %d parts; %s is expected", p.spec.Name, p.inst, len(op.Elems), usage(p.inst.Form))
	}
	parts := fl.slab.operands(len(specs))[:0]
	for i := range specs {
		if at[i] < 0 {
			continue
		}
		part, ok := Operand{}, false
		if i == 0 {
			alone := parser.Operand{Pos: op.Pos, Kind: parser.OperandAddress, Elems: op.Elems[:1]}
			part, ok = fl.address(s, &alone, place{spec: &specs[0], inst: anyAccess, typ: isa.NoType})
		} else {
			part, ok = fl.operand(s, &op.Elems[at[i]], place{spec: &specs[i], inst: p.inst, typ: p.inst.OperandType(&specs[i])})
		}
		if !ok {
			return o, false
		}
		parts = append(parts, part)
	}
	o.Rare = fl.slab.rarity(rarity{elems: parts})
	return o, true
}

// anyAccess is an instruction that any space will do for; tensorWord what stands in
// the brackets of a descriptor.
var (
	anyAccess  = &isa.Inst{Form: &isa.Form{}}
	tensorWord = []isa.OperandSpec{{Name: "taddr"}}
)

// based lowers [reg+imm]; the offset has 32 bits (PTX ISA 6.4.1). The register
// must be as wide as an address, 32 or 64 bits, of an integer or untyped.
func (fl *funcLowerer) based(x *parser.Operand, l linear, sym *symbol, suffix string, o Operand) (Operand, bool) {
	name := l.name.Text
	o.Reg = sym.regs[0]
	if len(sym.regs) > 1 {
		i := component(suffix)
		if i < 0 || i >= len(sym.regs) {
			return fl.refuse(x.Pos, "%s is a vector; name one of its components", name)
		}
		o.Reg = sym.regs[i]
	} else if suffix != "" {
		return fl.refuse(x.Pos, "%s is no address", name)
	}
	t := fl.f.Regs[o.Reg].Type
	if !agree(isa.U32, t) && !agree(isa.U64, t) {
		return fl.refuse(x.Pos, "register %s of type %s cannot hold an address; 32 or 64 bits, untyped or integer, are expected", name, t)
	}
	if int64(o.Imm) < math.MinInt32 || int64(o.Imm) > math.MaxInt32 {
		return fl.refuse(x.Pos, "offset %d does not fit into 32 bits", int64(o.Imm))
	}
	return o, true
}

// number returns which of its instruction's addresses an operand is: a copy has two or three,
// each in a space of its own.
func (p place) number() (n int) {
	for i := range p.inst.Form.Operands {
		if spec := &p.inst.Form.Operands[i]; spec == p.spec {
			break
		} else if spec.Kind == isa.Address {
			n++
		}
	}
	return n
}

// checkSpace reports whether an access by p may name v, after an error if not.
func (fl *funcLowerer) checkSpace(pos parser.Pos, p place, v *Var) bool {
	space := p.inst.AddressSpace(p.number())
	ok := true
	switch space {
	case isa.Global, isa.Const, isa.Local, isa.Shared, isa.ParamEntry, isa.ParamFunc:
		ok = v.Space == space
	case isa.SharedCluster:
		ok = v.Space == isa.Shared
	case isa.Param:
		ok = v.Space == isa.ParamEntry || v.Space == isa.ParamFunc
	}
	if !ok {
		fl.errorf(pos, "%s accesses %s, %s lies in %s", p.inst, space, v.Name, v.Space)
		return false
	}
	if v.Space == isa.ParamEntry && p.inst.IsStore() {
		fl.errorf(pos, "%s: the kernel's parameter %s cannot be written", p.inst, v.Name)
		return false
	}
	return true
}

// element lowers var[imm], an element of an array: the address of the element
// with that number (PTX ISA 6.4.2).
func (fl *funcLowerer) element(s *scope, op *parser.Operand, p place) (Operand, bool) {
	o := Operand{Kind: OperandVar, Type: p.typ, Reg: NoReg, Pair: NoReg}
	sym := fl.lookup(s, op.Name)
	switch {
	case sym == nil:
		return fl.undeclared(s, op.Pos, "variable", op.Name)
	case sym.v == nil:
		return fl.refuse(op.Pos, "%s is no array", op.Name)
	case p.spec.Write && p.spec.Kind == isa.Value:
		return fl.refuse(op.Pos, "operand %s of %s: %s is not a register", p.spec.Name, p.inst, op.Name)
	case op.X == nil:
		return fl.refuse(op.Pos, "%s: an index is missing", op.Name)
	}
	l, err := evalLinear(op.X)
	if err == nil && l.name != nil {
		err = errAt(op.Pos, "%s[%s]: indexing by a register is not supported; compute the address before", op.Name, l.name.Text)
	}
	if err == nil && l.c.kind != constInt {
		err = errAt(op.Pos, "%s: an index must be an integer", op.Name)
	}
	if err != nil {
		fl.fail(op.Pos, err)
		return o, false
	}
	o.Var, o.Imm = sym.v, l.c.bits*uint64(sym.v.Type.Bytes())
	return o, true
}
