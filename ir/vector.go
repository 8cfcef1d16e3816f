package ir

import (
	"hyptx/ir/isa"
	"hyptx/parser"
)

// Three things look alike in PTX and are told apart by the instruction: a list of
// registers that one access moves (ld.v2.f32 {a, b}), a fragment of a matrix
// (mma), and a value that is put together from parts or taken apart
// (mov.b64 {lo, hi}, d), where each part has a fraction of the type's bits. All
// become one Operand with Elems; the type of an element says which it was.

// vector lowers an operand in braces.
func (fl *funcLowerer) vector(s *scope, op *parser.Operand, p place) (Operand, bool) {
	o := Operand{Kind: OperandVec, Type: p.typ, Reg: NoReg, Pair: NoReg}
	if p.elem {
		return fl.refuse(op.Pos, "a vector cannot be an element of a vector")
	}
	typ, ok := fl.elementType(op.Pos, p, len(op.Elems))
	if !ok {
		return o, false
	}
	if p.alone() != isa.NoType {
		first := *p.spec
		first.Alt, p.spec = isa.NoType, &first
	}
	p.typ, p.elem = typ, true
	elems := fl.slab.operands(len(op.Elems))
	for i := range op.Elems {
		if elems[i], ok = fl.value(s, &op.Elems[i], p); !ok {
			return o, false
		}
	}
	o.Rare = fl.slab.rarity(rarity{elems: elems})
	return o, true
}

// elementType returns the type of each of n elements at place p: where the
// instruction moves a vector (.v2, mma fragments) its type, and where it packs
// or unpacks one untyped value (mov.b64 {a, b}), a part of it.
func (fl *funcLowerer) elementType(pos parser.Pos, p place, n int) (isa.Type, bool) {
	want := p.inst.Elements(p.spec)
	switch {
	case n > 0 && (want == n || want < 0 || want == 0 && p.typ == isa.NoType):
		return p.typ, true
	case want == 0 && n == 1, p.spec.MayPad(n):
		return p.typ, true
	case want == 0 && p.inst.Op == isa.OpMov && p.typ.Kind() == isa.Bit && (n == 2 || n == 4):
		if t := isa.BitsType(p.typ.Bits() / n); t != isa.NoType {
			return t, true
		}
	case want != 0:
		fl.errorf(pos, "operand %s of %s has %d elements, %d are expected", p.spec.Name, p.inst, n, want)
		return isa.NoType, false
	}
	fl.errorf(pos, "operand %s of %s cannot be a vector of %d elements", p.spec.Name, p.inst, n)
	return isa.NoType, false
}

// pair lowers d|p, two destinations: the second is a predicate, or _ where it
// is not wanted.
func (fl *funcLowerer) pair(s *scope, op *parser.Operand, p place) (Operand, bool) {
	if !p.spec.Pair && !p.spec.MayPair || len(op.Elems) != 2 {
		return fl.refuse(op.Pos, "operand %s of %s cannot be a pair", p.spec.Name, p.inst)
	}
	o, ok := fl.value(s, &op.Elems[0], p)
	if !ok {
		return o, false
	}
	p.typ = isa.Pred
	second, ok := fl.value(s, &op.Elems[1], p)
	if !ok {
		return o, false
	}
	switch second.Kind {
	case OperandReg:
		o.Pair = second.Reg
	case OperandSink:
	default:
		return fl.refuse(op.Elems[1].Pos, "the second destination of %s must be a predicate register or _", p.inst)
	}
	return o, true
}
