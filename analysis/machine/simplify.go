package machine

import (
	"hyptx/ir"
	"hyptx/ir/isa"
)

// bound returns the interval of a new node's values, read as signed integers.
func (g *graph) bound(n *node) (span, bool) {
	switch n.kind {
	case linearNode:
		return g.boundSum(n)
	case extNode:
		a := &g.nodes[n.args[0]]
		if a.bounded && (n.imm == 1 || a.within.lo >= 0) {
			return a.within, true
		}
		if n.imm == 0 {
			return span{0, 1<<32 - 1}, true
		}
		return span{-1 << 31, 1<<31 - 1}, true
	case mulNode, wideNode:
		return g.boundProduct(n)
	case selNode:
		return g.hull(n.args[1:])
	case pureNode:
		return g.boundPure(n)
	}
	return span{}, false
}

func (g *graph) boundProduct(n *node) (span, bool) {
	a, b := &g.nodes[n.args[0]], &g.nodes[n.args[1]]
	if !a.bounded || !b.bounded || n.kind == wideNode && n.imm == 0 && (a.within.lo < 0 || b.within.lo < 0) {
		return span{}, false
	}
	out, first := span{}, true
	for _, x := range []int64{a.within.lo, a.within.hi} {
		for _, y := range []int64{b.within.lo, b.within.hi} {
			p, ok := product(x, y)
			if !ok {
				return span{}, false
			}
			if first {
				out, first = span{p, p}, false
			}
			out = span{min(out.lo, p), max(out.hi, p)}
		}
	}
	return out, out.fits(int(n.width))
}

// hull returns the interval that holds all of args.
func (g *graph) hull(args []id) (span, bool) {
	out := span{}
	for i, a := range args {
		n := &g.nodes[a]
		if !n.bounded {
			return span{}, false
		}
		if i == 0 {
			out = n.within
		}
		out = span{min(out.lo, n.within.lo), max(out.hi, n.within.hi)}
	}
	return out, len(args) > 0
}

// boundPure bounds what shifts, masks, quotients and selections leave.
func (g *graph) boundPure(n *node) (span, bool) {
	if n.in.Inst.Type().IsFloat() || len(n.args) < 2 {
		return span{}, false
	}
	a, b := &g.nodes[n.args[0]], &g.nodes[n.args[1]]
	c, isConst := b.imm, b.kind == constNode
	natural := a.bounded && a.within.lo >= 0
	switch n.in.Inst.Op {
	case isa.OpAnd:
		if isConst && n.width > 1 && signExtend(c, int(n.width)) >= 0 {
			return span{0, int64(c)}, true
		}
		if natural && b.bounded && b.within.lo >= 0 {
			return span{0, min(a.within.hi, b.within.hi)}, true
		}
	case isa.OpShr:
		if isConst && c < 64 && natural {
			return span{a.within.lo >> c, a.within.hi >> c}, true
		}
		if isConst && c > 0 && c < uint64(n.width) && !n.in.Inst.Type().IsSigned() {
			return span{0, 1<<(uint64(n.width)-c) - 1}, true
		}
	case isa.OpDiv:
		if isConst && natural && int64(c) > 0 {
			return span{a.within.lo / int64(c), a.within.hi / int64(c)}, true
		}
	case isa.OpRem:
		if isConst && natural && int64(c) > 0 {
			return span{0, min(a.within.hi, int64(c)-1)}, true
		}
	case isa.OpMin, isa.OpMax:
		if natural && b.bounded && b.within.lo >= 0 {
			return g.hull(n.args[:2])
		}
	}
	return span{}, false
}

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
	if !a.bounded || !b.bounded || inst.Type().Kind() == isa.Unsigned && (a.within.lo < 0 || b.within.lo < 0) {
		return 0, false
	}
	x, y := a.within, b.within
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
	d := g.nodes[args[0]]
	if !ok || s.k == 0 || !d.bounded {
		return
	}
	rest := s
	rest.k = 0
	r := g.linear(rest)
	w := &g.nodes[r]
	bound := signExtend(c, int(s.width)) - s.k
	natural := d.within.lo >= 0 && w.within.lo >= 0 && bound >= 0 && signExtend(c, int(s.width)) >= 0
	if w.bounded && w.within == (span{d.within.lo - s.k, d.within.hi - s.k}) && (span{bound, bound}).fits(int(s.width)) &&
		(inst.Type().IsSigned() || natural) {
		args[0], args[1] = r, g.constant(uint64(bound), s.width)
	}
}
