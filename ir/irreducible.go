package ir

import "slices"

// irreducible returns the regions that are cyclic although no block of theirs
// dominates the rest: the strongly connected components with more than one
// block that remain when the back edges of the natural loops are taken away
// (Hecht and Ullman: a graph is reducible if and only if none remains). The
// blocks ascend; so do the regions' first blocks.
func irreducible(f *Func, dom *DomTree) [][]int {
	succs := make([][]int, len(f.Blocks))
	for b, block := range f.Blocks {
		if dom.Depth(b) < 0 {
			continue
		}
		for _, s := range block.Succs {
			if s != Exit && !dom.Dominates(s, b) {
				succs[b] = append(succs[b], s)
			}
		}
	}
	var regions [][]int
	for _, c := range components(succs) {
		if len(c) > 1 {
			slices.Sort(c)
			regions = append(regions, c)
		}
	}
	slices.SortFunc(regions, func(a, b []int) int { return a[0] - b[0] })
	return regions
}

// components returns the strongly connected components of a graph (Tarjan
// 1972), with a stack of its own because generated code nests deeply.
func components(succs [][]int) [][]int {
	t := tarjan{succs: succs, index: make([]int, len(succs)), low: make([]int, len(succs)), onStack: make([]bool, len(succs))}
	for root := range succs {
		if t.index[root] == 0 {
			t.visit(root)
		}
	}
	return t.found
}

type tarjan struct {
	succs      [][]int
	index, low []int // from 1; 0: not yet visited
	onStack    []bool
	stack      []int
	found      [][]int
	count      int
}

func (t *tarjan) visit(root int) {
	type frame struct{ b, next int }
	calls := []frame{{b: root}}
	t.push(root)
	for len(calls) > 0 {
		top := &calls[len(calls)-1]
		b := top.b
		if top.next < len(t.succs[b]) {
			s := t.succs[b][top.next]
			top.next++
			if t.index[s] == 0 {
				t.push(s)
				calls = append(calls, frame{b: s})
			} else if t.onStack[s] {
				t.low[b] = min(t.low[b], t.index[s])
			}
			continue
		}
		calls = calls[:len(calls)-1]
		if len(calls) > 0 {
			up := calls[len(calls)-1].b
			t.low[up] = min(t.low[up], t.low[b])
		}
		if t.low[b] == t.index[b] {
			t.pop(b)
		}
	}
}

func (t *tarjan) push(b int) {
	t.count++
	t.index[b], t.low[b] = t.count, t.count
	t.stack = append(t.stack, b)
	t.onStack[b] = true
}

// pop takes the component whose root is b off the stack.
func (t *tarjan) pop(b int) {
	at := len(t.stack) - 1
	for t.stack[at] != b {
		at--
	}
	for _, m := range t.stack[at:] {
		t.onStack[m] = false
	}
	t.found = append(t.found, slices.Clone(t.stack[at:]))
	t.stack = t.stack[:at]
}
