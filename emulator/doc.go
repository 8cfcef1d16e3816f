// Package emulator executes PTX: whole kernels, or the slice of one that
// answers a question, with every warp, path and barrier in the order that the
// profile's definition of the schedule lays down.
//
// It executes PTX registers, not SSA values, and knows nothing of dependency
// graphs: a slice comes as an [ir.Slice]. It counts, always, how often each
// stretch of straight-line code was entered and by how many lanes; what the
// counts mean is package analysis' business.
//
// Start with [Machine]: it owns the memory; [Machine.Launch] runs a [Program]
// over a grid. Then, from the bottom:
//
//	program.go             a kernel decoded to plain data: instructions, segments
//	space.go, resolve.go   addresses, and the memories that they lie in
//	memory.go, page.go     global memory: buffers of lazily made pages
//	origin*.go             where values come from, as far as exactness asks
//	path.go, worker.go     a warp, its paths and how they merge again
//	exec.go, access.go     how an instruction is run for the lanes of a mask;
//	fastmem.go, stride.go  accesses of memory, and the fast ways of most of them
//	arithmetic.go, predicate.go, move.go, loadstore.go, atomic.go, mbarrier.go,
//	mma.go, ldmatrix.go, warpops.go, cluster.go
//	                       families of instructions: how they are decoded and run
//	table.go               from an instruction form to what decodes it
//	unsupported.go         the forms that are read and counted, but not executed
//	compile.go, decode.go, segment.go, terminate.go, special.go
//	                       from a kernel to a program
//	parameter.go, frame.go calls, their arguments and results
//	variation*.go          results that the manual leaves open, moved if asked for
//	site.go, traffic.go    what accesses of memory move, if it is to be counted
//	run.go, barrier.go, warpsync.go  the run loop; who waits for whom
//	repeat.go, loops.go    loops whose rounds are counted without being run
//	cta.go, grid.go        the order of CTAs, workers
//	counts.go, view.go     what was counted
//	machine.go, fault.go   the device; errors of a launch
package emulator
