package cache

import "hyptx/internal/traffic/stream"

// refLine is a line of the reference, refCache a cache as the package comment
// describes it, written without a thought for speed.
type refLine struct {
	line         uint64
	valid, dirty map[uint64]bool // by sector number
	bytes        map[uint64]uint32
}

type refCache struct {
	level Level
	sets  map[uint64][]*refLine // newest first
}

func newRefCache(l Level) *refCache { return &refCache{l, map[uint64][]*refLine{}} }

func (c *refCache) lineOf(sector uint64) uint64 {
	return sector * SectorBytes / uint64(c.level.LineBytes)
}

func (c *refCache) setOf(line uint64) uint64 {
	return setOf(line, uint64(c.level.SizeBytes/int64(c.level.LineBytes)/int64(c.level.Ways)))
}

// find returns the line and makes it the newest, if touch is set.
func (c *refCache) find(line uint64, touch bool) *refLine {
	set := c.sets[c.setOf(line)]
	for i, l := range set {
		if l.line == line {
			if touch {
				copy(set[1:i+1], set[:i])
				set[0] = l
			}
			return l
		}
	}
	return nil
}

// place puts a line in and returns it and the one that it replaced.
func (c *refCache) place(line uint64) (l, victim *refLine) {
	k := c.setOf(line)
	set := c.sets[k]
	if len(set) == c.level.Ways {
		victim = set[len(set)-1]
		set = set[:len(set)-1]
	}
	l = &refLine{line, map[uint64]bool{}, map[uint64]bool{}, map[uint64]uint32{}}
	c.sets[k] = append([]*refLine{l}, set...)
	return l, victim
}

// refRequest is one request; refCTA a warp's requests each.
type refRequest struct {
	kind    stream.Kind
	sectors []uint64
	bytes   map[uint64]uint32 // of a StorePart's sectors
}
type refCTA [][]refRequest

type refWarp struct {
	cta, warp, next int
}

type refSM struct {
	l1   *refCache
	ring []refWarp
	pos  int
	live map[int]int // warps left of each resident CTA
}

// reference is the whole model, one sector at a time.
type reference struct {
	config Config
	l2     *refCache
	open   map[uint64]uint64
	counts Counters
	bytes  map[uint64]uint32 // of the present request
}

func newReference(c Config) *reference {
	return &reference{config: c, l2: newRefCache(c.L2), open: map[uint64]uint64{}}
}

// launch runs a launch turn by turn.
func (r *reference) launch(l Launch, ctas []refCTA) Counters {
	r.counts = Counters{}
	sms := make([]refSM, r.config.SMs)
	next := 0
	for i := range sms {
		sms[i] = refSM{l1: newRefCache(l.L1), live: map[int]int{}}
	}
	start := func(s *refSM) {
		for w, reqs := range ctas[next] {
			if len(reqs) > 0 {
				s.ring = append(s.ring, refWarp{next, w, 0})
				s.live[next]++
			}
		}
		next++
	}
	for next < len(ctas) && next < len(sms)*l.CTAsPerSM {
		start(&sms[next%len(sms)])
	}
	for busy := true; busy; {
		for i := range sms {
			for s := &sms[i]; len(s.live) < l.CTAsPerSM && next < len(ctas); {
				start(s)
			}
		}
		busy = false
		for i := range sms {
			if s := &sms[i]; len(s.ring) > 0 {
				busy = true
				r.issue(s, ctas)
			}
		}
	}
	return r.counts
}

func (r *reference) issue(s *refSM, ctas []refCTA) {
	w := &s.ring[s.pos]
	reqs := ctas[w.cta][w.warp]
	req := reqs[w.next]
	for i := 0; i < len(req.sectors); {
		k := i + 1
		for k < len(req.sectors) && req.sectors[k]/4 == req.sectors[i]/4 {
			k++
		}
		r.bytes = req.bytes
		r.block(s, req.kind, req.sectors[i:k])
		i = k
	}
	if w.next++; w.next < len(reqs) {
		s.pos++
	} else {
		if s.live[w.cta]--; s.live[w.cta] == 0 {
			delete(s.live, w.cta)
		}
		s.ring = append(s.ring[:s.pos], s.ring[s.pos+1:]...)
	}
	if s.pos >= len(s.ring) {
		s.pos = 0
	}
}

