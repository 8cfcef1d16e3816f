package machine

import (
	"hyptx/ir/isa"
)

// span is an interval of integers, both ends included.
type span struct{ lo, hi int64 }

// fits reports whether all of s is a value of the given width, as a signed
// integer.
func (s span) fits(width int) bool {
	if width >= 64 {
		return true
	}
	return s.lo >= -1<<(width-1) && s.hi < 1<<(width-1)
}

func truncate(x uint64, bits int) uint64 {
	if bits >= 64 {
		return x
	}
	return x & (1<<bits - 1)
}

func signExtend(x uint64, bits int) int64 {
	if bits >= 64 {
		return int64(x)
	}
	return int64(x<<(64-bits)) >> (64 - bits)
}

// extend reads the low bits of x as a value of type t.
func extend(x uint64, t isa.Type) uint64 {
	bits := t.Bits()
	if bits == 0 {
		return x
	}
	if t.IsSigned() {
		return uint64(signExtend(x, bits))
	}
	return truncate(x, bits)
}

// fold computes an integer or predicate operation whose sources are extended
// by their types; only the result type's bits of the result count. ok is false
// for what it does not know, all of floating point but mov and selp included.
func fold(inst *isa.Inst, s []uint64) (d uint64, ok bool) {
	if len(s) == 1 {
		return foldOne(inst, s[0])
	}
	if len(s) < 2 || inst.Has(isa.ModSat) || inst.WritesCC() || inst.ReadsCC() {
		return 0, false
	}
	t := inst.Type()
	if inst.Op == isa.OpSelp && len(s) == 3 {
		if s[2] != 0 {
			return s[0], true
		}
		return s[1], true
	}
	if t.IsFloat() || t.Lanes() > 1 {
		return 0, false
	}
	switch inst.Op {
	case isa.OpAdd:
		return s[0] + s[1], true
	case isa.OpSub:
		return s[0] - s[1], true
	case isa.OpMul, isa.OpMad:
		if inst.Mul == isa.HI_ {
			return 0, false
		}
		d = s[0] * s[1]
		if inst.Op == isa.OpMad {
			d += s[2]
		}
		return d, true
	}
	return foldBits(inst, s)
}

func foldBits(inst *isa.Inst, s []uint64) (uint64, bool) {
	t := inst.Type()
	switch inst.Op {
	case isa.OpAnd:
		return s[0] & s[1], true
	case isa.OpOr:
		return s[0] | s[1], true
	case isa.OpXor:
		return s[0] ^ s[1], true
	case isa.OpShl:
		return s[0] << s[1], true
	case isa.OpShr:
		if t.IsSigned() {
			return uint64(int64(s[0]) >> min(s[1], 63)), true
		}
		return s[0] >> s[1], true
	case isa.OpMin, isa.OpMax:
		less := s[0] < s[1]
		if t.IsSigned() {
			less = int64(s[0]) < int64(s[1])
		}
		if less == (inst.Op == isa.OpMin) {
			return s[0], true
		}
		return s[1], true
	case isa.OpSetp:
		if len(s) != 2 {
			return 0, false
		}
		return compare(inst.Cmp, s[0], s[1], t.IsSigned())
	}
	return 0, false
}

func foldOne(inst *isa.Inst, x uint64) (uint64, bool) {
	switch inst.Op {
	case isa.OpMov:
		return x, true
	case isa.OpNot:
		if inst.Type() == isa.Pred {
			return x ^ 1, true
		}
		return ^x, true
	case isa.OpNeg:
		return -x, !inst.Type().IsFloat()
	case isa.OpCvt:
		if inst.Has(isa.ModSat) || inst.Types[0].IsFloat() || inst.Types[1].IsFloat() {
			return 0, false
		}
		return extend(x, inst.Types[0]), true
	}
	return 0, false
}

// compare compares two integers.
func compare(cmp isa.Cmp, a, b uint64, signed bool) (uint64, bool) {
	less := a < b
	if signed {
		less = int64(a) < int64(b)
	}
	var holds bool
	switch cmp {
	case isa.EQ:
		holds = a == b
	case isa.NE:
		holds = a != b
	case isa.LT, isa.LO:
		holds = less
	case isa.LE, isa.LS:
		holds = less || a == b
	case isa.GT, isa.HI:
		holds = !less && a != b
	case isa.GE, isa.HS:
		holds = !less
	default:
		return 0, false
	}
	if holds {
		return 1, true
	}
	return 0, true
}
