package emulator

import (
	"hyptx/internal/order"
	"hyptx/internal/traffic/stream"
)

// Warps of a CTA take turns: one runs until none of its paths can, then the next
// one, around, until all have ended, wait or have yielded. What a path waits for at
// a barrier happens within such a turn, so that a CTA without waiting loops is done
// in one. If it is not, the next CTA has its turn and this one comes again later:
// all CTAs of a grid count as resident, whatever a GPU would hold at a time.

// cta is a thread block in execution.
type cta struct {
	linear int64
	id     [3]uint32
	warps  []*warp
	shared []byte
	// order and shadow say who did what to shared, when origins are followed;
	// placed: see bufferOrigins.
	order  order.CTA
	shadow *order.Shadow
	placed bool
	bars   [numBarriers]barrier
	counts []uint64
	// next is the warp whose turn it is; in reverse they take turns downwards.
	next    int
	reverse bool
	// requests are what it asks of the caches, nil where nobody listens.
	requests *stream.CTA
}

// runTurn lets the warps run in turns until all have ended (done), or all wait
// or have yielded.
func (c *cta) runTurn() (done bool) {
	for _, w := range c.warps {
		w.yielded = false
		for _, p := range w.paths {
			if p.state == yielded {
				p.state = ready
			}
		}
	}
	for idle := 0; idle < len(c.warps); {
		w := c.warps[c.next]
		c.advance()
		if w.runnable() {
			w.run()
			idle = 0
			continue
		}
		idle++
	}
	for _, w := range c.warps {
		if len(w.paths) > 0 {
			return false
		}
	}
	return true
}

// advance gives the turn to the next warp.
func (c *cta) advance() {
	if c.reverse {
		c.next += len(c.warps) - 2
	}
	c.next = (c.next + 1) % len(c.warps)
}

// runnable reports whether the warp has a path that can run in this turn.
func (w *warp) runnable() bool {
	if w.yielded || w.blocked {
		return false
	}
	for _, p := range w.paths {
		if p.state == ready {
			return true
		}
	}
	return false
}

// hasYielded reports whether a warp of the CTA gave way and could run again.
func (c *cta) hasYielded() bool {
	for _, w := range c.warps {
		for _, p := range w.paths {
			if p.state == yielded {
				return true
			}
		}
	}
	return false
}

// stuck reports whether every path that could run sits in a waiting loop and
// has yielded twice with nothing stored in between.
func (c *cta) stuck(stores uint64) bool {
	for _, w := range c.warps {
		for _, p := range w.paths {
			if p.state == yielded && !(p.waiting && p.stuck && p.storesSeen == stores) {
				return false
			}
		}
	}
	return true
}

// unblock looks for a way on when no path of the warp is ready: lanes that
// wait at a merge point for others that wait at a barrier for them. Those at
// the barrier are blocked for good as far as the merge is concerned, so the
// others go on without them. It reports whether a path became ready.
func (w *warp) unblock() bool {
	if w.blocked {
		return false
	}
	for i := 0; i < len(w.paths); i++ {
		p := w.paths[i]
		if p.state != atBarrier && p.state != atWarpBar || !p.awaited() {
			continue
		}
		w.cur = i
		s := p.split
		p.split = nil
		w.leave(s, p.mask)
		i = w.cur
	}
	return w.nextPath()
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
