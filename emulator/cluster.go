package emulator

import (
	"fmt"
	"slices"
)

// The CTAs of a cluster see each other's shared memory and wait for each other
// (PTX ISA 2.2.2), so that they run together, on one worker: all begin before any
// ends, take turns as the warps of a CTA do, and end together, since until then
// another may read what lies in their shared memory. Clusters run in the order of their
// numbers, and the CTAs of one in that of their ranks. A launch that gives no cluster has
// clusters of one CTA, and a grid runs by linear index, as ever.
//
// Where representatives run, a cluster is those of its CTAs that do: then nothing that is
// run looks at the memory of others, and all that a barrier could do is wait.

// cluster is a cluster in execution.
type cluster struct {
	// ctas are those that run, by rank; ranks has all, nil for those that do not.
	ctas, ranks []*cta
	next        int // whose turn it is
	bar         clusterBarrier
	clocks      *warpClocks // of a program that is checked
}

// shape is how the CTAs of a launch form clusters.
type shape struct {
	size  int64     // of CTAs
	in    [3]uint32 // of them along each axis
	of    [3]uint32 // clusters along each axis of the grid
	first []int64   // of a list of CTAs, where each cluster begins in it; and its end
}

// maxClusterCTAs is the size of the largest clusters, which a kernel has to ask for
// (CUDA C++ Programming Guide, thread block clusters).
const maxClusterCTAs = 16

// shapeClusters divides the grid, or the list of CTAs to run, into clusters.
func (l *launch) shapeClusters() error {
	s := &l.shape
	s.size = 1
	for a := range s.in {
		s.in[a] = max(l.Cluster[a], 1)
		if s.size *= int64(s.in[a]); s.size > maxClusterCTAs {
			return fmt.Errorf("kernel %s: a cluster of %v CTAs; there are at most %d", l.prog.Kernel.Name, l.Cluster, maxClusterCTAs)
		}
		if l.Grid[a]%s.in[a] != 0 {
			return fmt.Errorf("kernel %s: a grid of %v CTAs does not consist of clusters of %v", l.prog.Kernel.Name, l.Grid, l.Cluster)
		}
		s.of[a] = l.Grid[a] / s.in[a]
	}
	switch {
	case s.size == 1:
		return nil
	case l.Adds != nil:
		return fmt.Errorf("kernel %s: which SMs the CTAs of its clusters share is not known, and so not what each SM adds", l.prog.Kernel.Name)
	case l.prog.Module.AddressSize == 32:
		return fmt.Errorf("kernel %s: addresses of 32 bits have no room for the shared memory of a cluster", l.prog.Kernel.Name)
	}
	if l.CTAs == nil {
		return nil
	}
	l.CTAs = slices.Clone(l.CTAs)
	slices.SortFunc(l.CTAs, func(a, b int64) int { return int(s.place(l, a) - s.place(l, b)) })
	last := int64(-1)
	for i, cta := range l.CTAs {
		if c := s.place(l, cta) / s.size; c != last {
			s.first, last = append(s.first, int64(i)), c
		}
	}
	s.first = append(s.first, int64(len(l.CTAs)))
	return nil
}

// place returns which CTA one is as clusters run, one after the other.
func (s *shape) place(l *launch, linear int64) int64 {
	id := l.at(linear)
	rank, number := int64(0), int64(0)
	for a := 2; a >= 0; a-- {
		rank = rank*int64(s.in[a]) + int64(id[a]%s.in[a])
		number = number*int64(s.of[a]) + int64(id[a]/s.in[a])
	}
	return number*s.size + rank
}

// linear returns the linear index of the CTA of a rank in a cluster.
func (s *shape) linear(l *launch, number, rank int64) int64 {
	linear, step := int64(0), int64(1)
	for a := range s.in {
		in, of := int64(s.in[a]), int64(s.of[a])
		linear += step * (number%of*in + rank%in)
		number, rank, step = number/of, rank/in, step*int64(l.Grid[a])
	}
	return linear
}

// at returns the place in the grid of a CTA.
func (l *launch) at(linear int64) [3]uint32 {
	gx, gy := int64(l.Grid[0]), int64(l.Grid[1])
	return [3]uint32{uint32(linear % gx), uint32(linear / gx % gy), uint32(linear / gx / gy)}
}

// begin begins the next CTAs of a share that run together: a cluster, after so many
// others. It returns nil if there are none.
func (wk *worker) begin(share, others int64) *cluster {
	l := wk.launch
	n := int64(1)
	if l.shape.size > 1 {
		if n = l.shape.size; l.shape.first != nil {
			n = l.shape.first[share+1] - l.shape.first[share]
		}
		others *= n
	}
	first, ok := l.inShare(share, others)
	if !ok {
		return nil
	}
	g := take(&wk.freeClusters)
	if g == nil {
		g = new(cluster)
	}
	g.ctas = append(g.ctas[:0], wk.newCTA(first))
	for i := int64(1); i < n; i++ {
		linear, _ := l.inShare(share, others+i)
		g.ctas = append(g.ctas, wk.newCTA(linear))
	}
	for _, c := range g.ctas {
		c.cluster = g
	}
	g.next, g.ranks = 0, g.ranks[:0]
	g.bar = clusterBarrier{rows: g.bar.rows}
	if l.shape.size > 1 {
		for range l.shape.size {
			g.ranks = append(g.ranks, nil)
		}
		for _, c := range g.ctas {
			g.ranks[c.rankIn(l)] = c
		}
		if l.prog.checked {
			wk.beginClocks(g)
		}
	}
	return g
}

// rankIn is the CTA's number in its cluster.
func (c *cta) rankIn(l *launch) uint32 {
	_, at := c.inCluster(l)
	return at[0] + l.shape.in[0]*(at[1]+l.shape.in[1]*at[2])
}

// inCluster returns the cluster of the CTA, and its place there.
func (c *cta) inCluster(l *launch) (number, at [3]uint32) {
	for a, n := range l.shape.in {
		number[a], at[a] = c.id[a]/n, c.id[a]%n
	}
	return number, at
}

// runTurn lets the CTAs run in turns until all have ended (done), or all wait or
// have yielded.
func (g *cluster) runTurn() (done bool) {
	for _, c := range g.ctas {
		c.wake()
	}
	for idle := 0; idle < len(g.ctas); {
		c := g.ctas[g.next]
		g.next = (g.next + 1) % len(g.ctas)
		c.warps[0].worker.turnTo(c)
		if c.runWarps() {
			idle = 0
		} else {
			idle++
		}
	}
	return !slices.ContainsFunc(g.ctas, func(c *cta) bool { return !c.ended() })
}

// end accounts for a cluster whose CTAs have ended.
func (wk *worker) end(g *cluster) {
	wk.followEnd(g)
	wk.endClocks(g)
	for _, c := range g.ctas {
		wk.endCTA(c)
	}
	wk.freeClusters = append(wk.freeClusters, g)
}

// stuck reports whether no CTA of the cluster will go on unless somebody stores.
func (g *cluster) stuck(stores uint64) bool {
	return !slices.ContainsFunc(g.ctas, func(c *cta) bool { return !c.stuck(stores) })
}
