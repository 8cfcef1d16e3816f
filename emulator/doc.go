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
// over a grid. Then, in the order of the data:
//
//	memory.go, page.go   global memory: buffers of lazily made pages
//	resolve.go           from a space and an address to the memory behind it
//	program.go, compile.go  a kernel decoded to plain data
//	table.go             from an instruction form to the function that runs it
//	unsupported.go       the forms that are read and counted, but not executed
//	worker.go, path.go   a warp, its paths and how they merge again
//	run.go               the run loop
//	cta.go, grid.go      barriers, the order of CTAs, workers
//	counts.go            what was counted
//	varied*.go           results that the manual leaves open, moved if asked for
//	traffic.go, site.go  what accesses of memory move, if it is to be counted
//	                     (package internal/traffic)
package emulator
