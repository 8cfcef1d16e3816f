package order

// Bulk copies and products access memory by the async proxy, threads by the generic one. What
// a thread has written is there for the async proxy only if a fence.proxy.async stands between
// the two in the order of causes: base causality order holds for accesses by one proxy (PTX
// ISA 8.9.5, Async Proxy). Who waits for asynchronous work needs none, since its completion is
// followed by such a fence. Nor is one asked for where the async proxy writes over what
// threads have read.
//
// The fence is that of the writer or of somebody who knows of the write, before who reads; all
// fences of the CTA's threads so far are taken for such, whoever knows of them, so that what
// is said here is that there was none.

// ProxyFence notes a fence.proxy.async of lanes.
func (w *Warp) ProxyFence(lanes uint32) {
	w.CTA.fenced = Join(w.CTA.fenced, w.told(lanes)).pruned()
	w.Advance()
}

// unfenced returns what an access by the async proxy depends on if threads of its CTA have
// written the cell before it and nobody has fenced that.
func (s *Shadow) unfenced(w *Warp, lane int, i uint64, op *Op) (Origin, Cause) {
	missing := func(p *access) bool {
		return p.tick != 0 && p.cta == w.CTA.number && p.warp < Works && p.stream == 0 && p.flags&async == 0 &&
			p.flags&(changed|unsure) != 0 && w.CTA.fenced.unknown(p) != 0 && w.unknown(p, lane) == 0
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
