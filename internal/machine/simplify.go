package machine

import (
	"hyptx/internal/value"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// simplify returns what an operation over args is if that needs no operation
// of its own; ok is false if it does. Constants fold, an operand that changes
// nothing drops out, a comparison whose outcome its operands' intervals decide
// is a constant. In unrolled loops, whose counters are constants, much depends
// on nothing else.
func (g *graph) simplify(in *ir.Instr, args []id, width uint8) (id, bool) {
	if k, ok := g.folded(in, args, width); ok {
		return k, true
	}
	if len(args) < 2 || in.Inst.Type().IsFloat() {
		return 0, false
	}
	a, b := args[0], args[1]
	ca, aConst := g.isConst(a)
	cb, bConst := g.isConst(b)
	ones := value.Truncate(^uint64(0), int(width))
	switch in.Inst.Op {
	case isa.OpAnd:
		switch {
		case a == b, bConst && cb == ones:
			return a, true
		case aConst && ca == ones:
			return b, true
		case aConst && ca == 0, bConst && cb == 0:
			return g.constant(0, width), true
		}
	case isa.OpOr:
		switch {
		case a == b, bConst && cb == 0:
			return a, true
		case aConst && ca == 0:
			return b, true
		case aConst && ca == ones, bConst && cb == ones:
			return g.constant(ones, width), true
		}
	case isa.OpShr:
		if bConst && cb == 0 {
			return a, true
		}
	case isa.OpSetp:
		if len(args) != 2 {
			return 0, false
		}
		if k, ok := g.tested(in, a, b); ok {
			return k, true
		}
		return g.decided(in.Inst, &g.nodes[a], &g.nodes[b])
	}
	return 0, false
}

// folded evaluates an operation over constants.
func (g *graph) folded(in *ir.Instr, args []id, width uint8) (id, bool) {
	next := 0
	d, ok := evaluate(g.x.f, in, func(*ir.Operand) (uint64, bool) {
		if next == len(args) {
			return 0, false
		}
		next++
		return g.isConst(args[next-1])
	})
	if !ok {
		return 0, false
	}
	return g.constant(d, width), true
}

// tested knows the comparison of one of two constants with a third: it is the
// predicate that chose between them, or its negation.
func (g *graph) tested(in *ir.Instr, a, b id) (id, bool) {
	s := g.nodes[a]
	c, ok := g.isConst(b)
	if s.kind != selNode || !ok {
		return 0, false
	}
	t := in.Inst.Type()
	var r [2]bool
	for i := range r {
		x, ok := g.isConst(s.args[1+i])
		if !ok {
			return 0, false
		}
		if r[i], ok = value.Compare(in.Inst.Cmp, value.Extend(x, t), value.Extend(c, t), t.IsSigned()); !ok {
			return 0, false
		}
	}
	switch {
	case r[0] == r[1]:
		return g.decide(r[0]), true
	case r[0]:
		return s.args[0], true
	}
	return g.not(s.args[0]), true
}

// decide returns the node of a predicate that is known.
func (g *graph) decide(holds bool) id {
	if holds {
		return g.constant(1, 1)
	}
	return g.constant(0, 1)
}

// decided answers a comparison of integers by their intervals.
func (g *graph) decided(inst *isa.Inst, a, b *node) (id, bool) {
	holds, ok := value.Decide(inst.Cmp, a.within(ptx).As(inst.Type()), b.within(ptx).As(inst.Type()))
	if !ok {
		return 0, false
	}
	return g.decide(holds), true
}

// shifted moves the constant of a sum to the other side of a comparison, if
// neither side wraps around: i+1 < n is i < n-1. The sum without its constant
// is needed for an address anyway.
func (g *graph) shifted(inst *isa.Inst, args []id) {
	if len(args) < 2 || g.nodes[args[0]].kind != linearNode {
		return
	}
	if k := inst.Type().Kind(); k != isa.Signed && k != isa.Unsigned {
		return
	}
	c, ok := g.isConst(args[1])
	s := g.sumOf(args[0])
	whole := g.nodes[args[0]].within(launched)
	if !ok || s.k == 0 || !whole.Known {
		return
	}
	rest := s
	rest.k = 0
	r := g.linear(rest)
	part := g.nodes[r].within(launched)
	limit := value.SignExtend(c, int(s.width))
	bound := exactly(limit - s.k)
	natural := whole.Natural() && part.Natural() && bound.Natural() && limit >= 0
	if part == whole.Plus(exactly(-s.k)) && bound.Signed(int(s.width)) == bound && (inst.Type().IsSigned() || natural) {
		args[0], args[1] = r, g.constant(uint64(bound.Low), s.width)
	}
}
