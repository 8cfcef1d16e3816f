package sim

import "hyptx/internal/traffic/stream"

// CTAs begin with all their warps, and give their room away when the last of these has
// ended.

// cta is a resident CTA.
type cta struct {
	of       *CTA
	alive    int // warps that have not ended
	place    int // among the SM's, for local memory
	began    Tick
	barriers [numBarriers]barrier
	// objects are its mbarrier objects, by number - 1. life counts the CTAs that this has
	// been. loose: nobody waits for objects any more.
	objects []object
	life    uint32
	loose   bool
	// cluster is that of the CTA, nil without; meeting are its warps that wait at the
	// barrier of the cluster.
	cluster *cluster
	meeting []*warp
}

// numBarriers a CTA has (PTX ISA, bar).
const numBarriers = 16

// barrier is who waits at a barrier.
type barrier struct {
	waiting []*warp
	arrived int // warps, those that do not wait as well
}

// window returns where the local memory of a CTA's n-th warp begins, by its place on the
// GPU: those that follow each other there use the same addresses. Windows lie anywhere, no two
// in one place (Fibonacci hashing of less than 2^32 numbers into 37 bits), so that what all warps
// have at its beginning is not of few sets, slices and channels.
func (c *cta) window(warp int) uint64 {
	n := uint64(c.place)<<localWarpBits | uint64(warp)
	return 1<<localBit | n*0x9e3779b97f4a7c15>>(64-localBit+stream.WindowBits)<<stream.WindowBits
}

const (
	localWarpBits = 6 // of a CTA's warps
	localBit      = 54
)

// begin makes a CTA resident at t, one of a cluster if that is not nil; what the SM has done
// till now stays.
func (s *sm) begin(of *CTA, in *cluster, t Tick) {
	c := s.idle.cta()
	if in != nil { // its accesses may come behind its end: nobody else becomes it
		c = &cta{}
	}
	place := 0
	for place < len(s.places) && s.places[place] {
		place++
	}
	if place == len(s.places) {
		s.places = append(s.places, false)
	}
	s.places[place] = true
	*c = cta{of: of, alive: len(of.Warps), place: s.number + place<<12, began: t, objects: c.objects[:0], life: c.life + 1, cluster: in}
	if in != nil {
		in.ctas, in.sms, in.life = append(in.ctas, c), append(in.sms, int32(s.number)), c.life
		in.alive += c.alive
	}
	if len(s.resident) == 0 {
		s.begun = t
	}
	s.resident = append(s.resident, c)
	at := max(t+Cycles(s.m.Launch.CTACycles), s.now).roundUp()
	for n, trace := range of.Warps {
		core := s.emptiest()
		w := s.idle.warp()
		w.start(s.code, trace, c, core, t)
		w.window = c.window(n)
		w.next = at
		if !w.enter(s.code) {
			s.idle.warps = append(s.idle.warps, w)
			s.leaves(c, t)
			if c.alive--; c.alive == 0 {
				s.end(c, t)
			}
			continue
		}
		core.fetch(w.op, w.end, false, at)
		core.warps = append(core.warps, w)
		w.look(s.code)
		core.wake(at)
	}
	s.first = (s.first + 1) % len(s.cores)
}

// emptiest returns the core with the fewest warps, of several the first from the one at
// which the CTA begins on. Each CTA begins one further: with CTAs of four warps the first of
// all would be on one core otherwise, and that of a kernel whose first warps work for four times
// as long as its last ones would be busy for 1.25 times as long as the kernel took a V100 and a
// GV100 (binomialOptions, 1.36 million cycles, AccelWattch's counters).
func (s *sm) emptiest() *core {
	c := &s.cores[s.first]
	for k := range s.cores {
		if o := &s.cores[(s.first+k)%len(s.cores)]; len(o.warps) < len(c.warps) {
			c = o
		}
	}
	return c
}

// exit ends a warp at t.
func (s *sm) exit(w *warp, t Tick) {
	c := w.cta
	w.core.remove(w)
	s.warpTime += t + ticksPerCycle - c.began
	w.turn++
	s.idle.warps = append(s.idle.warps, w)
	s.leaves(c, t)
	if c.alive--; c.alive == 0 {
		s.end(c, t+ticksPerCycle)
		return
	}
	for i := range c.barriers {
		s.release(c, &c.barriers[i], 0, t)
	}
	if c.of.Cut {
		s.loosen(c, t)
	}
}

// leaves tells the cluster of a CTA, if it has one, that a warp has ended.
func (s *sm) leaves(c *cta, t Tick) {
	if c.cluster == nil {
		return
	}
	s.peers.sent = append(s.peers.sent, message{at: t, kind: leaves, of: c.cluster})
	if c.of.Cut {
		s.peers.sent = append(s.peers.sent, message{at: t, kind: loosens, of: c.cluster})
	}
}

// end frees what a CTA took.
func (s *sm) end(c *cta, t Tick) {
	for i := range s.resident {
		if s.resident[i] == c {
			s.resident = append(s.resident[:i], s.resident[i+1:]...)
			break
		}
	}
	s.places[c.place>>12] = false
	s.ended = append(s.ended, End{At: t, CTA: c.of})
	if len(s.resident) == 0 {
		s.active += t - s.begun
	}
	if c.cluster != nil {
		c.life++
		return
	}
	s.idle.ctas = append(s.idle.ctas, c)
}

// barrier lets a warp arrive at a barrier at t, by the record of its trace.
func (s *sm) barrier(w *warp, record uint64, t Tick) {
	if record&passBit != 0 {
		return
	}
	if record&clusterBit != 0 {
		s.clusterBarrier(w, record, t)
		return
	}
	b := &w.cta.barriers[record&(numBarriers-1)]
	b.arrived++
	if record&arriveBit == 0 {
		b.waiting = append(b.waiting, w)
		w.next, w.nextWhy = never, BarrierWait
	}
	s.release(w.cta, b, int(record>>threadsShift&(1<<16-1)), t)
}

// release lets the warps of a barrier go on if all that are expected have arrived: so
// many threads, or all warps of the CTA that have not ended.
func (s *sm) release(c *cta, b *barrier, threads int, t Tick) {
	expected := c.alive
	if threads > 0 {
		expected = (threads + 31) / 32
	}
	if b.arrived == 0 || b.arrived < expected {
		return
	}
	at := t + ticksPerCycle + Cycles(s.m.BarrierCycles)
	for _, w := range b.waiting {
		s.resume(w, at)
	}
	b.waiting, b.arrived = b.waiting[:0], 0
}

// pool keeps what ended, to be used again.
type pool struct {
	warps []*warp
	ctas  []*cta
}

func (p *pool) warp() *warp {
	n := len(p.warps)
	if n == 0 {
		return &warp{}
	}
	w := p.warps[n-1]
	p.warps = p.warps[:n-1]
	return w
}

func (p *pool) cta() *cta {
	n := len(p.ctas)
	if n == 0 {
		return &cta{}
	}
	c := p.ctas[n-1]
	p.ctas = p.ctas[:n-1]
	return c
}
