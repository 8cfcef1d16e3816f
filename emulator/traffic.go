package emulator

import (
	"math/bits"

	"hyptx/emulator/internal/abort"
	"hyptx/emulator/internal/address"
	"hyptx/emulator/internal/lanes"
	"hyptx/internal/order"
	"hyptx/internal/traffic"
	"hyptx/internal/traffic/stream"
	"hyptx/ir/isa"
)

// What accesses of memory move is counted beside running them. Each access of
// the text is a site; execTraffic stands in the place of its instruction, has
// the addresses in the register recognised and counted (package traffic), and
// then does the access, or, in a slice that needs only its address, does not.
// The pattern, distances between lanes, says what a request costs but for where it
// starts: how many sectors of 32 bytes it touches depends on the first address modulo
// 32. A kernel has a handful of patterns, and each has its costs worked out once for
// each such start that occurs. The common access is then: compare 32 addresses with the pattern it had last time, look
// a cost up, add it to the site's.
//
// An access that is not done is a fault all the same where it would hit no
// memory, and the same one: that is looked at here, once for each stretch of
// addresses.

// counting is a worker's private part of a launch's traffic.
type counting struct {
	*traffic.Counter
	footprint, writes *traffic.Footprint // bytes read, bytes written
	led               []ledBy            // by site that leads
	// opaque: bytes were moved that nobody counted.
	opaque bool
	// stretches are what a bulk copy that is being done has moved.
	stretches []traffic.Stretch
	// sort is that of the CTA that has its turn, sorts are the sums of the others.
	sort  int
	sorts []traffic.Counts
}

// ledBy is what a leader has found for those that follow it.
type ledBy struct {
	p     *traffic.Pattern
	first uint64
}

func newCounting(l *launch) *counting {
	sites := make([]traffic.Site, len(l.prog.sites))
	for i := range sites {
		sites[i] = l.prog.sites[i].Site
	}
	reads, writes := l.mem.NewFootprint(), l.mem.NewFootprint()
	c := &counting{traffic.NewCounter(sites, l.prog.sm70, reads, writes), reads, writes, make([]ledBy, len(sites)), false, nil, 0, nil}
	c.Traced = l.TraceWords > 0
	return c
}

// countTraffic makes the launch ready to sum up traffic.
func (l *launch) countTraffic() {
	if !l.prog.traffic {
		return
	}
	l.traffic = &traffic.Counts{}
	if l.Requests != nil {
		l.queue = stream.NewQueue(l.Requests, l.ctaIndex)
	}
}

// endTraffic ends the worker's counting.
func (wk *worker) endTraffic() error {
	if wk.counting == nil {
		return nil
	}
	return wk.counting.End()
}

// addTraffic adds what a worker has counted to the launch's, and gives back the
// memory that counting took.
func (l *launch) addTraffic(wk *worker) {
	c := wk.counting
	if c == nil {
		return
	}
	l.traffic.Add(&c.Counts)
	for k := range c.sorts {
		if k != c.sort {
			l.traffic.Add(&c.sorts[k])
		}
	}
	l.addSorts(c)
	if l.Footprint != nil {
		l.Footprint.Merge(c.footprint)
		l.Footprint.Merge(c.writes)
	}
	c.footprint.Release()
	c.writes.Release()
}

// turnTo makes what is counted from now on that of a CTA, where sorts of CTAs are told
// apart.
func (wk *worker) turnTo(c *cta) {
	sorts := wk.launch.Sorts
	if sorts == nil || wk.counting == nil {
		return
	}
	n := wk.counting
	sort := sorts.Of(c.linear)
	for len(n.sorts) <= sort {
		n.sorts = append(n.sorts, traffic.Counts{})
	}
	if sort != n.sort {
		n.sorts[n.sort] = n.Switch(n.sorts[sort])
		n.sort = sort
	}
}

// addSorts adds what a worker has counted of sorts of CTAs.
func (l *launch) addSorts(n *counting) {
	if l.Sorts == nil {
		return
	}
	all := &l.Sorts.Counts
	for len(*all) < len(n.sorts) {
		*all = append(*all, nil)
	}
	for k := range n.sorts {
		of := &n.sorts[k]
		if k == n.sort {
			of = &n.Counts
		}
		if of.Accesses == nil {
			continue
		}
		if (*all)[k] == nil {
			(*all)[k] = &traffic.Counts{}
		}
		(*all)[k].Add(of)
	}
}

