package analysis

import (
	"fmt"
	"iter"
	"slices"

	"hyptx/internal/manifest"
	"hyptx/internal/strictjson"
	"hyptx/ir"
)

// inClusters returns the launch with the grid and the cluster that it really has: a kernel may
// fix its cluster, demand one, bound it, or take the grid as one of clusters (PTX ISA
// 11.7, 11.8.1).
func (p *launchPlan) inClusters(m *manifest.Manifest) (*manifest.Launch, error) {
	l := *p.launch
	k := p.kernel
	p.explicit = l.ExplicitCluster
	if req := k.ReqNCTAPerCluster; req != [3]int{} {
		if p.explicit && l.Cluster != req {
			return nil, m.Errorf(strictjson.KeyPath(l.Path, "cluster"), "kernel %s has clusters of exactly %v CTAs (.reqnctapercluster), not %v", k.Name, req, l.Cluster)
		}
		l.Cluster, p.explicit = req, true
	}
	if err := checkCluster(k, l.Cluster, p.explicit); err != nil {
		return nil, m.Errorf(strictjson.KeyPath(l.Path, "cluster"), "%w", err)
	}
	if k.BlocksAreClusters {
		for a, n := range l.Cluster {
			l.Grid[a] *= n
		}
	}
	return &l, nil
}

// checkCluster holds a cluster against what else a kernel says of it.
func checkCluster(k *ir.Func, cluster [3]int, explicit bool) error {
	n := cluster[0] * cluster[1] * cluster[2]
	switch {
	case k.ExplicitCluster && !explicit:
		return fmt.Errorf("kernel %s wants its cluster given (.explicitcluster): option cluster, in a manifest cluster", k.Name)
	case k.MaxClusterRank > 0 && n > k.MaxClusterRank:
		return fmt.Errorf("kernel %s allows clusters of %d CTAs (.maxclusterrank), not %d", k.Name, k.MaxClusterRank, n)
	case k.BlocksAreClusters && (k.ReqNTID == [3]int{} || k.ReqNCTAPerCluster == [3]int{}):
		return fmt.Errorf("kernel %s is launched by clusters (.blocksareclusters), but lacks .reqntid or .reqnctapercluster", k.Name)
	}
	return nil
}

// clusterGrid is the least grid that a kernel fixes: one cluster.
func clusterGrid(k *ir.Func) [3]int {
	if k.BlocksAreClusters {
		return [3]int{}
	}
	return k.ReqNCTAPerCluster
}

// clusterSize is how many CTAs a cluster has.
func (p *launchPlan) clusterSize() uint32 { return p.cluster[0] * p.cluster[1] * p.cluster[2] }

// inOrder yields the linear indices of all CTAs in the order in which they run: clusters by
// their numbers, and in each its CTAs by their ranks.
func (p *launchPlan) inOrder() iter.Seq[int64] {
	in, size := p.cluster, p.clusterSize()
	x, y := uint64(p.grid[0]/in[0]), uint64(p.grid[1]/in[1])
	return func(yield func(int64) bool) {
		for number := range p.ctas() / uint64(size) {
			at := [3]uint32{uint32(number%x) * in[0], uint32(number/x%y) * in[1], uint32(number/x/y) * in[2]}
			for rank := range size {
				cta := p.linear([3]uint32{at[0] + rank%in[0], at[1] + rank/in[0]%in[1], at[2] + rank/in[0]/in[1]})
				if !yield(cta) {
					return
				}
			}
		}
	}
}

// inWholeClusters adds to CTAs those of their clusters: without them they would wait for ever.
func (p *launchPlan) inWholeClusters(ctas []int64) []int64 {
	in := p.cluster
	if in == [3]uint32{1, 1, 1} {
		return ctas
	}
	var all []int64
	for _, cta := range ctas {
		x, y, z := uint32(cta%int64(p.grid[0])), uint32(cta/int64(p.grid[0])%int64(p.grid[1])), uint32(cta/int64(p.grid[0])/int64(p.grid[1]))
		x, y, z = x-x%in[0], y-y%in[1], z-z%in[2]
		for k := range in[2] {
			for j := range in[1] {
				for i := range in[0] {
					all = append(all, p.linear([3]uint32{x + i, y + j, z + k}))
				}
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
