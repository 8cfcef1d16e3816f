package depgraph

import (
	"bytes"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/encoding"
	"gonum.org/v1/gonum/graph/encoding/dot"
	"gonum.org/v1/gonum/graph/simple"

	"hyptx/ir"
)

// DOT writes the graph in the language of Graphviz: a node for each
// instruction that the launch can execute, an edge from what it depends on,
// labelled with the reasons.
func (g *Graph) DOT() ([]byte, error) {
	return marshal(view{g: g, has: func(ir.PC) bool { return true }}, g.Kernel.Func.Name)
}

// DOT writes the members of a filtered graph and the edges among them, and
// dashed the moves of special registers that members read in their place.
func (f *Filtered) DOT() ([]byte, error) {
	shown := func(pc ir.PC) bool { return f.Slice.Run.Has(pc) || f.Moves.Has(pc) }
	return marshal(view{g: f.Graph, has: shown, moves: f.Moves.Has}, f.Graph.Kernel.Func.Name)
}

func marshal(g graph.Graph, name string) ([]byte, error) {
	out, err := dot.Marshal(g, fmt.Sprintf("%q", name), "", "\t")
	if err != nil {
		return nil, fmt.Errorf("dot: %w", err)
	}
	return append(out, '\n'), nil
}

// view is the part of a graph that has says, with labels.
type view struct {
	g   *Graph
	has func(ir.PC) bool
	// moves says of a node that it is read in place; nil for none.
	moves func(ir.PC) bool
}

func (v view) labelled(n Node) labelled {
	return labelled{n, v.g, v.moves != nil && v.moves(n.PC)}
}

func (v view) keep(nodes graph.Nodes) graph.Nodes {
	var kept []graph.Node
	for nodes.Next() {
		if n := nodes.Node().(Node); v.has(n.PC) {
			kept = append(kept, v.labelled(n))
		}
	}
	return ordered(kept)
}

func (v view) Node(id int64) graph.Node {
	n, ok := v.g.Node(id).(Node)
	if !ok || !v.has(n.PC) {
		return nil
	}
	return v.labelled(n)
}

func (v view) Nodes() graph.Nodes             { return v.keep(v.g.Nodes()) }
func (v view) From(id int64) graph.Nodes      { return v.keep(v.g.From(id)) }
func (v view) To(id int64) graph.Nodes        { return v.keep(v.g.To(id)) }
func (v view) HasEdgeBetween(x, y int64) bool { return v.g.HasEdgeBetween(x, y) }
func (v view) HasEdgeFromTo(x, y int64) bool  { return v.g.HasEdgeFromTo(x, y) }
func (v view) Edge(x, y int64) graph.Edge     { return v.g.Edge(x, y) }

// labelled is a node with its instruction's text.
type labelled struct {
	Node
	g       *Graph
	inPlace bool
}

// Attributes returns the label: the PC and the instruction.
func (n labelled) Attributes() []encoding.Attribute {
	s, _ := n.g.Kernel.site(n.PC)
	text := fmt.Sprintf("%d: %s", n.PC, n.g.Kernel.Funcs[s.fn].Text(n.PC))
	attrs := []encoding.Attribute{{Key: "label", Value: fmt.Sprintf("%q", text)}, {Key: "shape", Value: "box"}}
	switch {
	case n.inPlace:
		attrs = append(attrs, encoding.Attribute{Key: "style", Value: "dashed"})
	case n.g.Kernel.Module.Instrs[n.PC].Inst.EndsBlock():
		attrs = append(attrs, encoding.Attribute{Key: "style", Value: "bold"})
	}
	return attrs
}

// Attributes returns the edge's reasons, and a style for each.
func (l line) Attributes() []encoding.Attribute {
	attrs := []encoding.Attribute{{Key: "label", Value: fmt.Sprintf("%q", l.Kind)}}
	switch {
	case l.Kind&Branch != 0:
		attrs = append(attrs, encoding.Attribute{Key: "style", Value: "dashed"})
	case l.Kind&(Mem|Sync) != 0:
		attrs = append(attrs, encoding.Attribute{Key: "style", Value: "dotted"})
	}
	return attrs
}

var edgeKindNames = [...]string{"data", "branch", "memory", "argument", "return", "sync"}

