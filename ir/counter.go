package ir

import (
	"hyptx/internal/flow"
	"hyptx/internal/value"
	"hyptx/ir/isa"
)

// A counter of a loop is a phi of its header that starts at init and to which
// each round adds a constant step. The only way around the loop comes after a
// comparison with a constant bound that must come out one way for the loop to
// go on. So the counter lies between init and the bound; that it does not wrap
// around follows from the bound. This needs no number of rounds: init may be
// an interval, as that of a thread's index is.
//
// Package machine, which unrolls loops, asks for their tests and steps as well
// ([Func.ExitTest], [SSA.Added]).

// ExitTest returns the guarded bra that decides whether a loop is left along
// one of its exits, nil if it is something else that decides, and the outcome
// of its guard with which the loop goes on.
func (f *Func) ExitTest(exit flow.Edge) (branch *Instr, stays bool) {
	block := f.Blocks[exit.From]
	if len(block.Succs) != 2 {
		return nil, false
	}
	in := &f.Module.Instrs[block.End-1]
	if in.Inst.Form.Flow != isa.FlowBranch || in.Guard == NoReg {
		return nil, false
	}
	return in, (f.blockAt(in.Target) == exit.To) == in.GuardNot
}

// Added returns the instruction that makes next by adding something to v, and
// the operand that it adds; nil if next is not made so. Moves between the two
// do not count.
func (s *SSA) Added(next, v ValueID) (add *Instr, by *Operand) {
	add = s.definition(s.origin(next))
	if add == nil || add.Inst.Op != isa.OpAdd || len(add.Inst.Mods) != 1 || add.Inst.Type().Bits() != s.typeOf(v).Bits() {
		return nil, nil
	}
	a, by := &add.Ops[1], &add.Ops[2]
	if by.Kind == OperandReg && s.origin(s.Use(add.PC, by.Reg)) == v {
		a, by = by, a
	}
	if a.Kind != OperandReg || a.Neg || s.origin(s.Use(add.PC, a.Reg)) != v {
		return nil, nil
	}
	return add, by
}

// definition returns the unguarded instruction that makes v, or nil.
func (s *SSA) definition(v ValueID) *Instr {
	if v == NoValue || s.Values[v].Kind != Def {
		return nil
	}
	if in := &s.Func.Module.Instrs[s.Values[v].PC]; in.Guard == NoReg && in.Call == nil {
		return in
	}
	return nil
}

// origin returns the value of which v is a copy, made by mov of a whole
// register.
func (s *SSA) origin(v ValueID) ValueID {
	for {
		in := s.definition(v)
		if in == nil || in.Inst.Op != isa.OpMov || in.Ops[0].Kind != OperandReg || in.Ops[1].Kind != OperandReg {
			return v
		}
		v = s.Use(in.PC, in.Ops[1].Reg)
	}
}

// typeOf returns the type of v's register.
func (s *SSA) typeOf(v ValueID) isa.Type { return s.Func.Regs[s.Values[v].Reg].Type }

// findCounters returns the intervals in which loop counters stay, by value. It
// trusts f's cells, which hold without it.
func (f *Folding) findCounters() map[*SSA]map[ValueID]cell {
	found := make(map[*SSA]map[ValueID]cell)
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
						found[ff.SSA] = make(map[ValueID]cell)
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
	ff   *FuncFolding
	l    *Loop
	phi  ValueID
	next ValueID // phi + by
	by   int64
	init cell
}

// step finds next, by and init.
func (c *counter) step() bool {
	s := c.ff.SSA
	v, t := &s.Values[c.phi], s.typeOf(c.phi)
	preds := s.Func.Blocks[c.l.Header].Preds
	if len(v.Args) != len(preds) {
		return false // the function begins in the loop
	}
	for i, p := range preds {
		switch {
		case v.Args[i] == NoValue:
		case p == c.l.Latches[0]:
			c.next = s.origin(v.Args[i])
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
func (c *counter) operand(in *Instr, op *Operand) cell {
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
	for _, exit := range c.l.Exits {
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
	branch, stays := s.Func.ExitTest(exit)
	if branch == nil {
		return none
	}
	test := s.definition(s.Use(branch.PC, branch.Guard))
	if test == nil || test.Inst.Op != isa.OpSetp || test.Inst.Bool != isa.NoBool || test.Inst.Type().IsFloat() ||
		test.Ops[1].Kind != OperandReg || test.Ops[1].Neg || test.Ops[0].Reg != branch.Guard {
		return none
	}
	after := int64(0) // the counter's next value is the compared one plus this
	switch s.origin(s.Use(test.PC, test.Ops[1].Reg)) {
	case c.phi:
		after = c.by
	case c.next:
	default:
		return none
	}
	bound := c.operand(test, &test.Ops[2])
	t := test.Inst.Type()
	v, b := c.init.as(t), bound.as(t)
	if !v.Known || !b.Known || bound.state != constant || t.Bits() != s.typeOf(c.phi).Bits() {
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
