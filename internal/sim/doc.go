// Package sim is a timing simulator of a GPU: cycle-approximate, driven by what an
// emulated launch did.
//
// It does not execute: the warps of a launch come as traces ([Trace]), the machine
// blocks that each went through and what each access of memory asked for, and it says
// when each machine instruction would have been issued, and why not earlier. What a
// kernel consists of is estimated machine code (package machine); what the units of an
// SM take for it and what caches and memory give is a [Config], numbers of a GPU's
// description (package gpu). There is no code for any one GPU.
//
// # The SM
//
// Warps belong to sub-cores, each with a scheduler that issues an instruction of one
// warp in a cycle, in the order of the warp's code: when what it reads is there and its
// unit is free. A unit takes a warp instruction each interval. A scheduler stays with
// the warp it issued last while that can go on, else it takes the youngest (before
// Volta the oldest) that can. Accesses of memory queue for the L1, which takes them one
// after the other: as long as the banks' passes and the lines' tags ask for.
//
// # Memory
//
// What misses goes through the network to the slice of the L2 that an address hashes
// to, and from there to a channel of DRAM. Each of these is a server: a request begins
// when the one before it has been served, so that queues are numbers, not objects.
// Stores are posted: nobody waits for them but the end of the launch.
//
// # Clusters
//
// The CTAs of a cluster run on SMs of one GPC, which reach each other's shared memory over a
// network of their own. What they tell each other is looked at between windows, which are
// then no longer than the way from one SM to another.
//
// # Time
//
// Nothing is done in a cycle in which nothing happens: each sub-core knows when its
// next warp can go on. SMs run side by side for a window that is shorter than the way
// to the L2 and back; then what they have sent is served in the order of its times. So
// results do not depend on how many SMs run at a time.
//
// Start with [Run]; then
//
//	config.go   Config: what the machine is
//	code.go     Code: what it runs, resolved for the machine
//	trace.go    Trace: what a warp did
//	gpu.go      the windows
//	sm.go       an SM: what happens next
//	core.go     a sub-core: which warp issues
//	warp.go     a warp: what it waits for
//	fetch.go    where its instructions come from
//	lone.go     a warp that has an SM for itself, for the closed form of time
//	lsu.go      accesses of memory on their way through the L1
//	tags.go     what a cache holds
//	memory.go   the network and the L2
//	meeting.go  atomics of a part of the GPU, which meet those of the rest there
//	dram.go     the channels of DRAM
//	chiplet.go  memories of chiplets and the links between them
//	cta.go      CTAs that begin and end; barriers
//	object.go   bulk copies, and mbarrier objects that hear of them
//	tensor.go   what tensor cores do by themselves, and their memory
//	cluster.go  clusters: where their CTAs run, and their barrier
//	peer.go     the network between the SMs of a GPC
//	stall.go    reasons why warps wait
//	states.go   the columns of them
//	memorywait.go  how long SMs wait for memory alone
//	link.go     from what the emulator did to what the machine issues
//	walk.go     a warp on its way through the blocks of the machine code
//	rounds.go   loops that are unrolled: how many rounds are left over
//	plan.go     what of a launch is simulated
//	part.go     the beginnings of CTAs, where these are long
//	cut.go      where these end, and what they have done by then
//	neighbours.go  CTAs that read for each other, of which few are simulated
//	seen.go     which CTAs were simulated, where they are unequal
//	uneven.go   when unequal CTAs begin and end
//	uncertainty.go  how far off an estimate may be
//	result.go   what is told of a launch
//	interval.go what was done when
package sim
