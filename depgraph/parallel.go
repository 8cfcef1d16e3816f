package depgraph

import (
	"hyptx/internal/slice"
	"hyptx/ir/isa"
)

// ParallelSafe reports whether the members can be executed for several CTAs of
// the launch at a time with the same result as one CTA after the other: no
// CTA can see what another writes.
func (f *Filtered) ParallelSafe() bool { return f.parallel }

// Speculative reports whether CTAs may be run side by side to find out from what
// they touch whether any saw what another wrote: none of the members makes CTAs
// meet on purpose, by atomics, volatile or ordered accesses, or clusters.
func (f *Filtered) Speculative() bool { return !f.meets }

// parallel proves it for the instructions in run, which load or store values:
// none of them reads what one of them may write, and none meets other CTAs: an
// atomic, a volatile or ordered access of global memory, shared memory of
// other CTAs, a cluster.
func (g *Graph) parallel(run slice.Set) (safe, meets bool) {
	k := g.Kernel
	safe = true
	for i := range k.accesses {
		a := &k.accesses[i]
		if !run.Has(a.s.pc) || !g.executes(a.s) {
			continue
		}
		if a.space == isa.SharedCluster {
			return false, true
		}
		r := g.ref(int32(i))
		if !r.crossCTA() {
			continue
		}
		if a.read && a.write || k.Module.Instrs[a.s.pc].Inst.Sem > isa.Weak {
			return false, true
		}
		safe = safe && !(a.read && g.written(r, run.Has))
	}
	for _, s := range k.ordered {
		if x := k.Module.Instrs[s.pc].Inst.Form; (x.Sync == isa.SyncCluster || x.Lanes == isa.LanesCluster) && g.executes(s) {
			return false, true
		}
	}
	return safe, false
}