// block accesses the L1 and sends on to the L2 what it must.
func (r *reference) block(s *refSM, kind stream.Kind, secs []uint64) {
	out := secs
	if s.l1.level.SizeBytes > 0 {
		out = nil
		coming := map[uint64]bool{} // fetched by this very request
		for _, n := range secs {
			out = append(out, r.l1(s.l1, kind, n, coming)...)
		}
	}
	if len(out) == 0 {
		return
	}
	n := uint64(len(out))
	if r.counts.NoCFlits += n + 1; kind == stream.Atomic {
		r.counts.NoCFlits += n - 1
	}

	for _, n := range out {
		r.l2access(kind, n)
	}
}

// l1 returns the sectors that go on to the L2.
func (r *reference) l1(c *refCache, kind stream.Kind, n uint64, coming map[uint64]bool) []uint64 {
	line := c.lineOf(n)
	switch kind {
	case stream.Load:
		l := c.find(line, true)
		if l == nil {
			l, _ = c.place(line)
		}
		if l.valid[n] && !coming[n] {
			r.counts.L1.ReadHits++
			return nil
		}
		r.counts.L1.ReadMisses++
		var out []uint64
		for _, k := range c.unit(n) {
			if !l.valid[k] {
				out = append(out, k)
				coming[k], l.valid[k] = true, true
			}
		}
		return out
	case stream.LoadPast:
	case stream.Atomic:
		if l := c.find(line, false); l != nil {
			delete(l.valid, n)
		}
	default:
		l := c.find(line, true)
		if l != nil && l.valid[n] {
			r.counts.L1.WriteHits++
		} else {
			r.counts.L1.WriteMisses++
		}
		if r.config.L1Write == Allocate && kind == stream.Store {
			if l == nil {
				l, _ = c.place(line)
			}
			l.valid[n] = true
		}
		if r.config.L1Write == Evict && l != nil {
			delete(l.valid, n)
		}
	}
	return []uint64{n}
}

// unit returns the sectors that are fetched together with one.
func (c *refCache) unit(n uint64) (out []uint64) {
	k := uint64(c.level.SectorBytes / SectorBytes)
	for i := range k {
		out = append(out, n/k*k+i)
	}
	return out
}

func (r *reference) l2access(kind stream.Kind, n uint64) {
	c := r.l2
	line := c.lineOf(n)
	l := c.find(line, true)
	if l == nil {
		var victim *refLine
		l, victim = c.place(line)
		r.counts.L2Fills++
		if victim != nil && len(victim.dirty) > 0 {
			r.counts.DRAMWriteSectors += uint64(len(victim.dirty))
			r.row(victim.line * uint64(c.level.LineBytes))
		}
	}
	if kind == stream.Store || kind == stream.StorePart {
		if l.valid[n] || l.dirty[n] {
			r.counts.L2.WriteHits++
		} else {
			r.counts.L2.WriteMisses++
		}
		if !l.dirty[n] {
			r.counts.DirtiedSectors++
		}
		l.dirty[n] = true
		if kind == stream.StorePart {
			l.bytes[n] |= r.bytes[n]
		}
		if kind == stream.Store || l.bytes[n] == 1<<32-1 {
			l.valid[n] = true
		}
		return
	}
	if l.valid[n] {
		r.counts.L2.ReadHits++
	} else {
		r.counts.L2.ReadMisses++
		r.counts.DRAMReadSectors++
		r.row(n * SectorBytes)
	}
	l.valid[n] = true
	if kind == stream.Atomic {
		if !l.dirty[n] {
			r.counts.DirtiedSectors++
		}
		l.dirty[n] = true
	}
}

func (r *reference) row(address uint64) {
	row := address / 2048
	bank := row % uint64(16*r.config.Channels)
	if r.open[bank] != row+1 {
		r.open[bank] = row + 1
		r.counts.DRAMRowActivations++
	}
}

// flush returns how many sectors are dirty.
func (r *reference) flush() (n uint64) {
	for _, set := range r.l2.sets {
		for _, l := range set {
			n += uint64(len(l.dirty))
			clear(l.dirty)
		}
	}
	return n
}
