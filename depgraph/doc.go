// Package depgraph finds out what must be executed to know where a kernel's
// threads go. From the SSA overlays of a kernel and of what it calls it makes
// the dependency graph G, specialises it for a launch (constants fold, what
// cannot be reached goes), and filters it by criteria: the members of a
// filtered graph are a slice for the emulator.
//
// It is not an emulator and knows none; a slice is an [ir.Slice], a set of
// instruction numbers.
//
// Start with [Planner.Plan], which slices all launches of a program, or, for
// one kernel:
//
//	launch.go      Launch, Mode: what is asked
//	kernel.go      Kernel: what all launches of a kernel share
//	graph.go       Graph, EdgeKind: G specialised for a launch
//	walk.go, depend.go   what an instruction depends on, the one place that knows
//	slice.go, filtered.go  Filtered: the closure of that
//	plan.go        slices across launches
//	source.go      Sources, Taint: what makes threads and CTAs differ
//	class.go       Classes: the specialised graphs of single CTAs
//	access.go, object.go, pointers.go, transfer.go, alias.go  who may see whose stores
//	adjacency.go, dot.go  G as a gonum graph and as a picture
package depgraph
