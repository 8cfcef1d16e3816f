package machine

import (
	"slices"

	"hyptx/internal/flow"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// maxPredicated returns the number of instructions up to which what a branch controls
// becomes predication: 4, or 7 where the compiler takes many warps to diverge (CUDA C
// Programming Guide 4.2, 5.4.2, Control Flow Instructions). Before Volta arms of 5 on threads'
// indices stay branches; since then a branch takes two instructions more, and Coulomb's
// counters on Turing have no branch left of 15 arms that load, add and store.
func (x *expansion) maxPredicated() int {
	if x.sm >= 70 {
		return 7
	}
	return 4
}

// maxArm bounds the copies of an arm.
const maxArm = 7

// reachable forgets the copies that no branch leads to, once conditions that
// are constants are decided: the other copies share the block's executions,
// which the PTX's counts give for all of them together.
func (x *expansion) reachable(b *builder) {
	x.live = make([]bool, len(x.blocks))
	work := []int{0}
	x.live[0] = true
	for len(work) > 0 {
		x.look()
		c := work[len(work)-1]
		work = work[:len(work)-1]
		for i, s := range x.blocks[c].succs {
			if p, ok := b.isConst(b.conds[c]); ok && len(x.blocks[c].succs) == 2 && (p != 0) != (i == 1) {
				continue
			}
			for _, s := range x.both(s) {
				if !x.live[s] {
					x.live[s] = true
					work = append(work, s)
				}
			}
		}
	}
	for c := range x.blocks {
		if !x.live[c] {
			x.counted(c)[x.blocks[c].orig]--
		}
	}
}

// control charges for branches and finds those that become predication.
//
// A short branch costs less if both its arms are issued for all threads, each
// instruction under a predicate (if-conversion). The arms then run as often as
// the branch, while the PTX's counts say how often the warps came to them. So
// the charge of a predicated copy names two instructions: the branch that
// issues it, and the arm's own, whose threads execute it. Inner branches come
// first, so that an arm may hold branches that are predicated already.
//
// What stays a branch costs BRA, and where warps may diverge and meet again
// also what the machine needs to bring them together.
type control struct {
	*bill
	// next is where a copy goes on after predication, -1 if it branches; root is the copy
	// whose branch it is predicated by, or itself, and near a root of that on the way to
	// the one that issues it (see rootOf).
	next, root, near []int
	// size is the number of instructions of a copy with those that it
	// predicates; rigid: it cannot be predicated.
	size  []int
	rigid []bool
	// end is what ends returns; exits the side, 0 or 1, of a branch that has
	// become a predicated EXIT, else -1; split: a ret that stands behind each
	// way to it.
	end   []int
	exits []int
	split []bool
	// syncs are the copies that end with SYNC.
	syncs []bool
	// branched counts the branches that are left in the copies of a block, by its
	// last instruction: of rounds left over apart.
	branched map[branchKey]int64
	// uses says where values are used, nil before somebody asks.
	uses *sharing
}

// newControl notes which copies lead straight on to another one, and which can
// never be predicated: those with calls, barriers, exchanges between lanes, or
// an end of the thread.
func newControl(p *bill) *control {
	c := &control{bill: p, next: make([]int, len(p.x.blocks)), root: make([]int, len(p.x.blocks)), near: make([]int, len(p.x.blocks)),
		size: append([]int(nil), p.total...), rigid: make([]bool, len(p.x.blocks)),
		exits: slices.Repeat([]int{-1}, len(p.x.blocks)), split: make([]bool, len(p.x.blocks)), syncs: make([]bool, len(p.x.blocks)), branched: map[branchKey]int64{}}
	c.end = c.ends()
	for i := range p.x.blocks {
		c.next[i], c.root[i], c.near[i] = -1, i, i
		c.rigid[i] = c.mayEnd(i)
		if s := p.x.blocks[i].succs; len(s) == 1 {
			c.next[i] = s[0]
		}
	}
	for _, e := range p.effects {
		d := &p.nodes[e]
		if in := d.in; in.Call != nil || in.Inst.CrossLane() || in.Inst.Form.Class == isa.Barrier || in.Inst.EndsBlock() {
			c.rigid[d.place] = true
		}
	}
	return c
}

// predicate turns short branches into predication, inner ones first.
func (c *control) predicate() {
	for _, a := range flow.Postorder(c.x) {
		b := &c.x.blocks[a]
		if len(b.succs) != 2 || c.conds[a] == 0 || c.exits[a] >= 0 {
			continue
		}
		arms, end, n, ok := c.arms(a)
		if !ok || n > c.x.maxPredicated() && !c.shares(a, arms) {
			continue
		}
		c.next[a] = end
		for _, k := range arms {
			c.size[a] += c.size[k]
			c.under(k, a)
			c.rigid[a] = c.rigid[a] || c.rigid[k]
		}
	}
}

// arms returns the copies that a's branch alone leads to and where they end, with the
// number of instructions of the longer side; ok is false if that is not one place.
func (c *control) arms(a int) (arms []int, end, n int, ok bool) {
	b := &c.x.blocks[a]
	arm1, end1, n1, ok1 := c.arm(a, b.succs[0])
	arm2, end2, n2, ok2 := c.arm(a, b.succs[1])
	return append(arm1, arm2...), end1, max(n1, n2), ok1 && ok2 && end1 == end2 && end1 >= 0 && !c.x.dominates(end1, a)
}

// arm follows the copies that only a's branch leads to: their number of
// instructions, and where they end.
func (c *control) arm(a, s int) (arm []int, end int, n int, ok bool) {
	for c.next[s] >= 0 && len(arm) < maxArm && c.within(s, a, arm) {
		if c.rigid[s] {
			return nil, -1, 0, false
		}
		n += c.size[s]
		arm = append(arm, s)
		s = c.next[s]
	}
	return arm, s, n, true
}

// within reports whether nothing but the arm of a's branch leads to s.
func (c *control) within(s, a int, arm []int) bool {
	preds := c.x.blocks[s].preds
	if len(arm) == 0 {
		return len(preds) == 1 && preds[0] == a
	}
	for _, p := range preds {
		c.x.look()
		if !slices.Contains(arm, c.rootOf(p)) {
			return false
		}
	}
	return true
}

// branches charges for what is left of control flow.
func (c *control) branches() {
	done := map[int]bool{}
	for k := range c.x.blocks {
		c.x.look()
		last := c.last(k)
		if last == nil {
			continue
		}
		switch {
		case c.exits[k] >= 0:
			c.exit(k)
		case c.end[k] >= 0 && c.split[c.end[k]]:
			c.finish(k, done)
		case last.Inst.IsSwitch():
			c.stays(k)
			c.bill.control(k, branchTable)
		case last.Inst.IsReturn() || last.Inst.IsExit():
			c.guarded(k, last.Guard != ir.NoReg)
		case c.mayEnd(k):
			c.guarded(k, c.s.Func.Blocks[c.x.blocks[k].orig].Succs()[0] != ir.Exit)
		case len(c.x.blocks[k].succs) == 0: // falls off the end
			c.bill.control(k, 1)
		case len(c.x.blocks[k].succs) == 2 && c.next[k] < 0:
			c.branch(k)
		}
	}
	for i := range c.x.blocks {
		c.jumps(i)
	}
}

// mayEnd reports whether a copy's branch may lead to the function's end.
func (c *control) mayEnd(k int) bool {
	if c.conds[k] == 0 {
		return false
	}
	_, decided := c.isConst(c.conds[k])
	return !decided && c.x.blocks[k].leaves
}

// last returns the last instruction of a copy, nil for none.
func (c *control) last(k int) *ir.Instr {
	b := c.s.Func.Blocks[c.x.blocks[k].orig]
	if b.End == b.First {
		return nil
	}
	return &c.s.Func.Module.Instrs[b.End-1]
}

// branch charges for a conditional branch: BRA and, where warps may diverge and
// come together again, what brings them together: since Volta BSSY and BSYNC, on
// Maxwell and Pascal SSY and SYNC. For a loop these stand before and behind it.
func (c *control) branch(k int) {
	if _, decided := c.isConst(c.conds[k]); decided {
		return
	}
	c.bill.control(k, 1)
	meet := c.meeting(k)
	if c.x.sm < 50 || c.x.sm >= 70 || !slices.Contains(c.x.blocks[k].succs, meet) || !c.nodes[c.conds[k]].varies {
		c.stays(k) // else it is SYNC
	}
	if c.x.sm < 50 || !c.nodes[c.conds[k]].varies {
		return
	}
	orig := c.x.blocks[k].orig
	if c.isEnd(c.s.Func.PostDominators().IDom(orig)) {
		return
	}
	l := c.s.Func.LoopOf(orig)
	for _, s := range c.x.blocks[k].succs {
		to := c.x.blocks[s].orig
		if l == nil || l.Has(to) && to != l.Header {
			continue
		}
		if c.x.blocks[k].outer >= 0 && c.x.leavesOver(k) < 0 { // as the rounds before those left over
			c.bill.control(c.x.blocks[k].outer, 2)
		}
		return
	}
	if c.x.sm >= 70 {
		c.bill.control(k, 2)
		return
	}
	c.bill.control(k, 1)
	c.sync(meet)
}

// meeting returns the copy where the ways from k's branch meet, -1 without one.
func (c *control) meeting(k int) int {
	meet, at := -1, c.s.Func.PostDominators().IDom(c.x.blocks[k].orig)
	if at < 0 {
		return -1
	}
	for _, j := range c.x.copiesOf(at) {
		if c.x.blocks[j].rest && !c.x.blocks[k].rest {
			continue
		}
		c.x.look()
		near := c.x.dominates(k, j) || c.x.dominates(max(c.x.dom.IDom(j), 0), k) && !c.x.dominates(j, k)
		if near && (meet < 0 || c.nearer(k, j, meet)) {
			meet = j
		}
	}
	return meet
}

// nearer reports whether of two copies of a block where ways from k's branch may
// meet j comes first: the highest of those that k dominates, or else the one whose
// ways part as late as possible.
func (c *control) nearer(k, j, meet int) bool {
	below, was := c.x.dominates(k, j), c.x.dominates(k, meet)
	if below != was {
		return below
	}
	return below == (c.x.dom.Depth(j) < c.x.dom.Depth(meet))
}

// sync charges for Maxwell's and Pascal's SYNC, with which each way from a branch
// to the copy where they meet ends: the one that the branch itself leads there is
// the branch (@P SYNC).
func (c *control) sync(meet int) {
	if meet < 0 {
		return
	}
	for _, p := range c.x.blocks[meet].preds {
		c.x.look()
		if c.root[p] == p && c.x.live[p] && len(c.x.blocks[p].succs) == 1 && !c.syncs[p] {
			c.syncs[p] = true
			c.bill.control(p, 1)
		}
	}
}

// isEnd reports whether nothing but the end of the thread is left at block b.
func (c *control) isEnd(b int) bool {
	if b < 0 {
		return true
	}
	block := c.s.Func.Blocks[b]
	last := block.End - 1
	return c.s.Func.Kernel && last == block.First && (c.s.Func.Module.Instrs[last].Inst.IsReturn() || c.s.Func.Module.Instrs[last].Inst.IsExit())
}

// jumps charges for the unconditional branches to copy k: one of those that
// lead there stands before it and falls through.
func (c *control) jumps(k int) {
	if c.end[k] >= 0 && c.split[c.end[k]] {
		return // EXIT stands there
	}
	through := false
	for _, p := range c.x.blocks[k].preds {
		c.x.look()
		b := &c.x.blocks[p]
		if len(b.succs) != 1 || c.root[p] != p || c.x.blocks[k].rest && !b.rest {
			continue
		}
		last := c.last(p)
		switch {
		case c.mayEnd(p): // its branch leads here, or to the end while it falls through
			through = through || c.s.Func.Blocks[b.orig].Succs()[0] != ir.Exit
		case c.syncs[p]:
		case c.x.dominates(k, p): // the back edge: loops are turned round to test at the end
			if len(c.x.blocks[k].succs) != 2 && !c.empty(p) {
				c.jump(p)
			}
		case c.empty(p): // the branch before it leads here
		case !through || last == nil:
			through = true
		default:
			c.jump(p)
		}
	}
}

// jump charges for an unconditional branch at the end of a copy.
func (c *control) jump(p int) {
	c.bill.control(p, 1)
	if c.last(p) != nil && c.x.live[p] {
		c.stays(p)
	}
}

// empty reports whether a copy holds no instruction and is reached by one
// branch, which can lead on at once.
func (c *control) empty(k int) bool {
	return c.total[k] == 0 && len(c.x.blocks[k].preds) == 1 && len(c.x.blocks[c.x.blocks[k].preds[0]].succs) == 2
}