// execTraffic counts what an access asks for and then, where more than its
// address is needed, does it.
func execTraffic(w *warp, in *inst, m uint32) {
	w.countInst(in, m)
	if t := in.mem.traffic; t.exec != nil {
		t.exec(w, in, m)
	}
}

// execGather is execTraffic of loads of words, which are done by what counting has
// found out about their addresses.
func execGather(w *warp, in *inst, m uint32) {
	if r := w.countAccess(in, int32(in.off), m); !w.gather(in, m, r) {
		in.mem.traffic.exec(w, in, m)
	}
}

// countInst counts what an access asks for.
func (w *warp) countInst(in *inst, m uint32) {
	t := in.mem.traffic
	if len(t.origins) > 0 {
		w.noteAddressOrigins(t.origins, m)
	}
	for _, k := range t.sites {
		w.countAccess(in, k, m)
	}
}

// noteAddressOrigins counts requests at addresses that are not exact.
func (w *warp) noteAddressOrigins(origins []int32, m uint32) {
	var from order.Lanes
	for _, o := range origins {
		from = from.Or(*w.originsOf(w.frame, o))
	}
	if from = from.And(m); !from.Exact() {
		for i := range order.Reasons {
			w.worker.counting.Counts.Inexact[i] += uint64(from.Any() >> i & 1)
		}
	}
}

// request is where an access of a warp goes: its first lane to an address of a
// space. The pattern is nil if the lanes go to several spaces, or some to no memory.
type request struct {
	p     *traffic.Pattern
	space isa.Space
	addr  uint64
}

// countAccess counts the requests of one access of the lanes of m.
func (w *warp) countAccess(in *inst, k int32, m uint32) (r request) {
	s := &w.worker.prog.sites[k]
	if s.texels {
		w.countTexels(in, k, m)
		return r
	}
	if s.copies {
		m = w.copying(s, m)
	}
	if m &= s.lanes; m == 0 {
		return r
	}
	c := w.worker.counting
	led := &c.led[s.leader]
	if s.leader == k {
		led.p = c.Pattern(k, m)
		if s.tile {
			led.first = w.recogniseTile(in, led.p, m)
		} else if s.base64 {
			led.first = led.p.Recognise(wide(w.slot(s.base)), m)
		} else {
			led.first = led.p.RecogniseNarrow((*[lanes.Width]uint32)(w.slot(s.base)), m)
		}
	}
	p, addr := led.p, led.first+uint64(s.off)
	if !s.base64 {
		addr = uint64(uint32(addr))
	}
	space := s.space
	if space == isa.Generic {
		var ok bool
		if space, addr, ok = window(p, addr); !ok {
			w.countMixed(in, k, p, addr)
			return r
		}
	}
	if w.countPattern(in, k, p, space, addr) {
		r = request{p, space, addr}
	}
	return r
}

// copying returns the lanes of cp.async that read global memory at all.
func (w *warp) copying(s *site, m uint32) uint32 {
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

// window resolves a generic address of a pattern's first lane: the space that
// all lanes lie in and the address there; false if they lie in several.
func window(p *traffic.Pattern, addr uint64) (isa.Space, uint64, bool) {
	space, at := address.Resolve(isa.Generic, addr)
	low, _ := address.Resolve(isa.Generic, addr+uint64(p.Low))
	high, _ := address.Resolve(isa.Generic, addr+uint64(p.High))
	if low != high || uint64(p.High-p.Low) >= address.WindowBytes {
		return isa.Generic, addr, false
	}
	return space, at, true
}

// countMixed counts a generic access whose lanes lie in several spaces: one
// request for each of them.
func (w *warp) countMixed(in *inst, k int32, p *traffic.Pattern, first uint64) {
	var addr [lanes.Width]uint64
	var masks [isa.Tex + 1]uint32
	for rest := p.Lanes; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		var space isa.Space
		space, addr[lane] = address.Resolve(isa.Generic, first+p.Distance(lane))
		masks[space] |= 1 << lane
	}
	part := w.worker.counting.MixedOf(k)
	for space, m := range masks {
		if m != 0 && isa.Space(space) != isa.Param {
			at := part.Recognise(&addr, m)
			w.countPattern(in, k, part, isa.Space(space), at)
		}
	}
}

