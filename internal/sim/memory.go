package sim

import (
	"math"
	"math/bits"

	"hyptx/internal/rows"
)

// memory is what all SMs share: the network, the slices of the L2, DRAM. A request
// waits for its slice, then, if it misses, for its channel, and its reply for the SM's
// way back; what remains of the measured latency passes in between.
type memory struct {
	m      *Config
	l2     tags
	slices []Tick // when each takes its next request
	back   []Tick // when each SM's way back is free
	dram   dram
	// served is what a sector takes of a slice, hit and miss what a request takes on
	// its way beside the servers.
	served, atomic, sameWord, hit, miss, returned Tick
	// ahead is how long a channel's writes may queue; a slice that writes back is busy
	// until behind, when no more than that is left.
	ahead, behind Tick
	counts        MemoryCounts
	// sliceBusy and backBusy are what all slices, and all ways back, were taken for.
	sliceBusy, backBusy Tick
	// fills are when the sectors of a line that misses arrive: who asks for it
	// meanwhile waits for the rest only. words are when the last atomic on a line was
	// done, of whose words each takes one lane at a time; last is the latest of these.
	fills, words []Tick
	last         Tick
	// before is what the L2 of the whole GPU held when a part of a launch began; nil where
	// l2 is that of the whole one.
	before *tags
	// others are the atomics of SMs that are not simulated; nil where all are, or none are wanted.
	others *meetings
	// chips are the memories of chiplets, nil on one chip: then nothing above is used.
	chips *chiplets
}

// MemoryCounts is what went through the caches, in sectors of 32 bytes.
type MemoryCounts struct {
	// Loads that the L1 may answer, and stores that it sees; those that found theirs.
	L1Reads, L1ReadHits, L1Writes, L1WriteHits uint64
	// Of the L2, atomics apart. Dirtied sectors became different from DRAM.
	Reads, ReadHits, Writes, WriteHits, Atomics, AtomicHits, Dirtied uint64
	// Flits of 40 bytes, between SMs and the L2 (as package cache counts them).
	Flits                              uint64
	DRAMReads, DRAMWrites, Activations uint64
	// Remote are sectors of the L2 that another chiplet's SMs asked for, LinkBytes what
	// links moved for them.
	Remote, LinkBytes uint64
}

func (c *MemoryCounts) all() [17]*uint64 {
	return [...]*uint64{
		&c.L1Reads, &c.L1ReadHits, &c.L1Writes, &c.L1WriteHits, &c.Reads, &c.ReadHits, &c.Writes, &c.WriteHits,
		&c.Atomics, &c.AtomicHits, &c.Dirtied, &c.Flits, &c.DRAMReads, &c.DRAMWrites, &c.Activations, &c.Remote, &c.LinkBytes,
	}
}

// plus returns the sum of counts, the second ones times f.
func (c MemoryCounts) plus(o MemoryCounts, f float64) MemoryCounts {
	others := o.all()
	for i, n := range c.all() {
		*n = uint64(math.Round(float64(*n) + f*float64(*others[i])))
	}
	return c
}

// l2Sectors are those that the L2 was asked for.
func (c *MemoryCounts) l2Sectors() uint64 { return c.Reads + c.Writes + c.Atomics }

// asking returns what is done where warps ask for as many sectors as in o, and caches answer
// as they do in c. What warps ask for, and stores and atomics of the L2, no cache decides on.
func (c MemoryCounts) asking(o MemoryCounts) MemoryCounts {
	if asked := c.L1ReadHits + c.l2Sectors(); asked > 0 {
		c = MemoryCounts{}.plus(c, float64(o.L1ReadHits+o.l2Sectors())/float64(asked))
	}
	c.L1Reads, c.L1Writes, c.Writes, c.Atomics = o.L1Reads, o.L1Writes, o.Writes, o.Atomics
	c.L1ReadHits, c.L1WriteHits = min(c.L1ReadHits, c.L1Reads), min(c.L1WriteHits, c.L1Writes)
	c.WriteHits, c.AtomicHits = min(c.WriteHits, c.Writes), min(c.AtomicHits, c.Atomics)
	return c
}

