package value

import (
	"math/bits"

	"hyptx/ir/isa"
)

// foldFunc computes the result of an instruction whose sources, extended to 64
// bits by their types, are s; only the result type's bits of it count. ok is
// false for what it does not know.
type foldFunc func(inst *isa.Inst, s [4]uint64) (d uint64, ok bool)

// folds has the operations whose operands are d, then up to four sources, by
// number: constants are propagated on the way to every profile, and a map would
// take longer than most of the operations.
var folds = [...]foldFunc{
	isa.OpAdd: foldAdd, isa.OpSub: foldSub, isa.OpMul: foldMul, isa.OpMad: foldMad,
	isa.OpDiv: foldDiv, isa.OpRem: foldRem, isa.OpAbs: foldAbs, isa.OpNeg: foldNeg,
	isa.OpMin: foldMin, isa.OpMax: foldMax,
	isa.OpAnd:  func(_ *isa.Inst, s [4]uint64) (uint64, bool) { return s[0] & s[1], true },
	isa.OpOr:   func(_ *isa.Inst, s [4]uint64) (uint64, bool) { return s[0] | s[1], true },
	isa.OpXor:  func(_ *isa.Inst, s [4]uint64) (uint64, bool) { return s[0] ^ s[1], true },
	isa.OpNot:  func(_ *isa.Inst, s [4]uint64) (uint64, bool) { return ^s[0], true },
	isa.OpCnot: func(_ *isa.Inst, s [4]uint64) (uint64, bool) { return bit(s[0] == 0), true },
	isa.OpShl:  foldShl, isa.OpShr: foldShr, isa.OpShf: foldShf, isa.OpLop3: foldLop3,
	isa.OpPopc: foldPopc, isa.OpClz: foldClz, isa.OpBrev: foldBrev, isa.OpBfe: foldBfe, isa.OpBfi: foldBfi,
	isa.OpCvt: foldCvt, isa.OpSetp: foldSetp, isa.OpSelp: foldSelp,
	isa.OpMov: func(_ *isa.Inst, s [4]uint64) (uint64, bool) { return s[0], true },
}

// Folds reports whether Fold knows an operation.
func Folds(op isa.Op) bool { return int(op) < len(folds) && folds[op] != nil }

// Fold computes the result of an instruction whose sources are constants,
// extended to 64 bits by their types; only the result type's bits of the
// result count, and only one result is returned. ok is false for what it does
// not know: other operations, and what the manual leaves open.
func Fold(inst *isa.Inst, s [4]uint64) (d uint64, ok bool) {
	if !Folds(inst.Op) || inst.Type().IsFloat() {
		return 0, false
	}
	return folds[inst.Op](inst, s)
}

// plain reports whether an integer operation has neither packed elements nor
// a modifier that changes its result.
func plain(inst *isa.Inst) bool {
	return inst.Type().Lanes() == 1 && !inst.Has(isa.ModSat) && !inst.Has(isa.ModRelu) && inst.Type().Bits() <= 64
}

// foldAdd and foldSub: add and sub without carry (PTX ISA 9.7.1.1, 9.7.1.2).
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

// foldDiv: the machine rounds the quotient towards zero; by zero it is
// unspecified and left to the emulator (PTX ISA 9.7.1.9).
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

// foldRem: by zero a remainder is unspecified, too (PTX ISA 9.7.1.10). Where it is open
// it is what quotients leave that are rounded towards zero, but no constant.
func foldRem(inst *isa.Inst, s [4]uint64) (uint64, bool) {
	switch {
	case s[1] == 0 || inst.Type().IsSigned() && RemainderOpen(int64(s[0]), int64(s[1])):
		return 0, false
	case !inst.Type().IsSigned():
		return s[0] % s[1], plain(inst)
	case s[1] == ^uint64(0):
		return 0, plain(inst)
	}
	return uint64(int64(s[0]) % int64(s[1])), plain(inst)
}

// RemainderOpen reports whether the manual leaves a signed remainder open: "the behavior for
// negative numbers is machine-dependent and depends on whether divide rounds towards zero
// or negative infinity" (PTX ISA 9.7.1.10). The two differ where the signs do and something
// remains.
func RemainderOpen(a, b int64) bool { return (a < 0) != (b < 0) && b != 0 && b != -1 && a%b != 0 }

// foldAbs and foldNeg: the most negative number stays (PTX ISA 9.7.1.11,
// 9.7.1.12).
func foldAbs(inst *isa.Inst, s [4]uint64) (uint64, bool) {
	if int64(s[0]) < 0 {
		return -s[0], plain(inst)
	}
	return s[0], plain(inst)
}

func foldNeg(inst *isa.Inst, s [4]uint64) (uint64, bool) { return -s[0], plain(inst) }

// foldMin and foldMax compare as the type says (PTX ISA 9.7.1.13, 9.7.1.14).
func foldMin(inst *isa.Inst, s [4]uint64) (uint64, bool) {
	if less, _ := Compare(isa.LT, s[0], s[1], inst.Type().IsSigned()); less {
		return s[0], plain(inst)
	}
	return s[1], plain(inst)
}

func foldMax(inst *isa.Inst, s [4]uint64) (uint64, bool) {
	if less, _ := Compare(isa.LT, s[0], s[1], inst.Type().IsSigned()); less {
		return s[1], plain(inst)
	}
	return s[0], plain(inst)
}
