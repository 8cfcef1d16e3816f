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

// Asynchronous work has numbers behind those of warps: what the products of a warp do
// (checkproduct.go, checktensor.go), what it loads from tensor memory and stores to it, and what copies do
// of which an mbarrier object hears (checkbulk.go), a stream for each object. Their times are above all of
// warps, so that no barrier makes them known: who has waited for them knows them, and tells others.

// stamp is the time of a warp's accesses.
func (s *sharedCells) stamp(w *warp) uint32 {
	if !s.apart {
		return s.now
	}
	return max(s.now, s.clocks.own[w.clockNumber()])
}

// row is what a warp knows of others, nil where that is no more than all do.
func (s *sharedCells) row(w *warp) warpTimes {
	if !s.apart {
		return nil
	}
	return s.clocks.known[w.clockNumber()]
}

// rowOf is what lanes of a warp know: one may know more than all.
func (s *sharedCells) rowOf(w *warp, lanes uint32) warpTimes {
	switch {
	case !s.apart:
		return nil
	case lanes&(lanes-1) == 0 && lanes != 0 && s.clocks.lane[w.clockNumber()] == bits.TrailingZeros32(lanes):
		return s.clocks.alone[w.clockNumber()]
	}
	return s.clocks.known[w.clockNumber()]
}

// advance lets a warp go on at a later time than one that it has told or knows.
func (s *sharedCells) advance(w *warp, from uint32) {
	own := &s.clocks.own[w.clockNumber()]
	if *own = max(s.stamp(w), from+1); *own >= streamTimes-1 { // nobody knows any more what came before
		*own = streamTimes - 2
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
func (s *sharedCells) before(t warpTimes, cell, thread uint64) bool {
	at := uint32(cell >> cellTime)
	switch {
	case t == nil || at == mostTimes: // a copy that is under way
		return false
	case cell&cellMark != 0: // of atomics nobody knows whose
		return cell&(1<<cellTime-1) != cellMark|objectAccess && slices.Min(t[:s.clocks.warps]) >= at&^streamTimes ||
			at < streamTimes && slices.Min(t[:s.clocks.warps]) >= at
	case cell&cellThread>>5 < uint64(s.clocks.warps):
		at &^= streamTimes // of another CTA's
	}
	return cell&cellThread == thread || at <= t[cell&cellThread>>5]
}

// readBefore does so for the reads of a cell.
func (s *sharedCells) readBefore(t warpTimes, k, thread uint64) bool {
	read := s.read[k]
	if read&cellMark == 0 {
		return s.before(t, read, thread)
	}
	for rest := s.readers[k]; rest != 0; rest &= rest - 1 {
		for n := bits.TrailingZeros64(rest); n < s.clocks.first+s.clocks.streams; n += 64 {
			at := uint32(read >> cellTime)
			if n < s.clocks.warps {
				at &^= streamTimes
			}
			if t[n] < at {
				return false
			}
		}
	}
	return true
}

// reads notes a read of a cell.
func (s *sharedCells) reads(t warpTimes, now, k, self uint64) {
	switch read, warp := s.read[k], self&cellThread>>5; {
	case read < now || read&cellMark == 0 && s.before(t, read, self&cellThread):
		s.read[k] = self
	case read == self:
	case read&cellMark == 0:
		s.readers[k] = 1<<(warp&63) | 1<<(read>>5&63)
		s.read[k] = latest(read, self) | cellMark
	default:
		s.readers[k] |= 1 << (warp & 63)
		s.read[k] = latest(read, self|cellMark)
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
	row, clock := s.rowOf(w, lanes), &s.bars[id]
	if s.meets {
		for v, at := range clock.met {
			if at >= s.now && at > row[v] {
				w.unfiltered(in.pc)
			}
		}
		if bar.lanes[w.index]&lanes != 0 || lanes != w.alive {
			w.unfiltered(in.pc)
		}
		clock.coming[w.clockNumber()] = now
	}
	if clock.told.join(row); lanes == w.alive {
		clock.told.join(c.later[w.clockNumber()])
		clock.told[w.clockNumber()] = now
	}
	s.advance(w, now)
}

// beginMeetings is for the first barrier of some threads: who waits at others has come by now.
func (w *warp) beginMeetings() {
	s := w.beginApart()
	if s.meets {
		return
	}
	s.meets = true
	for id := range s.bars {
		for i, lanes := range w.cta.bars[id].lanes {
			if of := w.cta.warps[i]; w.cta.bars[id].used && lanes != 0 {
				s.bars[id].coming[of.clockNumber()] = s.stamp(of)
			}
		}
	}
}

// warpsMet ends a meeting at a barrier: those who waited know what those who came have told.
func (c *cta) warpsMet(id int) {
	s := c.cells
	clock := &s.bars[id]
	for _, w := range c.warps {
		for _, p := range w.paths {
			if p.state == atBarrier && p.wait.bar == id {
				s.learn(w, p.mask, clock.told)
			}
		}
	}
	for v, at := range clock.coming {
		clock.met[v] = max(clock.met[v], at)
	}
	clear(clock.told)
	clear(clock.coming)
}

// learn lets lanes of a warp know what others have told them.
func (s *sharedCells) learn(w *warp, lanes uint32, told warpTimes) {
	c := s.clocks
	if w.alive&^lanes == 0 {
		c.alone[w.clockNumber()].join(told)
		s.advance(w, c.known[w.clockNumber()].join(told))
		return
	}
	latest := c.later[w.clockNumber()].join(told)
	if lanes&(lanes-1) != 0 {
		return
	}
	if lane := bits.TrailingZeros32(lanes); c.lane[w.clockNumber()] != lane {
		c.lane[w.clockNumber()] = lane
		copy(c.alone[w.clockNumber()], c.known[w.clockNumber()])
	}
	c.alone[w.clockNumber()].join(told)
	s.advance(w, latest)
}

// lanesMet is for lanes of a bar.warp.sync: what any of them did comes before what any does next.
func (w *warp) lanesMet(lanes uint32) {
	if w.cta.cells == nil || w.alive&^lanes != 0 {
		return
	}
	s := w.beginApart()
	c, now := s.clocks, s.stamp(w)
	row := c.known[w.clockNumber()]
	row[w.clockNumber()] = now
	latest := row.join(c.later[w.clockNumber()])
	clear(c.later[w.clockNumber()])
	c.lane[w.clockNumber()] = -1
	s.advance(w, max(now, latest))
}

// latest returns a cell with the later time of two, which is of asynchronous work or another CTA's if
// either is.
func latest(a, b uint64) uint64 {
	const far = streamTimes << cellTime
	return max(a&^far, b&^far) | (a|b)&far
}
