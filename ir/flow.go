package ir

import (
	"sync"

	"hyptx/internal/flow"
)

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

// controlFlow is what is known of a function's control flow beyond its blocks. Each part
// is found when somebody asks first, by one of them: who only wants to know what a text
// holds needs few of them, and of short instructions they take more than all else.
type controlFlow struct {
	domOnce, postOnce, loopOnce, controlOnce sync.Once

	dom, post *flow.Tree
	loops     []*Loop
	loopOf    []*Loop // nil where there are no loops
	control   *flow.Frontier
}

// graph is the control-flow graph as package flow sees it.
type graph []*Block

func (g graph) Len() int          { return len(g) }
func (g graph) Succs(b int) []int { return g[b].Succs() }
func (g graph) Preds(b int) []int { return g[b].Preds() }

// Graph returns the control-flow graph for the analyses of package flow.
func (f *Func) Graph() flow.Graph { return graph(f.Blocks) }

// Dominators returns the dominator tree; its root is block 0.
func (f *Func) Dominators() *flow.Tree {
	c := f.flow
	c.domOnce.Do(func() { c.dom = flow.Dominators(f.Graph()) })
	return c.dom
}

// PostDominators returns the post-dominator tree; its root is the virtual
// exit. IDom of a branch's block in it is where divergent paths merge, Exit
// where they never do. Code that cannot reach the exit has an edge to it from
// each source of a back edge.
func (f *Func) PostDominators() *flow.Tree {
	c := f.flow
	c.postOnce.Do(func() { c.post = flow.PostDominators(f.Graph()) })
	return c.post
}

// Loops returns the natural loops in the order of their headers. Cycles with
// several entries are none.
func (f *Func) Loops() []*Loop {
	c := f.flow
	c.loopOnce.Do(func() {
		if f.turnsBack() {
			c.loops, c.loopOf = flow.Loops(f.Graph(), f.Dominators())
		}
	})
	return c.loops
}

// turnsBack says whether a block leads to itself or to one before it, as one of each
// cycle does.
func (f *Func) turnsBack() bool {
	for _, b := range f.Blocks {
		for _, s := range b.Succs() {
			if s != Exit && s <= b.Index {
				return true
			}
		}
	}
	return false
}

// LoopOf returns the innermost natural loop that holds block b, or nil.
func (f *Func) LoopOf(b int) *Loop {
	if f.Loops() == nil {
		return nil
	}
	return f.flow.loopOf[b]
}

// ControlDeps returns the blocks on whose branch it depends whether block b
// runs, ascending. Only blocks with several successors are listed.
func (f *Func) ControlDeps(b int) []int {
	c := f.flow
	c.controlOnce.Do(func() { c.control = flow.Control(f.Graph(), f.PostDominators()) })
	return c.control.Of(b)
}
