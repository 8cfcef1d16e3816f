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
	// fixed are the axes of the grid along which CTAs do not differ: of those
	// only the first is run. each is how many CTAs one stands for.
	fixed [3]bool
	each  uint64
}

// represent chooses what of a launch to run. Along an axis of the grid that
// the slice does not read, one CTA stands for all; where it reads nothing that
// differs between threads, one full warp stands for all full warps, and the
// last one for itself (docs/design.md, Representatives). A slice that stores runs as
// a whole: later launches, or other threads, read what it stores.
func represent(l *launchPlan, f *depgraph.Filtered) []part {
	all := part{weight: 1, each: 1}
	if f == nil || stores(f) {
		return []part{all}
	}
	if f.Sources&(depgraph.CTALevel&^depgraph.CTAIDs) == 0 {
		all.fix(l, f.Sources)
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

// maxListedCTAs bounds the CTAs that a part lists; more are run one and all.
const maxListedCTAs = 1 << 22

// fix leaves out the axes of the grid that nothing reads.
func (p *part) fix(l *launchPlan, read depgraph.Sources) {
	run := [3]int64{}
	for axis, source := range [3]depgraph.Sources{depgraph.SourceCTAX, depgraph.SourceCTAY, depgraph.SourceCTAZ} {
		run[axis] = int64(l.grid[axis])
		if read&source == 0 && l.grid[axis] > 1 {
			p.fixed[axis], p.each, run[axis] = true, p.each*uint64(l.grid[axis]), 1
		}
	}
	if p.each == 1 || run[0]*run[1]*run[2] > maxListedCTAs {
		p.fixed, p.each = [3]bool{}, 1
		return
	}
	p.weight = p.each
	for z := range run[2] {
		for y := range run[1] {
			for x := range run[0] {
				p.ctas = append(p.ctas, x+int64(l.grid[0])*(y+int64(l.grid[1])*z))
			}
		}
	}
}

// standIn returns the CTA that was run for a CTA.
func (p *part) standIn(l *launchPlan, cta int64) int64 {
	at, step, sum := cta, int64(1), int64(0)
	for axis, n := range l.grid {
		if !p.fixed[axis] {
			sum += at % int64(n) * step
		}
		at, step = at/int64(n), step*int64(n)
	}
	return sum
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
