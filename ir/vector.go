package ir

import (
	"hyptx/ir/isa"
	"hyptx/parser"
)

// vector lowers an operand in braces.
func (fl *funcLowerer) vector(s *scope, op *parser.Operand, p place) (Operand, bool) {
	o := Operand{Kind: OperandVec, Type: p.typ, Reg: NoReg, Pair: NoReg}
	if p.elem {
		fl.errorf(op.Pos, "a vector cannot be an element of a vector")
		return o, false
	}
	typ, ok := fl.elementType(op.Pos, p, len(op.Elems))
	if !ok {
		return o, false
	}
	p.typ, p.elem = typ, true
	o.Elems = fl.slab.operands(len(op.Elems))
	for i := range op.Elems {
		if o.Elems[i], ok = fl.value(s, &op.Elems[i], p); !ok {
			return o, false
		}
	}
	return o, true
}

// elementType returns the type of each of n elements at place p: where the
// instruction moves a vector (.v2, mma fragments) its type, and where it packs
// or unpacks one untyped value (mov.b64 {a, b}), a part of it.
func (fl *funcLowerer) elementType(pos parser.Pos, p place, n int) (isa.Type, bool) {
	want := p.spec.Vector
	if want == 0 && p.spec.Kind == isa.Value && p.inst.Vec > 1 {
		want = int(p.inst.Vec)
	}
	switch {
	case n > 0 && (want == n || p.typ == isa.NoType):
		return p.typ, true
	case want == 0 && n == 1:
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
		fl.errorf(op.Pos, "operand %s of %s cannot be a pair", p.spec.Name, p.inst)
		return Operand{}, false
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
		fl.errorf(op.Elems[1].Pos, "the second destination of %s must be a predicate register or _", p.inst)
		return o, false
	}
	return o, true
}
