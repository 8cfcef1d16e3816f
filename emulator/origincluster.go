package emulator

import (
	"hyptx/internal/order"
	"hyptx/ir/isa"
)

// Origins through the shared memory of other CTAs of a cluster: it has to be there.

// followsCluster reports whether the origins of what CTAs of a cluster do to each other's
// shared memory are followed.
func (w *warp) followsCluster() bool {
	l := w.worker.launch
	return l.prog.decisions > 0 && l.shape.size > 1
}

// visit adds what a value depends on that a lane of by, the warp or its asynchronous work,
// accesses in the shared memory of another CTA: if that has ended there is none, and if it
// has not begun for certain another order may find none. Whether it could have ended by
// then turns out when it ends.
func (w *warp) visit(in *inst, op *order.Op, by *order.Warp, lane int, space isa.Space, addr uint64, from *order.Lanes) {
	if space != isa.Shared || !w.followsCluster() {
		return
	}
	c, _ := w.sharedOf(addr)
	if c == w.cta || c == w.worker.noCTA {
		return
	}
	log := w.worker.launch.log
	switch {
	case c.ended():
		from.Add(1<<lane, order.Undefined, log.Note(order.Stray, uint32(in.pc)))
	case !by.Begun(&c.order, lane):
		from.Add(1<<lane, order.Scheduled, log.Note(order.Stray, uint32(in.pc)))
	case op.Reads:
		c.order.Visit(by, lane, op)
	}
}

// followEnd accounts for reads of the shared memory of CTAs that could have ended before.
func (wk *worker) followEnd(g *cluster) {
	l := wk.launch
	if l.prog.decisions == 0 || l.shape.size == 1 {
		return
	}
	for _, c := range g.ctas {
		c.order.Strays(func(cta, pc uint32) {
			for _, by := range g.ctas {
				if uint32(by.linear) == cta {
					by.counts[l.prog.decisions]++ // scheduled
				}
			}
			l.log.Decide(pc, order.Scheduled, l.log.Note(order.Stray, pc))
		})
	}
}
