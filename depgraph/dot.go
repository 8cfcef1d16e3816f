package depgraph

import (
	"bytes"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/encoding"
	"gonum.org/v1/gonum/graph/encoding/dot"
	"gonum.org/v1/gonum/graph/iterator"
	"gonum.org/v1/gonum/graph/simple"

	"hyptx/internal/slice"
	"hyptx/ir"
)

// DOT writes the graph in the language of Graphviz: a node for each
// instruction that the launch can execute, an edge from what it depends on,
// labelled with the reasons.
func (g *Graph) DOT() ([]byte, error) {
	return g.draw(func(site) bool { return true }, slice.NewSet(len(g.Kernel.Module.Instrs)))
}

// DOT writes the members of a filtered graph and the edges among them, and
// dashed the moves of special registers that members read in their place.
func (f *Filtered) DOT() ([]byte, error) {
	shown := func(s site) bool { return f.Slice.Run.Has(s.pc) || f.moves.Has(s.pc) }
	return f.Graph.draw(shown, f.moves)
}

// picture is a graph to be drawn. Gonum's simple graphs have no edges from a
// node to itself; these stand beside.
type picture struct {
	*simple.DirectedGraph
	loops map[int64]graph.Edge
}

func newPicture() picture { return picture{simple.NewDirectedGraph(), make(map[int64]graph.Edge)} }

func (p picture) draw(e graph.Edge) {
	if e.From().ID() == e.To().ID() {
		p.loops[e.From().ID()] = e
		return
	}
	p.SetEdge(e)
}

func (p picture) From(id int64) graph.Nodes {
	to := graph.NodesOf(p.DirectedGraph.From(id))
	if p.loops[id] != nil {
		to = append(to, p.Node(id))
	}
	return iterator.NewOrderedNodes(to)
}

func (p picture) Edge(x, y int64) graph.Edge {
	if e := p.loops[x]; x == y && e != nil {
		return e
	}
	return p.DirectedGraph.Edge(x, y)
}

func (p picture) marshal(name string) ([]byte, error) {
	out, err := dot.Marshal(p, fmt.Sprintf("%q", name), "", "\t")
	if err != nil {
		return nil, fmt.Errorf("dot: %w", err)
	}
	return append(out, '\n'), nil
}

// draw draws those of the launch's instructions that shown says, as HyPA does: what joins several
// of them is drawn through, so that an edge stands for a path over nodes that
// are no instructions.
func (g *Graph) draw(shown func(site) bool, moves slice.Set) ([]byte, error) {
	p := newPicture()
	at := make(map[int32]graph.Node)
	for _, s := range g.Kernel.ordered {
		if g.executes(s) && shown(s) {
			n := instruction{g, s, moves.Has(s.pc)}
			at[g.Kernel.instr(s)] = n
			p.AddNode(n)
		}
	}
	for n, to := range at {
		for on, kind := range g.instructions(n) {
			if from, drawn := at[on]; drawn {
				p.draw(edge{from, to, kind})
			}
		}
	}
	return p.marshal(g.Kernel.Func.Name)
}

// instructions returns the results of instructions on which node n depends
// through others, and why.
func (g *Graph) instructions(n int32) map[int32]edgeKind {
	found, passed := make(map[int32]edgeKind), make(map[int32]edgeKind)
	var follow func(n int32, kind edgeKind)
	follow = func(n int32, kind edgeKind) {
		for _, d := range g.dependences(n) {
			kind := kind | d.kind
			if g.Kernel.kindOf(d.node) == resultNode {
				found[d.node] |= kind
			} else if passed[d.node]|kind != passed[d.node] {
				passed[d.node] |= kind
				follow(d.node, kind)
			}
		}
	}
	follow(n, 0)
	for n, kind := range found {
		if kind != edgeData {
			found[n] = kind &^ edgeData
		}
	}
	return found
}

// instruction is an instruction as a node of a picture, named by its PC.
type instruction struct {
	g *Graph
	s site
	// inPlace: it copies a special register that its readers read themselves.
	inPlace bool
}

func (n instruction) ID() int64 { return int64(n.s.pc) }

// Attributes returns the label: the PC and the instruction.
func (n instruction) Attributes() []encoding.Attribute {
	k := n.g.Kernel
	text := fmt.Sprintf("%d: %s", n.s.pc, k.Funcs[n.s.fn].Text(n.s.pc))
	attrs := []encoding.Attribute{{Key: "label", Value: fmt.Sprintf("%q", text)}, {Key: "shape", Value: "box"}}
	switch {
	case n.inPlace:
		attrs = append(attrs, encoding.Attribute{Key: "style", Value: "dashed"})
	case k.Module.Instrs[n.s.pc].Inst.EndsBlock():
		attrs = append(attrs, encoding.Attribute{Key: "style", Value: "bold"})
	}
	return attrs
}

// Attributes returns the edge's reasons, and a style for each.
func (e edge) Attributes() []encoding.Attribute {
	attrs := []encoding.Attribute{{Key: "label", Value: fmt.Sprintf("%q", e.kind)}}
	switch {
	case e.kind&edgeBranch != 0:
		attrs = append(attrs, encoding.Attribute{Key: "style", Value: "dashed"})
	case e.kind&(edgeMem|edgeSync) != 0:
		attrs = append(attrs, encoding.Attribute{Key: "style", Value: "dotted"})
	}
	return attrs
}

var edgeKindNames = [...]string{"data", "branch", "memory", "argument", "return", "sync"}

// String lists the reasons.
func (k edgeKind) String() string {
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
	p := newPicture()
	for i := range len(f.Blocks) + 1 {
		p.AddNode(block{f, i})
	}
	for i, b := range f.Blocks {
		for _, s := range b.Succs {
			if s == ir.Exit {
				s = len(f.Blocks)
			}
			p.draw(flow{simple.Edge{F: block{f, i}, T: block{f, s}}, flowLabel(f, i, s)})
		}
	}
	out, err := p.marshal(f.Name)
	// The encoder takes Go's escapes only. In DOT, \l ends a line that is to
	// stand at the left; PTX instructions have no backslash of their own.
	return bytes.ReplaceAll(out, []byte(`\n`), []byte(`\l`)), err
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
