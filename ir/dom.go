package ir

// NoBlock is the absence of a block: the immediate dominator of a tree's root
// and of a block outside the tree.
const NoBlock = -2

// DomTree is a tree of immediate dominators or post-dominators over
// Func.Blocks.
type DomTree struct {
	// idom, depth, first and last have one element for each block and, in a
	// post-dominator tree, one more for the virtual exit. first and last bound
	// the node's subtree in a preorder.
	idom               []int
	depth, first, last []int32
	children           [][]int
	root               int
	// exit is the node of the virtual exit; in a dominator tree there is none
	// and exit lies outside.
	exit int
}

// IDom returns the block that immediately dominates (post-dominates) block b:
// an index into Func.Blocks; Exit for a block whose only post-dominator is the
// virtual exit; NoBlock for the root and for blocks that the entry does not
// reach.
func (t *DomTree) IDom(b int) int { return t.block(t.idom[t.node(b)]) }

// Dominates reports whether a dominates (post-dominates) b; a block dominates
// itself. A block that the entry does not reach dominates only itself and is
// dominated by no other.
func (t *DomTree) Dominates(a, b int) bool {
	a, b = t.node(a), t.node(b)
	if t.depth[a] < 0 || t.depth[b] < 0 {
		return a == b
	}
	return t.first[a] <= t.first[b] && t.last[b] <= t.last[a]
}

// Children returns the blocks that b immediately dominates, in the order of
// the text. b may be Exit in a post-dominator tree.
func (t *DomTree) Children(b int) []int { return t.children[t.node(b)] }

// Depth returns the distance of b from the root, -1 outside the tree.
func (t *DomTree) Depth(b int) int { return int(t.depth[t.node(b)]) }

func (t *DomTree) node(b int) int {
	if b == Exit {
		return t.exit
	}
	return b
}

func (t *DomTree) block(n int) int {
	if n == t.exit {
		return Exit
	}
	return n
}

// dominators returns the dominator tree of g without the virtual exit.
func (g *graph) dominators() *DomTree {
	t := newDomTree(0, g.exit, g.exit)
	t.solve(g.succs, g.preds)
	return t
}

// postDominators returns the post-dominator tree of g, rooted at the exit.
func (g *graph) postDominators() *DomTree {
	t := newDomTree(g.exit, g.exit+1, g.exit)
	t.solve(g.preds, g.succs)
	return t
}

func newDomTree(root, nodes, exit int) *DomTree {
	return &DomTree{
		idom: make([]int, nodes), depth: make([]int32, nodes),
		first: make([]int32, nodes), last: make([]int32, nodes),
		children: make([][]int, nodes), root: root, exit: exit,
	}
}

// solve computes the tree of the graph whose edges are next (and prev
// backwards) with the iteration of Cooper, Harvey and Kennedy, "A Simple, Fast
// Dominance Algorithm" (2001), figure 3.
func (t *DomTree) solve(next, prev [][]int) {
	order := postorder(t.root, next)
	number := make([]int, len(next)) // place in order, -1 when not reached
	for i := range number {
		number[i] = -1
	}
	for i, b := range order {
		number[b] = i
	}
	for i := range t.idom {
		t.idom[i] = NoBlock
	}
	t.idom[t.root] = t.root
	for changed := true; changed; {
		changed = false
		for i := len(order) - 1; i >= 0; i-- {
			b := order[i]
			if b == t.root || b >= len(t.idom) {
				continue
			}
			best := NoBlock
			for _, p := range prev[b] {
				switch {
				case number[p] < 0 || t.idom[p] == NoBlock:
				case best == NoBlock:
					best = p
				default:
					best = t.intersect(p, best, number)
				}
			}
			if t.idom[b] != best {
				t.idom[b] = best
				changed = true
			}
		}
	}
	t.idom[t.root] = NoBlock
	t.number(order)
}

// intersect returns the nearest common ancestor of a and b.
func (t *DomTree) intersect(a, b int, number []int) int {
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

// number fills children, depth, first and last from idom; the nodes in the
// tree are those of order, a postorder of the graph.
func (t *DomTree) number(order []int) {
	for b := range t.depth {
		t.depth[b] = -1
	}
	for b := range t.idom {
		if p := t.idom[b]; p != NoBlock {
			t.children[p] = append(t.children[p], b)
		}
	}
	size := make([]int32, len(t.idom)+1)
	for _, b := range order { // the dominator comes later in a postorder
		if b >= len(t.idom) {
			continue
		}
		size[b]++
		if p := t.idom[b]; p != NoBlock {
			size[p] += size[b]
		}
	}
	t.depth[t.root] = 0
	t.last[t.root] = size[t.root] - 1
	for i := len(order) - 1; i >= 0; i-- {
		b := order[i]
		if b >= len(t.idom) {
			continue
		}
		at := t.first[b] + 1
		for _, c := range t.children[b] {
			t.depth[c] = t.depth[b] + 1
			t.first[c] = at
			t.last[c] = at + size[c] - 1
			at += size[c]
		}
	}
}
