package stream

// Objects are told apart by their address in the CTA's shared memory, and numbered in the
// order in which they are first touched, by the CTA or by others of its cluster.
//
// Who waits for an mbarrier waits for arrivals of other warps and for bulk copies, which
// take as long as memory does. So traces say which of them a wait came after: the events
// of an object are counted while the CTA is emulated, and a wait that found a phase
// complete names how many there had been when it was. Only what stands in a trace counts,
// so that whoever plays the traces sees as many. When these happen is for him to say.

// object is an mbarrier object of a CTA.
type object struct {
	addr uint64
	// parity is of the phase that goes on, events are those so far, over how many there
	// were when the last phase was completed.
	parity       uint64
	events, over uint64
	// committed are, of a warp's bulk stores (groupsOf), how many there were in all when
	// each group was committed.
	committed []uint64
}

// maxObjects are told apart: the rest has no events.
const maxObjects = maxPasses - 1

// object returns the number of an object from 1 on, 0 where there are too many.
func (c *CTA) object(addr uint64) int {
	for i := range c.objects {
		if c.objects[i].addr == addr {
			return i + 1
		}
	}
	if len(c.objects) == maxObjects {
		return 0
	}
	c.objects = append(c.objects, object{addr: addr})
	return len(c.objects)
}

// Renew says that an object begins anew: with no phase complete.
func (c *CTA) Renew(addr uint64) {
	if n := c.object(addr); n > 0 {
		o := &c.objects[n-1]
		o.parity, o.over = 0, 0
	}
}

// Arrive appends to t that the warp has changed an object, which is in a phase of a parity
// now.
func (c *CTA) Arrive(t *Trace, pc uint32, addr, parity uint64) {
	if n := c.object(addr); n > 0 {
		t.object(pc, n)
		c.event(n, true, parity)
	}
}

// Await appends to t that the warp has found a phase of an object complete.
func (c *CTA) Await(t *Trace, pc uint32, addr uint64) {
	if n := c.object(addr); n > 0 {
		t.object(pc, n, Step(c.objects[n-1].over<<8))
	}
}

// Told says that an object, which is in a phase of a parity now, has heard of a bulk copy:
// of the one that was appended last, if that one is to tell it and has not yet, or of one
// that stands in no trace.
func (c *CTA) Told(addr, parity uint64) {
	if n := c.object(addr); n > 0 {
		c.event(n, c.bulk.tells == n, parity)
		if c.bulk.tells == n {
			c.bulk.tells = 0
		}
	}
}

// TensorWork is what the tensor cores of an SM, or the ways to their memory, have to do for
// an instruction of tcgen05, for as long as it takes: nobody's registers but those of a load
// wait for it.
type TensorWork struct {
	// MACs are multiply-adds, with those that lanes without a row would have done; SharedBytes
	// what is read of shared memory.
	MACs, SharedBytes uint64
	// Words are how many each lane of a warp loads or stores: then there is nothing else.
	Words uint64
}

// Times is what n threads have them do, each for itself; a load or a store is the warp's.
func (w TensorWork) Times(n uint64) TensorWork {
	w.MACs, w.SharedBytes = w.MACs*n, w.SharedBytes*n
	return w
}

// Work appends to t what an instruction has tensor cores do: an access of no object.
func (t *Trace) Work(pc uint32, w TensorWork) {
	t.object(pc, 0, Step(w.MACs|w.SharedBytes<<workShared|w.Words<<workWords)<<8)
}

// WorkOf reads the word that follows such an access, without its lowest 8 bits.
func WorkOf(word uint64) TensorWork {
	return TensorWork{MACs: word & (1<<workShared - 1), SharedBytes: word >> workShared & (1<<(workWords-workShared) - 1),
		Words: word >> workWords}
}

// A product of a thread has up to 128*256*32 multiply-adds and reads up to 24 KiB of shared memory; 32
// threads may issue one each. A load has up to 256 words.
const (
	workShared = 26
	workWords  = 46
)

// event notes that an object is in a phase of a parity, and, if it counts, an event.
func (c *CTA) event(n int, counts bool, parity uint64) {
	o := &c.objects[n-1]
	if counts {
		o.events++
	}
	if o.parity != parity {
		o.parity, o.over = parity, o.events
	}
}

// groupsOf is the address of the object that hears of a warp's bulk stores, as there is none
// in shared memory. Groups belong to threads, but all that a warp does there one thread
// does, or each for itself.
func groupsOf(warp int) uint64 { return 1<<63 | uint64(warp) }

// Commit says that a warp's bulk stores so far are a group.
func (c *CTA) Commit(warp int) {
	if n := c.object(groupsOf(warp)); n > 0 {
		o := &c.objects[n-1]
		o.committed = append(o.committed, o.events)
	}
}

// AwaitGroups appends to t that the warp waits until no more than so many of its groups are
// under way, or have not been read from shared memory.
func (c *CTA) AwaitGroups(t *Trace, pc uint32, warp, pending int, read bool) {
	n := c.object(groupsOf(warp))
	if n == 0 {
		return
	}
	of := c.objects[n-1].committed
	if pending >= len(of) || of[len(of)-1-pending] == 0 {
		return
	}
	at := len(*t)
	if t.object(pc, n, Step(of[len(of)-1-pending]<<8)); read {
		(*t)[at] |= readBit
	}
}

// maxBulk bounds the blocks of a bulk copy: a megabyte, four times an SM's shared memory.
const maxBulk = 1<<(spaceShift-touchShift+moreBits) - 1

// withTouches returns the step with so many words behind it.
func (s Step) withTouches(n int) Step {
	s &^= maxTouched<<touchShift | (1<<moreBits-1)<<moreShift
	return s | Step(n&maxTouched)<<touchShift | Step(n>>(spaceShift-touchShift))<<moreShift
}

// bulkCopy is a bulk copy in a trace, tells the object that has yet to hear of it.
type bulkCopy struct {
	in          *Trace
	head, tells int
}

// Bulk appends to t a block that a bulk copy reads from global memory, or stores there:
// its sectors, and which of these are written as a whole. An object hears of the load if
// it is told; of a store the groups of its warp do. What one instruction does for several
// lanes is one copy, so that only those are in the trace that tell the same object as the
// first.
func (c *CTA) Bulk(t *Trace, pc uint32, warp int, store bool, addr uint64, told bool, block uint64, sectors, whole uint8) {
	n, space := 0, BulkLoadStep
	switch {
	case store:
		n, space = c.object(groupsOf(warp)), BulkStoreStep
	case told:
		n = c.object(addr)
	}
	head := AccessStep<<stepShift | Step(pc) | Step(n)<<stepHigh | Step(space)<<spaceShift
	switch b := &c.bulk; {
	case b.in != t || b.head >= len(*t) || b.head+1+(*t)[b.head].Touches() != len(*t) || (*t)[b.head].PC() != pc:
		if *b = (bulkCopy{t, len(*t), n}); store && n > 0 {
			b.tells = 0
			c.objects[n-1].events++
		}
		*t = append(*t, head)
	case (*t)[b.head].withTouches(0) != head, (*t)[b.head].Touches() == maxBulk:
		return
	}
	at := &(*t)[c.bulk.head]
	*at = at.withTouches(at.Touches() + 1)
	*t = append(*t, Step(block<<8)|Step(whole)<<BlockSectors|Step(sectors))
}
