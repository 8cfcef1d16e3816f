package flow

// Graph is a control-flow graph. Its nodes are numbered from 0, the entry.
// What the entry does not reach may be part of it. A node that leads out of the
// graph has Exit among its successors.
type Graph interface {
	// Len returns the number of nodes.
	Len() int
	// Succs and Preds return a node's successors and predecessors, each once.
	Succs(n int) []int
	Preds(n int) []int
}

// Exit is the virtual exit, to which all paths lead that leave the graph. None
// is the absence of a node.
const (
	Exit = -1
	None = -2
)

// lists is a graph given by its lists.
type lists struct{ succs, preds [][]int }

func (g *lists) Len() int          { return len(g.succs) }
func (g *lists) Succs(n int) []int { return g.succs[n] }
func (g *lists) Preds(n int) []int { return g.preds[n] }

func (g *lists) edge(from, to int) {
	g.succs[from] = append(g.succs[from], to)
	g.preds[to] = append(g.preds[to], from)
}

// Postorder returns the nodes that the entry reaches, each after those that a
// depth-first search, which follows the successors in order, has entered
// through it; the entry is last.
func Postorder(g Graph) []int {
	order := make([]int, 0, g.Len())
	newSearch(g).from(0, func(n int) { order = append(order, n) }, func(int, int) {})
	return order
}

// search is a depth-first search with a stack of its own, because generated
// code nests deeply.
type search struct {
	g     Graph
	state []uint8
	stack []frame
	// entered are the nodes in the order in which they were, parent is where each
	// was entered from.
	entered, parent []int
}

type frame struct{ n, next int }

// The states of a node: not yet seen, on the way down, done.
const (
	unseen uint8 = iota
	onTheWay
	left
)

func newSearch(g Graph) *search {
	return &search{g: g, state: make([]uint8, g.Len()), parent: make([]int, g.Len())}
}

// from visits what root reaches and no visit has seen: leave is called with
// each node when all behind it is done, retreat with each edge to a node that
// has been entered and not left.
func (s *search) from(root int, leave func(n int), retreat func(n, to int)) {
	s.state[root] = onTheWay
	s.stack, s.entered = append(s.stack, frame{n: root}), append(s.entered, root)
	for len(s.stack) > 0 {
		top := &s.stack[len(s.stack)-1]
		succs := s.g.Succs(top.n)
		if top.next == len(succs) {
			s.state[top.n] = left
			leave(top.n)
			s.stack = s.stack[:len(s.stack)-1]
			continue
		}
		to := succs[top.next]
		top.next++
		switch {
		case to == Exit:
		case s.state[to] == unseen:
			s.state[to] = onTheWay
			s.parent[to] = top.n
			s.stack, s.entered = append(s.stack, frame{n: to}), append(s.entered, to)
		case s.state[to] == onTheWay:
			retreat(top.n, to)
		}
	}
}
