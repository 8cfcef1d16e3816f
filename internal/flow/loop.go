package flow

import "slices"

// Loop is a natural loop: the nodes that reach a back edge's source without
// passing the header, which dominates them all. Back edges to one header make
// one loop, so two loops lie one in the other or apart. Cycles with several
// entries are no natural loops.
type Loop struct {
	// Header is the node that is entered.
	Header int
	// Latches are the sources of the back edges, ascending.
	Latches []int
	// Blocks are the loop's nodes, the header and inner loops' included,
	// ascending.
	Blocks []int
	// Exits are the edges that leave the loop, by From, then in the order of
	// the successors.
	Exits []Edge
	// Parent is the next enclosing loop, nil for an outermost one; Depth is 1
	// for those.
	Parent *Loop
	Depth  int
	// of is the innermost loop of each node; first and last number the loop and those in
	// it, all of whose numbers are between; free is used while they are given.
	of                []*Loop
	first, last, free int
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
	fill(g, loops, of)
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

// fill fills Blocks and Exits from the nodes' innermost loops.
func fill(g Graph, loops, of []*Loop) {
	size := make([]int, len(loops))
	for _, l := range of {
		if l != nil {
			size[l.first]++
		}
	}
	for _, l := range loops {
		if l.Parent != nil {
			size[l.Parent.first] += size[l.first]
		}
	}
	for _, l := range loops {
		l.Blocks = make([]int, 0, size[l.first])
	}
	for n, in := range of {
		for l := in; l != nil; l = l.Parent {
			l.Blocks = append(l.Blocks, n)
		}
		if in == nil {
			continue
		}
		for _, s := range g.Succs(n) { // outer loops have what an inner one has
			for l := in; l != nil && (s == Exit || !l.Has(s)); l = l.Parent {
				l.Exits = append(l.Exits, Edge{n, s})
			}
		}
	}
}
