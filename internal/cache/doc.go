// Package cache is a functional model of a GPU's caches: a sectored L1 in each
// SM and one L2 that they share, fed with the memory requests of warps. It
// says which sectors hit, which come from DRAM and which go back to it.
//
// It knows no time: no latencies, no ports, no queues. It is exact for the
// order below, and the order is a model. What a real GPU does depends on when
// data arrives, on undocumented address hashes and replacement, and on the
// memory controller's reordering. It is not a simulator of any one chip.
//
// # Units
//
// Requests name sectors of 32 bytes. Those of a request that lie in one block of
// 128 bytes travel together. Lines have 32, 64 or 128 bytes, each sector of a
// line is valid and dirty for itself. Requests come as package stream has them
// and are read where they are; a model changes nothing in a stream, so that
// several of them, of several GPUs, can listen to one launch.
//
// # Order
//
// CTAs start in the order of [Model.Push]. The first SMs x CTAsPerSM go round
// robin over the SMs, CTA i to SM i mod SMs; each later one goes to the SM
// whose CTA ends first, the lower SM of two in the same turn. In each turn
// every SM issues one request. An SM's warps take turns in the order in which
// they came, those of a new CTA behind the others; a warp without requests
// left drops out, a CTA ends with its last request. Barriers are not modelled.
// The L2 sees what the SMs send turn by turn, in a turn by SM.
//
// # Caches
//
// Lines go to sets in turn, of which there may be any number; each round begins at another set
// (Fibonacci hashing), as GPUs hash addresses in ways that nobody published: so no stride, and
// no two warps' local memory, meet few sets alone.
// Replacement is exact LRU in a set; a read or a write of a line makes it the
// newest. A sector on its way counts as present, as GPGPU-Sim's MSHR hits do.
//
// The L1 writes through. A store leaves the sectors that it hits valid; with
// [Allocate] it also makes a line for sectors that it writes as a whole, with
// [Evict] it drops them (global stores of Fermi and Kepler).
// Atomics are performed at the L2: they pass the L1 by and drop its copy of
// the sector, since the thread's next load has to see the result. L1s are
// empty when a launch starts and are not told of other SMs' stores.
//
// The L2 writes back and allocates on writes without fetching. It knows which
// bytes of a sector were stored: one of which all were is complete, one of which
// a part was is fetched when it is read. An atomic counts as a read, as in
// GPGPU-Sim, and leaves the sector dirty. Dirty sectors go to DRAM when their
// line is replaced, and at the end by [Model.Flush]. The L2 keeps its contents
// from launch to launch.
//
// Local memory belongs to the place of a resident warp, so that the warps that
// follow each other there use the same addresses.
//
// Constants are not part of the stream: the constant caches are taken to hold
// them. Texture reads are loads (one cache for both since Maxwell).
//
// # DRAM
//
// Rows have 2 KiB; row r lies in bank r modulo (16 x channels), and each bank
// keeps its last row open. An access to another row counts as an activation.
// No controller gathers accesses to a row, so this is more than a real one
// needs.
//
// # How it is done
//
// The order is one of turns, but no SM waits for another: what the L1 of one
// answers depends on nothing that another SM does. So each SM runs many turns at
// a time, on a core of its own if there is one, and only notes what it sends to
// the L2 and in which turn (sm.go, run.go). The L2 is then shown all of it, turn
// by turn and in a turn by SM, while the SMs run on (replay.go). The result is
// that of one turn after the other, to the last sector, which the tests hold
// against a model that does just that.
//
// Start with [Model]. l1.go and l2.go are the rules above; lines.go is a cache
// of lines with exact ages, index.go finds a line in it, and recent.go answers a
// load that was answered a moment ago without a look at its lines.
package cache
