package oracle

import (
	"fmt"

	"hyptx/ir"
	"hyptx/ir/isa"
)

// Clusters: CTAs in a row along x that see each other's shared memory, and a barrier of
// all of their threads that comes in halves (PTX ISA 9.7.15.3, 9.7.10.26). Phases are
// numbered from 1 on; a thread remembers the last in which it has come.

// cluster is one, of crowds by rank.
type cluster struct {
	crowds []*crowd
	phase  int // that is over
}

// rankShift is where, in an address of the cluster's window, one more than the rank stands.
const rankShift = 40

// atCluster is barrier.cluster.arrive and barrier.cluster.wait.
func (t *thread) atCluster(in *ir.Instr) error {
	c := t.crowd.cluster
	switch {
	case in.Inst.Has(isa.ModArrive):
		if t.came > c.phase {
			return fmt.Errorf("a thread comes twice to the barrier of its cluster")
		}
		t.came = c.phase + 1
		c.check()
	case t.came == 0:
		return fmt.Errorf("a thread waits at the barrier of its cluster without having come")
	case t.came > c.phase:
		t.waits = in
	}
	return nil
}

// check ends the phase if all threads that live have come.
func (c *cluster) check() {
	come := false
	for _, crowd := range c.crowds {
		for _, t := range crowd.threads {
			if !t.done && t.came <= c.phase {
				return
			}
			come = come || t.came > c.phase
		}
	}
	if !come {
		return
	}
	c.phase++
	for _, crowd := range c.crowds {
		for _, t := range crowd.threads {
			if t.waits != nil && t.waits.Inst.Form.Sync == isa.SyncCluster {
				crowd.goOn(t)
			}
		}
	}
}

// sharedAt returns the shared memory that an address names, and the address there.
func (t *thread) sharedAt(addr uint64) ([]byte, uint64, error) {
	rank := addr >> rankShift
	if rank == 0 {
		return t.crowd.shared, addr, nil
	}
	if c := t.crowd.cluster; rank <= uint64(len(c.crowds)) {
		return c.crowds[rank-1].shared, addr & (1<<rankShift - 1), nil
	}
	return nil, 0, fmt.Errorf("no CTA of rank %d", rank-1)
}

// mapped is mapa of an address of the CTA's own window.
func (t *thread) mapped(in *ir.Instr) {
	addr := t.value(&in.Ops()[1]) & (1<<rankShift - 1)
	t.set(&in.Ops()[0], addr|(t.value(&in.Ops()[2])+1)<<rankShift)
}
