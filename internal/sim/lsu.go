package sim

import (
	"math/bits"

	"hyptx/internal/pipe"
)

// Accesses of memory leave the sub-cores through short queues and are taken by the
// units that an SM has in common, one after the other. An access takes as long as the
// banks need to pass its words and the tags to look its lines up; hits and shared
// memory then have a fixed latency. What misses becomes requests to the L2, and the
// access ends with the last of them. A sector that is on its way already is not asked
// for again: who needs it waits for the request that is under way.

// lsu is the way of an SM's accesses.
type lsu struct {
	fifo  []access // those from head on wait
	head  int
	free  Tick // when the next one can be taken
	busy  Tick // what accesses took
	held  bool // it has to wait for room among outstanding sectors
	limit int
	// outstanding sectors are on their way. flights are the requests, of which those
	// in spare can be used again; watchers the accesses that wait for them.
	outstanding int
	flights     []flight
	spare       []int32
	waits       []wait
	spareWaits  []int32
	out         []request
	outFree     Tick // the way out
	outBusy     Tick
	unused      []*access
}

// take returns an access that waits for replies.
func (l *lsu) take(w *warp, o *op) *access {
	n := len(l.unused)
	if n == 0 {
		return &access{w: w, o: o, turn: w.turn}
	}
	a := l.unused[n-1]
	l.unused = l.unused[:n-1]
	*a = access{w: w, o: o, turn: w.turn}
	return a
}

// access is one that has been issued: its record in the trace is what it asks for.
type access struct {
	w      *warp
	core   *core // that issued it: the warp may have ended
	o      *op
	record Trace
	issued Tick   // and has its addresses
	cta    *cta   // of the warp
	window uint64 // of the warp: that may have ended
	place  int64  // of its CTA: that may have, too
	life   uint32
	left   int32 // requests that it waits for
	// turn is the warp's turn: what comes after its end is for nobody.
	turn uint32
	// bulk: it goes on by itself, and an object of the CTA hears of it if that is still there,
	// in the same life: 0 is none. reads: it hears that shared memory has been read.
	bulk, reads bool
	object      uint16
}

// flight is a request for sectors under way, with those that wait for it.
type flight struct {
	first   int32 // wait
	sectors uint8
}

// wait is one access among those that wait for a flight.
type wait struct {
	of   *access
	next int32
}

// request is what an SM asks of the L2.
type request struct {
	at     Tick
	block  uint64
	place  int64 // of an atomic's CTA in the order of the launch
	flight int32 // -1: nobody waits
	sm     int32
	home   int32 // the chiplet that it goes to, where there are several
	mask   uint8
	whole  uint8 // of a store: sectors that are written as a whole
	kind   requestKind
	// lanes are how many lanes of an atomic want one word, which takes one at a time.
	lanes uint8
}

type requestKind uint8

const (
	readRequest requestKind = iota
	writeRequest
	atomicRequest
	castRequest // a read for several SMs: flight is the SM's cast
)

// kindOf returns what an access of global or local memory asks the L2 for.
func kindOf(k pipe.Kind) requestKind {
	switch k {
	case pipe.StoreGlobal, pipe.StoreLocal:
		return writeRequest
	case pipe.Atomic, pipe.Reduction:
		return atomicRequest
	}
	return readRequest
}

func (l *lsu) init(m *Config) {
	l.limit = m.L1.OutstandingSectors
	if l.limit == 0 {
		l.limit = 1 << 30
	}
}

// next returns when an access will be taken.
func (l *lsu) next() Tick {
	if l.head == len(l.fifo) || l.held {
		return never
	}
	return max(l.free, l.fifo[l.head].issued)
}

// maxServed is how many accesses that were taken stay in the queue's memory.
const maxServed = 256

