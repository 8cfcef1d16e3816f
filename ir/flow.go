package ir

import "sync"

// flow is what is known of a function's control flow beyond its blocks. Lower
// makes it, so that concurrent readers need no lock; the waiting loops need
// SSA and are made when they are first asked for.
type flow struct {
	dom, post   *DomTree
	loops       []*Loop
	loopOf      []*Loop
	irreducible [][]int
	control     [][]int
	waitOnce    sync.Once
	waiting     []*Loop
	counting    []*Loop // of those
}

// analyse fills f.flow from f.Blocks.
func (f *Func) analyse() {
	g := newGraph(f)
	fl := &flow{dom: g.dominators(), post: g.postDominators()}
	fl.loops, fl.loopOf = naturalLoops(f, fl.dom)
	fl.irreducible = irreducible(f, fl.dom)
	fl.control = controlDependence(f, fl.post)
	f.flow = fl
}

// Dominators returns the dominator tree; its root is block 0.
func (f *Func) Dominators() *DomTree { return f.flow.dom }

// PostDominators returns the post-dominator tree; its root is the virtual
// exit. IDom of a branch's block in it is where divergent paths merge. Code
// that cannot reach the exit has an edge to it from each source of a back
// edge (DESIGN.md, Schedule and reconvergence).
func (f *Func) PostDominators() *DomTree { return f.flow.post }

// Loops returns the natural loops in the order of their headers.
func (f *Func) Loops() []*Loop { return f.flow.loops }

// LoopOf returns the innermost natural loop that holds block b, or nil.
func (f *Func) LoopOf(b int) *Loop { return f.flow.loopOf[b] }

// Irreducible returns the cyclic regions that are no natural loops: several of
// their blocks are entered from outside.
func (f *Func) Irreducible() [][]int { return f.flow.irreducible }

// ControlDeps returns the blocks on whose branch it depends whether block b
// runs, ascending. Only blocks with several successors are listed.
func (f *Func) ControlDeps(b int) []int { return f.flow.control[b] }

// Reconvergence returns the PC at which paths that diverge at the end of block
// b merge: the first instruction of its immediate post-dominator, or the
// function's End if that is the virtual exit, where they never merge.
func (f *Func) Reconvergence(b int) PC {
	if p := f.flow.post.IDom(b); p >= 0 {
		return f.Blocks[p].First
	}
	return f.End
}
