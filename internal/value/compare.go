package value

import "hyptx/ir/isa"

// Compare compares two integers extended to 64 bits. ok is false for a
// comparison that integers do not have.
func Compare(cmp isa.Cmp, a, b uint64, signed bool) (holds, ok bool) {
	less := a < b
	if signed {
		less = int64(a) < int64(b)
	}
	switch cmp {
	case isa.EQ:
		return a == b, true
	case isa.NE:
		return a != b, true
	case isa.LT, isa.LO:
		return less, true
	case isa.LE, isa.LS:
		return less || a == b, true
	case isa.GT, isa.HI:
		return !less && a != b, true
	case isa.GE, isa.HS:
		return !less, true
	}
	return false, false
}

// foldSetp: setp without a further predicate (PTX ISA 9.7.7.2).
func foldSetp(inst *isa.Inst, s [4]uint64) (uint64, bool) {
	holds, ok := Compare(inst.Cmp, s[0], s[1], inst.Type().IsSigned())
	return bit(holds), ok && inst.Bool == isa.NoBool
}

// foldSelp selects by a predicate (PTX ISA 9.7.7.3).
func foldSelp(_ *isa.Inst, s [4]uint64) (uint64, bool) {
	if s[2] != 0 {
		return s[0], true
	}
	return s[1], true
}

// Decide compares two numbers of which only the intervals are known. ok is
// false if these leave it open.
func Decide(cmp isa.Cmp, a, b Interval) (holds, ok bool) {
	if !a.Known || !b.Known {
		return false, false
	}
	below, above := a.High < b.Low, a.Low > b.High
	switch cmp {
	case isa.EQ, isa.NE:
		return cmp == isa.NE, below || above
	case isa.LT, isa.LO:
		return below, below || a.Low >= b.High
	case isa.GE, isa.HS:
		return !below, below || a.Low >= b.High
	case isa.GT, isa.HI:
		return above, above || a.High <= b.Low
	case isa.LE, isa.LS:
		return !above, above || a.High <= b.Low
	}
	return false, false
}