// enqueue puts an access that a warp issues at t into the queue; one that no lane
// makes ends at once.
func (s *sm) enqueue(w *warp, o *op, t Tick) {
	n := 1 + blocksOf(w.trace[w.pos])
	record := w.trace[w.pos : w.pos+n]
	w.pos += n
	if record[0] == 0 {
		for _, v := range o.dst[:o.ndst] {
			w.regs[v], w.by[v] = t+ticksPerCycle, Wait
		}
		return
	}
	if spaceOf(record[0]) == BulkStore {
		w.cta.begins(record[0])
	}
	for _, v := range o.dst[:o.ndst] {
		w.regs[v], w.by[v] = never, lateness[o.kind]
	}
	l := &s.lsu
	if l.head > maxServed || l.head == len(l.fifo) {
		l.fifo = l.fifo[:copy(l.fifo, l.fifo[l.head:])]
		l.head = 0
	}
	at := max(w.core.addressed, t+ticksPerCycle)
	w.core.addressed = at + Cycles(s.m.L1.AddressCycles)
	w.core.queued++
	l.add(access{w: w, core: w.core, o: o, record: record, issued: at, turn: w.turn, cta: w.cta, window: w.window, place: w.cta.of.Place, life: w.cta.life})
}

// add puts an access behind those that come before it: another sub-core's may be issued
// later and have its addresses sooner.
func (l *lsu) add(a access) {
	l.fifo = append(l.fifo, a)
	i := len(l.fifo) - 1
	for ; i > l.head && l.fifo[i-1].issued > a.issued; i-- {
		l.fifo[i] = l.fifo[i-1]
	}
	l.fifo[i] = a
}

// serve takes the access at the head of the queue at t.
func (s *sm) serve(t Tick) {
	l := &s.lsu
	a := &l.fifo[l.head]
	space := spaceOf(a.record[0])
	blocks := a.record[1:]
	if l.outstanding >= l.limit && space != Shared && space < Constant {
		l.held = true // until a reply makes room
		return
	}
	l.head++
	c := a.core
	if c.queued--; c.queued == s.m.L1.QueuedPerCore-1 {
		c.unfull = t
		c.wake(t)
	}
	if space >= BulkLoad {
		s.unordered(a, space, blocks, t)
		return
	}
	passes := float64(a.record[0] & (1<<blocksShift - 1))
	kind := kindOf(a.o.kind)
	if kind == atomicRequest {
		passes = 1 // they are the L2's
	}
	each := s.m.L1.PassCycles
	if space == Shared {
		each = s.m.L1.SharedPassCycles
	}
	cost := max(s.m.L1.CyclesPerAccess, passes*each)
	if len(blocks) > 0 {
		cost = max(cost, 1+s.m.L1.TagCycles*float64(len(blocks)-1))
	}
	switch a.o.kind {
	case pipe.AtomicShared: // what a pass has read another one writes
		cost += cost + s.m.L1.SharedStoreCycles
	case pipe.StoreShared:
		cost += s.m.L1.SharedStoreCycles
	}
	l.free = t + Cycles(cost)
	l.busy += Cycles(cost)
	rest := Cycles(cost) - ticksPerCycle // what the access takes beyond one pass
	if space == Shared || space == Constant {
		s.finish(a, t+a.o.latency+rest-ticksPerCycle)
		return
	}
	s.global(a, kind, space, blocks, t, rest)
	// What cannot leave the SM holds up what comes behind.
	l.free = max(l.free, l.outFree-maxOutAhead)
}

// maxOutAhead is how far the way out may be booked ahead: a buffer of 64 packets.
const maxOutAhead = 64 * ticksPerCycle

