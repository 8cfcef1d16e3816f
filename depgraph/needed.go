package depgraph

// PlanFor is PlanSteps for the sake of some launches only: the filtered graphs
// of those that wanted says, and of the earlier ones whose stores they read,
// directly or through others. The rest is nil: nobody needs them to run.
func (p *Planner) PlanFor(launches []*Launch, copies map[int][]Copy, mode Mode, wanted []bool) []*Filtered {
	plan := make([]*Filtered, len(launches))
	var later regions
	for i := len(launches) - 1; i >= 0; i-- {
		g := p.Kernel(launches[i].Kernel).Specialise(launches[i])
		if wanted[i] || g.feeds(&later) {
			plan[i] = g.slice(mode, &later)
			later.add(plan[i].reads)
		}
		for k := len(copies[i]) - 1; k >= 0; k-- {
			later.copied(copies[i][k])
		}
	}
	return plan
}

// feeds reports whether the launch may write to one of the regions.
func (g *Graph) feeds(r *regions) bool {
	for i := range g.Kernel.accesses {
		a := &g.Kernel.accesses[i]
		if a.write && g.executes(a.s) && r.meets(g.ref(int32(i))) {
			return true
		}
	}
	return false
}
