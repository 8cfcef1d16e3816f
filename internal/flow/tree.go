package flow

// Tree is a tree of immediate dominators or post-dominators. A node that the
// tree's root does not reach lies outside of it.
type Tree struct {
	// idom, depth, first and last have one element for each node and, in a
	// tree of post-dominators, one more for the virtual exit. first and last
	// bound the node's subtree in a preorder.
	idom, depth, first, last []int32
	// preorder has the root first and what a node dominates behind the node.
	preorder []int
	// exit is the node of the virtual exit; among dominators there is none and
	// exit lies outside.
	exit int
}

// IDom returns the node that immediately dominates (post-dominates) n: Exit if
// only the virtual exit post-dominates n, None for the root and outside of the
// tree.
func (t *Tree) IDom(n int) int {
	if d := int(t.idom[t.node(n)]); d != t.exit {
		return d
	}
	return Exit
}

// Dominates reports whether a dominates (post-dominates) b; a node dominates
// itself. One outside of the tree dominates only itself and is dominated by no
// other.
func (t *Tree) Dominates(a, b int) bool {
	a, b = t.node(a), t.node(b)
	if t.depth[a] < 0 || t.depth[b] < 0 {
		return a == b
	}
	return t.first[a] <= t.first[b] && t.last[b] <= t.last[a]
}

// Preorder returns the nodes of the tree, each behind its dominators, and what one
// immediately dominates in reverse postorder: without cycles each would stand behind all
// that lead to it.
func (t *Tree) Preorder() []int { return t.preorder }

// Depth returns the distance of n from the root, -1 outside of the tree.
func (t *Tree) Depth(n int) int { return int(t.depth[t.node(n)]) }

func (t *Tree) node(n int) int {
	if n == Exit {
		return t.exit
	}
	return n
}

// number fills all else from idom. order is a postorder of the graph: a node's
// dominator comes later.
func (t *Tree) number(order []int32) {
	n := len(t.idom)
	t.depth, t.first, t.last = make([]int32, n), make([]int32, n), make([]int32, n)
	t.preorder = make([]int, len(order))
	for b := range t.depth {
		t.depth[b] = -1
	}
	size, next := make([]int32, n), make([]int32, n) // of the subtree; where its next child begins
	for _, b := range order {
		size[b]++
		if p := t.idom[b]; p != None {
			size[p] += size[b]
		}
	}
	for i := len(order) - 1; i >= 0; i-- {
		b := order[i]
		t.depth[b] = 0
		if p := t.idom[b]; p != None {
			t.depth[b], t.first[b] = t.depth[p]+1, next[p]
			next[p] += size[b]
		}
		next[b], t.last[b] = t.first[b]+1, t.first[b]+size[b]-1
		t.preorder[t.first[b]] = int(b)
	}
}
