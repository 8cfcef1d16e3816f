package flow

import (
	"iter"
	"slices"
)

// Loop is a natural loop: the nodes that reach a back edge's source without
// passing the header, which dominates them all. Back edges to one header make
// one loop, so two loops lie one in the other or apart. Cycles with several
// entries are no natural loops.
type Loop struct {
	// Header is the node that is entered.
	Header int
	// Latches are the sources of the back edges, ascending.
	Latches []int
	// Parent is the next enclosing loop, nil for an outermost one; Depth is 1
	// for those.
	Parent *Loop
	Depth  int
	// of is the innermost loop of each node; first and last number the loop and those in
	// it, all of whose numbers are between; free is used while they are given.
	of                []*Loop
	first, last, free int
	// lowest and highest are the first node and the last; size is how many there are.
	lowest, highest, size int
	g                     Graph
	// exits are the edges that leave it, unless there are many.
	exits []Edge
	many  bool
	// outer is a loop around it on the way to the outermost one that is known, while
	// loops are collected.
	outer *Loop
}

// Edge is an edge of the graph; To may be Exit.
type Edge struct{ From, To int }

// Has reports whether node n belongs to the loop.
func (l *Loop) Has(n int) bool {
	in := l.of[n]
	return in != nil && l.first <= in.first && in.first <= l.last
}

// Loops returns the natural loops of g, whose dominators are dom, ordered by
// header, and for each node the innermost loop that holds it.
func Loops(g Graph, dom *Tree) (loops []*Loop, of []*Loop) {
	of = make([]*Loop, g.Len()) // first those of the headers
	for n := range g.Len() {
		for _, s := range g.Succs(n) {
			if s == Exit || dom.Depth(n) < 0 || !dom.Dominates(s, n) {
				continue
			}
			l := of[s]
			if l == nil {
				l = &Loop{Header: s}
				of[s] = l
				loops = append(loops, l)
			}
			l.Latches = append(l.Latches, n)
		}
	}
	clear(of)
	// Outer headers dominate inner ones: from the deepest up, each walk may
	// jump over the loops found before.
	slices.SortFunc(loops, func(a, b *Loop) int {
		if d := dom.Depth(b.Header) - dom.Depth(a.Header); d != 0 {
			return d
		}
		return a.Header - b.Header
	})
	for _, l := range loops {
		l.collect(g, dom, of)
	}
	nest(loops, of)
	measure(g, loops, of)
	slices.SortFunc(loops, func(a, b *Loop) int { return a.Header - b.Header })
	return loops, of
}

// collect walks backwards from the latches to the header and claims the nodes
// that no inner loop has claimed; an inner loop is passed at its header.
func (l *Loop) collect(g Graph, dom *Tree, of []*Loop) {
	work := slices.Clone(l.Latches)
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		inner := of[n]
		if inner == nil {
			of[n] = l
			if n == l.Header {
				continue
			}
			for _, p := range g.Preds(n) {
				if dom.Depth(p) >= 0 {
					work = append(work, p)
				}
			}
			continue
		}
		if inner = inner.outermost(); inner == l {
			continue
		}
		inner.Parent, inner.outer = l, l
		for _, p := range g.Preds(inner.Header) {
			if dom.Depth(p) >= 0 && !dom.Dominates(inner.Header, p) {
				work = append(work, p)
			}
		}
	}
}

// outermost returns the outermost loop around l that is known. Each step halves the way
// for who comes next, as loops may lie in each other by the thousands.
func (l *Loop) outermost() *Loop {
	for l.outer != nil {
		if l.outer.outer != nil {
			l.outer = l.outer.outer
		}
		l = l.outer
	}
	return l
}

// nest fills Depth and the numbers from the parents; the loops are sorted from the deepest
// header up, so that an outer one stands behind those in it.
func nest(loops, of []*Loop) {
	for _, l := range loops { // last is first the number of loops in l
		if l.of = of; l.Parent != nil {
			l.Parent.last += l.last + 1
		}
	}
	next := 0 // an outermost loop's number; else the first that is free in the parent
	for i := len(loops) - 1; i >= 0; i-- {
		l, free := loops[i], &next
		if l.Depth = 1; l.Parent != nil {
			l.Depth, free = l.Parent.Depth+1, &l.Parent.free
		}
		l.first, l.free = *free, *free+1
		*free += l.last + 1
		l.last += l.first
	}
}

// measure finds between which nodes loops lie, how many they have and which edges leave them, those
// of the loops in them included; the loops are sorted as for nest.
func measure(g Graph, loops, of []*Loop) {
	for _, l := range loops {
		l.g, l.lowest, l.highest = g, l.Header, l.Header
	}
	for n, l := range of {
		if l != nil {
			l.lowest, l.highest = min(l.lowest, n), max(l.highest, n)
			l.size++
		}
	}
	for n, l := range of {
		if l == nil {
			continue
		}
		for _, s := range g.Succs(n) {
			l.exit(Edge{n, s})
		}
	}
	for _, l := range loops {
		p := l.Parent
		if p == nil {
			continue
		}
		p.lowest, p.highest = min(p.lowest, l.lowest), max(p.highest, l.highest)
		p.size += l.size
		p.many = p.many || l.many
		for _, e := range l.exits { // outer loops have what an inner one has
			p.exit(e)
		}
	}
	for _, l := range loops {
		slices.SortStableFunc(l.exits, func(a, b Edge) int { return a.From - b.From })
	}
}

// fewExits is how many edges that leave a loop are kept: each is kept for all loops that it leaves.
const fewExits = 16

// exit keeps an edge if it leaves the loop.
func (l *Loop) exit(e Edge) {
	if e.To != Exit && l.Has(e.To) {
		return
	}
	if l.many = l.many || len(l.exits) == fewExits; !l.many {
		l.exits = append(l.exits, e)
	}
}

// A loop's nodes are those whose innermost loop lies in it, which two numbers tell ([Loop.Has]),
// and all of them stand between its lowest and its highest. So to go over the nodes of a loop costs
// about as many steps as it has; only where the nodes of many loops are mixed, which no compiler
// does, it costs more. Lists of them would be quadratic: 20,000 loops, each in the next, fill a text
// of half a megabyte, and took 3 GB.

// Blocks returns the loop's nodes, the header and inner loops' included, ascending. They are
// not kept.
func (l *Loop) Blocks() []int {
	nodes := make([]int, 0, l.size)
	for n := l.lowest; n <= l.highest; n++ {
		if l.Has(n) {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// Exits are the edges that leave the loop, by From, then in the order of the successors. Most
// who ask for them stop at the first.
func (l *Loop) Exits() iter.Seq[Edge] {
	if !l.many {
		return slices.Values(l.exits)
	}
	return func(yield func(Edge) bool) {
		for n := l.lowest; n <= l.highest; n++ {
			if !l.Has(n) {
				continue
			}
			for _, s := range l.g.Succs(n) {
				if (s == Exit || !l.Has(s)) && !yield(Edge{n, s}) {
					return
				}
			}
		}
	}
}

// Exit is the one edge that leaves the loop; false if there are others, or none.
func (l *Loop) Exit() (only Edge, ok bool) {
	for e := range l.Exits() {
		if ok {
			return e, false
		}
		only, ok = e, true
	}
	return only, ok
}
