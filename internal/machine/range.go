package machine

import (
	"hyptx/internal/value"
	"hyptx/ir"
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

// exactly returns the interval of one number.
func exactly(x int64) value.Interval { return value.Between(x, x) }

// bound returns the interval of a new node's values, of which those count that
// its width holds. Package value knows what operations do to intervals; what is
// said here is which operation a node is.
func (g *graph) bound(n *node, by knowledge) value.Interval {
	arg := func(i int) value.Interval { return g.nodes[n.args[i]].within(by) }
	switch n.kind {
	case linearNode:
		sum := exactly(int64(n.imm))
		for i := range n.args {
			term := arg(i)
			if n.coef[i] != 1 {
				term = term.Times(exactly(n.coef[i]))
			}
			sum = sum.Plus(term)
		}
		return sum
	case extNode:
		return as(arg(0), intType(32, n.imm == 1))
	case mulNode:
		return arg(0).Times(arg(1))
	case wideNode:
		t := intType(32, n.imm == 1)
		return as(arg(0), t).Times(as(arg(1), t))
	case selNode:
		return g.hull(n.args[1:], by)
	case pureNode:
		return g.boundPure(n, by)
	}
	return value.Interval{}
}

// as reads a value as a number of type t: any of them where it is not known.
func as(a value.Interval, t isa.Type) value.Interval {
	if a = a.As(t); a.Known {
		return a
	}
	return value.All(t)
}

// intType returns the integer type of a width.
func intType(width uint8, signed bool) isa.Type {
	switch {
	case signed && width == 64:
		return isa.S64
	case signed:
		return isa.S32
	case width == 64:
		return isa.U64
	}
	return isa.U32
}

// hull returns the interval that holds all of args, of which there may be none.
func (g *graph) hull(args []id, by knowledge) value.Interval {
	if len(args) == 0 {
		return value.Interval{}
	}
	all := g.nodes[args[0]].within(by)
	for _, a := range args[1:] {
		all = all.Hull(g.nodes[a].within(by))
	}
	return all
}

// boundPure bounds the result of an instruction by its operands, each read as
// the type that the instruction takes it for: an operand of which nothing is
// known is any number of that type, which is enough for a mask or a shift.
func (g *graph) boundPure(n *node, by knowledge) value.Interval {
	in := n.in
	if in.Inst.Type().IsFloat() || !value.Folds(in.Inst.Op) {
		return value.Interval{}
	}
	var s [4]value.Interval
	k := 0
	for i := range in.Ops() {
		op := &in.Ops()[i]
		if op.Kind == ir.NoOperand || in.Inst.Form.Operands[i].Write {
			continue
		}
		if k == len(n.args) || k == len(s) {
			return value.Interval{}
		}
		s[k] = as(g.nodes[n.args[k]].within(by), op.Type)
		k++
	}
	out := value.Bound(in.Inst, s[:k])
	if t := in.Ops()[0].Type; t.Bits() < int(n.width) {
		return as(out, t)
	}
	return out
}
