package ir

import (
	"math/bits"

	"hyptx/ir/isa"
)

// foldFunc computes the result of an instruction whose sources, extended to 64
// bits by their types, are s; only the result type's bits of it count. ok is
// false for what it does not know.
type foldFunc func(inst *isa.Inst, s [4]uint64) (d uint64, ok bool)

// folds has the operations whose operands are d, then up to four sources.
var folds = map[isa.Op]foldFunc{
	isa.OpAdd: foldAdd, isa.OpSub: foldSub, isa.OpMul: foldMul, isa.OpMad: foldMad,
	isa.OpDiv: foldDiv, isa.OpRem: foldRem, isa.OpAbs: foldAbs, isa.OpNeg: foldNeg,
	isa.OpMin: foldMin, isa.OpMax: foldMax,
	isa.OpAnd:  func(_ *isa.Inst, s [4]uint64) (uint64, bool) { return s[0] & s[1], true },
	isa.OpOr:   func(_ *isa.Inst, s [4]uint64) (uint64, bool) { return s[0] | s[1], true },
	isa.OpXor:  func(_ *isa.Inst, s [4]uint64) (uint64, bool) { return s[0] ^ s[1], true },
	isa.OpNot:  func(_ *isa.Inst, s [4]uint64) (uint64, bool) { return ^s[0], true },
	isa.OpCnot: func(_ *isa.Inst, s [4]uint64) (uint64, bool) { return boolBit(s[0] == 0), true },
	isa.OpShl:  foldShl, isa.OpShr: foldShr, isa.OpShf: foldShf, isa.OpLop3: foldLop3,
	isa.OpPopc: foldPopc, isa.OpClz: foldClz, isa.OpBrev: foldBrev, isa.OpBfe: foldBfe, isa.OpBfi: foldBfi,
	isa.OpCvt: foldCvt,
}

// arithmetic evaluates an operation of folds.
func (e *evaluator) arithmetic() {
	in := e.in
	fold := folds[in.Inst.Op]
	if fold == nil || len(in.Ops) < 2 || len(in.Ops) > 5 || in.Ops[0].Pair != NoReg && in.Ops[0].Pair != 0 {
		return
	}
	var sources [4]cell
	var types [4]isa.Type
	n := 0
	for i := range in.Ops[1:] {
		if in.Ops[i+1].Kind == NoOperand {
			continue
		}
		sources[n], types[n] = e.source(&in.Ops[i+1]), in.Ops[i+1].Type
		n++
	}
	d := &in.Ops[0]
	if !in.Inst.Type().IsFloat() {
		e.set(d, e.apply(fold, sources[:n], types[:n]), d.Type)
	}
}

// apply evaluates fold over cells.
func (e *evaluator) apply(fold foldFunc, sources []cell, types []isa.Type) cell {
	inst := e.in.Inst
	if c, ok := absorb(inst, sources); ok {
		return c
	}
	var s [4]uint64
	pending, sym, varies := false, false, false
	for i, c := range sources {
		varies = varies || c.state == varying
		pending = pending || c.state == top
		sym = sym || c.sym != nil
		s[i] = c.bits
	}
	switch {
	case pending:
		return cell{}
	case varies:
		return rangeOf(inst, sources, types)
	case sym:
		return foldAddress(inst, sources)
	}
	d, ok := fold(inst, s)
	if !ok {
		return cell{state: varying}
	}
	return constCell(d)
}

// absorb knows the results that one operand alone decides: and with 0, a
// predicate's or with 1, a product with 0.
func absorb(inst *isa.Inst, sources []cell) (cell, bool) {
	if len(sources) < 2 {
		return cell{}, false
	}
	for _, c := range sources[:2] {
		if c.state != constant || c.sym != nil {
			continue
		}
		switch inst.Op {
		case isa.OpAnd:
			if c.bits == 0 {
				return c, true
			}
		case isa.OpMul:
			if c.bits == 0 && !inst.Type().IsFloat() {
				return c, true
			}
		case isa.OpOr:
			if c.bits != 0 && inst.Type() == isa.Pred {
				return c, true
			}
		}
	}
	return cell{}, false
}