func newMemory(m *Config) *memory {
	if m.Chiplets.Count > 1 {
		return &memory{m: m, chips: newChiplets(m)}
	}
	s := &memory{m: m, slices: make([]Tick, m.L2.Slices), back: make([]Tick, m.SMs)}
	s.l2.init(m.L2.Bytes, m.L2.Ways)
	s.fills, s.words = make([]Tick, len(s.l2.lines)), make([]Tick, len(s.l2.lines))
	s.dram.init(m)
	s.served = Cycles(sectorBytes * float64(m.L2.Slices) / m.L2.BytesPerCycle)
	s.returned = Cycles(sectorBytes / m.L2.ReadBytesPerCycle)
	s.atomic, s.sameWord = Cycles(m.L2.AtomicCycles), Cycles(m.L2.SameWordCycles)
	// Latencies are measured from issue to use: a cycle in the queue to the L1 and the
	// way out are part of them.
	s.hit = Cycles(m.L2.LatencyCycles - 1 - m.L2.RequestCycles)
	s.ahead = 2 * max(Tick(writeBatch*blockSectors*max(s.dram.sector*s.dram.write, s.dram.link)), writeBatch*s.dram.activate+2*s.dram.miss)
	s.miss = Cycles(m.DRAM.LatencyCycles-m.L2.LatencyCycles) - s.dram.grainTime()
	return s
}

// serve serves a request, and returns when the reply reaches the SM.
func (s *memory) serve(r *request) Tick {
	at := s.fetch(r)
	switch {
	case r.flight < 0:
		return 0
	case r.kind == writeRequest: // the reply has no data
		return at
	}
	return s.bring(r.sm, Tick(bits.OnesCount8(r.mask)), at)
}

// fetch lets the L2 serve a request, and returns when the reply is on its SM's way back.
func (s *memory) fetch(r *request) Tick {
	n := Tick(bits.OnesCount8(r.mask))
	s.counts.Flits += uint64(n) + 1
	slice := &s.slices[rows.Spread(r.block, uint64(len(s.slices)))]
	cost := n * s.served
	if r.kind == atomicRequest {
		cost = max(cost, n*s.atomic)
		s.counts.Flits += uint64(n) - 1
	}
	*slice = max(*slice, r.at) + cost
	s.sliceBusy += cost
	waited := *slice - cost - r.at
	at := r.at + waited + s.hit
	s.behind = 0
	arrived := s.access(r, r.at+waited+s.hit/2)
	// What waits behind the slice came to it half the way ago.
	*slice = max(*slice, s.behind-s.hit/2)
	return max(at, arrived+s.hit-s.hit/2)
}

// bring takes so many sectors to an SM, on whose way back they are at a time.
func (s *memory) bring(sm int32, n, at Tick) Tick {
	back := &s.back[sm]
	// A reply takes the way back when it arrives; the latency has one sector of it.
	*back = max(*back, at-s.returned) + n*s.returned
	s.backBusy += n * s.returned
	return max(at, *back)
}

// sliceQueue is how many requests wait at a slice before those behind them do in the SM
// (GPGPU-Sim's configurations of Volta to Ampere: 64 in the queues of a partition).
const sliceQueue = 64

// room returns when the slice that a request went to has room for another one.
func (s *memory) room(r *request) Tick {
	taken := max(s.slices[rows.Spread(r.block, uint64(len(s.slices)))], s.met(r.block))
	return taken - sliceQueue*blockSectors*s.served
}

// among says whether a block is one of a share of all: which these are a hash decides (Fibonacci
// hashing), evenly over strides.
func among(block uint64, share float64) bool {
	return share > 0 && float64(block*0x9e3779b97f4a7c15>>32) < share*(1<<32)
}

