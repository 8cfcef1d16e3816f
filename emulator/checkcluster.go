package emulator

import (
	"hyptx/emulator/internal/address"
	"hyptx/ir/isa"
)

// The CTAs of a cluster have clocks together, so that it is known who comes before whom across them. What
// a barrier of one CTA makes known to all of its threads no row says, but the time of the CTA: so who tells
// others outside of it tells that, too; and what these do to its shared memory has a mark in its time by
// which it is never before a barrier that they have not come to.
//
// The shared memory of another CTA has to be there: it has begun for who knows of any of its warps, and
// has not ended if one of them knows, at the end, that it was read.

// beginClocks makes the CTAs of a cluster have clocks.
func (wk *worker) beginClocks(g *cluster) {
	each := int(wk.launch.threads+31) / 32
	if warps := each * len(g.ranks); g.clocks == nil || !g.clocks.fit(wk, warps) {
		g.clocks = newClocks(wk, warps)
	} else {
		g.clocks.begin()
	}
	for rank, c := range g.ranks {
		if c != nil {
			c.cells.tellApart(wk, g.clocks, rank*each, each)
		}
	}
	width := len(g.clocks.room)
	if len(g.bar.rows) != 2*width {
		wk.hold(int64(2 * 4 * width))
		g.bar.rows = make(warpTimes, 2*width)
	}
	clear(g.bar.rows)
	g.bar.over = 0
	g.bar.tells, g.bar.heard = g.bar.rows[:width], g.bar.rows[width:]
}

// outside makes a row know what lanes of a warp tell other CTAs.
func (s *sharedCells) outside(w *warp, lanes uint32, row warpTimes) {
	row.join(s.rowOf(w, lanes))
	for v := s.first; v < s.first+s.warps; v++ {
		row[v] = max(row[v], s.now-1)
	}
	if lanes == w.alive {
		row.join(s.clocks.later[w.clockNumber()])
		row[w.clockNumber()] = max(row[w.clockNumber()], s.stamp(w))
	}
}

// comesToCluster notes that lanes come to the barrier of their cluster, and release; who comes relaxed tells
// of what was before the last fence alone.
func (w *warp) comesToCluster(lanes uint32, relaxed bool) {
	s := w.cta.cells
	c, n := s.clocks, w.clockNumber()
	if !relaxed {
		now := s.stamp(w)
		s.outside(w, lanes, w.cta.cluster.bar.tells)
		s.advance(w, now)
		return
	}
	if w.fencing != 0 && w.fencing&^lanes == 0 {
		w.cta.cluster.bar.tells.join(c.fenced[n])
	}
	for _, o := range s.objects {
		if o.fenced && o.madeBy(n, lanes) && o.known == 0 {
			o.known = w.cta.cluster.bar.over + 1
		}
	}
}

// execFenceChecked notes a fence whose scope is more than the CTA, of lanes that may come to the barrier of their cluster relaxed
// (PTX ISA 9.7.15.3). What one lane alone has done no row says, but for the objects that it has made: these are
// known from the next phase of the barrier on.
func execFenceChecked(w *warp, _ *inst, m uint32) {
	s := w.beginApart()
	n := w.clockNumber()
	row := s.clocks.fenced[n]
	clear(row)
	s.outside(w, m, row)
	w.fencing = m
	s.advance(w, s.stamp(w))
	for _, o := range s.objects {
		o.fenced = o.fenced || o.madeBy(n, m)
	}
}

// madeBy reports whether one of some lanes of a warp has made the object.
func (o *objectClock) madeBy(warp int, lanes uint32) bool {
	return o.made != 0 && o.made < streamTimes<<cellTime && int(o.made&cellThread>>5) == warp && lanes>>(o.made&31)&1 != 0
}

// isKnown reports whether a warp knows, by the barrier of its cluster, that an object was made.
func (o *objectClock) isKnown(w *warp) bool { return o.known != 0 && w.metCluster >= o.known }

