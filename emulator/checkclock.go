package emulator

import (
	"math/bits"
	"slices"

	"hyptx/ir"
)

// Where warps of a CTA do not all wait for each other, at barriers of some threads, by
// mbarrier objects or within a warp, one time does not tell who comes before whom. Then each
// warp has a time of its own, a Lamport clock, and a row of what it knows: of each warp the
// time up to which all that its lanes did comes before whatever this one does next. That is
// what the detector keeps for each lane; here a warp knows what all its lanes do, and tells
// what all of them have done, else less. So the filter never knows of an order that the
// detector does not.
//
// Clocks begin with the first such barrier of a CTA: others have the time of sharedCells alone.

// mostWarps is how many warps a CTA has at most: 1,024 threads.
const mostWarps = 32

// warpTimes are times of warps, by their number.
type warpTimes [mostWarps]uint32

// join makes t know what o does, and returns the latest time of o.
func (t *warpTimes) join(o *warpTimes) (latest uint32) {
	for v, at := range o {
		t[v] = max(t[v], at)
		latest = max(latest, at)
	}
	return latest
}

// warpClocks are the clocks of a CTA.
type warpClocks struct {
	warps int                  // how many there are
	own   warpTimes            // what its accesses are stamped with, unless that of all is later
	known [mostWarps]warpTimes // by warp, what all its lanes know
	later [mostWarps]warpTimes // what some of them know, and all will behind a bar.warp.sync
	// meets: there was a barrier of some threads; bars are what the barriers tell.
	meets   bool
	bars    [numBarriers]barrierClock
	objects map[uint64]*objectClock // of mbarrier objects, by address
	readers []uint32                // by cell, the warps of those reads that are many
}

// barrierClock is what those tell who come to a barrier. coming are the times at which they
// came to the meeting that is open, met those of the last one of each warp.
type barrierClock struct{ told, coming, met warpTimes }

// warpClockBytes is what clocks take without readers.
const warpClockBytes = (2*mostWarps + 1 + 3*numBarriers) * 4 * mostWarps

// beginApart makes a CTA tell its warps apart.
func (w *warp) beginApart() *sharedCells {
	s := w.cta.cells
	if s.apart {
		return s
	}
	s.apart = true
	if s.clocks == nil {
		w.worker.hold(warpClockBytes + 4*int64(len(s.read)))
		s.clocks = &warpClocks{readers: make([]uint32, len(s.read))}
	} else {
		*s.clocks = warpClocks{readers: s.clocks.readers}
	}
	for _, of := range w.cta.warps {
		s.clocks.warps = max(s.clocks.warps, of.number+1)
	}
	now := s.now << cellTime
	for k, r := range s.read { // of reads by many so far nobody knows whose they are
		if r >= now {
			s.clocks.readers[k] = ^uint32(0)
		}
	}
	return s
}

// stamp is the time of a warp's accesses.
func (s *sharedCells) stamp(w *warp) uint32 {
	if !s.apart {
		return s.now
	}
	return max(s.now, s.clocks.own[w.number])
}

// row is what a warp knows of others, nil where that is no more than all do.
func (s *sharedCells) row(w *warp) *warpTimes {
	if !s.apart {
		return nil
	}
	return &s.clocks.known[w.number]
}

// advance lets a warp go on at a later time than one that it has told or knows.
func (s *sharedCells) advance(w *warp, from uint32) {
	own := &s.clocks.own[w.number]
	if *own = max(s.stamp(w), from+1); *own >= mostTimes-1 { // nobody knows any more what came before
		*own = mostTimes - 2
		w.unfiltered(w.worker.launch.prog.Kernel.First)
	}
}

// unfiltered leaves the launch to the detector, whatever is asked of it.
func (w *warp) unfiltered(pc ir.PC) {
	log := w.worker.launch.Check
	log.Unfiltered = true
	log.Suspects(uint32(pc))
}

// before reports whether what was done at a cell since all threads met comes before whatever
// a thread does next whose warp has a row.
func (s *sharedCells) before(t *warpTimes, cell, thread uint32) bool {
	at := cell >> cellTime
	switch {
	case t == nil || at == mostTimes: // a copy that is under way
		return false
	case cell&cellMark != 0: // of atomics nobody knows whose
		return slices.Min(t[:s.clocks.warps]) >= at
	}
	return cell&cellThread == thread || at <= t[cell>>5&(mostWarps-1)]
}

