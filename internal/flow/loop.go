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
}

// Edge is an edge of the graph; To may be Exit.
type Edge struct{ From, To int }

// Has reports whether node n belongs to the loop.
func (l *Loop) Has(n int) bool {
	_, ok := slices.BinarySearch(l.Blocks, n)
	return ok
}

// Loops returns the natural loops of g, whose dominators are dom, ordered by
// header, and for each node the innermost loop that holds it.
func Loops(g Graph, dom *Tree) (loops []*Loop, of []*Loop) {
	byHeader := make(map[int]*Loop)
	for n := range g.Len() {
		for _, s := range g.Succs(n) {
			if s == Exit || dom.Depth(n) < 0 || !dom.Dominates(s, n) {
				continue
			}
			l := byHeader[s]
			if l == nil {
				l = &Loop{Header: s}
				byHeader[s] = l
				loops = append(loops, l)
			}
			l.Latches = append(l.Latches, n)
		}
	}
	of = make([]*Loop, g.Len())
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
	for i := len(loops) - 1; i >= 0; i-- { // outer ones first
		l := loops[i]
		l.Depth = 1
		if l.Parent != nil {
			l.Depth = l.Parent.Depth + 1
		}
	}
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
		for inner.Parent != nil && inner != l {
			inner = inner.Parent
		}
		if inner == l {
			continue
		}
		inner.Parent = l
		for _, p := range g.Preds(inner.Header) {
			if dom.Depth(p) >= 0 && !dom.Dominates(inner.Header, p) {
				work = append(work, p)
			}
		}
	}
}

// fill fills Blocks and Exits from the nodes' innermost loops.
func fill(g Graph, loops, of []*Loop) {
	for n, l := range of {
		for ; l != nil; l = l.Parent {
			l.Blocks = append(l.Blocks, n)
		}
	}
	for _, l := range loops {
		for _, n := range l.Blocks {
			for _, s := range g.Succs(n) {
				if s == Exit || !l.Has(s) {
					l.Exits = append(l.Exits, Edge{n, s})
				}
			}
		}
	}
}
