package machine

import (
	"slices"

	"hyptx/internal/ssa"
	"hyptx/ir"
)

// What an open loop (open.go) leaves over of its rounds is a loop of its own in the
// machine: rounds as they stand in the PTX, with a test in each. Of an expansion its
// copies are those of round number unrolled.rounds.
//
// They stand beside the others: who comes to the loop may go to either, and goes on
// behind it in the same code, which finds there what the unrolled rounds have left. So
// in the graph the copies of rounds left over lead nowhere but round; the graph of values
// knows their ends by [builder.left], and the listing hands the values on that outlive
// the loop.

// Rounds says that a charge counts for a part of the rounds of an open loop: those that
// are issued unrolled, or those that are left over.
type Rounds struct {
	Loop *ir.Loop // nil: for all
	Left bool
	// First: the loop tests before the rest of each round.
	First bool
}

// Share returns the part of the executions of a block that a charge counts for, if the
// threads that come to the loop go round so often on average, as far as anybody knows all
// equally often: who goes round 7 times is in the unrolled rounds 4 times.
func (r *Rounds) Share(block int, rounds float64) float64 {
	if r.Loop == nil {
		return 1
	}
	low := int(rounds)
	part := rounds - float64(low)
	unrolled := float64(low/partRounds*partRounds)*(1-part) + float64((low+1)/partRounds*partRounds)*part
	all := rounds
	if r.First && block == r.Loop.Header { // and once more
		all++
	}
	switch {
	case all == 0:
		return 0
	case r.Left:
		return (all - unrolled) / all
	}
	return unrolled / all
}

// OpenLoop is a loop of which some rounds are left over.
type OpenLoop struct {
	*ir.Loop
	// First: it tests before the rest of each round.
	First bool
	// Left is where a round begins that is left over, Blocks are all of these rounds.
	Left   Place
	Blocks []int32
}

// Unrolled returns how many of so many rounds are issued unrolled.
func (o *OpenLoop) Unrolled(rounds int) int { return rounds / partRounds * partRounds }

// way adds an edge that dominance knows of. It is called for one copy after the other, so
// that preds ascend.
func (x *expansion) way(c, to int) {
	x.blocks[c].ways = append(x.blocks[c].ways, to)
	x.blocks[to].preds = append(x.blocks[to].preds, c)
}

// rest returns the header of the rounds that are left over, for that of the first round.
func (x *expansion) rest(header int) int {
	r := x.rounds[x.ctx[header]]
	r.number = x.unrolled[r.header].rounds
	x.unrolled[r.header].over = true
	c := x.copy(x.blocks[header].orig, x.number(r))
	x.restOf[header] = c
	return c
}

// restIn returns the loop of whose rounds left over a round is, nil if of none.
func (x *expansion) restIn(ctx int) *unrolled {
	for ; ctx >= 0; ctx = x.rounds[ctx].parent {
		if u := x.unrolled[x.rounds[ctx].header]; u.open && x.rounds[ctx].number == u.rounds {
			return u
		}
	}
	return nil
}

// openIn returns the open loop that a copy is in, and its round there; nil without one.
func (x *expansion) openIn(c int) (*unrolled, int) {
	for ctx := x.ctx[c]; ctx >= 0; ctx = x.rounds[ctx].parent {
		if u := x.unrolled[x.rounds[ctx].header]; u.open {
			return u, ctx
		}
	}
	return nil, -1
}

// leaver returns the open loop that copy c may leave, nil if it cannot.
func (x *expansion) leaver(c int) *unrolled {
	u, ctx := x.openIn(c)
	if u == nil || u.exit != x.blocks[c].orig {
		return nil
	}
	if leaves, _ := u.leavesIn(x.rounds[ctx].number); !leaves {
		return nil
	}
	return u
}

// leavesOver returns the copy that leaves a loop from its unrolled rounds for the one that
// does from those left over; -1 for any other.
func (x *expansion) leavesOver(c int) int {
	u := x.leaver(c)
	if u == nil || !x.blocks[c].rest {
		return -1
	}
	_, ctx := x.openIn(c)
	r := x.rounds[ctx]
	for r.number = range u.rounds {
		if leaves, _ := u.leavesIn(r.number); leaves {
			return x.copyOf[[2]int{x.blocks[c].orig, x.roundOf[r]}]
		}
	}
	return -1
}

// both returns where the machine may go on where the graph goes to copy s: there or, if an
// open loop begins there, to the rounds of it that are left over.
func (x *expansion) both(s int) []int {
	if r, ok := x.restOf[s]; ok {
		return []int{s, r}
	}
	return []int{s}
}

