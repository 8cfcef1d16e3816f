// Package oracle is a second, slow answer to the question what a kernel's
// warps do, for tests only: package emulator and the slices of package
// depgraph are held against it.
//
// It knows no masks. It runs every thread of a launch by itself, writes down
// the instructions that it issues, and derives from these traces, and from
// post-dominators of its own, what the warps did, by the definition of the
// profile (docs/design.md, The order of threads). So it shares no code with
// the emulator and none of its ideas.
//
// It is not complete: it knows the integer and predicate instructions of the
// programs that [Random] writes, and threads that do not communicate.
//
// Start with [Run]. thread.go runs a thread, ops.go has the arithmetic,
// postdom.go the post-dominators, warp.go the counts, random.go and
// statement.go the programs.
package oracle
