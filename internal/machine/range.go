package machine

import (
	"math/bits"

	"hyptx/ir/isa"
)

// knowledge is what intervals follow from.
type knowledge int

const (
	// ptx is what ptxas knows: constants, trips, the limits of blocks and grids.
	ptx knowledge = iota
	// launched: also the launch's extents, which ptxas does not know. It proves
	// that sums do not wrap around, and decides nothing else.
	launched
	kinds
)

// bounds is an interval of values, read as signed integers, if ok.
type bounds struct {
	span
	ok bool
}

func known(lo, hi int64) bounds { return bounds{span{lo, hi}, true} }

// natural reports whether no value is negative.
func (b bounds) natural() bool { return b.ok && b.lo >= 0 }

// bound returns the interval of a new node's values, read as signed integers.
func (g *graph) bound(n *node, by knowledge) bounds {
	switch n.kind {
	case linearNode:
		return g.boundSum(n, by)
	case extNode:
		a := g.nodes[n.args[0]].r[by]
		if a.ok && (n.imm == 1 || a.lo >= 0) {
			return a
		}
		if n.imm == 0 {
			return known(0, 1<<32-1)
		}
		return known(-1<<31, 1<<31-1)
	case mulNode, wideNode:
		return g.boundProduct(n, by)
	case selNode:
		return g.hull(n.args[1:], by)
	case pureNode:
		return g.boundPure(n, by)
	}
	return bounds{}
}

func (g *graph) boundProduct(n *node, by knowledge) bounds {
	a, b := g.nodes[n.args[0]].r[by], g.nodes[n.args[1]].r[by]
	if !a.ok || !b.ok || n.kind == wideNode && n.imm == 0 && (a.lo < 0 || b.lo < 0) {
		return bounds{}
	}
	var out bounds
	for _, x := range []int64{a.lo, a.hi} {
		for _, y := range []int64{b.lo, b.hi} {
			p, ok := product(x, y)
			if !ok {
				return bounds{}
			}
			if !out.ok {
				out = known(p, p)
			}
			out = known(min(out.lo, p), max(out.hi, p))
		}
	}
	return out.in(n.width)
}

// in returns b, nothing if a value may have wrapped around at the width.
func (b bounds) in(width uint8) bounds {
	if !b.fits(int(width)) {
		return bounds{}
	}
	return b
}

// hull returns the interval that holds all of args.
func (g *graph) hull(args []id, by knowledge) bounds {
	var out bounds
	for _, a := range args {
		r := g.nodes[a].r[by]
		if !r.ok {
			return bounds{}
		}
		if !out.ok {
			out = r
		}
		out = known(min(out.lo, r.lo), max(out.hi, r.hi))
	}
	return out
}

// boundPure bounds what shifts, masks, quotients and selections leave.
func (g *graph) boundPure(n *node, by knowledge) bounds {
	if n.in.Inst.Type().IsFloat() || len(n.args) < 2 {
		return bounds{}
	}
	a, b := g.nodes[n.args[0]].r[by], g.nodes[n.args[1]].r[by]
	c, isConst := g.isConst(n.args[1])
	switch n.in.Inst.Op {
	case isa.OpAnd:
		if isConst && n.width > 1 && signExtend(c, int(n.width)) >= 0 {
			return known(0, int64(c))
		}
		if a.natural() && b.natural() {
			return known(0, min(a.hi, b.hi))
		}
	case isa.OpShr:
		if isConst && c < 64 && a.natural() {
			return known(a.lo>>c, a.hi>>c)
		}
		if isConst && c > 0 && c < uint64(n.width) && !n.in.Inst.Type().IsSigned() {
			return known(0, 1<<(uint64(n.width)-c)-1)
		}
	case isa.OpDiv:
		if isConst && a.natural() && int64(c) > 0 {
			return known(a.lo/int64(c), a.hi/int64(c))
		}
	case isa.OpRem:
		if isConst && a.natural() && int64(c) > 0 {
			return known(0, min(a.hi, int64(c)-1))
		}
	case isa.OpMin, isa.OpMax:
		if a.natural() && b.natural() {
			return g.hull(n.args[:2], by)
		}
	}
	return bounds{}
}

// boundSum bounds a sum by its terms, if it cannot wrap around.
func (g *graph) boundSum(n *node, by knowledge) bounds {
	out := known(int64(n.imm), int64(n.imm))
	for i, a := range n.args {
		t := g.nodes[a].r[by]
		lo, ok1 := product(t.lo, n.coef[i])
		hi, ok2 := product(t.hi, n.coef[i])
		if !t.ok || !ok1 || !ok2 {
			return bounds{}
		}
		out = known(out.lo+min(lo, hi), out.hi+max(lo, hi))
		if out.lo < -1<<61 || out.hi > 1<<61 {
			return bounds{}
		}
	}
	return out.in(n.width)
}

// product multiplies if the result has at most 61 bits.
func product(a, b int64) (int64, bool) {
	abs := func(x int64) uint64 {
		if x < 0 {
			return -uint64(x)
		}
		return uint64(x)
	}
	hi, lo := bits.Mul64(abs(a), abs(b))
	return a * b, hi == 0 && lo < 1<<60
}
