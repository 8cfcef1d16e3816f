package manifest

import "hyptx/internal/strictjson"

// LaunchLimits are a target's limits on the shape of a launch.
type LaunchLimits struct {
	Grid, Block [3]int
	// BlockThreads is the largest number of threads of a block, ClusterBlocks
	// of blocks of a cluster; 0 where there are no clusters.
	BlockThreads, ClusterBlocks int
	// SharedBytes is the most shared memory that a block can ask for.
	SharedBytes int64
}

// LimitsFor returns the limits of target sm_<sm> (CUDA C++ Programming Guide,
// technical specifications per compute capability; clusters of 8 blocks are
// portable, 16 need the kernel's consent).
func LimitsFor(sm int, nonPortableCluster bool) LaunchLimits {
	l := LaunchLimits{
		Grid: [3]int{1<<31 - 1, 65535, 65535}, Block: [3]int{1024, 1024, 64}, BlockThreads: 1024,
		SharedBytes: 227 << 10,
	}
	if sm >= 90 {
		l.ClusterBlocks = 8
		if nonPortableCluster {
			l.ClusterBlocks = 16
		}
	}
	return l
}

// What the hardware refuses is an error here, too, for the same reasons: a profile
// of a launch that no GPU would take means nothing. Whether a launch fits on one
// particular GPU is another question (Occupy of internal/gpu answers it).

// CheckLaunch checks a launch's grid, block and cluster against a target's
// limits. The error is an [strictjson.Errors].
func (m *Manifest) CheckLaunch(l *Launch, lim LaunchLimits) error {
	e := strictjson.List{File: m.File}
	check := func(key string, d, most [3]int) {
		for i, v := range d {
			if v < 1 || v > most[i] {
				e.Fail(strictjson.ElementPath(strictjson.KeyPath(l.Path, key), i), "%d must be between 1 and %d", v, most[i])
			}
		}
	}
	check("grid", l.Grid, lim.Grid)
	check("block", l.Block, lim.Block)
	if n := product(l.Block); n > int64(lim.BlockThreads) && fits(l.Block, lim.Block) {
		e.Fail(strictjson.KeyPath(l.Path, "block"), "%d threads; a block has at most %d", n, lim.BlockThreads)
	}
	if l.DynamicSharedBytes > lim.SharedBytes {
		e.Fail(strictjson.KeyPath(l.Path, "dynamicSharedBytes"), "%d bytes; a block has at most %d", l.DynamicSharedBytes, lim.SharedBytes)
	}
	m.checkCluster(&e, l, lim)
	return e.Err()
}

// fits reports whether no dimension is beyond its own limit.
func fits(d, most [3]int) bool { return d[0] <= most[0] && d[1] <= most[1] && d[2] <= most[2] }

func (m *Manifest) checkCluster(e *strictjson.List, l *Launch, lim LaunchLimits) {
	path := strictjson.KeyPath(l.Path, "cluster")
	n := product(l.Cluster)
	switch {
	case n == 1:
		return
	case lim.ClusterBlocks == 0:
		e.Fail(path, "the target has no clusters; they need sm_90")
		return
	case n > int64(lim.ClusterBlocks):
		e.Fail(path, "%d blocks; a cluster has at most %d", n, lim.ClusterBlocks)
	}
	for i, c := range l.Cluster {
		if c < 1 || l.Grid[i]%c != 0 {
			e.Fail(strictjson.ElementPath(path, i), "%d does not divide the grid's %d", c, l.Grid[i])
		}
	}
}

// product multiplies dimensions; beyond what any limit allows it stops.
func product(d [3]int) int64 {
	n := int64(1)
	for _, v := range d {
		n = min(n*int64(v), 1<<31)
	}
	return n
}