// trafficSpaces are the spaces as traffic counts them; what is none of the three
// is global memory.
var trafficSpaces = [isa.Tex + 1]traffic.Space{isa.Local: traffic.Local, isa.Shared: traffic.Shared, isa.Const: traffic.Const}

// countPattern counts one request: the lanes of p from addr, the address of
// the first of them in its space, on. Parameters are no traffic. It reports whether
// all lanes are known to hit memory.
func (w *warp) countPattern(in *inst, k int32, p *traffic.Pattern, space isa.Space, addr uint64) bool {
	c, s := w.worker.counting, &w.worker.prog.sites[k]
	if space == isa.Param {
		w.checkLanes(in, s, p, space, addr)
		return false
	}
	cost, checked := p.Cost(addr, trafficSpaces[space], s.Size)
	if !checked {
		checked = w.checkPattern(in, k, p, cost, space, addr)
	}
	if err := c.Count(k, cost, addr, &w.moved); err != nil {
		abort.Throw(err)
	}
	if space == isa.Shared && w.moved.Trace != nil && w.clustered() {
		w.tracePeers(in, p, addr, s.Size)
	}
	return checked
}

// checkPattern works out what a request costs, if that is not known, and fails
// for a lane that is misaligned or hits no memory, as the access itself would. It
// reports whether all lanes hit one memory.
func (w *warp) checkPattern(in *inst, k int32, p *traffic.Pattern, cost *traffic.Cost, space isa.Space, addr uint64) bool {
	s := &w.worker.prog.sites[k]
	if !cost.Known() {
		if !p.Aligned(addr, s.Size) {
			w.checkAligned(in, s, p, space, addr)
		}
		if err := w.worker.counting.Learn(cost, p, k, trafficSpaces[space], addr); err != nil {
			abort.Throw(err)
		}
	}
	low, span := addr+uint64(p.Low), uint64(p.High-p.Low)+uint64(s.Size)
	base, bytes := w.extent(in, space, low)
	if span < uint64(s.Size) || span > bytes || low-base > bytes-span || readOnly(space) && s.Kind != traffic.Load {
		w.checkLanes(in, s, p, space, addr)
		return false
	}
	cost.Promise(base-uint64(p.Low), bytes-span+1)
	return true
}

// checkAligned fails for a lane whose address is no multiple of what it
// accesses.
func (w *warp) checkAligned(in *inst, s *site, p *traffic.Pattern, space isa.Space, addr uint64) {
	for rest := p.Lanes; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest) & 31
		for place := range p.Places() {
			if a := addr + p.DistanceOf(place, lane); a%uint64(s.Size) != 0 {
				w.failMisaligned(in, lane, space, a, uint64(s.Size))
			}
		}
	}
}

// checkLanes fails for the first lane that accesses what is no memory: a load
// takes element after element, anything else lane after lane.
func (w *warp) checkLanes(in *inst, s *site, p *traffic.Pattern, space isa.Space, addr uint64) {
	write := s.Kind != traffic.Load
	elements, inner := uint64(s.Size/s.width), uint64(1)
	if write {
		elements, inner = inner, elements
	}
	for v := range elements * uint64(p.Places()) { // the elements of a vector, or the places of one
		for rest := p.Lanes; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros32(rest) & 31
			at := addr + p.Distance(lane)
			if p.Places() > 1 {
				at = addr + p.DistanceOf(int(v), lane) - v*uint64(s.width)
			}
			if !s.base64 {
				at = uint64(uint32(at))
			}
			for u := range inner {
				if !w.checkHit(in, lane, space, at+(v+u)*uint64(s.width), uint64(s.width), write) {
					w.worker.launch.beyond.add(in.pc)
				}
			}
		}
	}
}