// String lists the reasons.
func (k EdgeKind) String() string {
	var names []string
	for i, name := range edgeKindNames {
		if k>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// block is a basic block as a node.
type block struct {
	f *ir.Func
	i int // the number of blocks: the virtual exit
}

func (b block) ID() int64 { return int64(b.i) }

// Attributes returns the label: the block's instructions, one a line.
func (b block) Attributes() []encoding.Attribute {
	if b.i == len(b.f.Blocks) {
		return []encoding.Attribute{{Key: "label", Value: `"exit"`}}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "block %d\n", b.i)
	for pc := b.f.Blocks[b.i].First; pc < b.f.Blocks[b.i].End; pc++ {
		fmt.Fprintf(&text, "%d: %s\n", pc, b.f.Text(pc))
	}
	return []encoding.Attribute{{Key: "label", Value: fmt.Sprintf("%q", text.String())}, {Key: "shape", Value: "box"}}
}

// CFG writes a function's control-flow graph in the language of Graphviz.
func CFG(f *ir.Func) ([]byte, error) {
	g := cfg{simple.NewDirectedGraph(), make(map[int64]bool), f}
	for i := range len(f.Blocks) + 1 {
		g.AddNode(block{f, i})
	}
	for i, b := range f.Blocks {
		for _, s := range b.Succs {
			if s == ir.Exit {
				s = len(f.Blocks)
			}
			if s == i { // simple graphs have no such edges
				g.loops[int64(i)] = true
				continue
			}
			g.SetEdge(g.NewEdge(block{f, i}, block{f, s}))
		}
	}
	out, err := marshal(g, f.Name)
	// The encoder takes Go's escapes only. In DOT, \l ends a line that is to
	// stand at the left; PTX instructions have no backslash of their own.
	return bytes.ReplaceAll(out, []byte(`\n`), []byte(`\l`)), err
}

// cfg is a graph with edges from a node to itself.
type cfg struct {
	*simple.DirectedGraph
	loops map[int64]bool
	f     *ir.Func
}

func (g cfg) From(id int64) graph.Nodes {
	to := graph.NodesOf(g.DirectedGraph.From(id))
	if g.loops[id] {
		to = append(to, g.Node(id))
	}
	return ordered(to)
}

func (g cfg) HasEdgeFromTo(x, y int64) bool {
	return x == y && g.loops[x] || g.DirectedGraph.HasEdgeFromTo(x, y)
}

func (g cfg) Edge(x, y int64) graph.Edge {
	if x != y || !g.loops[x] {
		if g.DirectedGraph.Edge(x, y) == nil {
			return nil
		}
	}
	return flow{simple.Edge{F: g.Node(x), T: g.Node(y)}, flowLabel(g.f, int(x), int(y))}
}

// flow is an edge of the control-flow graph with what it takes to go there.
type flow struct {
	simple.Edge
	label string
}

// Attributes returns the label, if the block has several successors.
func (e flow) Attributes() []encoding.Attribute {
	if e.label == "" {
		return nil
	}
	return []encoding.Attribute{{Key: "label", Value: fmt.Sprintf("%q", e.label)}}
}

// flowLabel says when block x goes on at block y: "taken" or "not taken" for a
// guarded instruction, the indices of a brx.idx.
func flowLabel(f *ir.Func, x, y int) string {
	b := f.Blocks[x]
	if b.First == b.End || len(b.Succs) < 2 {
		return ""
	}
	at := f.End
	if y < len(f.Blocks) {
		at = f.Blocks[y].First
	}
	last := &f.Module.Instrs[b.End-1]
	if last.Inst.IsSwitch() {
		return indexLabel(last, at, b.End)
	}
	if at == b.End {
		return "not taken"
	}
	return "taken"
}

// indexLabel lists the indices with which a brx.idx goes to a place.
func indexLabel(in *ir.Instr, at, next ir.PC) string {
	var parts []string
	if in.Guard != ir.NoReg && at == next {
		parts = append(parts, "not taken")
	}
	for i := 0; i < len(in.Targets); i++ {
		if in.Targets[i] != at {
			continue
		}
		first := i
		for i+1 < len(in.Targets) && in.Targets[i+1] == at {
			i++
		}
		if first == i {
			parts = append(parts, fmt.Sprint(i))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", first, i))
		}
	}
	return strings.Join(parts, ", ")
}
