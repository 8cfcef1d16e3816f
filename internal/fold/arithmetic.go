package fold

import (
	"hyptx/internal/value"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// arithmetic evaluates an operation whose operands are d, then up to four
// sources.
func (e *evaluator) arithmetic() {
	in := e.in
	if !value.Folds(in.Inst.Op) || in.Inst.Type().IsFloat() || len(in.Ops()) < 2 || len(in.Ops()) > 5 || in.Ops()[0].Pair != ir.NoReg && in.Ops()[0].Pair != 0 {
		return
	}
	var sources [4]cell
	var types [4]isa.Type
	n := 0
	for i := range in.Ops()[1:] {
		if in.Ops()[i+1].Kind == ir.NoOperand {
			continue
		}
		sources[n], types[n] = e.source(&in.Ops()[i+1]), in.Ops()[i+1].Type
		n++
	}
	d := &in.Ops()[0]
	e.set(d, e.apply(sources[:n], types[:n]), d.Type)
}

// apply evaluates the operation over cells: exactly where all operands are
// constants, within an interval where they have intervals. An operand of which
// nothing is known yet (top) leaves the result so, too, unless another one
// decides it alone.
func (e *evaluator) apply(sources []cell, types []isa.Type) cell {
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
		var within [4]value.Interval
		for i := range sources {
			if within[i] = sources[i].as(types[i]); !within[i].Known && inst.Op != isa.OpAnd {
				return cell{state: varying} // only a mask bounds what is not bounded
			}
		}
		return ranged(value.Bound(inst, within[:len(sources)]))
	case sym:
		return foldAddress(inst, sources)
	}
	d, ok := value.Fold(inst, s)
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

// foldAddress adds to, or subtracts from, the address of a variable. Where the
// variable lies is not known, but that the result points into it is: enough to
// see which accesses cannot meet.
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
