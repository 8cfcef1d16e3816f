package analysis

import (
	"hyptx/depgraph"
	"hyptx/ir"
	"hyptx/ir/isa"
)

// part is a part of a launch's grid that is run to stand for more of it: the
// named warps of the named CTAs, their counts times weight.
type part struct {
	ctas   []int64 // nil for all
	warps  []int   // nil for all
	weight uint64
}

// represent chooses what of a launch to run. Where the slice reads nothing
// that differs between CTAs, one CTA stands for all; where it reads nothing
// that differs between threads, one full warp stands for all full warps, and
// the last one for itself (DESIGN.md, Representatives). A slice that stores
// runs as a whole: later launches, or other threads, read what it stores.
func represent(l *launchPlan, f *depgraph.Filtered) []part {
	all := part{weight: 1}
	if f == nil || stores(f) {
		return []part{all}
	}
	if f.Sources&depgraph.CTALevel == 0 {
		all.ctas, all.weight = []int64{0}, l.ctas()
	}
	if f.Sources&depgraph.ThreadLevel != 0 || f.CountsThreads() {
		return []part{all}
	}
	full, rest := l.threads()/32, l.threads()%32
	var parts []part
	if full > 0 {
		p := all
		p.warps, p.weight = []int{0}, all.weight*full
		parts = append(parts, p)
	}
	if rest > 0 {
		p := all
		p.warps = []int{int(full)}
		parts = append(parts, p)
	}
	return parts
}

// stores reports whether a member of the slice writes memory that outlives a
// thread.
func stores(f *depgraph.Filtered) bool {
	m := f.Graph.Kernel.Module
	for pc := range m.Instrs {
		in := &m.Instrs[pc]
		if f.Slice.Value.Has(in.PC) && (in.Inst.IsStore() || in.Inst.IsAtomic()) && outlives(in) {
			return true
		}
	}
	return false
}

// outlives reports whether an access may leave something behind for other
// threads or launches: local memory and call parameters do not.
func outlives(in *ir.Instr) bool {
	switch in.Inst.Space {
	case isa.Local, isa.Param, isa.ParamEntry, isa.ParamFunc:
		return false
	}
	return true
}

// ctas returns the number of CTAs of a launch, threads that of a CTA.
func (l *launchPlan) ctas() uint64 {
	return uint64(l.grid[0]) * uint64(l.grid[1]) * uint64(l.grid[2])
}

func (l *launchPlan) threads() uint64 {
	return uint64(l.cta[0]) * uint64(l.cta[1]) * uint64(l.cta[2])
}
