package stream

// A stream of requests says what goes through the caches. Who wants to know when it
// does so needs more: which instructions were issued in between, and what accesses of
// shared memory and waits at barriers there were. That is a trace: for each warp the
// stretches of code that it entered and, in the order of execution, what happened
// there. A CTA carries one beside its streams if it was asked for.

// Step is a word of a trace:
//
//	bits 62-63  what it is
//	bits 0-31   the place in the text (ir.PC): of a stretch of code that the warp
//	            enters, of an access, of a barrier
//
// Of a stretch, 32-37 are the active lanes - 1. Of an access, 32-44 are the passes that
// it makes over the banks of shared memory, or would make; 45-52 how many words follow,
// one for each block of 128 bytes (see [Step.Touched]); 53-55 the space; 56: lanes go in
// pairs with one address (see Trace.Access); 57-61 how many times 256 more words follow, of
// a bulk copy. Of a barrier,
// 32-35 are its number, 36-47 the threads that it waits for, 0 for all of the CTA; 48:
// the warp does not wait; 49: nobody counts on it, for other lanes of the warp are yet
// to come; 50: it is that of the cluster, and 51: what was done before is seen behind it.
// What reaches other CTAs of the cluster is in send.go.
type Step uint64

// What a step is.
const (
	EnterStep = iota
	AccessStep
	BarrierStep
	SendStep
)

// StepSpace is where an access leads.
type StepSpace uint8

// The spaces of accesses.
const (
	SharedStep StepSpace = iota
	GlobalStep
	// PastStep is global memory that the L1 must not answer for.
	PastStep
	LocalStep
	ConstStep
	// A bulk copy from global memory or to it, which goes on by itself; the passes are the
	// number of the mbarrier object that hears of it, 0 for none.
	BulkLoadStep
	BulkStoreStep
	// ObjectStep is what changes such an object, whose number the passes are, or a wait for
	// it: then a word follows with how many changes it comes after. That of no object is
	// what tensor cores do by themselves (TensorWork).
	ObjectStep
)

const (
	stepShift   = 62
	stepHigh    = 32
	touchShift  = 45
	spaceShift  = 53
	maxPasses   = 1<<(touchShift-stepHigh) - 1
	maxTouched  = 1<<(spaceShift-touchShift) - 1
	moreShift   = 57
	moreBits    = stepShift - moreShift
	threadShift = 36
	pairsBit    = 1 << 56
	arriveBit   = 1 << 48
	partBit     = 1 << 49
	clusterBit  = 1 << 50
	orderedBit  = 1 << 51
	readBit     = pairsBit // of a wait for groups of copies
)

// Kind returns what the step is.
func (s Step) Kind() int { return int(s >> stepShift) }

// PC returns the place in the text.
func (s Step) PC() uint32 { return uint32(s) }

// Lanes returns the active lanes of a stretch.
func (s Step) Lanes() int { return int(s>>stepHigh&63) + 1 }

// Passes, Touches, Space and Pairs describe an access.
func (s Step) Passes() int { return int(s >> stepHigh & maxPasses) }
func (s Step) Touches() int {
	return int(s>>touchShift&maxTouched) | int(s>>moreShift&(1<<moreBits-1))<<(spaceShift-touchShift)
}
func (s Step) Space() StepSpace { return StepSpace(s >> spaceShift & 7) }
func (s Step) Pairs() bool      { return s&pairsBit != 0 }

// Read reports of a wait for groups of bulk copies whether it is for their reads alone.
func (s Step) Read() bool { return s&readBit != 0 }

// Barrier, Threads, Arrives, Part, Cluster and Ordered describe a barrier.
func (s Step) Barrier() int  { return int(s >> stepHigh & 15) }
func (s Step) Threads() int  { return int(s >> threadShift & 0xfff) }
func (s Step) Arrives() bool { return s&arriveBit != 0 }
func (s Step) Part() bool    { return s&partBit != 0 }
func (s Step) Cluster() bool { return s&clusterBit != 0 }
func (s Step) Ordered() bool { return s&orderedBit != 0 }

// Trace is the steps of a warp.
type Trace []Step

// Enter appends that the warp enters a stretch of code.
func (t *Trace) Enter(pc uint32, lanes int) {
	*t = append(*t, Step(pc)|Step(lanes-1)<<stepHigh)
}

// Meet appends that the warp comes to a barrier.
func (t *Trace) Meet(pc uint32, barrier int, threads uint32, arrives, part bool) {
	s := BarrierStep<<stepShift | Step(pc) | Step(barrier)<<stepHigh | Step(threads)<<threadShift
	if arrives {
		s |= arriveBit
	}
	if part {
		s |= partBit
	}
	*t = append(*t, s)
}

// MeetCluster appends that the warp arrives at the barrier of its cluster, or waits there.
// ordered: what it has done before, and does behind it, is in order.
func (t *Trace) MeetCluster(pc uint32, arrives, part, ordered bool) {
	t.Meet(pc, 0, 0, arrives, part)
	s := &(*t)[len(*t)-1]
	if *s |= clusterBit; ordered {
		*s |= orderedBit
	}
}

// Access appends an access of shared memory. pairs: each lane n has the address of lane
// n^1, or each that of n^2.
func (t *Trace) Access(pc uint32, passes int, pairs bool) {
	s := AccessStep<<stepShift | Step(pc) | Step(min(passes, maxPasses))<<stepHigh
	if pairs {
		s |= pairsBit
	}
	*t = append(*t, s)
}

// Touch appends an access that touches cells, which count from a sector base: of
// global or constant memory, or of local memory.
func (t *Trace) Touch(pc uint32, passes int, space StepSpace, base uint64, cells []Cell) {
	head := len(*t)
	*t = append(*t, 0)
	last, n := ^uint64(0), 0
	for _, c := range cells {
		sector := base + c.Sector
		if block := sector / BlockSectors; block != last {
			if n == maxTouched {
				break
			}
			last = block
			n++
			*t = append(*t, Step(block<<8))
		}
		bit := Step(1) << (sector % BlockSectors)
		if c.Bytes == 1<<SectorBytes-1 {
			bit |= bit << BlockSectors
		}
		(*t)[len(*t)-1] |= bit
	}
	(*t)[head] = AccessStep<<stepShift | Step(pc) | Step(min(passes, maxPasses))<<stepHigh | Step(n)<<touchShift | Step(space)<<spaceShift
}

// object appends an access of an mbarrier object, and what follows it.
func (t *Trace) object(pc uint32, n int, follow ...Step) {
	*t = append(*t, AccessStep<<stepShift|Step(pc)|Step(n)<<stepHigh|Step(len(follow))<<touchShift|Step(ObjectStep)<<spaceShift)
	*t = append(*t, follow...)
}

// Touched reads a word that follows an access: the number of the block, its sectors
// that are touched, a bit each, and those of them of which all bytes are.
func (s Step) Touched() (block uint64, sectors, whole uint8) {
	return uint64(s >> 8), uint8(s & maskBits), uint8(s >> BlockSectors & maskBits)
}
