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
type lists struct{ succs, preds rows }

func (g *lists) Len() int          { return g.succs.len() }
func (g *lists) Succs(n int) []int { return g.succs.of(n) }
func (g *lists) Preds(n int) []int { return g.preds.of(n) }

// newLists makes a graph of n nodes and the edges that each gives, twice the same.
func newLists(n int, each func(edge func(from, to int))) *lists {
	g := &lists{newRows(n), newRows(n)}
	each(func(from, to int) { g.succs.count(from); g.preds.count(to) })
	g.succs.fit()
	g.preds.fit()
	each(func(from, to int) { g.succs.add(from, to); g.preds.add(to, from) })
	return g
}

// rows are a list of nodes for each node, in one piece: code may have a node in ten
// bytes of text.
type rows struct {
	ends []int32 // where each node's list ends; that of the one before begins it
	all  []int
}

// newRows begins the lists of n nodes: what they will hold is counted first.
func newRows(n int) rows { return rows{ends: make([]int32, n+1)} }

// count counts an element of n's list, fit makes room for all, add adds one.
func (r *rows) count(n int) { r.ends[n+1]++ }

func (r *rows) fit() {
	sum := int32(0)
	for i, n := range r.ends {
		r.ends[i] = sum // where the list before begins, and ends so far
		sum += n
	}
	r.all = make([]int, sum)
}

func (r *rows) add(n, element int) {
	r.all[r.ends[n+1]] = element
	r.ends[n+1]++
}

func (r *rows) len() int { return len(r.ends) - 1 }

func (r *rows) of(n int) []int {
	from, to := r.ends[n], r.ends[n+1]
	return r.all[from:to:to]
}

// Postorder returns the nodes that the entry reaches, each after those that a
// depth-first search, which follows the successors in order, has entered
// through it; the entry is last.
func Postorder(g Graph) []int {
	order := make([]int, 0, g.Len())
	newSearch(g).from(0, func(n int) { order = append(order, n) }, func(int, int) {})
	return order
}

// search is a depth-first search. Generated code nests deeply, and so the way back is
// kept beside the nodes and not on the stack.
type search struct {
	g     Graph
	state []uint8
	// entered are the nodes in the order in which they were, parent is where each
	// was entered from, next which of its successors is to be looked at.
	entered, parent, next []int32
}

// The states of a node: not yet seen, on the way down, done.
const (
	unseen uint8 = iota
	onTheWay
	left
)

func newSearch(g Graph) *search {
	n := g.Len()
	return &search{g, make([]uint8, n), make([]int32, 0, n), make([]int32, n), make([]int32, n)}
}

// from visits what root reaches and no visit has seen: leave is called with
// each node when all behind it is done, retreat with each edge to a node that
// has been entered and not left.
func (s *search) from(root int, leave func(n int), retreat func(n, to int)) {
	s.enter(root, root)
	for n := root; ; {
		succs, next := s.g.Succs(n), int(s.next[n])
		if next == len(succs) {
			s.state[n] = left
			leave(n)
			if n == root {
				return
			}
			n = int(s.parent[n])
			continue
		}
		to := succs[next]
		s.next[n]++
		switch {
		case to == Exit:
		case s.state[to] == unseen:
			s.enter(to, n)
			n = to
		case s.state[to] == onTheWay:
			retreat(n, to)
		}
	}
}

func (s *search) enter(n, from int) {
	s.state[n], s.parent[n] = onTheWay, int32(from)
	s.entered = append(s.entered, int32(n))
}
