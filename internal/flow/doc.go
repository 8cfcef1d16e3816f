// Package flow analyses control-flow graphs: orders of the nodes, dominators
// and post-dominators, natural loops, control dependence. It knows nothing of
// instructions. Package ir asks it about the blocks of a function, package
// machine about the copies of blocks that unrolling makes.
//
// gonum has dominators, too (graph/flow); they work on maps of nodes, which is
// several times slower than these on the thousands of small functions of a
// network, and know no virtual exit.
//
//	graph.go   Graph: what is analysed; the order of the depth-first search
//	tree.go    Tree: immediate dominators and questions about them
//	dom.go     dominators and post-dominators; code that never ends
//	loop.go    natural loops
//	control.go dominance frontiers and control dependence
package flow
