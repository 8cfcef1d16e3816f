package emulator

import (
	"math/bits"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// Traffic is what the accesses of the warps that ran moved, in all CTAs
// together. It is a sum, so that it does not depend on the number of workers.
type Traffic struct {
	// Accesses are the program's accesses of memory in the order of its text;
	// cp.async has two, the store to shared memory first.
	Accesses []AccessTraffic
	// Assumed and Scheduled are the requests for which an address of a lane
	// depends on what nobody gave, or on the order of warps; 0 where origins were
	// not followed.
	Assumed, Scheduled uint64
	// LocalBytes are the distinct bytes of local memory that were touched, of all
	// threads: each has its own.
	LocalBytes uint64
}

// AccessTraffic is what one access of memory in the text moved.
type AccessTraffic struct {
	PC   ir.PC
	Kind AccessKind
	// Spaces are its requests by the space that the addresses lie in, indexed by
	// TrafficSpace.
	Spaces [NumTrafficSpaces]SpaceTraffic
}

// AccessKind is what an access does.
type AccessKind uint8

// The kinds of accesses.
const (
	AccessLoad AccessKind = iota
	AccessStore
	AccessAtomic // atom
	AccessReduce // red, which returns nothing
)

// TrafficSpace is a memory whose accesses are counted apart.
type TrafficSpace uint8

// The spaces. Parameters are no memory traffic.
const (
	TrafficGlobal TrafficSpace = iota
	TrafficLocal
	TrafficShared
	TrafficConst
	NumTrafficSpaces
)

// SpaceTraffic counts the warp requests of an access that have at least one
// executing lane in a space.
type SpaceTraffic struct {
	Requests uint64
	// Transactions are 32-byte sectors; in shared memory passes over the banks.
	Transactions uint64
	// Bytes are those that the lanes asked for, UniqueBytes the distinct ones
	// within each request (none are counted in shared memory).
	Bytes, UniqueBytes uint64
}

// Add adds u, n times.
func (s *SpaceTraffic) Add(u SpaceTraffic, n uint64) {
	s.Requests += n * u.Requests
	s.Transactions += n * u.Transactions
	s.Bytes += n * u.Bytes
	s.UniqueBytes += n * u.UniqueBytes
}

// Add adds what another part of the launch did, n times over.
func (t *Traffic) Add(u *Traffic, n uint64) {
	if t.Accesses == nil {
		t.Accesses = make([]AccessTraffic, len(u.Accesses))
	}
	for i := range u.Accesses {
		a, b := &t.Accesses[i], &u.Accesses[i]
		a.PC, a.Kind = b.PC, b.Kind
		for k := range a.Spaces {
			a.Spaces[k].Add(b.Spaces[k], n)
		}
	}
	t.Assumed += n * u.Assumed
	t.Scheduled += n * u.Scheduled
	t.LocalBytes += n * u.LocalBytes
}

// counting is a worker's private part of a launch's traffic.
type counting struct {
	traffic   Traffic
	patterns  [][4]pattern // of each site, the last ones by a hash of their lanes
	led       []ledBy      // by site that leads
	footprint *Footprint
	known     [knownPages]knownPage // of footprint
	mixed     pattern               // of generic accesses whose lanes lie in several spaces
	freeBases []*basePage
	tracing   bool
	passes    passCounter
}

// ledBy is what a leader has found for those that follow it.
type ledBy struct {
	p     *pattern
	first uint64
}

func newCounting(l *launch) *counting {
	sites := l.prog.sites
	c := &counting{tracing: l.tracer != nil, footprint: NewFootprint(l.mem)}
	c.traffic.Accesses = make([]AccessTraffic, len(sites))
	c.patterns = make([][4]pattern, len(sites))
	c.led = make([]ledBy, len(sites))
	for i := range sites {
		c.traffic.Accesses[i].PC, c.traffic.Accesses[i].Kind = sites[i].pc, sites[i].kind
	}
	return c
}

// countTraffic makes the launch ready to sum up traffic.
func (l *launch) countTraffic() {
	if !l.prog.traffic {
		return
	}
	l.traffic = &Traffic{}
	if l.Trace != nil {
		l.tracer = newTracer(l.Trace)
	}
}

// endTraffic adds what the worker has counted to the launch's.
func (wk *worker) endTraffic() {
	if wk.counting == nil {
		return
	}
	l := wk.launch
	l.trafficMu.Lock()
	defer l.trafficMu.Unlock()
	c := wk.counting
	defer c.footprint.Release() // what is not handed over
	defer catchAbort(&l.trafficErr)
	c.flushAll()
	l.traffic.Add(&c.traffic, 1)
	if l.Footprint != nil {
		l.Footprint.Merge(c.footprint)
	}
}

// execTraffic counts what an access asks for and then, where more than its
// address is needed, does it.
func execTraffic(w *warp, in *inst, m uint32) {
	t := in.ext.traffic
	if len(t.origins) > 0 {
		w.trackAddress(t.origins, m)
	}
	for _, k := range t.sites {
		w.countAccess(k, m)
	}
	if t.exec != nil {
		t.exec(w, in, m)
	}
}

// trackAddress counts requests at addresses that are not exact.
func (w *warp) trackAddress(origins []int32, m uint32) {
	var from taint
	for _, o := range origins {
		from = from.or(*w.taintOf(w.frame, o))
	}
	from = from.and(m)
	t := &w.worker.counting.traffic
	if from.assumed != 0 {
		t.Assumed++
	}
	if from.scheduled != 0 {
		t.Scheduled++
	}
}

// countAccess counts the requests of one access of the lanes of m.
func (w *warp) countAccess(k int32, m uint32) {
	s := &w.worker.prog.sites[k]
	if s.copies {
		m = w.copying(s, m)
	}
	if m &= s.lanes; m == 0 {
		return
	}
	led := &w.worker.counting.led[s.leader]
	if s.leader == k {
		led.p = &w.worker.counting.patterns[k][m*0x9e3779b1>>30]
		led.first = w.recognise(led.p, s, m)
	}
	p, addr := led.p, led.first+uint64(s.off)
	if !s.base64 {
		addr = uint64(uint32(addr))
	}
	space := s.space
	if space == isa.Generic {
		var ok bool
		if space, addr, ok = p.window(addr); !ok {
			w.countMixed(k, p, addr)
			return
		}
		if space == isa.Param {
			w.checkLanes(s, p, space, addr)
			return // no traffic
		}
	}
	w.countPattern(k, p, space, addr)
}

// recognise makes p the pattern of the lanes of m and returns what the first of
// them has in the address register.
func (w *warp) recognise(p *pattern, s *trafficSite, m uint32) uint64 {
	lane := bits.TrailingZeros32(m) & 31
	if s.base64 {
		a := wide(w.slot(s.base))
		if !p.matches64(a, m, a[lane]) {
			p.learn64(a, m, a[lane])
		}
		return a[lane]
	}
	a := w.slot(s.base)
	if !p.matches32(a, m, a[lane]) {
		p.learn32(a, m, a[lane])
	}
	return uint64(a[lane])
}

// copying returns the lanes of cp.async that read global memory at all.
func (w *warp) copying(s *trafficSite, m uint32) uint32 {
	if s.ignore {
		m &^= w.pred(s.pa, s.paFlip)
	}
	size := w.slot(s.bytes)
	for rest := m; rest != 0; rest &= rest - 1 {
		if lane := bits.TrailingZeros32(rest) & 31; size[lane] == 0 {
			m &^= 1 << lane
		}
	}
	return m
}

// countMixed counts a generic access whose lanes lie in several spaces: one
// request for each of them.
func (w *warp) countMixed(k int32, p *pattern, first uint64) {
	var addr [32]uint64
	var masks [isa.Tex + 1]uint32
	for rest := p.mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		win := classify(first + p.rel[lane])
		addr[lane] = win.off
		masks[win.space] |= 1 << lane
	}
	part := &w.worker.counting.mixed
	for space, m := range masks {
		if m != 0 && isa.Space(space) != isa.Param {
			at := addr[bits.TrailingZeros32(m)]
			part.learn64(&addr, m, at)
			w.countPattern(k, part, isa.Space(space), at)
		}
	}
}

