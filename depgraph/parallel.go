package depgraph

import (
	"hyptx/ir"
	"hyptx/ir/isa"
)

// ParallelSafe reports whether the members can be executed for several CTAs of
// the launch at a time with the same result as one CTA after the other: no
// CTA can see what another writes.
func (f *Filtered) ParallelSafe() bool { return f.parallel }

// parallel proves it for the instructions in run, which load or store values:
// none of them is an atomic,
// a volatile or ordered access of global memory, none reaches into the shared
// memory of other CTAs, and none reads what one of them may write.
func (g *Graph) parallel(run ir.PCSet) bool {
	k := g.Kernel
	for i := range k.accesses {
		a := &k.accesses[i]
		if !run.Has(a.s.pc) || !g.executes(a.s) {
			continue
		}
		in := &k.Module.Instrs[a.s.pc]
		if a.space == isa.SharedCluster {
			return false
		}
		r := g.ref(int32(i))
		if !r.crossCTA() {
			continue
		}
		if a.read && a.write || in.Inst.Sem > isa.Weak {
			return false
		}
		if a.read && g.written(r, run.Has) {
			return false
		}
	}
	for _, s := range k.ordered {
		if x := k.Module.Instrs[s.pc].Inst.Form; (x.Sync == isa.SyncCluster || x.Lanes == isa.LanesCluster) && g.executes(s) {
			return false
		}
	}
	return true
}
