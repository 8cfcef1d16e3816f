package flow

// Control returns for each node the nodes with several successors on whose
// outcome it depends whether the node is reached (Ferrante, Ottenstein and
// Warren 1987, definition 3): b depends on a if b post-dominates a successor
// of a, but not a itself. post are g's post-dominators; the lists ascend.
func Control(g Graph, post *Tree) [][]int {
	deps := make([][]int, g.Len())
	for a := range deps {
		if len(g.Succs(a)) < 2 {
			continue
		}
		stop := post.IDom(a)
		for _, b := range g.Succs(a) {
			for ; b != stop && b != Exit; b = post.IDom(b) {
				deps[b] = addLast(deps[b], a)
			}
		}
	}
	return deps
}

// Frontiers returns for each node its dominance frontier: the nodes that it
// does not strictly dominate but some predecessor of which it dominates. dom
// are g's dominators; the lists ascend. (Cooper, Harvey and Kennedy 2001,
// figure 5.)
func Frontiers(g Graph, dom *Tree) [][]int {
	frontiers := make([][]int, g.Len())
	for n := range frontiers {
		if dom.Depth(n) < 0 {
			continue
		}
		for _, p := range g.Preds(n) {
			if dom.Depth(p) < 0 {
				continue
			}
			for up := p; up != dom.IDom(n); up = dom.IDom(up) {
				frontiers[up] = addLast(frontiers[up], n)
			}
		}
	}
	return frontiers
}

// addLast appends n to an ascending list unless it stands there.
func addLast(list []int, n int) []int {
	if k := len(list); k > 0 && list[k-1] == n {
		return list
	}
	return append(list, n)
}