// countPattern counts one request: the lanes of p from addr, the address of
// the first of them in its space, on.
func (w *warp) countPattern(k int32, p *pattern, space isa.Space, addr uint64) {
	c := w.worker.counting
	s := &w.worker.prog.sites[k]
	sh := p.shape(addr, space, s.size)
	if !sh.known {
		c.flush(sh)
		w.learnShape(sh, p, s, space, addr)
	}
	if !sh.bounds.has(addr) {
		w.checkBounds(sh, s, p, space, addr)
	}
	n := &c.traffic.Accesses[k].Spaces[sh.space]
	n.Requests++
	n.Transactions += uint64(sh.transactions)
	n.Bytes += uint64(sh.bytes)
	n.UniqueBytes += uint64(sh.unique)
	var base uint64 // of the sectors
	switch sh.space {
	case TrafficShared:
		return
	case TrafficGlobal:
		base = addr / sectorBytes
		c.note(&sh.bases, base)
	case TrafficLocal:
		base = addr / sectorBytes * lanesSectors
		w.touchLocal(sh, base)
		base += w.localSector()
	case TrafficConst:
		if s.kind != AccessLoad {
			w.checkLanes(s, p, space, addr) // it is read-only
		}
		base = (constBase + addr) / sectorBytes
	}
	if c.tracing {
		w.trace(s, sh, base)
	}
}

// trace appends a request to the CTA's trace. A shape gets a number when it
// comes for the second time.
func (w *warp) trace(s *trafficSite, sh *shape, base uint64) {
	cta := w.cta
	kind, partial := traceKind(s, sh.space), sh.unique < sectorBytes*sh.transactions
	var masks []uint64
	mine := &sh.traces[0]
	if masked(kind, partial) {
		mine = &sh.traces[1]
		masks = sh.masks(mine)
	}
	if len(cta.trace)+2+len(sh.runs)+len(masks) > maxTraceWords {
		panic(&abort{traceLimit(cta.linear)})
	}
	if mine.seen && mine.number == 0 {
		mine.number = w.worker.launch.tracer.shapes.add(sh.runs, masks)
	}
	mine.seen = true
	head := traceHeader(s.pc, w.number, kind, partial)
	if mine.number != 0 {
		cta.trace = append(cta.trace, head|traceShaped|1, base, uint64(mine.number))
		return
	}
	cta.trace = append(cta.trace, head|uint64(len(sh.runs)+len(masks)), base)
	cta.trace = append(append(cta.trace, sh.runs...), masks...)
}

// traceKind returns what a request is in a trace.
func traceKind(s *trafficSite, space TrafficSpace) TraceKind {
	switch kind := s.kind; {
	case space == TrafficConst:
		return TraceConst
	case space == TrafficLocal && kind == AccessLoad:
		return TraceLocalLoad
	case space == TrafficLocal:
		return TraceLocalStore
	case kind == AccessLoad && s.past:
		return TraceLoadPast
	case kind == AccessLoad:
		return TraceLoad
	case kind == AccessStore:
		return TraceStore
	}
	return TraceAtomic
}
