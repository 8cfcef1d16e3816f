package emulator

import (
	"math/bits"

	"hyptx/internal/check"
	"hyptx/ir"
)

// A barrier that is .aligned wants all threads of a warp to execute it together. That is not
// asked of a schedule, which may let lanes come one after the other, as it does where one
// of them waits in a loop in front of the barrier, but of the program: all come to the same
// instruction, or some go round it.

// partedBarrier is that a part of a warp's threads has come to a barrier which all have to
// execute together. It is a fault once the barrier is over, or nobody can go on: the others
// may yet come or exit, and those that have exited are no part of a warp any more.
type partedBarrier struct {
	in    *inst
	frame *frame
	lanes uint32
	bar   int
	other *check.Party
	// around: others have gone round the barrier, and wait for these behind it.
	around bool
}

// comesInPart remembers lanes that come to a barrier without the others.
func (w *warp) comesInPart(in *inst, lanes uint32, bar int) {
	w.parted = append(w.parted, partedBarrier{in: in, frame: w.frame, lanes: lanes, bar: bar, other: w.elsewhere(in, lanes)})
}

// endParted notes who has come to a barrier without others that live: those have gone round it,
// or did not come to the same instruction.
func (w *warp) endParted(bar int) {
	if len(w.parted) == 0 {
		return
	}
	for i := range w.parted {
		p := &w.parted[i]
		if p.bar != bar && bar >= 0 || !p.around && w.alive&^w.cameTo(p) == 0 {
			continue
		}
		if f := w.note(check.DivergentBar, p.in.pc, bits.TrailingZeros32(p.lanes)); f != nil {
			f.Other = p.other
		}
	}
	rest := w.parted[:0]
	for _, p := range w.parted {
		if p.bar != bar && bar >= 0 {
			rest = append(rest, p)
		}
	}
	w.parted = rest
}

// cameTo returns all lanes that have come to the instruction of a barrier, in one phase and in the
// same call, be it in parts.
func (w *warp) cameTo(p *partedBarrier) (lanes uint32) {
	for i := range w.parted {
		if q := &w.parted[i]; q.in == p.in && q.frame == p.frame && q.bar == p.bar {
			lanes |= q.lanes
		}
	}
	return lanes
}

// goneAround is for a path that waits at a barrier while others wait for it at a merge point and
// have to go on without it: they have gone round the barrier. Unless all that they do there
// is to end: a thread may return before its warp comes to a barrier.
func (w *warp) goneAround(p *path) {
	for s := p.split; s != nil; s = s.parent {
		if s.arrived == 0 || w.onlyEnds(s.frame, s.reconv) {
			continue
		}
		for i := range w.parted {
			if q := &w.parted[i]; q.in == p.wait.in && q.bar == p.wait.bar && q.lanes&p.mask != 0 && !q.around {
				pc := w.worker.prog.segs[s.reconv].pcFirst
				q.around, q.other = true, &check.Party{PC: uint32(pc), CTA: w.cta.id, Thread: w.thread(bits.TrailingZeros32(s.arrived))}
			}
		}
		return
	}
}

// onlyEnds reports whether nothing is done from a segment on but to end the thread: no memory is
// accessed, nothing called and nobody waited for.
func (w *warp) onlyEnds(f *frame, seg int32) bool {
	segs := w.worker.prog.segs
	for range segs {
		if f, seg = f.mergePoint(seg); seg == end {
			return true
		}
		s := &segs[seg]
		if !w.idle(s.pcFirst, s.pcEnd) {
			return false
		}
		switch s.term {
		case termNext:
			seg = s.next.to
		case termJump, termRet:
			seg = s.target.to
		case termExit:
			return true
		default:
			return false
		}
	}
	return false
}

// idle reports whether instructions do nothing that anybody else could tell.
func (w *warp) idle(first, behind ir.PC) bool {
	for pc := first; pc < behind; pc++ {
		in := &w.worker.prog.Module.Instrs[pc]
		if x := in.Inst; x != nil && (x.IsLoad() || x.IsStore() || x.IsAtomic() || x.Form.Async || in.Call != nil) {
			return false
		}
	}
	return true
}
