package flow

import "slices"

// Dominators returns the tree of dominators, whose root is the entry.
func Dominators(g Graph) *Tree {
	t := &Tree{exit: g.Len()}
	t.solve(g, 0)
	return t
}

// PostDominators returns the tree of post-dominators, whose root is the virtual
// exit.
//
// A node that cannot reach the exit is post-dominated by nothing, so such code
// gets further edges to the exit. The profile's definition asks for one from
// each loop of it; it starts at the source of each of the loop's back edges, so
// that the paths of a loop body still merge before the loop goes round. A back
// edge is a retreating edge of the depth-first search that starts at the entry
// (and at what the entry does not reach, in order) and follows the successors
// in order. For a natural loop these are the back edges whatever the order; it
// makes the choice definite for irreducible code.
func PostDominators(g Graph) *Tree {
	n := g.Len()
	t := &Tree{exit: n}
	t.solve(reversed(g), n)
	return t
}

// reversed returns g with its edges turned round and the virtual exit as node
// Len, which reaches all others.
func reversed(g Graph) *lists {
	r := turned(g, nil)
	if more := endless(g, r); len(more) > 0 {
		r = turned(g, more)
	}
	return r
}

// turned returns g with its edges turned round, and edges from the virtual exit to more
// nodes.
func turned(g Graph, more []int) *lists {
	n := g.Len()
	each := func(edge func(from, to int)) {
		for b := range n {
			for _, s := range g.Succs(b) {
				if s == Exit {
					s = n
				}
				edge(s, b)
			}
		}
		for _, b := range more {
			edge(n, b)
		}
	}
	return newLists(n+1, each)
}

// endless returns the sources of retreating edges among the nodes that cannot
// reach the exit: in r, g reversed, those that the exit does not reach.
func endless(g Graph, r *lists) (sources []int) {
	back := newSearch(r)
	count := 0
	back.from(g.Len(), func(int) { count++ }, func(int, int) {})
	if count == r.Len() {
		return nil
	}
	retreats := make([]bool, g.Len())
	s := newSearch(g)
	for n := range retreats {
		if s.state[n] == unseen {
			s.from(n, func(int) {}, func(n, _ int) { retreats[n] = true })
		}
	}
	for n, is := range retreats {
		if is && back.state[n] == unseen {
			sources = append(sources, n)
		}
	}
	return sources
}

// solve computes the tree of what root reaches as Lengauer and Tarjan do, "A Fast
// Algorithm for Finding Dominators in a Flowgraph" (1979), with their simple
// linking: at worst m log n steps for m edges. Iterating to a fixed point, as
// Cooper, Harvey and Kennedy do (2001), is as fast on compilers' code, but walks
// up the tree for each edge: on a ladder of n rungs that is n^2 steps.
//
// Nodes are called by their number in a depth-first search. A node's semidominator
// is the lowest one from which a path leads to it over higher ones only; it lies
// above the node in the search's tree, and the dominator lies no lower.
func (t *Tree) solve(g Graph, root int) {
	order := make([]int32, 0, g.Len())
	s := newSearch(g)
	s.from(root, func(n int) { order = append(order, int32(n)) }, func(int, int) {})
	nodes := len(s.entered)
	number := make([]int32, g.Len()) // place among the entered, -1 when not reached
	t.idom = make([]int32, g.Len())
	for n := range number {
		number[n], t.idom[n] = -1, None
	}
	for i, n := range s.entered {
		number[n] = int32(i)
	}
	f := newForest(nodes)
	semi, idom := f.semi, make([]int32, nodes)
	// Those whose semidominator a node is stand in a list: the first, and the next
	// of each.
	first, next := make([]int32, nodes), make([]int32, nodes)
	for w := int32(nodes - 1); w > 0; w-- {
		for _, p := range g.Preds(int(s.entered[w])) {
			if v := number[p]; v >= 0 {
				semi[w] = min(semi[w], semi[f.lowest(v)])
			}
		}
		next[w], first[semi[w]] = first[semi[w]], w
		up := number[s.parent[s.entered[w]]]
		f.up[w] = up
		for v := first[up]; v > 0; v = next[v] {
			if idom[v] = up; semi[f.lowest(v)] < semi[v] {
				idom[v] = f.lowest(v) // whose dominator is v's, once it is known
			}
		}
		first[up] = 0
	}
	for w := 1; w < nodes; w++ {
		if idom[w] != semi[w] {
			idom[w] = idom[idom[w]]
		}
		t.idom[s.entered[w]] = s.entered[idom[w]]
	}
	t.number(order)
}

// forest is what of the search's tree has been gone through from below: up is a
// node's parent in it, -1 for a root. Questions shorten their way: then up is any
// node above, and low the node with the lowest semidominator on the way there.
type forest struct{ up, low, semi, way []int32 }

func newForest(n int) *forest {
	f := &forest{make([]int32, n), make([]int32, n), make([]int32, n), nil}
	for i := range f.up {
		f.up[i], f.low[i], f.semi[i] = -1, int32(i), int32(i)
	}
	return f
}

// lowest returns, of v and the nodes above it below its root, one with the
// lowest semidominator; v itself if it is a root.
func (f *forest) lowest(v int32) int32 {
	f.way = f.way[:0]
	for n := v; f.up[n] >= 0 && f.up[f.up[n]] >= 0; n = f.up[n] {
		f.way = append(f.way, n)
	}
	for _, n := range slices.Backward(f.way) { // from above, where up is the root's child
		above := f.up[n]
		if f.semi[f.low[above]] < f.semi[f.low[n]] {
			f.low[n] = f.low[above]
		}
		f.up[n] = f.up[above]
	}
	return f.low[v]
}
