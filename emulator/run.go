package emulator

import "math/bits"

// The run loop. Four loops lie in each other: over CTAs (grid.go), over the warps of
// a CTA that take turns (cta.runTurn), over the paths of a warp (warp.run), and over
// the segments of a path (runPath), which is where the time goes. A path runs
// until it ends, waits, or comes to its merge point; nothing interrupts it. So the
// order of everything is given by the program, and two runs are equal to the last
// memory access.
//
// A path also gives way by itself, because some programs wait for memory: a spin
// lock, a flag, a barrier of the whole grid. If a path in such a loop ran until it
// got out, it would run for ever, for whoever is to store what it waits for never
// gets a turn. So each path counts the rounds that it goes in a row without a lane
// leaving the loop. After 64 of a waiting loop (ir.Func.WaitingLoops: its exits
// depend on memory that another thread may write) it yields:
//
//   - the next path of its warp runs, else the next warp, else the next CTA;
//   - lanes that wait for it at a merge point go on alone. In
//     while (atomicCAS(l, 0, 1)); work; l = 0; the lane that got the lock waits
//     behind the loop for the 31 that did not, and they wait for it to unlock. A
//     stack of post-dominators hangs there for ever; Volta's independent threads do
//     not, and so must this.
//
// If all that could run are in waiting loops and have yielded twice with no store
// by anybody in between, nothing will change any more: that is a deadlock, and told
// as one (cta.stuck). A loop that is no waiting loop yields too, after 2^24 rounds,
// without letting anybody go: it may be one that the analysis has not recognised.

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
		if w.listens && !w.hear(p, s, mask) {
			w.exitLanes(p.mask)
			w.removePath(w.cur)
			return false
		}
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
			if s.in.exec != nil {
				s.in.exec(w, s.in, m)
			}
			w.fail(s.in, m, "trap")
		}
		return w.take(p, &s.next)
	case termCall:
		return w.call(p, s, mask)
	case termBarrier:
		return w.barrier(p, s, mask)
	case termCluster:
		return w.clusterBarrier(p, s, mask)
	case termWarpSync:
		return w.warpSync(p, s, mask)
	case termSuspend:
		return w.awaitPhase(p, s, mask)
	}
	panic("BUG: segment without an end")
}

// branchIndexed ends a segment with brx.idx. An index outside the list, which
// the manual leaves undefined, is an error.
func (w *warp) branchIndexed(p *path, s *segment, mask uint32) bool {
	active := w.guardLanes(s.in, mask)
	through := mask &^ active
	var to parting[*edge]
	index := w.slot(s.in.a)
	for m := active; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		if int64(index[lane]) >= int64(len(s.targets)) {
			w.fail(s.in, 1<<lane, "brx.idx: index %d, but the list has %d targets", index[lane], len(s.targets))
		}
		if e := &s.targets[index[lane]]; through != 0 && e.to == s.next.to {
			through |= 1 << lane // a target by another name
		} else {
			to.add(e, uint32(e.to), 1<<lane) // the end of the function comes last
		}
	}
	if through != 0 {
		to.lead(&s.next, through)
	}
	for i := range to.n {
		w.notePath(p.seg, to.ways[i].to, to.masks[i])
	}
	if to.n == 1 {
		return w.take(p, to.ways[0])
	}
	w.diverge(s, to.ways[:to.n], to.masks[:to.n])
	return true
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
	w.splitTwo(&s.next, &s.target, mask&^leaving, leaving, end)
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

// unblock looks for a way on when no path of the warp is ready: lanes that
// wait at a merge point for others that wait at a barrier for them. Those at
// the barrier are blocked for good as far as the merge is concerned, so the
// others go on without them; and groups of members that wait for others of
// their path alone. It reports whether a path became ready.
func (w *warp) unblock() bool {
	if w.blocked {
		return false
	}
	for i := 0; i < len(w.paths); i++ {
		p := w.paths[i]
		if p.state != atBarrier && p.state != atCluster && p.state != atWarpBar || !p.awaited() {
			continue
		}
		if len(w.parted) > 0 && p.state == atBarrier {
			w.goneAround(p)
		}
		if w.checks() && p.asksMembers() {
			w.membersGoneAround(p)
		}
		w.cur = i
		s := p.split
		p.split = nil
		w.leave(s, p.mask)
		i = w.cur
	}
	return w.nextPath() || w.partGroups() && w.nextPath()
}

// awaited reports whether lanes wait at a merge point for the path.
func (p *path) awaited() bool {
	for s := p.split; s != nil; s = s.parent {
		if s.arrived != 0 {
			return true
		}
	}
	return false
}
