package emulator

import (
	"fmt"
	"math/bits"

	"hyptx/internal/check"
)

// Who names members by a mask waits for all of them that live, at the same operation (PTX ISA
// 9.7.10.6, 9.7.15). The schedule waits, too, but not for ever:
// members that wait at another operation, or behind the branch that these have taken, go
// on, and the operation is done without them. Only bar.warp.sync may stand in several
// places for those who meet.

// asksMembers reports whether a path waits at an operation by which lanes hand something to others.
func (p *path) asksMembers() bool {
	return p.state == atWarpBar && p.wait.in.exec != nil && !p.wait.in.exchange.orders
}

// noteMembers notes that some of the members that a path waits for do not come, and where they are.
func (w *warp) noteMembers(p *path, missing uint32, at check.Party) {
	if f := w.note(check.NotTogether, p.wait.in.pc, bits.TrailingZeros32(p.mask)); f != nil {
		at.CTA, at.Thread = w.cta.id, w.thread(bits.TrailingZeros32(missing))
		f.Other = &at
		f.Said = fmt.Sprintf("the member mask names %d threads of the warp that are elsewhere when this is executed: it waits for all that it names, and what comes without them is undefined",
			bits.OnesCount32(missing))
	}
}

// membersGoneAround is for a path that waits for members which wait for it at a merge point, and
// have to go on without it. They may be about to exit, and then it need not wait for them.
func (w *warp) membersGoneAround(p *path) {
	for s := p.split; s != nil; s = s.parent {
		if missing := s.arrived & p.wait.mask & w.alive; missing != 0 && !w.onlyEnds(s.frame, s.reconv) {
			w.noteMembers(p, missing, check.Party{PC: uint32(w.worker.prog.segs[s.reconv].pcFirst)})
			return
		}
	}
}

// membersElsewhere notes shuffles whose members wait at something else than a shuffle; of votes
// and their like the hook of the operation itself does (missingMembers).
func (w *warp) membersElsewhere(members uint32) {
	for _, p := range w.paths {
		if p.mask&members == 0 || !p.asksMembers() || p.wait.in.exchange.mode != "" {
			continue
		}
		op := w.worker.prog.Module.Instrs[p.wait.in.pc].Inst.Op
		for _, q := range w.paths {
			if q.state != atWarpBar || q.mask&p.wait.mask == 0 || w.worker.prog.Module.Instrs[q.wait.in.pc].Inst.Op == op {
				continue
			}
			w.noteMembers(p, q.mask&p.wait.mask, check.Party{PC: uint32(q.wait.in.pc)})
			break
		}
	}
}
