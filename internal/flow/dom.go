package flow

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
	n := g.Len()
	r := &lists{make([][]int, n+1), make([][]int, n+1)}
	for b := range n {
		for _, s := range g.Succs(b) {
			if s == Exit {
				s = n
			}
			r.edge(s, b)
		}
	}
	for _, b := range endless(g, r) {
		r.edge(n, b)
	}
	return r
}

// endless returns the sources of retreating edges among the nodes that cannot
// reach the exit: in r, g reversed, those that the exit does not reach.
func endless(g Graph, r *lists) []int {
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
	var sources []int
	for n, is := range retreats {
		if is && back.state[n] == unseen {
			sources = append(sources, n)
		}
	}
	return sources
}

// solve computes the tree of what root reaches with the iteration of Cooper,
// Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001), figure 3.
func (t *Tree) solve(g Graph, root int) {
	order := postorder(g, root)
	number := make([]int, g.Len()) // place in order, -1 when not reached
	t.idom = make([]int, g.Len())
	for n := range number {
		number[n], t.idom[n] = -1, None
	}
	for i, n := range order {
		number[n] = i
	}
	t.idom[root] = root
	for changed := true; changed; {
		changed = false
		for i := len(order) - 2; i >= 0; i-- { // without the root
			n, best := order[i], None
			for _, p := range g.Preds(n) {
				switch {
				case number[p] < 0 || t.idom[p] == None:
				case best == None:
					best = p
				default:
					best = t.meet(p, best, number)
				}
			}
			changed = changed || t.idom[n] != best
			t.idom[n] = best
		}
	}
	t.idom[root] = None
	t.number(order)
}

// meet returns the nearest common ancestor of a and b.
func (t *Tree) meet(a, b int, number []int) int {
	for a != b {
		for number[a] < number[b] {
			a = t.idom[a]
		}
		for number[b] < number[a] {
			b = t.idom[b]
		}
	}
	return a
}
