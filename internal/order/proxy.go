package order

import "slices"

// Bulk copies and products access memory by the async proxy, threads by the generic one. What
// a thread has written is there for the async proxy only if a fence.proxy.async stands between
// the two in the order of causes: base causality order holds for accesses by one proxy (PTX
// ISA 8.9.5, Async Proxy). Who waits for asynchronous work needs none, since its completion is
// followed by such a fence. Nor is one asked for where the async proxy writes over what
// threads have read.
//
// The fence is that of the writer or of somebody who knows of the write, and who reads has to
// know of it: a fence that another warp came to at some time before is none. Of the lanes that
// fence together one that is known is enough.

// proxyFence is a fence.proxy.async: whose, and what these knew.
type proxyFence struct {
	by    access
	knows Clock
}

// ProxyFence notes a fence.proxy.async of lanes, which is instead of their last one.
func (w *Warp) ProxyFence(lanes uint32) {
	c := w.CTA
	c.proxied = slices.DeleteFunc(c.proxied, func(f proxyFence) bool { return f.by.warp == w.number && f.by.lanes&^lanes == 0 })
	c.proxied = append(c.proxied, proxyFence{access{cta: c.number, tick: w.now(), lanes: lanes, warp: w.number}, w.told(lanes)})
	w.Advance()
}

// isFenced reports whether a fence that a lane knows of is behind a write.
func (w *Warp) isFenced(p *access, lane int) bool {
	return slices.ContainsFunc(w.CTA.proxied, func(f proxyFence) bool {
		return f.knows.unknown(p) == 0 && w.unknown(&f.by, lane) != f.by.lanes
	})
}

// unfenced returns what an access by the async proxy depends on if threads of its CTA have
// written the cell before it and nobody has fenced that.
func (s *Shadow) unfenced(w *Warp, lane int, i uint64, op *Op) (Origin, Cause) {
	missing := func(p *access) bool {
		return p.tick != 0 && p.cta == w.CTA.number && p.warp < Works && p.stream == 0 && p.flags&async == 0 &&
			p.flags&(changed|unsure) != 0 && w.unknown(p, lane) == 0 && !w.isFenced(p, lane)
	}
	found := missing(&s.cells[i].write)
	if s.cells[i].listed {
		for k := range s.more[i].writes {
			found = found || missing(&s.more[i].writes[k])
		}
	}
	if !found {
		return 0, 0
	}
	return Undefined, w.CTA.log.Note(Unfenced, op.PC)
}
