// Package dot writes pictures of graphs in the language of Graphviz: nodes and edges
// with a label and a style, by gonum's encoder. What is drawn is the caller's (package
// depgraph). Start with [New].
package dot

import (
	"fmt"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/encoding"
	"gonum.org/v1/gonum/graph/encoding/dot"
	"gonum.org/v1/gonum/graph/iterator"
	"gonum.org/v1/gonum/graph/simple"
)

// Picture is a graph to be drawn. Gonum's simple graphs have no edges from a
// node to itself; these stand beside.
type Picture struct {
	*simple.DirectedGraph
	loops map[int64]graph.Edge
}

// New returns an empty picture.
func New() Picture { return Picture{simple.NewDirectedGraph(), make(map[int64]graph.Edge)} }

// Look is how a node or an edge looks: attributes of Graphviz, "" for its defaults.
type Look struct{ Label, Shape, Style string }

// Attributes implements gonum's interface.
func (l Look) Attributes() (list []encoding.Attribute) {
	if l.Label != "" {
		list = append(list, encoding.Attribute{Key: "label", Value: fmt.Sprintf("%q", l.Label)})
	}
	if l.Shape != "" {
		list = append(list, encoding.Attribute{Key: "shape", Value: l.Shape})
	}
	if l.Style != "" {
		list = append(list, encoding.Attribute{Key: "style", Value: l.Style})
	}
	return list
}

type node struct {
	simple.Node
	Look
}

type edge struct {
	simple.Edge
	Look
}

// Put puts a node of that number into the picture.
func (p Picture) Put(id int64, l Look) { p.AddNode(node{simple.Node(id), l}) }

// Draw draws an edge between two nodes that the picture has.
func (p Picture) Draw(from, to int64, l Look) {
	e := edge{simple.Edge{F: p.Node(from), T: p.Node(to)}, l}
	if from == to {
		p.loops[from] = e
		return
	}
	p.SetEdge(e)
}

// From returns the nodes to which edges lead, the node itself among them.
func (p Picture) From(id int64) graph.Nodes {
	to := graph.NodesOf(p.DirectedGraph.From(id))
	if p.loops[id] != nil {
		to = append(to, p.Node(id))
	}
	return iterator.NewOrderedNodes(to)
}

// Edge returns the edge between two nodes, which may be one.
func (p Picture) Edge(x, y int64) graph.Edge {
	if e := p.loops[x]; x == y && e != nil {
		return e
	}
	return p.DirectedGraph.Edge(x, y)
}

// Size returns how many nodes and edges there are.
func (p Picture) Size() (nodes, edges int) {
	return p.Nodes().Len(), p.Edges().Len() + len(p.loops)
}

// Marshal returns the text of the picture.
func (p Picture) Marshal(name string) ([]byte, error) {
	out, err := dot.Marshal(p, fmt.Sprintf("%q", name), "", "\t")
	if err != nil {
		return nil, fmt.Errorf("dot: %w", err)
	}
	return append(out, '\n'), nil
}