// counted returns the numbers of copies among which copy c counts.
func (x *expansion) counted(c int) []int64 {
	if x.blocks[c].rest {
		return x.left
	}
	return x.copies
}

// outlives returns the values of a loop that are read behind it.
func (b *builder) outlives(u *unrolled) []ssa.ValueID {
	out, ok := b.outs[u.Header]
	if ok {
		return out
	}
	add := func(v ssa.ValueID) {
		if v != ssa.NoValue && !slices.Contains(out, v) && slices.ContainsFunc(b.s.Users(v), func(r ssa.User) bool { return !u.Has(b.blockOf(r)) }) {
			out = append(out, v)
		}
	}
	for _, k := range u.Blocks() {
		b.x.look()
		for _, v := range b.s.Phis(k) {
			add(v)
		}
		for pc := b.s.Func.Blocks[k].First; pc < b.s.Func.Blocks[k].End; pc++ {
			for i, v := range b.s.Defs(pc) {
				add(v)
				add(b.s.Written(pc, i))
			}
		}
	}
	b.outs[u.Header] = out
	return out
}

// blockOf returns the block of who reads a value.
func (b *builder) blockOf(r ssa.User) int {
	if r.PC >= 0 {
		return int(b.s.Func.Module.Instrs[r.PC].Block)
	}
	return int(b.s.Values[r.Value].Block)
}

// wantLeft marks what rounds left over compute of what is wanted behind the loop.
func (b *builder) wantLeft() {
	var ends [][2]int // copies that end rounds left over, and the unrolled ones
	for c := range b.x.blocks {
		b.x.look()
		if as := b.x.leavesOver(c); as >= 0 && b.x.live[c] {
			ends = append(ends, [2]int{c, as})
		}
	}
	for more := true; more; {
		more = false
		for _, e := range ends {
			for i, n := range b.left[e[1]] {
				if k := b.left[e[0]][i]; b.nodes[n].wanted && !b.nodes[k].wanted {
					b.want(k)
					more = true
				}
			}
		}
	}
}

// branchKey is where branches are left.
type branchKey struct {
	pc     ir.PC
	copies int64
	Rounds
}

// stays counts a branch at the end of copy k.
func (c *control) stays(k int) {
	c.branched[branchKey{c.last(k).PC, c.copiesOf(k), c.roundsOf(k)}]++
}

// roundsOf returns the rounds for which a charge in a copy counts.
func (c *control) roundsOf(k int) Rounds {
	u, _ := c.x.openIn(k)
	if u == nil || !u.over {
		return Rounds{}
	}
	return Rounds{Loop: u.Loop, Left: c.x.blocks[k].rest, First: u.first}
}

// hands returns the moves on the edge from copy k to s, or to the rounds of s that are left
// over. Where k ends such rounds itself, they are those of the copy that ends the unrolled
// ones, from what k has of each value; and these values themselves.
func (l *lister) hands(k, s, to int) []Move {
	as := l.x.leavesOver(k)
	if as < 0 || slices.Contains(l.x.blocks[k].ways, s) {
		return l.moves(k, s, to)
	}
	var out []Move
	mine := map[Slot][]Slot{}
	for i, n := range l.left[as] {
		if !l.nodes[n].wanted {
			continue
		}
		have := l.values(l.left[k][i])
		for _, slot := range l.values(n) {
			if mine[slot] != nil || slices.Contains(have, slot) {
				continue
			}
			mine[slot] = have
			for _, from := range have {
				out = append(out, Move{slot, from})
			}
		}
	}
	for _, m := range l.moves(as, s, to) {
		if mine[m.Src] == nil {
			out = append(out, m)
			continue
		}
		for _, from := range mine[m.Src] {
			out = append(out, Move{m.Dst, from})
		}
	}
	return out
}

// openLoops lists the loops of which rounds may be left over.
func (l *lister) openLoops() {
	blocks := map[*unrolled][]int32{}
	for n, members := range l.members {
		l.x.look()
		if l.x.blocks[members[0]].rest {
			u, _ := l.x.openIn(members[0])
			blocks[u] = append(blocks[u], int32(n))
		}
	}
	for c := range l.x.blocks {
		r, ok := l.x.restOf[c]
		if !ok || !l.x.live[r] {
			continue
		}
		u, _ := l.x.openIn(r)
		l.out.Open = append(l.out.Open, OpenLoop{Loop: u.Loop, First: u.first, Left: l.place(r), Blocks: blocks[u]})
	}
}
