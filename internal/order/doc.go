// Package order says of values whether another legal order of threads could
// have given others: it is a happens-before detector for the accesses of warps
// to memory, made for 32 lanes at a time.
//
// PTX leaves the order of threads open but for a few things (PTX ISA 8,
// Memory Consistency Model): a thread's own program order, barriers of a CTA
// and of a warp, and chains of releases and acquires. The emulator runs one of
// the legal orders. Beside it this package keeps, for each word of memory, who
// wrote and read it last and when (a Shadow of cells), and for each thread what
// of the others it has waited for (a Clock). Two accesses that neither clock
// puts in order may happen the other way round. If that would have given
// another value, the value has an Origin that is not exact, and the pair is a
// Race, a fact for the user.
//
// The literature calls this a vector-clock detector (C. Flanagan, S. Freund,
// FastTrack, PLDI 2009). What is special here is the time that it keeps. A CTA
// has one count of ticks, and a barrier of all its threads makes everything
// before it known to all of them, so that one number (CTA.base) stands for what
// would be a vector of up to 1024. Only what is ordered otherwise, by a barrier
// of some threads or through memory, is kept apart, by warp and mask of lanes
// (span). So programs that know nothing but bar.sync cost a comparison an
// access, and nothing at a barrier.
//
//	origin.go   why values are not exact; the origins of a register's lanes
//	clock.go    what a thread knows of others
//	thread.go   CTAs and warps: what barriers do
//	meeting.go  barriers of some threads: who meets whom
//	release.go  fences, releases, acquires, mbarriers
//	phase.go    questions whether a phase of an mbarrier is over
//	part.go     which operations on an mbarrier could have come in another phase
//	access.go   who touched a word: reads, writes, atomics and which commute
//	list.go     several who touched a word; of very many some are taken together
//	shadow.go   the cells of a piece of memory; loads
//	read.go     the reads of a cell that are kept
//	store.go    stores, and the accesses that they race with
//	copies.go   asynchronous copies, which are nobody's until they are waited for
//	stream.go   what mbarrier objects say of them: they are done for who has asked
//	pipeline.go  work on tensor memory that is in order by itself
//	proxy.go    fences between what threads write and what bulk copies and products read
//	visits.go   reads of other CTAs' shared memory, which is there as long as they are; how far threads have come
//	readers.go  who has read a piece of memory, for stores that may lie anywhere in it
//	race.go     the pairs that were found
//
// Start with thread.go. Nothing here runs where values are exact for certain
// before anything runs; then the emulator does not follow origins at all.
package order
