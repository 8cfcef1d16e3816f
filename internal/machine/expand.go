package machine

import (
	"slices"

	"hyptx/internal/flow"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// Limits of unrolling. A counted loop without loops inside is unrolled as a
// whole if its rounds together have at most maxUnrolled machine instructions,
// counted before unrolling, else partRounds at a time if that divides their
// number, or up to maxPart while they are no larger than what is unrolled of open
// loops. The PTX ISA (12, nounroll) says that ptxas unrolls, nobody how far: own
// estimates. Between 512 and 2048 the totals of the networks in
// TestTwoCompilers change by at most 7 %. maxBlocks bounds the copies of a
// function: with more, nothing is unrolled.
const (
	maxUnrolled = 1024
	partRounds  = 4
	maxPart     = 16
	maxBlocks   = 8192
)

// block is a copy of a block of the function: one for each round of the
// unrolled loops around it.
type block struct {
	orig         int
	succs, preds []int
	// leaves: it may end the function, too.
	leaves bool
	// ways are the succs that dominance knows of (see rest.go).
	ways []int
	// rest: it is of the rounds that an unrolled loop leaves over.
	rest bool
	// depth is the number of loops around the copy that are left; outer the
	// next dominator with a smaller depth, -1 without one. header: a loop
	// begins here.
	depth, outer int
	header       bool
}

// round is one round of an unrolled loop within a round of the next one.
type round struct {
	header int
	number int
	parent int // index of expansion.rounds, -1 for none
}

// expansion is a function's control-flow graph with loops unrolled. Its nodes
// are copies of the function's blocks, one for each round in which the machine
// code has the block on its own: a block within two unrolled loops of four
// rounds each has sixteen. The copies of a block share its executions: how
// often each runs follows from the exact counts of the PTX, divided by the
// number of copies that can run at all.
//
// A round is named by the loop's header, its number, and the round of the next
// unrolled loop around it, so that an edge of the function is an edge between
// the right copies: into the next round at the header, out of the loop in the
// last one.
type expansion struct {
	*quit
	f      *ir.Func
	sm     int // the target architecture
	blocks []block
	// dom are the dominators of the copies.
	dom *flow.Tree
	// copies is the number of copies of each block of f, trips what is known
	// of its counted loops, open of those whose counter has no known end; unrolled
	// are those that are, by header. left are the numbers of copies of rounds left over,
	// which copies are without; restOf is the header of these by that of the others.
	copies   []int64
	left     []int64
	restOf   map[int]int
	trips    map[*ir.Loop]*trips
	open     map[*ir.Loop]*trips
	unrolled map[int]*unrolled

	rounds  []round
	roundOf map[round]int
	copyOf  map[[2]int]int // block and round
	ctx     []int          // of each copy
	byBlock [][]int        // the copies of each block
	// live are the copies that can be executed.
	live []bool
}

// Len, Succs and Preds make the copies a graph; the ways out of the function
// are no part of it.
func (x *expansion) Len() int          { return len(x.blocks) }
func (x *expansion) Succs(c int) []int { x.look(); return x.blocks[c].ways }
func (x *expansion) Preds(c int) []int { x.look(); return x.blocks[c].preds }

// copiesOf returns the copies of a block.
func (x *expansion) copiesOf(orig int) []int {
	if x.byBlock == nil {
		x.byBlock = make([][]int, len(x.f.Blocks))
		for c := range x.blocks {
			x.byBlock[x.blocks[c].orig] = append(x.byBlock[x.blocks[c].orig], c)
		}
	}
	return x.byBlock[orig]
}

// dominates reports whether copy a dominates b; a copy dominates itself.
func (x *expansion) dominates(a, b int) bool { return x.dom.Dominates(a, b) }

// unrolled is a loop that is copied: its rounds, or the part of them after
// which it begins again.
type unrolled struct {
	*ir.Loop
	*trips
	rounds int
	part   bool
	// open: the number of rounds is not known; over: some may be left over, and have copies.
	open, over bool
}

// leavesIn reports whether the loop may end in a round, and goesOn whether it
// may not.
func (u *unrolled) leavesIn(number int) (leaves, goesOn bool) {
	switch {
	case !u.part:
		leaves = number == u.tests-1
		return leaves, !leaves
	case number == u.rounds: // those that are left over
		return true, true
	case u.first:
		return number == 0, true
	}
	return number == u.rounds-1, true
}

// expand copies the reachable blocks of a function, some loops unrolled; none
// if that makes too many copies.
func expand(q *quit, f *ir.Func, sm int, counted, open map[*ir.Loop]*trips, loops map[int]*unrolled) *expansion {
	x := &expansion{quit: q, f: f, sm: sm, trips: counted, open: open, unrolled: loops}
	if !x.build(len(f.Blocks) + maxBlocks) {
		x.unrolled = nil
		x.build(len(f.Blocks))
	}
	x.dom = flow.Dominators(x)
	x.nest()
	return x
}

// nest fills depth, outer and header from the natural loops that are left.
func (x *expansion) nest() {
	loops, of := flow.Loops(x, x.dom)
	for _, l := range loops {
		x.blocks[l.Header].header = true
	}
	for _, c := range x.dom.Preorder() {
		x.look()
		b := &x.blocks[c]
		if of[c] != nil {
			b.depth = of[c].Depth
		}
		b.outer = max(x.dom.IDom(c), -1)
		for b.outer >= 0 && x.blocks[b.outer].depth >= b.depth {
			b.outer = x.blocks[b.outer].outer
		}
	}
}

// choose returns the loops to unroll, inner ones first: a loop is considered only
// if those in it are unrolled as a whole. size is the number of instructions of
// each block, from an estimate of the function as it stands; a loop's is that
// of its blocks with the loops inside unrolled. So a large body is unrolled less
// far than a small one.
func choose(q *quit, f *ir.Func, counted, open map[*ir.Loop]*trips, size []int) map[int]*unrolled {
	chosen := map[int]*unrolled{}
	if f.NoUnrollAll {
		return chosen
	}
	loops := slices.Clone(f.Loops())
	slices.SortStableFunc(loops, func(a, b *ir.Loop) int { return b.Depth - a.Depth })
	around := map[*ir.Loop]bool{} // a loop that is not unrolled as a whole
	for _, l := range loops {
		q.look()
		var u *unrolled
		if !around[l] && !f.NoUnroll[f.Blocks[l.Header].First] {
			sum := 0
			for _, b := range l.Blocks() {
				sum += max(size[b], 1) // so that copies of empty blocks are bounded as well
			}
			u = unroll(l, counted[l], open[l], sum)
		}
		if u == nil || u.part {
			around[l.Parent] = true
		}
		if u == nil {
			continue
		}
		chosen[l.Header] = u
		for _, b := range l.Blocks() {
			size[b] = max(size[b], 1) * u.rounds
		}
	}
	return chosen
}

// unroll returns how far a loop of so many instructions is unrolled, nil if it is not:
// counted are its trips if they are known, else open if the loop counts at all.
func unroll(l *ir.Loop, counted, open *trips, sum int) *unrolled {
	switch t := counted; {
	case t == nil && open != nil && sum <= maxRound:
		return &unrolled{Loop: l, trips: open, rounds: partRounds, part: true, open: true}
	case t == nil:
		return nil
	case sum*t.tests <= maxUnrolled:
		return &unrolled{Loop: l, trips: t, rounds: t.tests}
	case t.divisible(partRounds) && sum*partRounds <= maxUnrolled:
		u := &unrolled{Loop: l, trips: t, rounds: partRounds, part: true}
		for u.rounds < maxPart && t.divisible(2*u.rounds) && sum*2*u.rounds <= maxRound*partRounds {
			u.rounds *= 2
		}
		return u
	}
	return nil
}

// divisible reports whether n divides the number of rounds: a loop
// that tests at its beginning does so once more than it goes round.
func (t *trips) divisible(n int) bool {
	rounds := t.tests
	if t.first {
		rounds--
	}
	return rounds%n == 0
}

// testsFirst reports whether a loop tests before the rest of each round: not if all of
// it stands in the block with the test, and what is left only leads back.
func testsFirst(f *ir.Func, l *ir.Loop, exit int) bool {
	return exit == l.Header && slices.ContainsFunc(l.Blocks(), func(b int) bool {
		block := f.Blocks[b]
		jump := block.End-block.First == 1 && len(block.Succs()) == 1 && f.Module.Instrs[block.First].Inst.Form.Flow == isa.FlowBranch
		return b != exit && block.End > block.First && !jump
	})
}

// build makes the copies; false if there would be more than limit.
func (x *expansion) build(limit int) bool {
	x.blocks, x.ctx, x.rounds = nil, nil, nil
	x.copies, x.left, x.restOf = make([]int64, len(x.f.Blocks)), make([]int64, len(x.f.Blocks)), map[int]int{}
	x.roundOf, x.copyOf = map[round]int{}, map[[2]int]int{}
	x.copy(0, x.enter(0, -1))
	for c := 0; c < len(x.blocks); c++ {
		x.look()
		if len(x.blocks) > limit {
			return false
		}
		b, ctx := x.blocks[c].orig, x.ctx[c]
		for _, s := range x.f.Blocks[b].Succs() {
			if s == ir.Exit {
				x.blocks[c].leaves = true
				continue
			}
			if !x.takes(b, s, ctx) {
				continue
			}
			to := x.copy(s, x.enter(s, x.leave(s, ctx)))
			x.blocks[c].succs = append(x.blocks[c].succs, to)
			if u := x.restIn(ctx); u != nil && !u.Has(s) {
				continue
			}
			x.way(c, to)
			if u := x.unrolled[s]; u != nil && u.open && !u.Has(b) {
				x.way(c, x.rest(to))
			}
		}
	}
	return true
}

// copy returns the copy of block b in a round.
func (x *expansion) copy(b int, ctx int) int {
	key := [2]int{b, ctx}
	c, ok := x.copyOf[key]
	if !ok {
		c = len(x.blocks)
		x.copyOf[key] = c
		x.blocks = append(x.blocks, block{orig: b})
		x.ctx = append(x.ctx, ctx)
		if x.restIn(ctx) != nil {
			x.blocks[c].rest = true
			x.left[b]++
		} else {
			x.copies[b]++
		}
	}
	return c
}

// takes reports whether the edge from b to s can be taken in a round: the exit
// of an unrolled loop in the last one, what goes on in the others.
func (x *expansion) takes(b, s int, ctx int) bool {
	for ; ctx >= 0; ctx = x.rounds[ctx].parent {
		r := x.rounds[ctx]
		u := x.unrolled[r.header]
		if leaves, goesOn := u.leavesIn(r.number); u.exit == b && (s == u.leaves && !leaves || s != u.leaves && !goesOn) {
			return false
		}
	}
	return true
}

// leave returns the round that is left for block s: outside the loops that do
// not hold it, in the next one if it is a header.
func (x *expansion) leave(s int, ctx int) int {
	for ctx >= 0 && !x.unrolled[x.rounds[ctx].header].Has(s) {
		ctx = x.rounds[ctx].parent
	}
	return ctx
}

// enter returns the round that block s is in when it is reached in round ctx.
func (x *expansion) enter(s int, ctx int) int {
	if x.unrolled[s] == nil {
		return ctx
	}
	r := round{header: s, parent: ctx}
	if ctx >= 0 && x.rounds[ctx].header == s {
		if r = x.rounds[ctx]; r.number == x.unrolled[s].rounds { // left over
			return ctx
		}
		r.number = (r.number + 1) % x.unrolled[s].rounds
	}
	return x.number(r)
}

// number returns the number of a round.
func (x *expansion) number(r round) int {
	id, ok := x.roundOf[r]
	if !ok {
		id = len(x.rounds)
		x.rounds = append(x.rounds, r)
		x.roundOf[r] = id
	}
	return id
}
