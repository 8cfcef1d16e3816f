package value

import (
	"math/bits"

	"hyptx/ir/isa"
)

// Bound returns what an instruction's result lies in. s are the intervals of
// its sources, each read as the type that the instruction takes it for.
//
// Sums, differences and products need no care for wrap-around: an interval
// speaks of integers of any size, of which the register holds the low bits. So
// only operations that look at the number as such (shifts to the right,
// quotients, bitwise ones, comparisons) need their operands not to be negative.
func Bound(inst *isa.Inst, s []Interval) Interval {
	t := inst.Type()
	if t.IsFloat() || t.Bits() < 16 || inst.Has(isa.ModSat) || inst.Has(isa.ModRelu) || t.Lanes() != 1 || inst.Mul == isa.HI_ {
		return Interval{}
	}
	var v [3]Interval
	known := true
	for i := range s[:min(len(s), len(v))] {
		v[i] = s[i]
		known = known && s[i].Known
	}
	switch {
	case inst.Op == isa.OpAnd:
		return masked(v[0], v[1])
	case known:
		return boundKnown(inst, v)
	}
	return Interval{}
}

// boundKnown is Bound where all sources are bounded.
func boundKnown(inst *isa.Inst, v [3]Interval) Interval {
	a, b := v[0], v[1]
	switch inst.Op {
	case isa.OpAdd:
		return a.Plus(b)
	case isa.OpSub:
		return Between(a.Low-b.High, a.High-b.Low)
	case isa.OpMul:
		return a.Times(b)
	case isa.OpMad:
		return a.Times(b).Plus(v[2])
	case isa.OpShl:
		if b.Single() && b.Low >= 0 && b.Low <= 31 {
			return a.Times(Between(1<<b.Low, 1<<b.Low))
		}
	case isa.OpOr, isa.OpXor:
		return widest(a, b)
	case isa.OpShr, isa.OpDiv, isa.OpRem:
		return reduced(inst.Op, a, b)
	case isa.OpMin:
		return Between(min(a.Low, b.Low), min(a.High, b.High))
	case isa.OpMax:
		return Between(max(a.Low, b.Low), max(a.High, b.High))
	case isa.OpCvt:
		if !inst.Types[1].IsFloat() {
			return a
		}
	}
	return Interval{}
}

// masked is an and: no more than the smaller operand that is not negative.
func masked(a, b Interval) Interval {
	switch {
	case a.Natural() && (!b.Natural() || a.High <= b.High):
		return Between(0, a.High)
	case b.Natural():
		return Between(0, b.High)
	}
	return Interval{}
}

// widest is an or or xor of numbers that are not negative: no more bits than
// the wider one.
func widest(a, b Interval) Interval {
	if a.Low < 0 || b.Low < 0 {
		return Interval{}
	}
	return Between(0, 1<<bits.Len64(uint64(max(a.High, b.High)))-1)
}

// reduced shifts right or divides a number that is not negative by a constant
// that is not, either.
func reduced(op isa.Op, a, by Interval) Interval {
	if a.Low < 0 || !by.Single() || by.Low < 0 {
		return Interval{}
	}
	switch n := by.Low; {
	case op == isa.OpShr:
		n = min(n, 63)
		return Between(a.Low>>n, a.High>>n)
	case n == 0:
	case op == isa.OpDiv:
		return Between(a.Low/n, a.High/n)
	case a.High < n:
		return a
	default:
		return Between(0, n-1)
	}
	return Interval{}
}
