package machine

import (
	"maps"

	"hyptx/internal/ssa"
	"hyptx/internal/value"
	"hyptx/ir"
)

// maxTrips is the number of rounds up to which a loop is counted, maxValues how
// many instructions are evaluated for that in a function.
const (
	maxTrips  = 4096
	maxValues = 1 << 20
)

// Only a loop with a constant number of rounds is unrolled. The number is found
// by running it: from the constants with which the header's phis begin, each
// round evaluates the condition of the one exit and what the phis are in the
// next round. That takes any step, halving as well as adding, and needs no
// theory of it. A loop of more than maxTrips rounds is left as it is.
//
// Package fold bounds counters of loops without counting: there the
// beginning may be an interval, but the step must be an addition.

// trips is what is known of a counted loop.
type trips struct {
	// exit is the block with the test that ends the loop, to the successor
	// that leaves. It is executed tests times each time the loop is entered.
	exit, leaves int
	tests        int
	// first: the test stands before the rest of each round.
	first bool
	// ranges are the smallest and largest values of the header's phis.
	ranges map[ssa.ValueID]value.Interval
}

// counter counts a loop's rounds by evaluating what decides its exit.
type counter struct {
	*quit
	s    *ssa.Form
	loop *ir.Loop
	// env are those of the header's phis that could be followed so far, next those of
	// the round to come.
	env, next []followed
	// bits are those of the phis in the round that seen has for them, by value.
	bits  []uint64
	seen  []int32
	round int32
	// left is how many instructions may still be evaluated.
	left int
}

func newCounter(q *quit, s *ssa.Form) *counter {
	return &counter{quit: q, s: s, bits: make([]uint64, len(s.Values)), seen: make([]int32, len(s.Values)), round: 1, left: maxValues}
}

// followed is a phi and what it is in a round.
type followed struct {
	phi  ssa.ValueID
	bits uint64
}

// now returns what a phi of the header is in the present round.
func (c *counter) now(v ssa.ValueID) (bits uint64, ok bool) {
	if v == ssa.NoValue || c.seen[v] != c.round {
		return 0, false
	}
	return c.bits[v], true
}

// countLoops returns the trips of a function's counted loops.
func countLoops(q *quit, s *ssa.Form) map[*ir.Loop]*trips {
	counted := map[*ir.Loop]*trips{}
	c := newCounter(q, s)
	for _, l := range s.Func.Loops() {
		c.look()
		if t := c.count(l); t != nil {
			counted[l] = t
		}
	}
	return counted
}

// count returns the trips of l, nil if they are no constant: only loops
// with one exit, whose test is made in every round and depends on constants
// alone.
func (c *counter) count(l *ir.Loop) *trips {
	e, ok := l.Exit()
	if !ok || e.To == ir.Exit {
		return nil
	}
	s, f := c.s, c.s.Func
	for _, latch := range l.Latches {
		if !f.Dominators().Dominates(e.From, latch) {
			return nil
		}
	}
	branch, stays := s.ExitTest(e)
	if branch == nil {
		return nil
	}
	c.loop, c.env = l, nil
	c.round++ // nothing is known of what the last loop left
	c.enter(false)
	t := &trips{exit: e.From, leaves: e.To, first: testsFirst(f, l, e.From), ranges: map[ssa.ValueID]value.Interval{}}
	guard := s.Use(branch.PC, branch.Guard)
	for len(c.env) > 0 && t.tests < maxTrips {
		c.look()
		t.note(s, c.env)
		p, ok := c.value(guard, 0)
		if !ok {
			return nil
		}
		t.tests++
		if (p != 0) != stays {
			// A phi that could not be followed to the end has no range.
			maps.DeleteFunc(t.ranges, func(phi ssa.ValueID, _ value.Interval) bool { _, ok := c.now(phi); return !ok })
			return t
		}
		c.enter(true)
	}
	return nil
}

// note widens the ranges by the present values.
func (t *trips) note(s *ssa.Form, env []followed) {
	for _, p := range env {
		x := exactly(value.SignExtend(p.bits, s.Func.Regs[s.Values[p.phi].Reg].Type.Bits()))
		if r, seen := t.ranges[p.phi]; seen {
			x = x.Hull(r)
		}
		t.ranges[p.phi] = x
	}
}

// enter gives the header's phis what they are when control comes from outside
// of the loop or, with again, around it: those that could be followed so far.
func (c *counter) enter(again bool) {
	c.next = c.next[:0]
	for _, phi := range c.s.Phis(c.loop.Header) {
		if _, ok := c.now(phi); again && !ok {
			continue
		}
		if x, ok := c.entering(phi, again); ok {
			c.next = append(c.next, followed{phi, x})
		}
	}
	c.env, c.next = c.next, c.env
	c.round++
	for _, p := range c.env {
		c.bits[p.phi], c.seen[p.phi] = p.bits, c.round
	}
}

// entering returns what a phi of the header becomes, if it is the same by all ways.
func (c *counter) entering(phi ssa.ValueID, again bool) (bits uint64, ok bool) {
	for i, p := range c.s.Func.Blocks[c.loop.Header].Preds() {
		if c.loop.Has(p) != again {
			continue
		}
		x, known := c.value(c.s.Values[phi].Args[i], 0)
		if !known || ok && bits != x {
			return 0, false
		}
		bits, ok = x, true
	}
	return bits, ok
}

// maxDepth bounds the chain of instructions between a constant and its use.
const maxDepth = 64

// value evaluates v.
func (c *counter) value(v ssa.ValueID, depth int) (uint64, bool) {
	if x, ok := c.now(v); ok {
		return x, true
	}
	c.look()
	if c.left--; v == ssa.NoValue || depth > maxDepth || c.left < 0 {
		return 0, false
	}
	val := &c.s.Values[v]
	if val.Kind != ssa.Def {
		return 0, false
	}
	in := &c.s.Func.Module.Instrs[val.PC]
	if in.Guard != ir.NoReg {
		return 0, false
	}
	return evaluate(c.s.Func, in, func(op *ir.Operand) (uint64, bool) {
		switch op.Kind {
		case ir.OperandImm:
			return op.Imm, true
		case ir.OperandReg:
			x, ok := c.value(c.s.Use(in.PC, op.Reg), depth+1)
			if op.Not {
				x ^= 1
			}
			return x, ok
		}
		return 0, false
	})
}
