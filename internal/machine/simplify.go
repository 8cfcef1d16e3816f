package machine

import (
	"hyptx/ir"
	"hyptx/ir/isa"
)

// simplify returns what an operation over args is if that needs no operation
// of its own; ok is false if it does.
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
	ones := truncate(^uint64(0), int(width))
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
	if len(args) > 3 {
		return 0, false
	}
	var s [3]uint64
	n := 0
	for i := range in.Ops[1:] {
		op := &in.Ops[i+1]
		if op.Kind == ir.NoOperand {
			continue
		}
		c, ok := g.isConst(args[min(n, len(args)-1)])
		if !ok || n >= len(args) {
			return 0, false
		}
		s[n] = extend(c, op.Type)
		n++
	}
	d, ok := fold(in.Inst, s[:n])
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
	var r [2]uint64
	for i := range r {
		x, ok := g.isConst(s.args[1+i])
		if !ok {
			return 0, false
		}
		if r[i], ok = fold(in.Inst, []uint64{extend(x, in.Inst.Type()), extend(c, in.Inst.Type())}); !ok {
			return 0, false
		}
	}
	switch {
	case r[0] == r[1]:
		return g.constant(r[0], 1), true
	case r[0] == 1:
		return s.args[0], true
	}
	return g.not(s.args[0]), true
}

// decided answers a comparison of integers by their intervals.
func (g *graph) decided(inst *isa.Inst, a, b *node) (id, bool) {
	x, y := a.r[ptx], b.r[ptx]
	if !x.ok || !y.ok || inst.Type().Kind() == isa.Unsigned && (x.lo < 0 || y.lo < 0) {
		return 0, false
	}
	yes, no := false, false
	switch inst.Cmp {
	case isa.LT, isa.LO:
		yes, no = x.hi < y.lo, x.lo >= y.hi
	case isa.LE, isa.LS:
		yes, no = x.hi <= y.lo, x.lo > y.hi
	case isa.GT, isa.HI:
		yes, no = x.lo > y.hi, x.hi <= y.lo
	case isa.GE, isa.HS:
		yes, no = x.lo >= y.hi, x.hi < y.lo
	case isa.EQ:
		no = x.hi < y.lo || x.lo > y.hi
	case isa.NE:
		yes = x.hi < y.lo || x.lo > y.hi
	}
	if yes {
		return g.constant(1, 1), true
	}
	return g.constant(0, 1), no
}

// shifted moves the constant of a sum to the other side of a comparison, if
// neither side wraps around.
func (g *graph) shifted(inst *isa.Inst, args []id) {
	if len(args) < 2 || g.nodes[args[0]].kind != linearNode {
		return
	}
	if k := inst.Type().Kind(); k != isa.Signed && k != isa.Unsigned {
		return
	}
	c, ok := g.isConst(args[1])
	s := g.sumOf(args[0])
	whole := g.nodes[args[0]].r[launched]
	if !ok || s.k == 0 || !whole.ok {
		return
	}
	rest := s
	rest.k = 0
	r := g.linear(rest)
	part := g.nodes[r].r[launched]
	limit := signExtend(c, int(s.width))
	bound := known(limit-s.k, limit-s.k)
	natural := whole.natural() && part.natural() && bound.natural() && limit >= 0
	if part == known(whole.lo-s.k, whole.hi-s.k) && bound.fits(int(s.width)) && (inst.Type().IsSigned() || natural) {
		args[0], args[1] = r, g.constant(uint64(bound.lo), s.width)
	}
}
