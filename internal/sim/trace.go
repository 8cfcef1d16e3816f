package sim

// A trace is what a warp did, in words: the blocks that it went through, each followed
// by a record for every instruction of the block that goes to memory or waits at a
// barrier, in the order of the block's code.

// Trace is what one warp did.
type Trace []uint64

// CTA is what the warps of a CTA did.
type CTA struct {
	// Linear is its index in the grid, Place that in the order in which CTAs begin: those of
	// a cluster follow each other there by their ranks.
	Linear, Place int64
	Warps         []Trace
	// Cut: some warps ran on behind their traces.
	Cut bool
}

// Words of a trace.
//
//	a block:   bits 0-31 its number, 32-37 the active lanes - 1, 38-63 the parts of it
//	           that no lane came to (bit 38: part 0): their instructions are predicated off
//	an access: bits 0-15 the passes over the banks, 16-23 how many blocks of 128 bytes
//	           follow, 24-27 its space; then a word for each: bits 0-3 the sectors,
//	           4-7 of them those that are written as a whole, 8-63 byte address / 128
//	a bulk copy: the same, but that bits 0-15 are the mbarrier object that hears of it,
//	           0 for none, and 28-40 how many times 256 more blocks follow
//	a cast:    a bulk load of a cluster: as many words as bits 0-15 say are where it goes,
//	           as those of a peer; then come its blocks
//	a peer:    an access of shared memory of other CTAs of the cluster, with the passes in
//	           bits 0-15; each word is a CTA: bits 0-3 the rank of that whose object hears
//	           of it, 4-7 that of the one whose memory it is, 8-20 the object, 0 for none,
//	           24-63 the bytes
//	an object: bits 0-15 are its number; what waits for it is followed by a word with how
//	           many events of it come before; bit 63: no more than reads count
//	tensor:    a word follows with the work (stream.WorkOf)
//	a barrier: bits 0-15 the barrier, 16-31 the threads that it waits for, 0 for all of
//	           the CTA, 32: the warp goes on without waiting, 33: it is not there, 34: it
//	           is that of the cluster, 35: which puts accesses in order
//
// An access that no lane makes is 0.
const (
	lanesShift   = 32
	absentShift  = 38
	blocksShift  = 16
	spaceShift   = 24
	moreShift    = 28
	threadsShift = 16
	arriveBit    = 1 << 32
	passBit      = 1 << 33
	clusterBit   = 1 << 34
	orderedBit   = 1 << 35
	readBit      = 1 << 63
)

// Space is where an access leads.
type Space uint8

// The spaces: Nowhere is an access that no lane makes; Past is global memory that the
// L1 must not answer for; BulkLoad and BulkStore are bulk copies, Cast is a load that goes
// to CTAs of a cluster, Object is an mbarrier object, Peer is shared memory of others of the
// cluster, Tensor what tensor cores do by themselves, and their memory.
const (
	Nowhere Space = iota
	Shared
	Global
	Past
	Local
	Constant
	BulkLoad
	BulkStore
	Object
	Cast
	Peer
	Tensor
)

// Block appends a block that the warp enters with so many lanes.
func (t Trace) Block(number, lanes int) Trace {
	return append(t, uint64(number)|uint64(lanes-1)<<lanesShift)
}

// maxParts is how many parts of a block a trace can tell apart.
const maxParts = 64 - absentShift

// Without says which parts of the last block no lane came to.
func (t Trace) Without(absent uint64) Trace {
	t[len(t)-1] |= absent << absentShift
	return t
}

// None appends the record of an access that no lane makes.
func (t Trace) None() Trace { return append(t, 0) }

// Access appends the record of an access: the passes that it makes over the banks,
// and of global and local memory the blocks that it touches ([Sectors]).
func (t Trace) Access(space Space, passes int, blocks ...uint64) Trace {
	n := uint64(len(blocks))
	t = append(t, uint64(min(passes, 1<<16-1))|n&maxBlocks<<blocksShift|n>>8<<moreShift|uint64(space)<<spaceShift)
	return append(t, blocks...)
}

// blocksOf returns how many blocks the record of an access has.
func blocksOf(record uint64) int { return int(uint8(record>>blocksShift)) | int(record>>moreShift)<<8 }

// spaceOf returns the space of the record of an access.
func spaceOf(record uint64) Space { return Space(record >> spaceShift & 15) }

// Sectors makes the word of a block of 128 bytes: its number, the sectors that are
// touched, a bit each, and which of them are written as a whole.
func Sectors(number uint64, touched, whole uint8) uint64 {
	return number<<8 | uint64(whole)<<4 | uint64(touched)
}

// maxBlocks is how many blocks a record of a warp's access has at most.
const maxBlocks = 255

// Pass appends the record of a barrier that the warp does not come to, or not yet with
// all its lanes.
func (t Trace) Pass() Trace { return append(t, passBit) }

// Barrier appends the record of a barrier.
func (t Trace) Barrier(id, threads int, arrive bool) Trace {
	w := uint64(id) | uint64(threads)<<threadsShift
	if arrive {
		w |= arriveBit
	}
	return append(t, w)
}

// ClusterBarrier appends the record of an arrival at the barrier of the cluster, or of a wait
// there. ordered: accesses before and behind it are in order.
func (t Trace) ClusterBarrier(arrive, ordered bool) Trace {
	w := uint64(clusterBit)
	if arrive {
		w |= arriveBit
	}
	if ordered {
		w |= orderedBit
	}
	return append(t, w)
}

// Reach makes the word of a CTA of the cluster whose memory is accessed, with so many bytes,
// and that of the same or another one whose object hears of it, 0 for none.
func Reach(data int, bytes uint64, rank, object int) uint64 {
	return uint64(rank) | uint64(data)<<reachedShift | uint64(object)<<reachObjectShift | bytes<<reachBytesShift
}

const (
	reachedShift     = 4
	reachObjectShift = 8
	reachBytesShift  = 24
)

// reach is such a word, read.
type reach struct {
	rank, data int
	object     uint16
	bytes      uint64
}

func reachOf(word uint64) reach {
	return reach{int(word & 15), int(word >> reachedShift & 15), uint16(word >> reachObjectShift & (1<<13 - 1)), word >> reachBytesShift}
}