// readBefore does so for the reads of a cell.
func (s *sharedCells) readBefore(t *warpTimes, k uint64, thread uint32) bool {
	read := s.read[k]
	if read&cellMark == 0 {
		return s.before(t, read, thread)
	}
	for rest := s.clocks.readers[k]; rest != 0; rest &= rest - 1 {
		if t[bits.TrailingZeros32(rest)&(mostWarps-1)] < read>>cellTime {
			return false
		}
	}
	return true
}

// reads notes a read of a cell.
func (s *sharedCells) reads(t *warpTimes, k uint64, self uint32) {
	switch read, warp := s.read[k], self>>5&(mostWarps-1); {
	case read < s.now<<cellTime || read&cellMark == 0 && s.before(t, read, self&cellThread):
		s.read[k] = self
	case read == self:
	case read&cellMark == 0:
		s.clocks.readers[k] = 1<<warp | 1<<(read>>5&(mostWarps-1))
		s.read[k] = max(read, self) | cellMark
	default:
		s.clocks.readers[k] |= 1 << warp
		s.read[k] = max(read, self|cellMark)
	}
}

// comes notes that lanes come to a barrier. Who meets whom at it must not depend on the order
// of threads: who comes has to know of all who came to an earlier meeting, and those of one
// meeting want to be as many and to make the same of their predicates.
func (w *warp) comes(in *inst, b *barrierInfo, id, lanes uint32) {
	bar, warps := &w.cta.bars[id], len(w.cta.warps)
	part := b.arriveOnly
	if bar.threads != 0 && int(bar.threads/32) < warps {
		warps, part = int(bar.threads/32), true
	}
	if bar.expects == 0 {
		bar.expects, bar.reduces = warps, b.reduction()
	} else if bar.expects != warps || bar.reduces != b.reduction() {
		w.unfiltered(in.pc)
	}
	if part {
		w.beginMeetings()
	}
	s := w.cta.cells
	if !s.apart {
		return
	}
	c, now := s.clocks, s.stamp(w)
	row, clock := s.row(w), &c.bars[id]
	if c.meets {
		for v, at := range clock.met {
			if at >= s.now && at > row[v] {
				w.unfiltered(in.pc)
			}
		}
		if bar.lanes[w.index]&lanes != 0 || lanes != w.alive {
			w.unfiltered(in.pc)
		}
		clock.coming[w.number] = now
	}
	if clock.told.join(row); lanes == w.alive {
		clock.told[w.number] = now
	}
	s.advance(w, now)
}

// beginMeetings is for the first barrier of some threads: who waits at others has come by now.
func (w *warp) beginMeetings() {
	s := w.beginApart()
	if s.clocks.meets {
		return
	}
	s.clocks.meets = true
	for id := range s.clocks.bars {
		for i, lanes := range w.cta.bars[id].lanes {
			if of := w.cta.warps[i]; w.cta.bars[id].used && lanes != 0 {
				s.clocks.bars[id].coming[of.number] = s.stamp(of)
			}
		}
	}
}

// warpsMet ends a meeting at a barrier: those who waited know what those who came have told.
func (c *cta) warpsMet(id int) {
	s := c.cells
	clock := &s.clocks.bars[id]
	for _, w := range c.warps {
		for _, p := range w.paths {
			if p.state == atBarrier && p.wait.bar == id {
				s.learn(w, p.mask, &clock.told)
			}
		}
	}
	for v, at := range clock.coming {
		clock.met[v] = max(clock.met[v], at)
	}
	clock.told, clock.coming = warpTimes{}, warpTimes{}
}

// learn lets lanes of a warp know what others have told them.
func (s *sharedCells) learn(w *warp, lanes uint32, told *warpTimes) {
	if w.alive&^lanes != 0 {
		s.clocks.later[w.number].join(told)
		return
	}
	s.advance(w, s.clocks.known[w.number].join(told))
}

// lanesMet is for lanes of a bar.warp.sync: what any of them did comes before what any does next.
func (w *warp) lanesMet(lanes uint32) {
	if w.cta.cells == nil || w.alive&^lanes != 0 {
		return
	}
	s := w.beginApart()
	c, now := s.clocks, s.stamp(w)
	row := &c.known[w.number]
	row[w.number] = now
	latest := row.join(&c.later[w.number])
	c.later[w.number] = warpTimes{}
	s.advance(w, max(now, latest))
}
