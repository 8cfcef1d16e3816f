package depgraph

import (
	"slices"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/iterator"
	"gonum.org/v1/gonum/graph/simple"

	"hyptx/internal/fold"
	"hyptx/internal/ssa"
	"hyptx/ir"
)

// Graph is the dependency graph G of a kernel with what it calls, specialised
// for a launch: constants are folded and what cannot be reached is pruned. It
// is a gonum graph, made as far as it is looked at: the edges of a node are
// found when somebody asks for them (see dependences). This graph, and no other
// account of what depends on what, is what slices are cut from.
//
// An edge goes from what is needed to what needs it, as in HyPA: From(n) are the
// nodes that depend on n, To(n) those that n depends on. A slice follows To.
//
// A Graph is not safe for concurrent use.
type Graph struct {
	Kernel *Kernel
	// launch is nil for the graph that holds for all launches.
	launch *Launch
	fold   *fold.Folding
	refs   []*ref
	// edges hold the dependences of the nodes that were asked for, each list
	// behind its length; edgesAt[n] is where the list of node n begins, 0 if
	// nobody has asked. found is the list in the making.
	edges   []dependence
	edgesAt []int32
	found   []dependence
	// dependents are the dependences turned round, made as a whole when first
	// asked for; those of node n are dependents[dependentsAt[n]:dependentsAt[n+1]].
	dependents   []dependence
	dependentsAt []int32
}

// Specialise returns the graph of a launch; l may be nil.
func (k *Kernel) Specialise(l *Launch) *Graph {
	g := &Graph{Kernel: k, launch: l}
	consts := &fold.Consts{}
	if l != nil {
		consts = &l.Consts
	}
	g.fold = fold.Propagate(k.Func, k.SSA, consts)
	return g
}

// folding returns the constants of a function.
func (g *Graph) folding(fn int32) *fold.Func { return g.fold.Funcs[fn] }

// reached reports whether the launch can issue instruction s.
func (g *Graph) reached(s site) bool {
	return g.folding(s.fn).Reached(int(g.Kernel.Module.Instrs[s.pc].Block))
}

// executes reports whether the launch can execute instruction s: issue it, for
// a thread for which its guard holds.
func (g *Graph) executes(s site) bool {
	if !g.reached(s) {
		return false
	}
	holds, known := g.guard(s)
	return !known || holds
}

// guard returns the guard's outcome if it is a constant of the launch; without
// a guard it holds.
func (g *Graph) guard(s site) (holds, known bool) {
	in := &g.Kernel.Module.Instrs[s.pc]
	if in.Guard == ir.NoReg {
		return true, true
	}
	bits, ok := g.folding(s.fn).Const(g.Kernel.use(s, in.Guard))
	return (bits != 0) != in.GuardNot, ok
}

// edgeKind is a set of reasons why one node depends on another.
type edgeKind uint8

// The reasons. Data: it reads a register that the other wrote. Branch: whether
// it runs, or which value a phi takes, depends on the other. Mem: it may read
// memory that the other writes. Argument and Returned: the value comes through
// the call that is the other. Sync: the other orders a store and a load of
// different threads.
const (
	edgeData edgeKind = 1 << iota
	edgeBranch
	edgeMem
	edgeArgument
	edgeReturned
	edgeSync
)

// dependence is one end of an edge: the other node, and why. At the head of a
// list, node is the list's length.
type dependence struct {
	node int32
	kind edgeKind
}

// dependences returns what node n depends on, each node once, in the order of
// their numbers.
func (g *Graph) dependences(n int32) []dependence {
	if g.edgesAt == nil {
		g.edgesAt = make([]int32, len(g.Kernel.nodes))
		g.edges = make([]dependence, 1, len(g.Kernel.nodes)/4+1) // 0 is no list
	}
	if g.edgesAt[n] == 0 {
		g.found = g.found[:0]
		g.find(n)
		if len(g.found) > 1 {
			slices.SortFunc(g.found, func(a, b dependence) int { return int(a.node - b.node) })
		}
		at := int32(len(g.edges))
		g.edgesAt[n] = at
		g.edges = append(g.edges, dependence{})
		for i, d := range g.found {
			if i > 0 && d.node == g.found[i-1].node {
				g.edges[len(g.edges)-1].kind |= d.kind
				continue
			}
			g.edges = append(g.edges, d)
		}
		g.edges[at].node = int32(len(g.edges)) - at - 1
	}
	at := g.edgesAt[n]
	return g.edges[at+1 : at+1+g.edges[at].node]
}