// foldAddress adds to, or subtracts from, the address of a variable.
func foldAddress(inst *isa.Inst, s []cell) cell {
	plain := len(inst.Mods) == 1 && len(s) == 2 // no .sat, no .cc
	switch {
	case plain && inst.Op == isa.OpAdd && s[0].sym != nil && s[1].sym == nil:
		return cell{state: constant, sym: s[0].sym, bits: s[0].bits + s[1].bits}
	case plain && inst.Op == isa.OpAdd && s[0].sym == nil:
		return cell{state: constant, sym: s[1].sym, bits: s[0].bits + s[1].bits}
	case plain && inst.Op == isa.OpSub && s[1].sym == nil:
		return cell{state: constant, sym: s[0].sym, bits: s[0].bits - s[1].bits}
	}
	return cell{state: varying}
}

func boolBit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// plain reports whether an integer operation has neither packed elements nor
// a modifier that changes its result.
func plain(inst *isa.Inst) bool {
	return inst.Type().Lanes() == 1 && !inst.Has(isa.ModSat) && !inst.Has(isa.ModRelu) && inst.Type().Bits() <= 64
}

func foldAdd(inst *isa.Inst, s [4]uint64) (uint64, bool) { return s[0] + s[1], plain(inst) }
func foldSub(inst *isa.Inst, s [4]uint64) (uint64, bool) { return s[0] - s[1], plain(inst) }

// foldMul: mul.lo, .hi and .wide (PTX ISA 9.7.1.3).
func foldMul(inst *isa.Inst, s [4]uint64) (uint64, bool) {
	if inst.Mul != isa.HI_ {
		return s[0] * s[1], plain(inst)
	}
	n := inst.Type().Bits()
	if n < 64 { // the sources are extended: the product is exact
		return s[0] * s[1] >> n, plain(inst)
	}
	hi, _ := bits.Mul64(s[0], s[1])
	if inst.Type().IsSigned() {
		hi -= s[1]&-(s[0]>>63) + s[0]&-(s[1]>>63)
	}
	return hi, plain(inst)
}

// foldMad: mad (PTX ISA 9.7.1.4).
func foldMad(inst *isa.Inst, s [4]uint64) (uint64, bool) {
	product, ok := foldMul(inst, s)
	return product + s[2], ok
}

// foldDiv: division by zero is unspecified and left to the emulator.
func foldDiv(inst *isa.Inst, s [4]uint64) (uint64, bool) {
	switch {
	case s[1] == 0:
		return 0, false
	case !inst.Type().IsSigned():
		return s[0] / s[1], plain(inst)
	case s[1] == ^uint64(0):
		return -s[0], plain(inst) // the most negative number stays
	}
	return uint64(int64(s[0]) / int64(s[1])), plain(inst)
}

func foldRem(inst *isa.Inst, s [4]uint64) (uint64, bool) {
	switch {
	case s[1] == 0:
		return 0, false
	case !inst.Type().IsSigned():
		return s[0] % s[1], plain(inst)
	case s[1] == ^uint64(0):
		return 0, plain(inst)
	}
	return uint64(int64(s[0]) % int64(s[1])), plain(inst)
}

func foldAbs(inst *isa.Inst, s [4]uint64) (uint64, bool) {
	if int64(s[0]) < 0 {
		return -s[0], plain(inst)
	}
	return s[0], plain(inst)
}

func foldNeg(inst *isa.Inst, s [4]uint64) (uint64, bool) { return -s[0], plain(inst) }

func foldMin(inst *isa.Inst, s [4]uint64) (uint64, bool) {
	if less, _ := compare(isa.LT, s[0], s[1], inst.Type().IsSigned()); less {
		return s[0], plain(inst)
	}
	return s[1], plain(inst)
}

func foldMax(inst *isa.Inst, s [4]uint64) (uint64, bool) {
	if less, _ := compare(isa.LT, s[0], s[1], inst.Type().IsSigned()); less {
		return s[1], plain(inst)
	}
	return s[0], plain(inst)
}
