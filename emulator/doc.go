// Package emulator executes PTX: whole kernels, or the slice of one that
// answers a question, with every warp, path and barrier in the order that the
// profile's definition of the schedule lays down (profile.md, Schedule and
// reconvergence).
//
// It executes PTX registers, not SSA values, and knows nothing of dependency
// graphs: a slice comes as an [slice.Slice]. It counts, always, how often each
// stretch of straight-line code was entered and by how many lanes; what the
// counts mean is package analysis' business.
//
// Start with [Machine]: it owns the memory; [Machine.Compile] decodes a kernel to
// a [Program], and [Machine.Launch] runs one over a grid. Then, from the bottom:
//
//	program.go             a kernel decoded to plain data: instructions, segments
//	resolve.go, memory.go  which memory an address is in; buffers of global memory
//	beyond.go              accesses that hit no memory, and are forgiven
//	origin*.go             where values come from, as far as exactness asks
//	path.go, parting.go, worker.go
//	                       a warp, its paths and how they merge again
//	exec.go, access.go     how an instruction is run for the lanes of a mask;
//	fastmem.go             accesses of memory, and the fast ways of most of them
//	arithmetic.go, predicate.go, move.go, loadstore.go, atomic.go, mbarrier.go,
//	mma.go, ldmatrix.go, warpops.go, cluster.go
//	                       families of instructions: how they are decoded and run
//	table.go               from an instruction form to what decodes it
//	unsupported.go         the forms that are read and counted, but not executed
//	compile.go, decode.go, segment.go, terminate.go, special.go, sizes.go
//	                       from a kernel to a program
//	parameter.go, frame.go calls, their arguments and results
//	variation*.go          results that the manual leaves open, moved if asked for
//	site.go, traffic.go    what accesses of memory move, if it is to be counted
//	run.go, barrier.go, warpsync.go  the run loop; who waits for whom
//	repeat.go, loops.go    loops whose rounds are counted without being run
//	cta.go, grid.go        the order of CTAs, workers
//	counts.go, view.go     what was counted
//	machine.go, fault.go, space.go  the device; errors of a launch; its limits
//
// What can be said without a warp has rooms of its own under internal: lanes
// computes one operation for 32 lanes, exchange says what lanes get from each
// other, atomics and mbarrier what an operation does to a word of memory, address
// where spaces lie, pages how memory comes into being, words how words move
// between memory and registers, and abort how an error gets out.
package emulator
