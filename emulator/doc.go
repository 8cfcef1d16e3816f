// Package emulator executes PTX: whole kernels, or the slice of one that
// answers a question, with every warp, path and barrier in the order that hyptx
// defines (docs/design.md, The order of threads).
//
// It executes PTX registers, not SSA values, and knows nothing of dependency
// graphs: a slice comes as an [slice.Slice]. It counts, always, how often each
// stretch of straight-line code was entered and by how many lanes; what the
// counts mean is package analysis' business.
//
// Start with [Machine]: it owns the memory; [Machine.Compile] decodes a kernel to
// a [Program], and [Machine.Launch] runs one over a grid. Then, from the bottom, each
// file made of those above it:
//
//	program.go, view.go, counts.go
//	                       a kernel decoded to plain data; what its counters mean
//	memory.go, originmemory.go, module.go
//	                       buffers of global memory, and a module's in it
//	worker.go, path.go, launch.go, space.go
//	                       what runs: a worker, CTAs, warps, their paths; a launch's limits
//	special.go, exec.go, fault.go
//	                       special registers; an instruction for the lanes of a mask; errors
//	beyond.go, resolve.go, fastmem.go, access.go
//	                       which memory an address is in; accesses, forgiven, fast, general
//	compiler.go, operand.go, loadstore.go
//	                       what builders ask for; where operands and addresses lie
//	together.go            whether all threads are there that an instruction wants
//	adds.go                additions that are watched
//	observe.go, observestep.go, observewrite.go, observefloat.go, observeproduct.go
//	                       steps, writes and results that somebody debugs
//	check.go, checkbarrier.go, checkmembers.go, checkaccess.go, checkshared.go, checkclock.go, checktime.go, checkobject.go, checkphase.go, checkglobal.go, checkhalf.go, checkcopy.go, checkbulk.go, checkproxy.go, checkproduct.go, checktensor.go, checkcluster.go, checkstem.go, checkheap.go, checklocal.go, checkregister.go
//	                       what a checked launch notes that is wrong
//	site.go, originuse.go, originrule.go, originrun.go, originopen.go, originplaces.go, originaccess.go,
//	originapart.go, originmask.go, originstate.go, statetag.go, originlocation.go, fragmentuse.go, origintile.go, origingroup.go, origintensor.go,
//	originproduct.go, origintexture.go, originsync.go, originasync.go, origincopy.go, origincluster.go, traffic.go, trace.go,
//	tracepeer.go, tensortrace.go, texturetraffic.go, speculate.go
//	                       what is followed or counted beside: where values come from, what
//	                       accesses move, whether CTAs met
//	arithmetic.go, convert.go, video.go, predicate.go, unsupported.go, move.go, atomic.go, opaque.go,
//	texture.go, texquery.go, surface.go, mbarrier.go, mma.go, wmma.go, wgmma.go, ldmatrix.go,
//	compress.go, bytematrix.go, warpops.go, hint.go, clusteraddress.go, bulk.go, bulkedge.go, bulkreport.go,
//	bulktraffic.go, asyncstore.go, mapcopy.go, mapmove.go, mapcolumn.go, mapunknown.go, mapoverride.go, tensorfield.go,
//	tensormemory.go, tensorload.go, tensorcompress.go,
//	tensorcopy.go, tensorshape.go, tensorproduct.go, tensorfactor.go
//	                       families of instructions: how they are decoded and run; those
//	                       that are read and counted, but not executed
//	printed.go, library.go functions of CUDA's: what kernels print, calculate, assert
//	table.go               from an instruction form to what decodes it
//	variation.go, variationrun.go, variationmma.go
//	                       results that the manual leaves open, moved if asked for
//	parameter.go, parting.go, frame.go, stack.go
//	                       calls, their arguments and results
//	segment.go, warpsync.go, membergroup.go, barrier.go, terminate.go, decode.go
//	                       segments, what ends them, who waits for whom; decoding all
//	repeat.go, loops.go, entered.go, run.go, suspend.go
//	                       loops whose rounds are counted without being run; where threads
//	                       went; the run loop
//	cta.go, cluster.go, clusterbarrier.go, turns.go, grid.go
//	                       the order of CTAs, clusters, workers
//	compile.go, machine.go from a kernel to a program; the device
//
// What can be said without a warp has rooms of its own under internal: lanes
// computes one operation for 32 lanes, exchange says what lanes get from each
// other, descriptor where matrices in shared memory lie, atomics and mbarrier what an
// operation does to a word of memory, address
// where spaces lie, pages how memory comes into being, words how words move
// between memory and registers, and abort how an error gets out.
package emulator
