package depgraph

import (
	"slices"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/iterator"

	"hyptx/ir"
)

// adjacency is the graph's edges in both directions, by node.
type adjacency struct {
	nodes []graph.Node // by PC
	in    map[ir.PC][]Edge
	out   map[ir.PC][]Edge
}

// Node is an instruction as a node of a gonum graph.
type Node struct{ PC ir.PC }

// ID returns the PC.
func (n Node) ID() int64 { return int64(n.PC) }

// line is an Edge as gonum sees it.
type line struct {
	Edge
	g *Graph
}

func (l line) From() graph.Node { return l.g.Node(int64(l.Edge.From)) }
func (l line) To() graph.Node   { return l.g.Node(int64(l.Edge.To)) }
func (l line) ReversedEdge() graph.Edge {
	return line{Edge{l.Edge.To, l.Edge.From, l.Kind}, l.g}
}

// Dependences returns what instruction pc depends on, each instruction once,
// by PC.
func (g *Graph) Dependences(pc ir.PC) []Edge {
	s, ok := g.Kernel.site(pc)
	if !ok || !g.executes(s) {
		return nil
	}
	kinds := make(map[ir.PC]EdgeKind)
	w := &walker{g: g, control: true, seen: mapMarks{}}
	w.emit = func(on site, kind EdgeKind) { kinds[on.pc] |= kind }
	w.instr(s, true)
	if g.Kernel.Module.Instrs[pc].Call != nil {
		for i := range g.Kernel.Module.Instrs[pc].Call.Args {
			w.argument(s, i)
		}
	}
	edges := make([]Edge, 0, len(kinds))
	for on, kind := range kinds {
		edges = append(edges, Edge{From: on, To: pc, Kind: kind})
	}
	slices.SortFunc(edges, func(a, b Edge) int { return int(a.From - b.From) })
	return edges
}

// adjacent makes the adjacency on first use.
func (g *Graph) adjacent() *adjacency {
	if g.edges != nil {
		return g.edges
	}
	a := &adjacency{in: make(map[ir.PC][]Edge), out: make(map[ir.PC][]Edge)}
	for _, s := range g.Kernel.ordered {
		if !g.executes(s) {
			continue
		}
		a.nodes = append(a.nodes, Node{PC: s.pc})
		a.in[s.pc] = g.Dependences(s.pc)
		for _, e := range a.in[s.pc] {
			a.out[e.From] = append(a.out[e.From], e)
		}
	}
	g.edges = a
	return a
}

// Nodes returns the instructions that the launch can execute, by PC.
func (g *Graph) Nodes() graph.Nodes { return iterator.NewOrderedNodes(g.adjacent().nodes) }

// Node returns the node of the given PC, nil if it is none.
func (g *Graph) Node(id int64) graph.Node {
	nodes := g.adjacent().nodes
	i, ok := slices.BinarySearchFunc(nodes, id, func(n graph.Node, id int64) int { return int(n.ID() - id) })
	if !ok {
		return nil
	}
	return nodes[i]
}

// From returns the instructions that depend on the given one.
func (g *Graph) From(id int64) graph.Nodes {
	var to []graph.Node
	for _, e := range g.adjacent().out[ir.PC(id)] {
		to = append(to, g.Node(int64(e.To)))
	}
	return ordered(to)
}

// To returns the instructions on which the given one depends.
func (g *Graph) To(id int64) graph.Nodes {
	var from []graph.Node
	for _, e := range g.adjacent().in[ir.PC(id)] {
		from = append(from, g.Node(int64(e.From)))
	}
	return ordered(from)
}

func ordered(nodes []graph.Node) graph.Nodes {
	if len(nodes) == 0 {
		return graph.Empty
	}
	return iterator.NewOrderedNodes(nodes)
}

// HasEdgeBetween reports whether one of two instructions depends on the other.
func (g *Graph) HasEdgeBetween(x, y int64) bool {
	return g.HasEdgeFromTo(x, y) || g.HasEdgeFromTo(y, x)
}

// HasEdgeFromTo reports whether instruction v depends on instruction u.
func (g *Graph) HasEdgeFromTo(u, v int64) bool { return g.Edge(u, v) != nil }

// Edge returns the edge from u to v, nil if v does not depend on u.
func (g *Graph) Edge(u, v int64) graph.Edge {
	for _, e := range g.adjacent().in[ir.PC(v)] {
		if int64(e.From) == u {
			return line{e, g}
		}
	}
	return nil
}

// EdgeCount returns the number of edges of the graph.
func (g *Graph) EdgeCount() int {
	n := 0
	for _, in := range g.adjacent().in {
		n += len(in)
	}
	return n
}

var _ graph.Directed = (*Graph)(nil)
