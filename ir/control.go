package ir

// controlDependence returns for each block the blocks with several successors
// on whose outcome it depends whether the block runs (Ferrante, Ottenstein and
// Warren 1987, definition 3): b depends on a if b post-dominates a successor
// of a, but not a itself. The lists ascend.
func controlDependence(f *Func, post *DomTree) [][]int {
	deps := make([][]int, len(f.Blocks))
	for a, block := range f.Blocks {
		if len(block.Succs) < 2 {
			continue
		}
		stop := post.IDom(a)
		for _, s := range block.Succs {
			for b := s; b != stop && b != Exit; b = post.IDom(b) {
				if n := len(deps[b]); n == 0 || deps[b][n-1] != a {
					deps[b] = append(deps[b], a)
				}
			}
		}
	}
	return deps
}

// Frontiers returns for each block its dominance frontier: the blocks that it
// does not strictly dominate but some predecessor of which it dominates. The
// tree must be the function's dominator tree; the lists ascend. (Cooper,
// Harvey and Kennedy 2001, figure 5.)
func (f *Func) Frontiers() [][]int {
	dom := f.Dominators()
	frontiers := make([][]int, len(f.Blocks))
	for b, block := range f.Blocks {
		if dom.Depth(b) < 0 {
			continue
		}
		stop := dom.IDom(b)
		for _, p := range block.Preds {
			if dom.Depth(p) < 0 {
				continue
			}
			for runner := p; runner != stop; runner = dom.IDom(runner) {
				if n := len(frontiers[runner]); n == 0 || frontiers[runner][n-1] != b {
					frontiers[runner] = append(frontiers[runner], b)
				}
			}
		}
	}
	return frontiers
}