// access looks a request up in the L2 at a time; it returns when its data is there.
func (s *memory) access(r *request, t Tick) Tick {
	n, came := uint64(bits.OnesCount8(r.mask)), t
	at := s.l2.find(r.block)
	if at < 0 {
		at = s.l2.victim(r.block)
		s.replace(at, t)
		s.l2.give(at, r.block)
		if s.fills[at], s.words[at] = 0, 0; s.others != nil {
			s.others.lines[at] = meeting{}
		}
	}
	l := &s.l2.lines[at]
	s.l2.use(at)
	if r.kind == writeRequest {
		s.counts.Writes += n
		s.counts.WriteHits += uint64(bits.OnesCount8(r.mask & (l.valid | l.dirty)))
		s.counts.Dirtied += uint64(bits.OnesCount8(r.mask &^ l.dirty))
		// Sectors written in part are taken to be complete: what is missing would be
		// fetched when it is read.
		l.valid |= r.mask
		l.dirty |= r.mask
		return t
	}
	missing := r.mask &^ l.valid
	if missing != 0 && s.before != nil {
		missing &^= s.before.take(r.block)
	}
	if missing != 0 && r.kind == readRequest && among(r.block, s.m.L2.Had) {
		missing = 0
	}
	// What is read by CTAs as well that are not simulated takes nothing of this part's DRAM. As
	// all of a wave run side by side these may have asked for it just now: it comes as late.
	if missing != 0 && r.kind == readRequest && among(r.block, s.m.L2.Brought) {
		s.fills[at] = max(s.fills[at], t+s.miss+s.dram.grainTime())
		missing = 0
	}
	// What DRAM moves at least comes as a whole, and stays.
	moved := s.dram.whole(missing)
	l.valid |= r.mask | moved
	if r.kind == atomicRequest {
		s.counts.Atomics += n
		s.counts.AtomicHits += n - uint64(bits.OnesCount8(missing))
		s.counts.Dirtied += uint64(bits.OnesCount8(r.mask &^ l.dirty))
		l.dirty |= r.mask
	} else {
		s.counts.Reads += n
		s.counts.ReadHits += n - uint64(bits.OnesCount8(missing))
	}
	if missing != 0 {
		s.counts.DRAMReads += uint64(bits.OnesCount8(moved))
		done := s.dram.access(r.block, moved, false, t) + s.miss
		s.fills[at] = max(s.fills[at], done)
	}
	if t < s.fills[at] { // those who wait for it are answered one after the other
		t = s.fills[at]
		s.fills[at] += Tick(n) * s.served
	}
	if r.kind == atomicRequest {
		t = s.meet(r, at, Tick(n), came, t)
	}
	return t
}

// replace writes back what is dirty in a line that goes.
func (s *memory) replace(at int32, t Tick) {
	l := &s.l2.lines[at]
	if l.dirty == 0 {
		return
	}
	s.counts.DRAMWrites += uint64(bits.OnesCount8(l.dirty))
	s.behind = s.dram.access(l.block-1, l.dirty, true, t) - s.ahead
}

// keep leaves blocks in the L2 that a launch has written or read without being seen.
func (s *memory) keep(block uint64, valid, dirty uint8) {
	at := s.l2.find(block)
	if at < 0 {
		at = s.l2.victim(block)
		s.l2.give(at, block)
	}
	s.l2.use(at)
	s.l2.lines[at].valid |= valid
	s.l2.lines[at].dirty |= dirty
}

// counted returns the counts so far, with the rows that DRAM opened.
func (s *memory) counted() MemoryCounts {
	if s.chips != nil {
		return s.chips.counted()
	}
	c := s.counts
	c.Activations = s.dram.activations
	return c
}

// restart sets all times to 0 for the next launch; what the L2 holds stays.
func (s *memory) restart() {
	if s.chips != nil {
		s.chips.restart()
		return
	}
	clear(s.slices)
	clear(s.back)
	clear(s.fills)
	clear(s.words)
	if s.others != nil {
		clear(s.others.lines)
		clear(s.others.slices)
	}
	s.last = 0
	s.sliceBusy, s.backBusy = 0, 0
	s.dram.restart()
}

// busy returns what all slices, all ways back and all channels were taken for, and these for writes.
func (s *memory) busy() (slices, back, dram, writing Tick) {
	if s.chips == nil {
		return s.sliceBusy, s.backBusy, s.dram.busy, s.dram.writing
	}
	for _, of := range s.chips.of {
		slices, back, dram, writing = slices+of.sliceBusy, back+of.backBusy, dram+of.dram.busy, writing+of.dram.writing
	}
	return slices, back, dram, writing
}

// way returns how long the ways from the L2 take for what DRAM moves, over how long that itself does.
func (s *memory) way() float64 {
	own, way := s.dram.own, s.dram.way
	if s.chips != nil {
		own, way = 0, 0
		for _, of := range s.chips.of {
			own, way = own+of.dram.own, way+of.dram.way
		}
	}
	if own == 0 {
		return 0
	}
	return way / own
}

// drained returns when the last write has been done: posted stores are part of a
// launch.
func (s *memory) drained() Tick {
	if s.chips != nil {
		return s.chips.drained()
	}
	t := s.last
	for _, at := range s.slices {
		t = max(t, at)
	}
	if s.others != nil {
		for _, at := range s.others.slices {
			t = max(t, at-s.hit/2)
		}
	}
	return t
}
