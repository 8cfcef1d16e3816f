package emulator

import "math/bits"

// enter makes f the frame that instructions see.
func (w *warp) enter(f *frame) {
	w.slots, w.base, w.preds, w.frame = w.worker.arena, f.base, f.preds, f
}

// mergeAt returns the segment at which the path is to stop for its split, end
// when there is none in its present frame.
func (p *path) mergeAt() int32 {
	if p.split == nil || p.split.frame != p.frame {
		return end
	}
	return p.split.reconv
}

// run lets the warp's paths run in turns, each until it ends, waits or yields,
// until none is left that could.
func (w *warp) run() {
	for !w.blocked && (w.nextPath() || w.unblock()) {
		for w.runPath() {
		}
	}
}

// runPath runs the current path until another one has to be chosen or become
// current. It reports whether the warp's current path may run on at once.
func (w *warp) runPath() bool {
	wk := w.worker
	prog := wk.prog
	counts := w.counts
	p := w.paths[w.cur]
	w.enter(p.frame)
	merge := p.mergeAt()
	for {
		if p.seg == end {
			return w.ret(p)
		}
		if p.seg == merge {
			return w.arrive()
		}
		s := &prog.segs[p.seg]
		mask := p.mask
		counts[2*p.seg]++
		counts[2*p.seg+1] += popcount(mask)
		if wk.budget -= int64(s.cost); wk.budget < 0 {
			wk.refill()
		}
		for i := s.first; i < s.last; i++ {
			in := &prog.insts[i]
			m := mask
			if in.guard >= 0 {
				m &= w.preds[in.guard] ^ in.flip
				counts[in.count] += popcount(m)
				if m == 0 {
					continue
				}
			}
			in.exec(w, in, m)
		}
		switch s.term {
		case termNext:
			if !w.take(p, &s.next) {
				return false
			}
		case termJump:
			if !w.take(p, &s.target) {
				return false
			}
		case termBranch:
			taken := w.guardLanes(s.in, mask)
			w.noteBranch(p, s, mask, taken)
			switch {
			case taken == mask:
				if !w.take(p, &s.target) {
					return false
				}
			case taken == 0 || s.target.to == s.next.to:
				if !w.take(p, &s.next) {
					return false
				}
			default:
				w.part(s, mask, taken)
				return true
			}
		default:
			return w.endSegment(p, s, mask)
		}
	}
}

// noteBranch adds a branch to the paths of its threads, if anybody asked.
func (w *warp) noteBranch(p *path, s *segment, mask, taken uint32) {
	if w.hashes != nil {
		w.notePath(p.seg, s.target.to, taken)
		w.notePath(p.seg, s.next.to, mask&^taken)
	}
}

// part splits the current path at a branch that some of its lanes take.
func (w *warp) part(s *segment, mask, taken uint32) {
	edges := [2]*edge{&s.next, &s.target}
	masks := [2]uint32{mask &^ taken, taken}
	w.diverge(s, edges[:], masks[:])
}

// endSegment runs the rarer terminators. It reports whether the warp's current
// path may run on.
func (w *warp) endSegment(p *path, s *segment, mask uint32) bool {
	switch s.term {
	case termSwitch:
		return w.branchIndexed(p, s, mask)
	case termRet:
		return w.guardedRet(p, s, mask)
	case termExit:
		return w.guardedExit(p, s, mask)
	case termTrap:
		if m := w.guardLanes(s.in, mask); m != 0 {
			w.fail(s.in, m, "trap")
		}
		return w.take(p, &s.next)
	case termCall:
		return w.call(p, s, mask)
	case termBarrier:
		return w.barrier(p, s, mask)
	case termWarpSync:
		return w.warpSync(p, s, mask)
	}
	panic("BUG: segment without an end")
}

// guardLanes returns the lanes for which the terminator's guard holds, and
// counts them.
func (w *warp) guardLanes(in *inst, mask uint32) uint32 {
	if in == nil || in.guard < 0 {
		return mask
	}
	m := mask & (w.preds[in.guard] ^ in.flip)
	w.counts[in.count] += popcount(m)
	return m
}

