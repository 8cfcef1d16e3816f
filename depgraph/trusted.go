package depgraph

import "hyptx/ir/isa"

// A slice leaves out the stores that cannot reach what it reads. Which those are
// it knows of most by what their addresses stem from, and there one thing is
// trusted: an index that is computed at run time stays in its buffer or variable.
// A program that breaks this is counted wrongly, and only a mode that computes
// every address, or full emulation, can see it. So it is said how much rests on it.

// Trust is how many accesses of a launch are trusted to stay where their pointers
// stem from.
type Trust struct {
	// SharedStores and GlobalStores are stores that the slice leaves out,
	// SharedLoads and GlobalLoads are loads of the slice.
	SharedStores, GlobalStores, SharedLoads, GlobalLoads int
	// ReadsShared and ReadsGlobal: the slice reads memory of the kind.
	ReadsShared, ReadsGlobal bool
}

// Trust returns what the slice trusts.
func (f *Filtered) Trust() (t Trust) {
	g, k := f.Graph, f.Graph.Kernel
	for i := range k.accesses {
		a := &k.accesses[i]
		if !g.executes(a.s) {
			continue
		}
		r := g.ref(int32(i))
		indexed := 0
		if !r.any && !r.exact {
			indexed = 1
		}
		shared, global := r.space == isa.Shared || r.space == isa.Generic, r.crossCTA()
		member := f.Slice.Value.Has(a.s.pc)
		switch {
		case a.read && member:
			t.ReadsShared, t.ReadsGlobal = t.ReadsShared || shared, t.ReadsGlobal || global
			t.SharedLoads, t.GlobalLoads = t.SharedLoads+indexed*count(shared), t.GlobalLoads+indexed*count(global)
		case a.write && !member:
			t.SharedStores, t.GlobalStores = t.SharedStores+indexed*count(shared), t.GlobalStores+indexed*count(global)
		}
	}
	return t
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}
