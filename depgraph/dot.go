package depgraph

import (
	"bytes"
	"fmt"
	"strings"

	"hyptx/internal/dot"
	"hyptx/internal/slice"
	"hyptx/ir"
)

// DOT returns the graph's picture: a node for each instruction that the launch
// can execute, an edge from what it depends on, labelled with the reasons.
func (g *Graph) DOT() dot.Picture {
	return g.draw(func(site) bool { return true }, slice.Set{})
}

// DOT returns the picture of the members of a filtered graph and the edges among them, and
// dashed the moves of special registers that members read in their place.
func (f *Filtered) DOT() dot.Picture {
	shown := func(s site) bool { return f.Slice.Run.Has(s.pc) || f.moves.Has(s.pc) }
	return f.Graph.draw(shown, f.moves)
}

// draw draws those of the launch's instructions that shown says, as HyPA does: what joins several
// of them is drawn through, so that an edge stands for a path over nodes that
// are no instructions.
func (g *Graph) draw(shown func(site) bool, moves slice.Set) dot.Picture {
	p := dot.New()
	at := make(map[int32]int64)
	for s := range g.Kernel.ordered() {
		if g.executes(s) && shown(s) {
			at[g.Kernel.instr(s)] = int64(s.pc)
			p.Put(int64(s.pc), g.Kernel.look(s, moves.Has(s.pc)))
		}
	}
	for n, to := range at {
		for on, kind := range g.instructions(n) {
			if from, drawn := at[on]; drawn {
				p.Draw(from, to, kind.look())
			}
		}
	}
	return p
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

// look returns how an instruction is drawn, named by its PC; inPlace: it copies a
// special register that its readers read themselves.
func (k *Kernel) look(s site, inPlace bool) dot.Look {
	l := dot.Look{Label: fmt.Sprintf("%d: %s", s.pc, k.Funcs[s.fn].Text(s.pc)), Shape: "box"}
	switch {
	case inPlace:
		l.Style = "dashed"
	case k.Module.Instrs[s.pc].Inst.EndsBlock():
		l.Style = "bold"
	}
	return l
}

// look returns how an edge is drawn: its reasons, and a style for each.
func (k edgeKind) look() dot.Look {
	l := dot.Look{Label: k.reasons()}
	switch {
	case k&edgeBranch != 0:
		l.Style = "dashed"
	case k&(edgeMem|edgeSync) != 0:
		l.Style = "dotted"
	}
	return l
}

var edgeKindNames = [...]string{"data", "branch", "memory", "argument", "return", "sync"}

// reasons lists them.
func (k edgeKind) reasons() string {
	var names []string
	for i, name := range edgeKindNames {
		if k>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// blockText lists a block's instructions, one a line.
func blockText(f *ir.Func, i int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "block %d\n", i)
	for pc := f.Blocks[i].First; pc < f.Blocks[i].End; pc++ {
		fmt.Fprintf(&text, "%d: %s\n", pc, f.Text(pc))
	}
	return text.String()
}

// CFG writes a function's control-flow graph in the language of Graphviz.
func CFG(f *ir.Func) ([]byte, error) {
	p := dot.New()
	for i := range f.Blocks {
		p.Put(int64(i), dot.Look{Label: blockText(f, i), Shape: "box"})
	}
	p.Put(int64(len(f.Blocks)), dot.Look{Label: "exit"}) // the virtual exit
	for i, b := range f.Blocks {
		for _, s := range b.Succs() {
			if s == ir.Exit {
				s = len(f.Blocks)
			}
			p.Draw(int64(i), int64(s), dot.Look{Label: flowLabel(f, i, s)})
		}
	}
	out, err := p.Marshal(f.Name)
	// The encoder takes Go's escapes only. In DOT, \l ends a line that is to
	// stand at the left; PTX instructions have no backslash of their own.
	return bytes.ReplaceAll(out, []byte(`\n`), []byte(`\l`)), err
}

// flowLabel says when block x goes on at block y: "taken" or "not taken" for a
// guarded instruction, the indices of a brx.idx.
func flowLabel(f *ir.Func, x, y int) string {
	b := f.Blocks[x]
	if b.First == b.End || len(b.Succs()) < 2 {
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
	for i := 0; i < len(in.Targets()); i++ {
		if in.Targets()[i] != at {
			continue
		}
		first := i
		for i+1 < len(in.Targets()) && in.Targets()[i+1] == at {
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
