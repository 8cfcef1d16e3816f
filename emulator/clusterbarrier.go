package emulator

import "hyptx/internal/order"

// barrier.cluster (PTX ISA 9.7.15.3) comes in halves: arrive says that a thread has
// come, wait stops it until all threads of the cluster that live have. Between the two it
// goes on. A phase is complete when all have come, and the next one begins with it; who
// arrived in a phase that is complete passes its wait at once. So it depends on the order
// of threads whether a wait of a part of a warp's threads parts them from the others. To
// come twice in a phase, or to wait without having come, the manual forbids: faults.
//
// Each thread comes by itself, as at barrier. What threads did before they came is in order
// with what those do that have waited; of those who came .relaxed only what was before a fence.

// clusterBarrier is a cluster's barrier. Which lanes have come is kept by their warps.
type clusterBarrier struct {
	// telling is what those who have come in this phase let others know, told what
	// those of the last one did.
	telling, told order.Clock
	// tells and heard are so of a program that is checked (checkcluster.go), made of rows.
	tells, heard, rows warpTimes
	// over is how many phases are, of such a program.
	over uint32
}

// comings are a warp's lanes that have come in the present phase, and those that came
// in one that is complete and have not waited since.
type comings struct{ here, passed uint32 }

// clusterBarrier ends a segment with barrier.cluster.
func (w *warp) clusterBarrier(p *path, s *segment, mask uint32) bool {
	b, g := s.bar, w.cta.cluster
	lanes := w.guardLanes(s.in, mask)
	if lanes == 0 {
		return w.take(p, &s.next)
	}
	if b.aligned && lanes != w.alive {
		w.counts[b.divergent]++
	}
	if w.moved.Trace != nil {
		part := lanes != w.alive
		if w.clustered() { // nobody counts on lanes that wait
			part = b.arriveOnly && w.alive&^(w.comings.here|lanes) != 0
		}
		w.traceClusterBarrier(&w.worker.prog.Module.Instrs[s.in.pc], part)
	}
	if b.arriveOnly {
		if twice := lanes & w.comings.here; twice != 0 {
			w.fail(s.in, twice, "the thread has come to the barrier of its cluster already, and not all others have")
		}
		w.comings.here |= lanes
		w.comings.passed &^= lanes
		switch {
		case b.follow && b.relaxed:
			g.bar.telling = order.Join(g.bar.telling, w.order.Fenced(lanes))
			g.bar.telling = order.Join(g.bar.telling, w.order.Executed(lanes))
		case b.follow:
			g.bar.telling = order.Join(g.bar.telling, w.order.Release(lanes))
		}
		if g.bar.tells != nil {
			w.comesToCluster(lanes, b.relaxed)
		}
		g.checkBarrier()
		return w.take(p, &s.next)
	}
	if absent := lanes &^ (w.comings.here | w.comings.passed); absent != 0 {
		w.fail(s.in, absent, "the thread waits at the barrier of its cluster and has not come to it: barrier.cluster.arrive says so")
	}
	if b.follow && lanes != mask && len(w.cta.cluster.ctas)*len(w.cta.warps) > 1 {
		w.decide(s.in, order.Scheduled, w.worker.launch.log.Note(order.Parting, uint32(s.in.pc)))
	}
	waiting := lanes & w.comings.here
	if passed := lanes &^ waiting; passed != 0 {
		w.goPast(b, passed)
	}
	if waiting == 0 {
		return w.take(p, &s.next)
	}
	p = w.goOn(p, s, waiting, mask)
	p.state = atCluster
	p.wait = waitFor{in: s.in, red: b}
	return false
}

// goPast lets lanes go on behind a phase that is complete.
func (w *warp) goPast(b *barrierInfo, lanes uint32) {
	w.comings.passed &^= lanes
	if b.follow {
		w.order.Acquire(lanes, w.cta.cluster.bar.told)
	}
	if heard := w.cta.cluster.bar.heard; heard != nil {
		w.cta.cells.learn(w, lanes, heard)
		if lanes == w.alive {
			w.metCluster = w.cta.cluster.bar.over
		}
	}
}

// checkBarrier completes the phase if all threads that live have come.
func (g *cluster) checkBarrier() {
	come := uint32(0)
	for _, c := range g.ctas {
		for _, w := range c.warps {
			if w.alive&^w.comings.here != 0 {
				return
			}
			come |= w.comings.here
		}
	}
	if come == 0 {
		return // all have exited
	}
	g.bar.told, g.bar.telling = g.bar.telling, nil
	if g.bar.tells != nil {
		g.bar.tells, g.bar.heard = g.bar.heard, g.bar.tells
		clear(g.bar.tells)
		g.bar.over++
	}
	for _, c := range g.ctas {
		for _, w := range c.warps {
			w.comings.passed |= w.comings.here
			w.comings.here = 0
			for _, p := range w.paths {
				if p.state == atCluster {
					w.goPast(p.wait.red, p.mask)
					p.state = ready
				}
			}
		}
	}
}