// farAccess is what is done to the shared memory of another CTA.
type farAccess uint8

const (
	farRead farAccess = iota
	farWrite
	farAtomic
)

// far returns the cells of a CTA of the cluster that an address of shared memory lies in, and where; nil
// where there are none. Another CTA has to be there.
func (w *warp) far(in *inst, lane int, addr uint64, reads bool) (s *sharedCells, at uint64) {
	if _, _, ranked := address.Rank(addr); !ranked {
		return nil, 0
	}
	c, at := w.sharedOf(addr)
	switch {
	case c == w.cta:
		return w.cta.cells, at
	case c.cells == nil || c.ended() || !w.knowsOf(c, lane):
		w.unfiltered(in.pc)
		return nil, 0
	}
	if s = c.cells; reads {
		s.visits[w.clockNumber()] = w.cta.cells.stamp(w)
	}
	return s, at
}

// knowsOf reports whether a lane knows that another CTA has begun: for certain behind a barrier of the cluster.
func (w *warp) knowsOf(c *cta, lane int) bool {
	if w.metCluster > 0 {
		return true
	}
	for _, at := range w.cta.cells.rowOf(w, 1<<lane)[c.cells.first:][:c.cells.warps] {
		if at > 0 {
			return true
		}
	}
	return false
}

// times returns, for accesses of a warp to cells, the time before which all is known, and its stamp.
func (s *sharedCells) times(w *warp) (now, stamp uint64) {
	if s == w.cta.cells {
		return uint64(s.now) << cellTime, uint64(s.stamp(w)) << cellTime
	}
	return 0, uint64(w.cta.cells.stamp(w)|streamTimes) << cellTime
}

// lookFar looks at a lane's access to the shared memory of a CTA of its cluster, by such an address.
func (w *warp) lookFar(in *inst, lane int, addr, n uint64, does farAccess) {
	s, at := w.far(in, lane, addr, does != farWrite)
	if s == nil {
		return
	}
	k, last, ok := s.cellsOf(at, n)
	if !ok {
		return
	}
	now, stamp := s.times(w)
	row, thread := w.cta.cells.rowOf(w, 1<<lane), uint64(w.clockNumber()*32+lane)
	for ; k <= last; k++ {
		written, read := s.write[k], s.read[k]
		if does != farWrite && written == 0 {
			w.noteUnwritten(in, lane, isa.Shared, addr, n)
			continue
		}
		atomics := does == farAtomic && written&(1<<cellTime-1) == cellMark|n
		if does == farAtomic {
			thread = cellThread + 1
		}
		if written >= max(now, 1) && !atomics && !s.before(row, written, thread) ||
			does != farRead && read >= max(now, 1) && !s.readBefore(row, k, thread) {
			w.suspect(in)
		}
		switch does {
		case farRead:
			s.reads(row, now, k, stamp|thread)
		case farWrite:
			s.write[k], s.read[k] = stamp|thread, 0
		default:
			s.write[k] = latest(written&^(1<<cellTime-1), stamp) | cellMark | n
		}
	}
}

// endClocks leaves a launch to the detector in which a CTA of a cluster may have ended before another one
// had read its shared memory.
func (wk *worker) endClocks(g *cluster) {
	if g.clocks == nil || !wk.launch.prog.checked {
		return
	}
	for _, c := range g.ctas {
		s := c.cells
		for v, at := range s.visits {
			if at != 0 && !s.leftAfter(v, at) {
				c.warps[0].unfiltered(wk.launch.prog.Kernel.First)
			}
		}
	}
}

// leftAfter reports whether a thread of the CTA knew of what a warp did at a time.
func (s *sharedCells) leftAfter(v int, at uint32) bool {
	for w := s.first; w < s.first+s.warps; w++ {
		if c := s.clocks; max(c.known[w][v], c.later[w][v], c.alone[w][v]) >= at {
			return true
		}
	}
	return false
}
