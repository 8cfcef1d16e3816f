package depgraph

import "hyptx/ir/isa"

// A slice leaves out the stores that cannot reach what it reads. Which those are
// it knows of most by what their addresses stem from, and there one thing is
// trusted: an index that is computed at run time stays in its buffer or variable.
// A program that breaks this is counted wrongly, and only a mode that computes
// every address, or full emulation, can see it. So it is said how much rests on it.

// To say where an access may lead takes the provenance of all of a kernel's values,
// which is why stores are asked for only where a slice reads what they may reach.

// trusted is how many accesses are trusted to stay where their pointers stem from, by
// the memory that they may reach.
type trusted struct{ Shared, Global int }

// Trusted returns what is trusted of the loads of the slice, or of the stores that it leaves out,
// and by reads whether it loads from the memory at all.
func (f *Filtered) Trusted(loads bool) (trust trusted, reads struct{ Shared, Global bool }) {
	f.reaching(loads, func(a *access, indexed int, shared, global bool) {
		if reads.Shared, reads.Global = reads.Shared || shared, reads.Global || global; loads || a.write {
			trust.add(indexed, shared, global)
		}
	})
	return trust, reads
}

// reaching goes through the launch's accesses that others may see: the reads that
// are members, or all that are none. indexed is 1 for one whose index is computed
// at run time.
func (f *Filtered) reaching(members bool, yield func(a *access, indexed int, shared, global bool)) {
	g, k := f.Graph, f.Graph.Kernel
	for i := range k.accesses {
		a := &k.accesses[i]
		switch normal(a.space) {
		case isa.Shared, isa.Global, isa.Generic:
		default:
			continue
		}
		if members != f.Slice.Value.Has(a.s.pc) || members && !a.read || !g.executes(a.s) {
			continue
		}
		r := g.ref(int32(i))
		indexed := 0
		if !r.any && !r.exact {
			indexed = 1
		}
		yield(a, indexed, r.space == isa.Shared || r.space == isa.Generic, r.crossCTA())
	}
}

func (t *trusted) add(indexed int, shared, global bool) {
	if shared {
		t.Shared += indexed
	}
	if global {
		t.Global += indexed
	}
}
