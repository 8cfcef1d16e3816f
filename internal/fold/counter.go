package fold

import (
	"hyptx/internal/flow"
	"hyptx/internal/ssa"
	"hyptx/internal/value"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// A counter of a loop is a phi of its header that starts at init and to which
// each round adds a constant step. The only way around the loop comes after a
// comparison with a constant bound that must come out one way for the loop to
// go on. So the counter lies between init and the bound; that it does not wrap
// around follows from the bound. This needs no number of rounds: init may be
// an interval, as that of a thread's index is.
// For example, for (i = tid.x; i < n; i += 32) with tid.x in [0, 255] and
// n = 1000 keeps i in [0, 999] and, behind the addition, in [32, 1031].

// findCounters returns the intervals in which loop counters stay, by value. It
// trusts f's cells, which hold without it.
func (f *Folding) findCounters() map[*ssa.Form]map[ssa.ValueID]cell {
	found := make(map[*ssa.Form]map[ssa.ValueID]cell)
	for _, ff := range f.Funcs {
		for _, l := range ff.SSA.Func.Loops() {
			if len(l.Latches) != 1 || !ff.reached[l.Header] {
				continue
			}
			for _, phi := range ff.SSA.Phis(l.Header) {
				c := &counter{ff: ff, l: l, phi: phi}
				if ff.cells[phi].state != varying || !c.step() {
					continue
				}
				if v := c.interval(); v.Known {
					if found[ff.SSA] == nil {
						found[ff.SSA] = make(map[ssa.ValueID]cell)
					}
					found[ff.SSA][phi] = ranged(v)
				}
			}
		}
	}
	return found
}

// counter is a phi that may count the rounds of a loop.
type counter struct {
	ff   *Func
	l    *ir.Loop
	phi  ssa.ValueID
	next ssa.ValueID // phi + by
	by   int64
	init cell
}

// step finds next, by and init.
func (c *counter) step() bool {
	s := c.ff.SSA
	v, t := &s.Values[c.phi], s.TypeOf(c.phi)
	preds := s.Func.Blocks[c.l.Header].Preds()
	if len(v.Args) != len(preds) {
		return false // the function begins in the loop
	}
	for i, p := range preds {
		switch {
		case v.Args[i] == ssa.NoValue:
		case p == c.l.Latches[0]:
			c.next = s.Origin(v.Args[i])
		case c.init.state == top:
			c.init = c.ff.cells[v.Args[i]]
		default:
			c.init = join(c.init, c.ff.cells[v.Args[i]], t)
		}
	}
	add, by := s.Added(c.next, c.phi)
	if add == nil {
		return false
	}
	n := c.operand(add, by)
	step := n.as(signedType(t))
	c.by = step.Low
	return step.Known && n.state == constant && c.by != 0
}

// operand returns what is known of an operand of an instruction in the loop.
func (c *counter) operand(in *ir.Instr, op *ir.Operand) cell {
	e := evaluator{f: &Folding{consts: &Consts{}}, ff: c.ff, in: in}
	return e.source(op)
}

// signedType returns the signed integer type of t's width.
func signedType(t isa.Type) isa.Type {
	switch t.Bits() {
	case 16:
		return isa.S16
	case 32:
		return isa.S32
	}
	return isa.S64
}

// interval tries the exits of the loop that every round passes.
func (c *counter) interval() value.Interval {
	dom := c.ff.SSA.Func.Dominators()
	for exit := range c.l.Exits() {
		if dom.Dominates(exit.From, c.l.Latches[0]) {
			if v := c.boundedBy(exit); v.Known {
				return v
			}
		}
	}
	return value.Interval{}
}

// boundedBy returns where the counter stays because of one exit.
func (c *counter) boundedBy(exit flow.Edge) (none value.Interval) {
	s := c.ff.SSA
	branch, stays := s.ExitTest(exit)
	if branch == nil {
		return none
	}
	test := s.Definition(s.Use(branch.PC, branch.Guard))
	if test == nil || test.Inst.Op != isa.OpSetp || test.Inst.Bool != isa.NoBool || test.Inst.Type().IsFloat() ||
		test.Ops()[1].Kind != ir.OperandReg || test.Ops()[1].Neg || test.Ops()[0].Reg != branch.Guard {
		return none
	}
	after := int64(0) // the counter's next value is the compared one plus this
	switch s.Origin(s.Use(test.PC, test.Ops()[1].Reg)) {
	case c.phi:
		after = c.by
	case c.next:
	default:
		return none
	}
	bound := c.operand(test, &test.Ops()[2])
	t := test.Inst.Type()
	v, b := c.init.as(t), bound.as(t)
	if !v.Known || !b.Known || bound.state != constant || t.Bits() != s.TypeOf(c.phi).Bits() {
		return none
	}
	return c.between(v, b.Low, after, test.Inst.Cmp, stays, t)
}

// between returns the interval from init to the last value that goes around.
func (c *counter) between(init value.Interval, bound, after int64, cmp isa.Cmp, stays bool, t isa.Type) (none value.Interval) {
	var last int64 // of the compared values that stay in the loop, in c.by's direction
	switch up := c.by > 0; {
	case up && (stays && (cmp == isa.LT || cmp == isa.LO) || !stays && (cmp == isa.GE || cmp == isa.HS)):
		last = bound - 1
	case up && (stays && (cmp == isa.LE || cmp == isa.LS) || !stays && (cmp == isa.GT || cmp == isa.HI)):
		last = bound
	case !up && (stays && (cmp == isa.GT || cmp == isa.HI) || !stays && (cmp == isa.LE || cmp == isa.LS)):
		last = bound + 1
	case !up && (stays && (cmp == isa.GE || cmp == isa.HS) || !stays && (cmp == isa.LT || cmp == isa.LO)):
		last = bound
	case stays && cmp == isa.NE || !stays && cmp == isa.EQ:
		// It must hit the bound: from one init, in whole steps, not behind it.
		first := init.Low + c.by - after // the first value compared
		if !init.Single() || (bound-first)%c.by != 0 || (bound-first)/c.by < 0 {
			return none
		}
		last = bound - c.by
	default:
		return none
	}
	v := value.Between(min(init.Low, last+after), max(init.High, last+after))
	// One step further must not wrap around in the type compared, or else the
	// comparison might let it pass behind init.
	edge := value.Between(v.Low+min(c.by, 0), v.High+max(c.by, 0))
	if !v.Known || !edge.Known || edge.As(t) != edge {
		return none
	}
	return v
}
