package ir

import "hyptx/internal/flow"

// Exit is the virtual exit block in Succs, to which ret, exit, trap and
// falling off the end lead.
const Exit = flow.Exit

// Loop is a natural loop of a function: its header block, the blocks and edges
// that belong to it, and the loop around it.
type Loop = flow.Loop

// Divergence, and so all that a profile says of it, rests on these trees: the
// lanes of a warp that part at a branch run their ways one after the other and
// go on together at the branch's immediate post-dominator. Reading that place
// from the PTX is exact for the PTX; what a machine's compiler makes of the same
// branch may merge elsewhere.

// controlFlow is what is known of a function's control flow beyond its blocks.
// Lower makes it, so that concurrent readers need no lock.
type controlFlow struct {
	dom, post *flow.Tree
	loops     []*Loop
	loopOf    []*Loop
	control   *flow.Frontier
}

// graph is the control-flow graph as package flow sees it.
type graph []*Block

func (g graph) Len() int          { return len(g) }
func (g graph) Succs(b int) []int { return g[b].Succs }
func (g graph) Preds(b int) []int { return g[b].Preds }

// Graph returns the control-flow graph for the analyses of package flow.
func (f *Func) Graph() flow.Graph { return graph(f.Blocks) }

// analyse fills f.flow from f.Blocks.
func (f *Func) analyse() {
	g := f.Graph()
	fl := &controlFlow{dom: flow.Dominators(g), post: flow.PostDominators(g)}
	fl.loops, fl.loopOf = flow.Loops(g, fl.dom)
	fl.control = flow.Control(g, fl.post)
	f.flow = fl
}

// Dominators returns the dominator tree; its root is block 0.
func (f *Func) Dominators() *flow.Tree { return f.flow.dom }

// PostDominators returns the post-dominator tree; its root is the virtual
// exit. IDom of a branch's block in it is where divergent paths merge, Exit
// where they never do. Code that cannot reach the exit has an edge to it from
// each source of a back edge.
func (f *Func) PostDominators() *flow.Tree { return f.flow.post }

// Loops returns the natural loops in the order of their headers. Cycles with
// several entries are none.
func (f *Func) Loops() []*Loop { return f.flow.loops }

// LoopOf returns the innermost natural loop that holds block b, or nil.
func (f *Func) LoopOf(b int) *Loop { return f.flow.loopOf[b] }

// ControlDeps returns the blocks on whose branch it depends whether block b
// runs, ascending. Only blocks with several successors are listed.
func (f *Func) ControlDeps(b int) []int { return f.flow.control.Of(b) }
