package depgraph

import (
	"hyptx/internal/slice"
	"hyptx/ir/isa"
)

// parallel proves Filtered.ParallelSafe for the instructions in run, which load or store values:
// none of them reads what one of them may write, and none meets other CTAs by an
// atomic, a volatile or ordered access of global memory. The CTAs of a cluster run
// together, so that what they do to each other's shared memory is no matter.
func (g *Graph) parallel(run slice.Set) (safe, meets bool) {
	k := g.Kernel
	safe = true
	for i := range k.accesses {
		a := &k.accesses[i]
		if !run.Has(a.s.pc) || !g.executes(a.s) {
			continue
		}
		r := g.ref(int32(i))
		if !r.crossCTA() {
			continue
		}
		if a.object && (a.write || g.written(r, run.Has)) { // which nobody counts
			return false, true
		}
		if a.read && a.write || k.Module.Instrs[a.s.pc].Inst.Sem > isa.Weak {
			return false, true
		}
		safe = safe && !(a.read && g.written(r, run.Has))
	}
	return safe, false
}
