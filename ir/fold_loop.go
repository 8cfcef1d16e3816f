package ir

import (
	"hyptx/internal/flow"
	"hyptx/ir/isa"
)

// findCounters looks for loop counters among the phis of loop headers, and
// returns the intervals in which they stay, by value. It trusts f's cells,
// which hold without it.
//
// A counter starts at init, and the only way around the loop adds a constant
// step to it after a comparison with a constant bound that must come out one
// way for the loop to go on. So it lies between init and the bound; that it
// does not wrap around follows from the bound.
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
				if v := c.interval(); v.within != nil {
					if found[ff.SSA] == nil {
						found[ff.SSA] = make(map[ValueID]cell)
					}
					found[ff.SSA][phi] = v
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
	v := &s.Values[c.phi]
	preds := s.Func.Blocks[c.l.Header].Preds
	if len(v.Args) != len(preds) {
		return false // the function begins in the loop
	}
	t := s.Func.Regs[v.Reg].Type
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
	add := s.definition(c.next)
	if add == nil || add.Inst.Op != isa.OpAdd || len(add.Inst.Mods) != 1 || add.Inst.Type().Bits() != t.Bits() {
		return false
	}
	a, b := &add.Ops[1], &add.Ops[2]
	if b.Kind == OperandReg && s.origin(s.Use(add.PC, b.Reg)) == c.phi {
		a, b = b, a
	}
	if a.Kind != OperandReg || a.Neg || s.origin(s.Use(add.PC, a.Reg)) != c.phi {
		return false
	}
	n := c.operand(add, b)
	step, ok := n.as(signedType(t))
	c.by = step.low
	return ok && n.state == constant && c.by != 0
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
func (c *counter) interval() cell {
	dom := c.ff.SSA.Func.Dominators()
	for _, exit := range c.l.Exits {
		if !dom.Dominates(exit.From, c.l.Latches[0]) {
			continue
		}
		if v := c.boundedBy(exit); v.within != nil {
			return v
		}
	}
	return cell{state: varying}
}

// boundedBy returns where the counter stays because of one exit.
func (c *counter) boundedBy(exit flow.Edge) cell {
	f := c.ff.SSA.Func
	none := cell{state: varying}
	br := &f.Module.Instrs[f.Blocks[exit.From].End-1]
	if br.Guard == NoReg || br.Inst.Form.Flow != isa.FlowBranch || len(f.Blocks[exit.From].Succs) != 2 {
		return none
	}
	test := c.ff.SSA.definition(c.ff.SSA.Use(br.PC, br.Guard))
	if test == nil || test.Inst.Op != isa.OpSetp || test.Inst.Bool != isa.NoBool || test.Inst.Type().IsFloat() ||
		test.Ops[1].Kind != OperandReg || test.Ops[1].Neg || test.Ops[0].Reg != br.Guard {
		return none
	}
	// The loop goes on when the comparison comes out as stays.
	leaves := f.blockAt(br.Target) == exit.To
	stays := leaves == br.GuardNot
	after := int64(0) // the counter's next value is the compared one plus this
	switch c.ff.SSA.origin(c.ff.SSA.Use(test.PC, test.Ops[1].Reg)) {
	case c.phi:
		after = c.by
	case c.next:
	default:
		return none
	}
	bound := c.operand(test, &test.Ops[2])
	t := test.Inst.Type()
	v, okV := c.init.as(t)
	b, okB := bound.as(t)
	if !okV || !okB || bound.state != constant || t.Bits() != f.Regs[c.ff.SSA.Values[c.phi].Reg].Type.Bits() {
		return none
	}
	return c.between(v, b.low, after, test.Inst.Cmp, stays, t)
}

// between returns the interval from init to the last value that goes around.
func (c *counter) between(init interval, bound, after int64, cmp isa.Cmp, stays bool, t isa.Type) cell {
	none := cell{state: varying}
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
		first := init.low + c.by - after // the first value compared
		if init.low != init.high || (bound-first)%c.by != 0 || (bound-first)/c.by < 0 {
			return none
		}
		last = bound - c.by
	default:
		return none
	}
	v := interval{min(init.low, last+after), max(init.high, last+after)}
	// One step further must not wrap around in the type compared, or else the
	// comparison might let it pass behind init.
	edge := ranged(v.low+min(c.by, 0), v.high+max(c.by, 0))
	if w, ok := edge.as(t); !ok || edge.within == nil || w != *edge.within {
		return none
	}
	return ranged(v.low, v.high)
}
