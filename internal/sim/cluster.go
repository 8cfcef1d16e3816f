package sim

import "fmt"

// The CTAs of a cluster begin together, on the SMs of one GPC, as soon as there is room for
// all of them: each on the SM of the GPC that has most room, so that they are spread. They
// give their places away one by one. Their warps wait for each other at the barrier of the
// cluster: that all have come is known when the arrivals of a window are looked at, and who
// waits goes on later than that window's end.

// cluster is a resident cluster.
type cluster struct {
	ctas []*cta  // by rank
	sms  []int32 // of these
	life uint32  // of each, until it ends
	// alive are the warps that have not ended, arrived those that have come in the present
	// phase of the barrier, some of them with accesses that have to be in order.
	alive, arrived int
	ordered        bool
	// phases are complete, the last one at released.
	phases   uint32
	released Tick
}

// check says what is wrong with clusters.
func (c *Cluster) check(m *Config) error {
	switch {
	case c.Size <= 1:
		return nil
	case m.Chiplets.Count > 1:
		return fmt.Errorf("clusters of %d CTAs on a GPU of %d chiplets are not simulated", c.Size, m.Chiplets.Count)
	case c.GPCs < 1 || !(c.LatencyCycles > 0) || !(c.BytesPerCycle > 0) || !(c.BarrierCycles > 0) || !(c.OrderCycles >= 0):
		return fmt.Errorf("clusters of %d CTAs: %d GPCs, a latency of %v cycles, %v bytes a cycle, barriers of %v and %v cycles: must be positive", c.Size, c.GPCs, c.LatencyCycles, c.BytesPerCycle, c.BarrierCycles, c.OrderCycles)
	}
	return nil
}

// gpcOf returns the GPC of an SM: TPCs of two SMs are dealt evenly.
func (c *Cluster) gpcOf(sm, sms int) int {
	return sm / 2 * c.GPCs / ((sms + 1) / 2)
}

// resident returns how many CTAs there are in clusters at a time, so many on an SM.
func (c *Cluster) resident(sms, perSM int64) (n int64) {
	if c.Size <= 1 {
		return sms * perSM
	}
	places := make([]int64, c.GPCs)
	for i := range sms {
		places[c.gpcOf(int(i), int(sms))] += perSM
	}
	for _, room := range places {
		n += room / int64(c.Size) * int64(c.Size)
	}
	return n
}

// clusterBarrier lets a warp arrive at the barrier of its cluster at t, or wait there, by the
// record of its trace.
func (s *sm) clusterBarrier(w *warp, record uint64, t Tick) {
	g := w.cta.cluster
	ordered := record&orderedBit != 0
	switch {
	case g == nil:
	case record&arriveBit != 0:
		w.came++
		if ordered {
			t = max(t, s.peers.out)
		}
		s.peers.sent = append(s.peers.sent, message{at: t, kind: comes, of: g, ordered: ordered})
	case g.phases >= w.came:
		w.next = max(w.next, g.released)
	default:
		w.cta.meeting = append(w.cta.meeting, w)
		w.next, w.nextWhy = never, BarrierWait
	}
}

// meet completes a phase of the barrier at t, if all warps of the cluster have come.
func (r *run) meet(g *cluster, t Tick) {
	if g.arrived == 0 || g.arrived < g.alive {
		return
	}
	at := t + Cycles(r.m.Cluster.BarrierCycles)
	if g.ordered {
		at += Cycles(r.m.Cluster.OrderCycles)
	}
	g.phases++
	g.arrived, g.ordered, g.released = 0, false, at.roundUp()
	for rank, c := range g.ctas {
		for _, w := range c.meeting {
			r.sms[g.sms[rank]].resume(w, g.released)
		}
		c.meeting = c.meeting[:0]
	}
}

// gpc is the SMs on which a cluster finds room.
type gpc struct {
	sms  []*sm
	free []int // places of each
	room int   // of all
}

// newGPCs divides the SMs of a launch with clusters.
func (r *run) newGPCs() {
	c := &r.m.Cluster
	r.gpcs = make([]gpc, c.GPCs)
	for _, s := range r.sms {
		g := &r.gpcs[c.gpcOf(s.number, len(r.sms))]
		g.sms, g.free = append(g.sms, s), append(g.free, r.CTAsPerSM)
		g.room += r.CTAsPerSM
	}
}

// vacate gives a place of an SM back, and lets the next cluster begin if there is room.
func (r *run) vacate(s *sm, t Tick) (bool, error) {
	g := &r.gpcs[r.m.Cluster.gpcOf(s.number, len(r.sms))]
	g.free[s.number-g.sms[0].number]++
	g.room++
	return r.launchCluster(g, t)
}

// launchCluster lets the CTAs of the next cluster, if there is one, begin on a GPC that has
// room for all of them, at t at the earliest.
func (r *run) launchCluster(g *gpc, t Tick) (bool, error) {
	size := r.m.Cluster.Size
	if r.over[0] || g.room < size {
		return false, nil
	}
	of := &cluster{}
	for rank := range size {
		c, err := r.Next(0)
		if err == nil && c == nil && rank > 0 {
			err = fmt.Errorf("a cluster of %d CTAs ends behind %d", size, rank)
		}
		if err != nil || c == nil {
			r.over[0] = true
			return false, err
		}
		k := 0
		for i := range g.free {
			if g.free[i] > g.free[k] {
				k = i
			}
		}
		g.free[k]--
		g.room--
		at := &r.launched[0]
		*at = max(*at, t)
		g.sms[k].begin(c, of, *at)
		*at += Cycles(1 / r.m.Launch.CTAsPerCycle)
	}
	return true, nil
}
