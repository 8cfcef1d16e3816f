// Package depgraph finds out what must be executed to know where a kernel's
// threads go. From the SSA overlays of a kernel and of what it calls it makes
// the dependency graph G, specialises it for a launch (constants fold, what
// cannot be reached goes), and filters it by criteria: the members of a
// filtered graph are a slice for the emulator.
//
// It is not an emulator and knows none; a slice is an [slice.Slice], a set of
// instruction numbers.
//
// Start with [Planner.Plan], which slices all launches of a program. By file:
//
//	launch.go      Launch, Mode: what is asked
//	kernel.go      Kernel: what all launches of a kernel share
//	node.go        the nodes of G and their numbers
//	graph.go       Graph: G specialised for a launch, as a gonum graph
//	depend.go, calls.go  its edges: what depends directly on what
//	slice.go, filtered.go  Filtered: what is found by going backwards over edges
//	barrier.go     barriers that are members
//	special.go     special registers that are read in place
//	plan.go        slices across launches
//	group.go       Groups: CTAs by their specialised graphs, and the slices of those
//	trusted.go     what a slice trusts of accesses that it leaves out
//	stem.go        from which one place an address stems for certain
//	source.go      Sources, Origins: what makes threads and CTAs differ
//	open.go        what the manual may leave open
//	access.go      what instructions do to memory
//	object.go, pointers.go, transfer.go  provenance: what an address stems from
//	alias.go, parallel.go  who may see whose stores
//	dot.go         pictures
package depgraph