// global looks an access' blocks up and asks the L2 for what is missing.
func (s *sm) global(a *access, kind requestKind, space Space, blocks []uint64, t, rest Tick) {
	l := &s.lsu
	lanes := uint8(1)
	if kind == atomicRequest {
		// The lanes of a bank, in blocks that have all of its words once.
		lanes = uint8(max(1, (a.record[0]&(1<<blocksShift-1))/uint64(max(len(blocks), 1))))
	}
	waits := kind == readRequest || a.o.kind == pipe.Atomic
	var of *access
	if waits {
		of = l.take(a.w, a.o)
	}
	for _, word := range blocks {
		block, mask, whole := word>>8, uint8(word&15), uint8(word>>4&15)
		if space == Local {
			block |= a.window
		}
		missing, under, at := mask, int32(-1), int32(-1)
		if s.l1.ways > 0 {
			switch {
			case kind == writeRequest:
				s.counts.L1Writes += uint64(bits.OnesCount8(mask))
				s.counts.L1WriteHits += uint64(bits.OnesCount8(mask & s.l1.write(block, whole, s.m.L1.WriteAllocate)))
			case kind == atomicRequest || space == Past || space == Global && s.m.L1.LoadsPast:
				s.l1.drop(block, mask)
			default:
				at, missing, under = s.l1.read(block, mask)
				s.counts.L1Reads += uint64(bits.OnesCount8(mask))
				s.counts.L1ReadHits += uint64(bits.OnesCount8(mask &^ missing))
			}
		}
		if under >= 0 && of != nil {
			s.await(of, under)
		}
		if missing == 0 {
			continue
		}
		f := int32(-1)
		if waits {
			f = s.takeOff(missing)
			s.await(of, f)
			if at >= 0 {
				s.l1.flies(at, f)
			}
		}
		s.send(request{block: block, mask: missing, whole: whole, kind: kind, lanes: lanes, flight: f, sm: int32(s.number), place: a.place}, t)
	}
	if of != nil && of.left == 0 {
		s.finish(of, t+a.o.latency+rest-ticksPerCycle)
		l.unused = append(l.unused, of)
	}
}

// takeOff makes a flight for sectors.
func (s *sm) takeOff(mask uint8) int32 {
	l := &s.lsu
	n := bits.OnesCount8(mask)
	l.outstanding += n
	f := flight{first: -1, sectors: uint8(n)}
	if k := len(l.spare); k > 0 {
		i := l.spare[k-1]
		l.spare = l.spare[:k-1]
		l.flights[i] = f
		return i
	}
	l.flights = append(l.flights, f)
	return int32(len(l.flights) - 1)
}

// await lets an access wait for a flight.
func (s *sm) await(of *access, f int32) {
	l := &s.lsu
	of.left++
	n := wait{of, l.flights[f].first}
	if k := len(l.spareWaits); k > 0 {
		i := l.spareWaits[k-1]
		l.spareWaits = l.spareWaits[:k-1]
		l.waits[i] = n
		l.flights[f].first = i
		return
	}
	l.waits = append(l.waits, n)
	l.flights[f].first = int32(len(l.waits) - 1)
}

// send puts a request on the way out.
func (s *sm) send(r request, t Tick) {
	l := &s.lsu
	cost := s.m.L2.RequestCycles
	if r.kind != readRequest {
		cost += float64(bits.OnesCount8(r.mask)) * sectorBytes / s.m.L2.WriteBytesPerCycle
	}
	l.outFree = max(l.outFree, t) + Cycles(cost)
	l.outBusy += Cycles(cost)
	r.at = l.outFree
	l.out = append(l.out, r)
}

// hold keeps what the SM sends back until t: a store is posted, but only where there is
// room for it.
func (l *lsu) hold(t Tick) { l.outFree = max(l.outFree, t) }

// answer delivers the next reply.
func (s *sm) answer() {
	r := s.replies.pop()
	l := &s.lsu
	f := &l.flights[r.flight]
	l.outstanding -= int(f.sectors)
	if l.held {
		l.held, l.free = false, max(l.free, r.at)
	}
	for i := f.first; i >= 0; {
		n := l.waits[i]
		l.spareWaits = append(l.spareWaits, i)
		if n.of.left--; n.of.left == 0 {
			s.finish(n.of, r.at)
			l.unused = append(l.unused, n.of)
		}
		i = n.next
	}
	f.first = -1
	s.l1.landed(r.flight)
	l.spare = append(l.spare, r.flight)
}

// finish writes what an access brought into its registers: at t, or when the way
// back is free.
func (s *sm) finish(a *access, t Tick) {
	w, o := a.w, a.o
	if a.bulk {
		s.told(a, t)
		return
	}
	if o.ndst == 0 || w.turn != a.turn {
		return
	}
	c := w.core
	if o.returned > ticksPerCycle {
		c.returned = max(c.returned+o.returned, t)
		t = c.returned
	}
	for _, v := range o.dst[:o.ndst] {
		w.arrive(v, t)
	}
	if w.waits() && w.next < never { // and not at a barrier
		w.look(s.code)
		if !w.waits() {
			c.wake(max(w.ready, s.now))
		}
	}
}
