package machine

import (
	"slices"

	"hyptx/internal/flow"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Many kernels begin with a guard: if (i >= n) return. The machine makes no
// branch of it: EXIT stands there under the guard's predicate, all threads issue
// it, and those that have work go on. This file finds these branches and the
// further EXIT that each of the other ways to the same ret needs; all of that
// counts as control instructions.

// ends returns, by copy, the copy with the ret that it leads to with no other
// instruction before it, -1 where it leads to something else. A device
// function's ret goes on with the caller: none.
func (c *control) ends() []int {
	end := slices.Repeat([]int{-1}, len(c.x.blocks))
	if !c.s.Func.Kernel {
		return end
	}
	for _, k := range flow.Postorder(c.x) {
		b := &c.x.blocks[k]
		succs := c.s.Func.Blocks[b.orig].Succs()
		if !c.x.live[k] || c.total[k] != 0 || len(succs) != 1 {
			continue
		}
		if len(b.succs) == 1 {
			end[k] = end[b.succs[0]]
		} else if last := c.last(k); succs[0] == ir.Exit && (last == nil || last.Inst.Form.Flow != isa.FlowTrap) {
			end[k] = k
		}
	}
	return end
}

// leave finds the branches that become a predicated EXIT: one of their sides
// has nothing to do. All threads issue it, those that are done leave, and what
// is on the other side runs where threads are left: it is not predicated.
// The ret that they shared stands behind each of the other ways to it, so that
// warps that have left do not issue another.
func (c *control) leave() {
	for a := range c.x.blocks {
		c.x.look()
		b := &c.x.blocks[a]
		if len(b.succs) != 2 || !c.x.live[a] || !c.open(a) {
			continue
		}
		if arms, _, n, ok := c.arms(a); ok && n > c.x.maxPredicated() && c.shares(a, arms) {
			continue // the last of several stores under guards
		}
		for side, s := range b.succs {
			if c.end[s] < 0 || c.turns(a, b.succs[1-side]) {
				continue
			}
			c.exits[a] = side
			c.rigid[a] = true
			c.split[c.end[s]] = true
			if len(c.x.blocks[s].preds) == 1 {
				c.under(s, a)
			}
		}
	}
}

// open reports whether a copy ends with a branch that may go both ways.
func (c *control) open(a int) bool {
	_, decided := c.isConst(c.conds[a])
	return c.conds[a] != 0 && !decided
}

// turns reports whether a's branch is a loop's test, and s in the loop: the
// machine tests at the loop's end and branches back.
func (c *control) turns(a, s int) bool {
	return c.x.dominates(s, a) || c.x.blocks[a].header && c.x.blocks[s].depth >= c.x.blocks[a].depth
}

// exit charges for a's predicated EXIT. Which threads it ends is known where
// they are the branch's, or have a block of their own.
func (c *control) exit(a int) {
	succs := c.x.blocks[a].succs
	s := succs[c.exits[a]]
	switch {
	case c.end[succs[0]] >= 0 && c.end[succs[1]] >= 0: // all
		c.bill.control(a, 1)
	case c.root[s] == a && c.last(s) != nil:
		c.bill.control(s, 1)
	default:
		c.guarded(a, c.exits[a] == 1)
	}
}

// guarded charges for an EXIT at the end of copy k that, if taken, only the
// threads execute whose guard holds.
func (c *control) guarded(k int, taken bool) {
	n := len(c.items)
	c.bill.control(k, 1)
	for i := range c.items[n:] {
		c.items[n+i].guarded = taken
	}
}

// finish charges for the EXIT behind each way to s but those that have left
// before: where control goes there alone, or before the loop that it comes
// from. Who comes out of another choice has no block: nothing stands for it.
func (c *control) finish(s int, done map[int]bool) {
	for _, p := range c.x.blocks[s].preds {
		c.x.look()
		if !c.x.live[p] || c.end[p] >= 0 || c.exits[p] >= 0 || c.x.blocks[p].leaves {
			continue
		}
		at, ok := c.before(p, s)
		if at = c.rootOf(at); ok && !done[at] {
			done[at] = true
			c.bill.control(at, 1)
		}
	}
}

// before returns the copy that is executed as often as control comes from p to
// s, if there is one.
func (c *control) before(p, s int) (at int, ok bool) {
	succs := c.x.blocks[p].succs
	if len(succs) == 1 {
		return p, true
	}
	if bit, decided := c.isConst(c.conds[p]); decided && len(succs) == 2 {
		return p, succs[bit&1] == s
	}
	for at = p; c.x.blocks[at].depth > c.x.blocks[s].depth; {
		at = c.x.blocks[at].outer
		if at < 0 {
			return 0, false
		}
	}
	return at, len(c.x.blocks[at].succs) == 1
}