// branchIndexed ends a segment with brx.idx. An index outside the list, which
// the manual leaves undefined, is an error.
func (w *warp) branchIndexed(p *path, s *segment, mask uint32) bool {
	active := w.guardLanes(s.in, mask)
	var edges [33]*edge
	var masks [33]uint32
	n := 0
	if rest := mask &^ active; rest != 0 {
		edges[0], masks[0], n = &s.next, rest, 1
	}
	index := w.slot(s.in.a)
	for m := active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if int64(index[lane]) >= int64(len(s.targets)) {
			w.fail(s.in, 1<<lane, "brx.idx: index %d, but the list has %d targets", index[lane], len(s.targets))
		}
		n = addTarget(&edges, &masks, n, &s.targets[index[lane]], 1<<lane)
	}
	for i := range n {
		w.notePath(p.seg, edges[i].to, masks[i])
	}
	if n == 1 {
		return w.take(p, edges[0])
	}
	first := 0
	if active != mask {
		first = 1 // the fall-through runs before all targets
	}
	sortTargets(edges[first:n], masks[first:n])
	w.diverge(s, edges[:n], masks[:n])
	return true
}

// addTarget adds lanes to the target of an edge, new or known.
func addTarget(edges *[33]*edge, masks *[33]uint32, n int, e *edge, lanes uint32) int {
	for k := range n {
		if edges[k].to == e.to {
			masks[k] |= lanes
			return n
		}
	}
	edges[n], masks[n] = e, lanes
	return n + 1
}

// sortTargets orders targets by PC, their masks with them; the end of the
// function comes last.
func sortTargets(edges []*edge, masks []uint32) {
	for i := 1; i < len(edges); i++ {
		for j := i; j > 0 && uint32(edges[j].to) < uint32(edges[j-1].to); j-- {
			edges[j], edges[j-1] = edges[j-1], edges[j]
			masks[j], masks[j-1] = masks[j-1], masks[j]
		}
	}
}

// follow moves the path along an edge that is no back edge.
func (p *path) follow(e *edge) {
	p.seg = e.to
	for _, l := range e.exits {
		p.rounds[l] = 0
	}
}

// take moves the current path along an edge. It reports false when the path
// yields.
func (w *warp) take(p *path, e *edge) bool {
	p.follow(e)
	if e.back < 0 {
		return true
	}
	p.rounds[e.back]++
	info := &w.worker.prog.loops[e.back]
	if p.rounds[e.back] < info.limit {
		if info.repeat != nil {
			w.repeatRounds(p, info, e.back)
		}
		return true
	}
	p.rounds[e.back] = 0
	w.yield(p, info.waiting)
	if info.counts {
		p.stuck = false // its next rounds may be its last
	}
	return false
}

// yield lets others run before the current path goes on (profile.md, Forward
// progress).
func (w *warp) yield(p *path, waiting bool) {
	p.state = yielded
	w.yielded = true
	w.worker.turns++
	p.waiting = waiting
	if !waiting {
		return
	}
	stores := w.worker.stores
	p.stuck = p.hasYielded && p.storesSeen == stores
	p.hasYielded, p.storesSeen = true, stores
	// Those that wait for it at a merge point go on alone.
	s := p.split
	p.split = nil
	w.leave(s, p.mask)
}

// guardedRet ends a segment with ret.
func (w *warp) guardedRet(p *path, s *segment, mask uint32) bool {
	leaving := w.guardLanes(s.in, mask)
	switch {
	case leaving == mask:
		p.follow(&s.target)
		return w.ret(p)
	case leaving == 0:
		return w.take(p, &s.next)
	case p.frame.parent == nil:
		w.exitPart(p, s, leaving)
		return true
	}
	// In a device function the lanes that return wait behind the call for the
	// others.
	edges := [2]*edge{&s.next, &s.target}
	masks := [2]uint32{mask &^ leaving, leaving}
	w.splitPath(edges[:], masks[:], end)
	return true
}

// guardedExit ends a segment with exit.
func (w *warp) guardedExit(p *path, s *segment, mask uint32) bool {
	leaving := w.guardLanes(s.in, mask)
	switch leaving {
	case mask:
		w.exitLanes(leaving)
		w.removePath(w.cur)
		return false
	case 0:
		return w.take(p, &s.next)
	}
	w.exitPart(p, s, leaving)
	return true
}

// exitPart ends some lanes of the current path; the others go on behind the
// ret or exit. For the loops around it a lane has left: that is no round.
func (w *warp) exitPart(p *path, s *segment, leaving uint32) {
	w.exitLanes(leaving)
	p.follow(&s.target)
	p.follow(&s.next)
}

// ret returns the current path's lanes from their function, or ends them. It
// reports whether the path may run on.
func (w *warp) ret(p *path) bool {
	if p.frame.parent == nil {
		w.exitLanes(p.mask)
		w.removePath(w.cur)
		return false
	}
	w.returnToCaller(p)
	return true
}
