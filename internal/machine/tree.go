package machine

// dominators fills idom, pre and post (Cooper, Harvey and Kennedy, "A Simple,
// Fast Dominance Algorithm", 2001, figure 3). All copies are reachable.
func (x *expansion) dominators() {
	order := x.postorder()
	number := make([]int32, len(x.blocks))
	for i, c := range order {
		number[c] = int32(i)
	}
	for c := range x.blocks {
		x.blocks[c].idom = -1
	}
	for changed := true; changed; {
		changed = false
		for i := len(order) - 2; i >= 0; i-- {
			c := order[i]
			best := int32(-1)
			for _, p := range x.blocks[c].preds {
				switch {
				case p != 0 && x.blocks[p].idom < 0:
				case best < 0:
					best = p
				default:
					best = x.meet(best, p, number)
				}
			}
			if x.blocks[c].idom != best {
				x.blocks[c].idom, changed = best, true
			}
		}
	}
	x.number(order)
}

func (x *expansion) meet(a, b int32, number []int32) int32 {
	for a != b {
		for number[a] < number[b] {
			a = x.blocks[a].idom
		}
		for number[b] < number[a] {
			b = x.blocks[b].idom
		}
	}
	return a
}

// postorder returns the copies, each after what the depth-first search entered
// through it; the entry is last.
func (x *expansion) postorder() []int32 {
	order := make([]int32, 0, len(x.blocks))
	next := make([]int, len(x.blocks))
	seen := make([]bool, len(x.blocks))
	stack := []int32{0}
	seen[0] = true
	for len(stack) > 0 {
		c := stack[len(stack)-1]
		if i := next[c]; i < len(x.blocks[c].succs) {
			next[c]++
			if s := x.blocks[c].succs[i]; !seen[s] {
				seen[s] = true
				stack = append(stack, s)
			}
			continue
		}
		order = append(order, c)
		stack = stack[:len(stack)-1]
	}
	return order
}

// number fills pre, post, preorder and children; children are in reverse postorder, so
// that a block comes after all its predecessors but back edges.
func (x *expansion) number(order []int32) {
	x.children = make([][]int32, len(x.blocks))
	for i := len(order) - 2; i >= 0; i-- {
		c := order[i]
		d := x.blocks[c].idom
		x.children[d] = append(x.children[d], c)
	}
	clock := int32(0)
	next := make([]int, len(x.blocks))
	for stack := []int32{0}; len(stack) > 0; {
		c := stack[len(stack)-1]
		if next[c] == 0 {
			x.blocks[c].pre = clock
			x.preorder = append(x.preorder, c)
			clock++
		}
		if next[c] < len(x.children[c]) {
			stack = append(stack, x.children[c][next[c]])
			next[c]++
			continue
		}
		next[c]++
		x.blocks[c].post = clock
		stack = stack[:len(stack)-1]
	}
}

// dominates reports whether a dominates b; a block dominates itself.
func (x *expansion) dominates(a, b int32) bool {
	p := x.blocks[b].pre
	return x.blocks[a].pre <= p && p < x.blocks[a].post
}

// loops fills depth, outer and header from the natural loops.
func (x *expansion) loops() {
	mark := make([]int32, len(x.blocks))
	stamp := int32(0)
	for h := range x.blocks {
		var work []int32
		stamp++
		for _, p := range x.blocks[h].preds {
			if x.dominates(int32(h), p) && mark[p] != stamp {
				mark[p] = stamp
				work = append(work, p)
			}
		}
		if len(work) == 0 {
			continue
		}
		x.blocks[h].header = true
		if mark[h] != stamp {
			mark[h] = stamp
			x.blocks[h].depth++
		}
		for len(work) > 0 {
			c := work[len(work)-1]
			work = work[:len(work)-1]
			x.blocks[c].depth++
			if c == int32(h) {
				continue
			}
			for _, p := range x.blocks[c].preds {
				if mark[p] != stamp {
					mark[p] = stamp
					work = append(work, p)
				}
			}
		}
	}
	for _, c := range x.preorder {
		b := &x.blocks[c]
		b.outer = b.idom
		for b.outer >= 0 && x.blocks[b.outer].depth >= b.depth {
			b.outer = x.blocks[b.outer].outer
		}
	}
}
