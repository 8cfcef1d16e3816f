package emulator

import (
	"iter"

	"hyptx/emulator/internal/mbarrier"
	"hyptx/emulator/internal/words"
	"hyptx/ir/isa"
)

// mbarrier.try_wait is potentially blocking (PTX ISA 9.7.15.16.19): a thread whose phase
// is not over may be suspended, until it is or a time limit is reached that belongs to the
// system. Here all that can be is done within the limit: the path waits at the
// instruction, which counts once, and goes on when the phases of all its lanes are over.
// So a loop around it goes one round, and what it answers does not depend on who came
// first.
//
// Only where no thread of the launch could go on otherwise the limit is reached: all that
// are suspended then answer what is so, and a program that does something else in the
// meantime does it. Its answer is then one of the machine's (followObject). Who comes back
// to such a wait with nothing stored since, in a loop that ends no other way, waits for
// ever: that is a deadlock, after those that wait for it at a merge point have gone on.

// timeLimit says what has become of a path when its time had run out.
type timeLimit struct {
	reached bool // it is to go on, whatever the answer is
	gone    bool // that was so with the launch's stores at seen
	seen    uint64
	left    bool // those at its merge point have gone on without it
}

// suspends reports whether threads wait in an instruction for the phase of an mbarrier.
func suspends(x *isa.Inst) bool { return x != nil && x.Op == isa.OpMbarrierTryWait }

// awaitPhase ends a segment with mbarrier.try_wait.
func (w *warp) awaitPhase(p *path, s *segment, mask uint32) bool {
	m := w.guardLanes(s.in, mask)
	switch {
	case m == 0:
		return w.take(p, &s.next)
	case w.phasesOver(s.in, m):
		s.in.exec(w, s.in, m)
		return w.take(p, &s.next)
	}
	p.state, p.wait = suspended, waitFor{mask: m, in: s.in}
	return false
}

// phasesOver reports whether no lane has to wait. One whose address is wrong does not: the
// instruction fails when it is executed.
func (w *warp) phasesOver(in *inst, m uint32) bool {
	addr := w.addresses(in)
	for lane := range lanesOf(m) {
		if at := w.peek(in, lane, in.mem.space, addr[lane], 8); at != nil {
			if over, _ := w.phaseOver(in, lane, mbarrier.Unpack(words.Get(at))); !over {
				return false
			}
		}
	}
	return true
}

// resumes reports whether a suspended path could go on.
func (w *warp) resumes(p *path) bool {
	if p.limit.reached {
		return true
	}
	w.enter(p.frame)
	return w.phasesOver(p.wait.in, p.wait.mask)
}

// resume executes what path i has waited in, and reports whether it may run on.
func (w *warp) resume(i int) bool {
	w.cur = i
	p := w.paths[i]
	w.enter(p.frame)
	in := p.wait.in
	in.exec(w, in, p.wait.mask)
	p.limit.reached, p.state = false, ready
	return w.take(p, &w.worker.prog.segs[p.seg].next)
}

// suspendedIn are the suspended paths of clusters, each with its warp.
func suspendedIn(open []*cluster) iter.Seq2[*path, *warp] {
	return func(yield func(*path, *warp) bool) {
		for _, g := range open {
			for _, c := range g.ctas {
				for _, w := range c.warps {
					for i := 0; i < len(w.paths); i++ { // letting one go on adds others
						if p := w.paths[i]; p.state == suspended && !yield(p, w) {
							return
						}
					}
				}
			}
		}
	}
}

// onlyWaits reports whether a suspended path is in a loop that ends by nothing else.
func (wk *worker) onlyWaits(p *path) bool {
	s := &wk.prog.segs[p.seg]
	return s.loop >= 0 && wk.prog.loops[s.loop].waiting && !wk.prog.loops[s.loop].counts
}

// expire lets the time of suspended paths run out, of all at once so that their order does
// not matter, and reports whether any can go on.
func (wk *worker) expire(open []*cluster) (any bool) {
	for p := range suspendedIn(open) {
		l := &p.limit
		if l.gone && l.seen != wk.stores {
			l.gone, l.left = false, false
		}
		if !l.gone || !wk.onlyWaits(p) {
			l.gone, l.seen, l.reached, any = true, wk.stores, true, true
		}
	}
	if any {
		return true
	}
	for p, w := range suspendedIn(open) {
		if p.awaited() && !p.limit.left {
			s := p.split
			p.split, p.limit.left = nil, true
			w.leave(s, p.mask)
			any = true
		}
	}
	return any
}
