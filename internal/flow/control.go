package flow

import (
	"math"
	"slices"
)

// Frontier says for each node n of a dominator tree which nodes lie just beyond what
// it dominates: those that it does not strictly dominate but some predecessor of
// which it dominates (Cooper, Harvey and Kennedy 2001). Over post-dominators these
// are the branches that decide whether n is reached.
//
// Together the lists of a graph may be as long as the square of it: each case of a
// switch that falls through may be where any case before it came from. So they are
// kept while they are short, as they are for nearly all code, and else found again
// whenever somebody asks, from an index as large as the graph.
type Frontier struct {
	tree  *Tree
	lists rows
	// beyond gives the ends of a node's edges, successors or, of post-dominators,
	// predecessors, and counts says of which ends these are. least is a tree of
	// minima over the places of the preorder: how high up the dominators of the ends
	// lie. They are for what has no lists.
	beyond func(n int) []int
	counts func(end int) bool
	least  []int32
}

// perNode is how long the lists may be, as a mean; of a large graph they are shorter.
var perNode = 32

// Control returns for each node the nodes with several successors on whose
// outcome it depends whether the node is reached (Ferrante, Ottenstein and
// Warren 1987, definition 3): b depends on a if b post-dominates a successor
// of a, but not a itself. post are g's post-dominators.
func Control(g Graph, post *Tree) *Frontier {
	branch := func(a int) bool { return len(g.Succs(a)) > 1 }
	ends := func(a int) []int {
		if branch(a) {
			return g.Succs(a)
		}
		return nil
	}
	return newFrontier(g.Len(), ends, &Frontier{tree: post, beyond: g.Preds, counts: branch})
}

// Frontiers returns the dominance frontiers of g, whose dominators are dom.
func Frontiers(g Graph, dom *Tree) *Frontier {
	return newFrontier(g.Len(), g.Preds, &Frontier{tree: dom, beyond: g.Succs, counts: func(n int) bool { return n != Exit }})
}

// newFrontier fills the lists: n belongs to those of an edge's end and of what
// dominates that end, up to n's own dominator.
func newFrontier(nodes int, ends func(n int) []int, f *Frontier) *Frontier {
	f.lists = newRows(nodes)
	if room := min(perNode*nodes, perNode/4*nodes+1<<16); !f.walk(ends, func(up, _ int) bool { f.lists.count(up); room--; return room >= 0 }) {
		f.index(nodes)
		return f
	}
	f.lists.fit()
	f.walk(ends, func(up, n int) bool { f.lists.add(up, n); return true })
	return f
}

// walk calls add with each node and what belongs to its list, until add is false.
func (f *Frontier) walk(ends func(n int) []int, add func(up, n int) bool) bool {
	tree, nodes := f.tree, f.lists.len()
	last := make([]int32, nodes) // 1 + what was added last
	for n := range nodes {
		if tree.Depth(n) < 0 {
			continue
		}
		stop := tree.IDom(n)
		for _, end := range ends(n) {
			if end == Exit || tree.Depth(end) < 0 {
				continue
			}
			for up := end; up != stop && up != Exit; up = tree.IDom(up) {
				if last[up] == int32(n)+1 {
					break // another edge has come by here
				}
				last[up] = int32(n) + 1
				if !add(up, n) {
					return false
				}
			}
		}
	}
	return true
}

// index takes the place of the lists.
func (f *Frontier) index(nodes int) {
	places := len(f.tree.preorder)
	f.lists, f.least = rows{}, slices.Repeat([]int32{math.MaxInt32}, 2*places)
	for i, n := range f.tree.preorder {
		if n >= nodes {
			continue // the virtual exit
		}
		for _, end := range f.beyond(n) {
			if f.counts(end) {
				f.least[places+i] = min(f.least[places+i], f.height(end))
			}
		}
	}
	for i := places - 1; i > 0; i-- {
		f.least[i] = min(f.least[2*i], f.least[2*i+1])
	}
}

// height returns the depth of a node's dominator, -1 of none.
func (f *Frontier) height(n int) int32 {
	if up := f.tree.IDom(n); up != None {
		return int32(f.tree.Depth(up))
	}
	return -1
}

// Of returns the frontier of n, ascending.
func (f *Frontier) Of(n int) []int { return f.In(nil, n) }

// In returns the frontier of n, ascending, in the room of a list that is not needed any
// more, if it needs room.
func (f *Frontier) In(room []int, n int) []int {
	if f.least == nil {
		return f.lists.of(n)
	}
	depth := int32(f.tree.Depth(n))
	if depth < 0 {
		return nil
	}
	found := room[:0]
	places := len(f.tree.preorder)
	// What n dominates are the places from first to last; the nodes of the tree of
	// minima that cover them are gone through from below.
	for lo, hi := places+int(f.tree.first[n]), places+int(f.tree.last[n])+1; lo < hi; lo, hi = lo/2, hi/2 {
		if lo&1 != 0 {
			found = f.descend(found, lo, depth)
			lo++
		}
		if hi&1 != 0 {
			hi--
			found = f.descend(found, hi, depth)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// descend adds what lies beyond depth from the places under a node of the tree of
// minima.
func (f *Frontier) descend(found []int, at int, depth int32) []int {
	places := len(f.tree.preorder)
	switch {
	case f.least[at] >= depth:
		return found
	case at < places:
		return f.descend(f.descend(found, 2*at, depth), 2*at+1, depth)
	}
	for _, end := range f.beyond(f.tree.preorder[at-places]) {
		if f.counts(end) && f.height(end) < depth {
			found = append(found, end)
		}
	}
	return found
}
