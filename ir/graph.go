package ir

// graph is the control-flow graph as the analyses see it: nodes 0..n-1 are the
// function's blocks and node n is the virtual exit. Every node reaches the
// exit, because code that cannot gets further edges to it (see exitEdges).
type graph struct {
	exit         int
	succs, preds [][]int
}

// newGraph returns f's graph with the exit edges of endless code added.
func newGraph(f *Func) *graph {
	n := len(f.Blocks)
	g := &graph{exit: n, succs: make([][]int, n+1), preds: make([][]int, n+1)}
	for i, b := range f.Blocks {
		g.succs[i] = make([]int, 0, len(b.Succs)+1)
		for _, s := range b.Succs {
			if s == Exit {
				s = n
			}
			g.edge(i, s)
		}
	}
	for _, b := range g.exitEdges() {
		g.edge(b, n)
	}
	return g
}

func (g *graph) edge(from, to int) {
	g.succs[from] = append(g.succs[from], to)
	g.preds[to] = append(g.preds[to], from)
}

// exitEdges returns the blocks that get an edge to the virtual exit because
// they cannot reach it. The profile's definition asks for an edge from each
// loop of such code; it starts at the source of each of the loop's back edges,
// so that the paths of a loop body still merge before the loop goes round. A
// back edge is a retreating edge of the depth-first search that starts at the
// entry (and at what the entry does not reach, in the order of the text) and
// follows the successors in order. For a natural loop these are the back
// edges whatever the order; it makes the choice definite for irreducible code.
func (g *graph) exitEdges() []int {
	reaches := g.reachesExit()
	endless := false
	for b := range g.exit {
		endless = endless || !reaches[b]
	}
	if !endless {
		return nil
	}
	var from []int
	for b, retreats := range g.retreating() {
		if !reaches[b] && retreats {
			from = append(from, b)
		}
	}
	return from
}

// reachesExit returns for each node whether a path leads from it to the exit.
func (g *graph) reachesExit() []bool {
	seen := make([]bool, len(g.succs))
	seen[g.exit] = true
	work := []int{g.exit}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range g.preds[b] {
			if !seen[p] {
				seen[p] = true
				work = append(work, p)
			}
		}
	}
	return seen
}

// retreating returns for each block whether it is the source of a retreating
// edge: one to a block that the depth-first search has entered and not left.
func (g *graph) retreating() []bool {
	const entered, left = 1, 2
	state := make([]uint8, len(g.succs))
	retreats := make([]bool, g.exit)
	type frame struct{ b, next int }
	for root := range g.exit {
		if state[root] != 0 {
			continue
		}
		state[root] = entered
		stack := []frame{{b: root}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.next == len(g.succs[top.b]) {
				state[top.b] = left
				stack = stack[:len(stack)-1]
				continue
			}
			s := g.succs[top.b][top.next]
			top.next++
			switch state[s] {
			case 0:
				state[s] = entered
				stack = append(stack, frame{b: s})
			case entered:
				retreats[top.b] = true
			}
		}
	}
	return retreats
}

// postorder returns the nodes that root reaches along next, each after those
// that the depth-first search entered through it.
func postorder(root int, next [][]int) []int {
	seen := make([]bool, len(next))
	seen[root] = true
	order := make([]int, 0, len(next))
	type frame struct{ b, next int }
	stack := []frame{{b: root}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == len(next[top.b]) {
			order = append(order, top.b)
			stack = stack[:len(stack)-1]
			continue
		}
		s := next[top.b][top.next]
		top.next++
		if !seen[s] {
			seen[s] = true
			stack = append(stack, frame{b: s})
		}
	}
	return order
}
