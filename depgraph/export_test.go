package depgraph

import "gonum.org/v1/gonum/graph"

// The kinds of edges, for tests from outside.
const (
	EdgeData     = edgeData
	EdgeBranch   = edgeBranch
	EdgeMem      = edgeMem
	EdgeArgument = edgeArgument
	EdgeReturned = edgeReturned
	EdgeSync     = edgeSync
)

// EdgeKind is why one node depends on another.
type EdgeKind = edgeKind

// KindOf returns an edge's kind.
func KindOf(e graph.Edge) EdgeKind { return e.(edge).kind }

// Traverse lets slices be cut from what wrap makes of a graph, until undo is
// called.
func Traverse(wrap func(*Graph) graph.Directed) (undo func()) {
	old := traversed
	traversed = wrap
	return func() { traversed = old }
}
