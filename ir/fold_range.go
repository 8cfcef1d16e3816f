package ir

import (
	"math/bits"

	"hyptx/ir/isa"
)

// interval says of a value that varies that its bits are those of an integer
// from low to high, modulo 2^width: sums and products of intervals hold
// without a thought for wrap-around, which only reading them as a signed or
// unsigned number has to take (see as). Ranges come from the extents of the
// launch; loops have none, so that propagation ends.
type interval struct{ low, high int64 }

// maxBound keeps the arithmetic on bounds from overflowing.
const maxBound = 1 << 47

// ranged returns the cell of a value within an interval.
func ranged(low, high int64) cell {
	if low < -maxBound || high > maxBound || low > high {
		return cell{state: varying}
	}
	return cell{state: varying, within: &interval{low, high}}
}

// bare returns the cell without its interval, for a value made of c whose
// bits are others.
func (c cell) bare() cell {
	c.within = nil
	return c
}

// as returns the interval of a cell read as a number of type t, if it does
// not wrap around there.
func (c cell) as(t isa.Type) (interval, bool) {
	n := t.Bits()
	if t.IsFloat() || n == 0 || n > 64 {
		return interval{}, false
	}
	if c.state == constant && c.sym == nil {
		v := int64(extend(c.bits, t))
		return interval{v, v}, (n < 64 || t.IsSigned() || v >= 0) && v >= -maxBound && v <= maxBound
	}
	if c.within == nil {
		return interval{}, false
	}
	v := *c.within
	if n == 64 {
		return v, t.IsSigned() || v.low >= 0
	}
	least, most := int64(0), int64(1)<<n-1
	if t.IsSigned() {
		least, most = -1<<(n-1), 1<<(n-1)-1
	}
	turns := floorDiv(v.low-least, 1<<n) // full turns to take off
	v.low, v.high = v.low-turns<<n, v.high-turns<<n
	return v, v.high <= most
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// join returns the cell of a value that is one of two.
func join(a, b cell, t isa.Type) cell {
	if m := meet(a, b); m.state != varying {
		return m
	}
	v, okA := a.as(t)
	w, okB := b.as(t)
	if !okA || !okB {
		return cell{state: varying}
	}
	return ranged(min(v.low, w.low), max(v.high, w.high))
}

// rangeOf returns what an instruction's result lies in, given sources of
// which at least one varies.
func rangeOf(inst *isa.Inst, s []cell, types []isa.Type) cell {
	t := inst.Type()
	if t.IsFloat() || t.Bits() < 16 || inst.Has(isa.ModSat) || inst.Has(isa.ModRelu) || t.Lanes() != 1 || inst.Mul == isa.HI_ {
		return cell{state: varying}
	}
	var v [3]interval
	for i := range min(len(s), 3) {
		var ok bool
		if v[i], ok = s[i].as(types[i]); !ok {
			if inst.Op == isa.OpAnd {
				return masked(s, t)
			}
			return cell{state: varying}
		}
	}
	switch inst.Op {
	case isa.OpAdd:
		return ranged(v[0].low+v[1].low, v[0].high+v[1].high)
	case isa.OpSub:
		return ranged(v[0].low-v[1].high, v[0].high-v[1].low)
	case isa.OpMul, isa.OpMad:
		p, ok := product(v[0], v[1])
		if !ok {
			return cell{state: varying}
		}
		return ranged(p.low+v[2].low, p.high+v[2].high) // v[2] is 0 for mul
	case isa.OpShl:
		return shifted(v[0], v[1])
	case isa.OpAnd:
		return masked(s, t)
	case isa.OpOr, isa.OpXor:
		return widest(v[0], v[1])
	case isa.OpShr, isa.OpDiv, isa.OpRem:
		return reduced(inst.Op, v[0], v[1])
	case isa.OpMin:
		return ranged(min(v[0].low, v[1].low), min(v[0].high, v[1].high))
	case isa.OpMax:
		return ranged(max(v[0].low, v[1].low), max(v[0].high, v[1].high))
	case isa.OpCvt:
		if !inst.Types[1].IsFloat() {
			return ranged(v[0].low, v[0].high)
		}
	}
	return cell{state: varying}
}

// product multiplies intervals whose bounds are small enough.
func product(a, b interval) (interval, bool) {
	p := interval{1 << 62, -1 << 62}
	for _, x := range [2]int64{a.low, a.high} {
		for _, y := range [2]int64{b.low, b.high} {
			hi, lo := bits.Mul64(uint64(max(x, -x)), uint64(max(y, -y)))
			if hi != 0 || lo > maxBound {
				return p, false
			}
			p.low, p.high = min(p.low, x*y), max(p.high, x*y)
		}
	}
	return p, true
}

// shifted is a shl by a constant amount.
func shifted(a, by interval) cell {
	if by.low != by.high || by.low < 0 || by.low > 31 {
		return cell{state: varying}
	}
	if p, ok := product(a, interval{1 << by.low, 1 << by.low}); ok {
		return ranged(p.low, p.high)
	}
	return cell{state: varying}
}

// masked is an and: no more than the smaller operand that is not negative.
func masked(s []cell, t isa.Type) cell {
	high := int64(-1)
	for _, c := range s[:2] {
		if v, ok := c.as(t); ok && v.low >= 0 && (high < 0 || v.high < high) {
			high = v.high
		}
	}
	if high < 0 {
		return cell{state: varying}
	}
	return ranged(0, high)
}

// widest is an or or xor of numbers that are not negative: no more bits than
// the wider one.
func widest(a, b interval) cell {
	if a.low < 0 || b.low < 0 {
		return cell{state: varying}
	}
	return ranged(0, 1<<bits.Len64(uint64(max(a.high, b.high)))-1)
}

// reduced divides a number that is not negative by a positive constant.
func reduced(op isa.Op, a, by interval) cell {
	if a.low < 0 || by.low != by.high || by.low < 0 {
		return cell{state: varying}
	}
	switch n := by.low; {
	case op == isa.OpShr:
		n = min(n, 63)
		return ranged(a.low>>n, a.high>>n)
	case n == 0:
	case op == isa.OpDiv:
		return ranged(a.low/n, a.high/n)
	case a.high < n:
		return ranged(a.low, a.high)
	default:
		return ranged(0, n-1)
	}
	return cell{state: varying}
}

// compareRanges decides a comparison that the intervals of its operands
// decide.
func compareRanges(inst *isa.Inst, a, b cell) cell {
	v, okA := a.as(inst.Type())
	w, okB := b.as(inst.Type())
	if !okA || !okB {
		return cell{state: varying}
	}
	below, above := v.high < w.low, v.low > w.high
	switch inst.Cmp {
	case isa.EQ, isa.NE:
		if below || above {
			return boolCell(inst.Cmp == isa.NE)
		}
	case isa.LT, isa.LO, isa.GE, isa.HS:
		if below || v.low >= w.high {
			return boolCell(below == (inst.Cmp == isa.LT || inst.Cmp == isa.LO))
		}
	case isa.GT, isa.HI, isa.LE, isa.LS:
		if above || v.high <= w.low {
			return boolCell(above == (inst.Cmp == isa.GT || inst.Cmp == isa.HI))
		}
	}
	return cell{state: varying}
}