// turnRound makes the lists of dependents.
func (g *Graph) turnRound() {
	g.dependentsAt = make([]int32, len(g.Kernel.nodes)+1)
	total := int32(0)
	for n := range g.present() {
		for _, d := range g.dependences(n) {
			g.dependentsAt[d.node]++
			total++
		}
	}
	// Each entry becomes the end of its node's list, and then, as the list is
	// filled from behind, its beginning.
	sum := int32(0)
	for n := range g.dependentsAt {
		sum += g.dependentsAt[n]
		g.dependentsAt[n] = sum
	}
	g.dependents = make([]dependence, total)
	for n := range g.present() {
		for _, d := range g.dependences(n) {
			g.dependentsAt[d.node]--
			g.dependents[g.dependentsAt[d.node]] = dependence{n, d.kind}
		}
	}
}

// present goes through the numbers of the nodes that the launch has.
func (g *Graph) present() func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		for n := range int32(len(g.Kernel.nodes)) {
			if g.has(n) && !yield(n) {
				return
			}
		}
	}
}

// has reports whether the launch has node n: an instruction that it can execute
// (issue, as to the guard), a value that such instructions join, a block that
// it can reach, a variable.
func (g *Graph) has(n int32) bool {
	k := g.Kernel
	switch k.kindOf(n) {
	case resultNode:
		return g.executes(k.siteOf(n))
	case addressNode:
		s := k.siteOf(n)
		return g.executes(s) && (len(k.accessesOf(s)) > 0 || waits(&k.Module.Instrs[s.pc]))
	case guardNode:
		s := k.siteOf(n)
		return g.reached(s) && k.Module.Instrs[s.pc].Guard != ir.NoReg
	case valueNode:
		v := k.valueOf(n)
		return v.id != ssa.NoValue && k.joins(v) && g.folding(v.fn).Reached(int(k.SSA[v.fn].Values[v.id].Block))
	case blockNode:
		fn, b := k.blockOf(n)
		return g.folding(fn).Reached(int(b))
	}
	return true
}

// Node returns the node of the given number, nil if the launch has none.
func (g *Graph) Node(id int64) graph.Node {
	if id < 0 || id >= int64(len(g.Kernel.nodes)) || !g.has(int32(id)) {
		return nil
	}
	return &g.Kernel.nodes[id]
}

// Nodes returns all nodes that the launch has.
func (g *Graph) Nodes() graph.Nodes {
	var list []dependence
	for n := range g.present() {
		list = append(list, dependence{node: n})
	}
	return g.iterate(list)
}

// From returns the nodes that depend on the given one.
func (g *Graph) From(id int64) graph.Nodes {
	if g.dependentsAt == nil {
		g.turnRound()
	}
	return g.iterate(g.dependents[g.dependentsAt[id]:g.dependentsAt[id+1]])
}

// To returns the nodes that the given one depends on.
func (g *Graph) To(id int64) graph.Nodes { return g.iterate(g.dependences(int32(id))) }

// HasEdgeBetween reports whether one of two nodes depends on the other.
func (g *Graph) HasEdgeBetween(x, y int64) bool {
	return g.HasEdgeFromTo(x, y) || g.HasEdgeFromTo(y, x)
}

// HasEdgeFromTo reports whether node v depends on node u.
func (g *Graph) HasEdgeFromTo(u, v int64) bool { return g.Edge(u, v) != nil }

// Edge returns the edge from u to v, nil if v does not depend on u.
func (g *Graph) Edge(u, v int64) graph.Edge {
	for _, d := range g.dependences(int32(v)) {
		if int64(d.node) == u {
			return edge{simple.Edge{F: &g.Kernel.nodes[u], T: &g.Kernel.nodes[v]}, d.kind}
		}
	}
	return nil
}

var _ graph.Directed = (*Graph)(nil)

// edge is an edge as gonum has it, with the reasons for it.
type edge struct {
	simple.Edge
	kind edgeKind
}

// iterate goes through one end of the edges of a node.
func (g *Graph) iterate(list []dependence) graph.Nodes {
	if len(list) == 0 {
		return graph.Empty
	}
	return iterator.NewImplicitNodes(0, len(list), func(i int) graph.Node { return &g.Kernel.nodes[list[i].node] })
}
