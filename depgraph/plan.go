package depgraph

import (
	"iter"
	"sync"

	"hyptx/ir"
)

// Slices cross launches: a decision of one may rest on what an earlier one has
// stored. So a program is planned from its last launch to its first. What the
// members of the slices so far read from global memory is kept, as ranges of
// bytes of buffers; the stores of an earlier launch that may write there are
// criteria of that launch, and what it reads for them joins the ranges. A launch
// none of whose stores are asked for has only the slice of its own decisions.

// Planner plans the slices of a program's launches. It keeps what it has found
// out about kernels, and is safe for concurrent use.
type Planner struct {
	mu      sync.Mutex
	kernels map[*ir.Func]*Kernel
}

// Kernel returns what is known of a kernel, analysed at first sight.
func (p *Planner) Kernel(f *ir.Func) *Kernel {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.kernels == nil {
		p.kernels = make(map[*ir.Func]*Kernel)
	}
	k := p.kernels[f]
	if k == nil {
		k = newKernel(f)
		p.kernels[f] = k
	}
	return k
}

// Copy is a copy by the host of bytes from one buffer to another.
type Copy struct{ From, To int }

// Plan returns the filtered graphs of a program's launches, which run in this
// order; before launch i the host does the copies copies[i]. If a member of one
// may read what an earlier launch (or the same one, run before) writes to global
// memory, those stores are members of that launch, and what they depend on,
// through all launches. So the launches are sliced from the last to the first.
//
// If wanted is not nil, only the launches that it says are of interest: of the
// others those are planned whose stores these read, directly or through others,
// and the rest is nil, for nobody needs it to run.
func (p *Planner) Plan(launches []*Launch, copies map[int][]Copy, mode Mode, wanted []bool) []*Filtered {
	plan, _ := p.plan(launches, copies, mode, wanted, false)
	return plan
}

// PlanTraced is Plan in control mode where parts of the wanted launches are also run by
// themselves, to see where they access memory: traced are the filtered graphs of these
// runs, which find the memory that they read as the earlier launches leave it. What they
// store themselves is for nobody, and no reason for the plan to store it.
func (p *Planner) PlanTraced(launches []*Launch, copies map[int][]Copy, wanted []bool) (plan, traced []*Filtered) {
	return p.plan(launches, copies, Control, wanted, true)
}

func (p *Planner) plan(launches []*Launch, copies map[int][]Copy, mode Mode, wanted []bool, trace bool) (plan, traced []*Filtered) {
	plan, traced = make([]*Filtered, len(launches)), make([]*Filtered, len(launches))
	var later regions
	alike := map[string]*planned{}
	var key []byte
	for i := len(launches) - 1; i >= 0; i-- {
		key = launches[i].key(key[:0])
		same := alike[string(key)]
		if same == nil {
			same = &planned{graph: p.Kernel(launches[i].Kernel).Specialise(launches[i])}
			alike[string(key)] = same
		}
		asked := wanted == nil || wanted[i]
		if asked || same.graph.feeds(&later) {
			// What a launch itself reads it may have written in an earlier round
			// (count): slice takes all its stores that may reach a load of its.
			if same.slice == nil || same.changes != later.changes {
				same.slice, same.changes = same.graph.slice(mode, &later), later.changes
			}
			plan[i] = same.slice
			later.add(plan[i].reads)
		}
		if trace && asked {
			if same.traced == nil {
				same.traced = same.graph.Slice(Memory)
			}
			traced[i] = same.traced
			later.add(traced[i].reads)
		}
		for k := len(copies[i]) - 1; k >= 0; k-- {
			later.copied(copies[i][k])
		}
	}
	return plan, traced
}

// planned is what launches that are alike share: their graph, and the slice of the
// one planned last, if what later launches read has not changed since.
type planned struct {
	graph   *Graph
	slice   *Filtered
	changes int // of regions, when it was made
	traced  *Filtered
}

// regions is global memory that later launches read.
type regions struct {
	anywhere bool
	spans    map[place]span
	changes  int // so far
}

// span is a range of bytes of a place; whole is all of it.
type span struct {
	low, high int64
	whole     bool
}

// copied accounts for a copy: who reads where it went reads where it came from.
// The bytes are not followed, so all of the source counts.
func (r *regions) copied(c Copy) {
	if _, read := r.spans[place{buffer: c.To}]; read {
		r.put(place{buffer: c.From}, span{whole: true})
	}
}

// add joins what reads may touch. Of each place one range is kept, which
// spans all that is read: a store too many is slower, a store too few wrong.
func (r *regions) add(reads []*ref) {
	for _, read := range reads {
		if read.any {
			if !r.anywhere {
				r.anywhere = true
				r.changes++
			}
			continue
		}
		for _, p := range read.places {
			s := span{read.off, read.off + read.bytes, !read.exact || read.bytes == 0}
			if old, ok := r.spans[p]; ok {
				s = span{min(old.low, s.low), max(old.high, s.high), old.whole || s.whole}
			}
			r.put(p, s)
		}
	}
}

// put makes s what is read of a place.
func (r *regions) put(p place, s span) {
	if r.spans == nil {
		r.spans = make(map[place]span)
	}
	if old, ok := r.spans[p]; !ok || old != s {
		r.spans[p] = s
		r.changes++
	}
}

// Watched returns the buffers from which members of a plan's filtered graphs
// read; all if that is not known.
func Watched(plan []*Filtered) (buffers map[int]bool, all bool) {
	var r regions
	for _, f := range plan {
		if f != nil {
			r.add(f.reads)
		}
	}
	buffers = map[int]bool{}
	for p := range r.spans {
		if p.v == nil {
			buffers[p.buffer] = true
		}
	}
	return buffers, r.anywhere
}

// meets reports whether a store may write to one of the regions.
func (r *regions) meets(w *ref) bool {
	switch {
	case !w.crossCTA():
		return false
	case r.anywhere:
		return true
	case w.any:
		return len(r.spans) > 0
	}
	for _, p := range w.places {
		s, ok := r.spans[p]
		if ok && (s.whole || !w.exact || w.bytes == 0 || w.off < s.high && s.low < w.off+w.bytes) {
			return true
		}
	}
	return false
}

// Reads reports whether what the members compute may rest on what an earlier
// launch writes to global memory, as far as no copy of the host stands between.
func (f *Filtered) Reads(earlier *Filtered) bool {
	var r regions
	r.add(f.reads)
	return earlier.Graph.feeds(&r)
}

// ReadsGlobal reports whether it may rest on anything in global memory.
func (f *Filtered) ReadsGlobal() bool { return len(f.reads) > 0 }

// storesTo goes through the launch's stores to regions.
func (g *Graph) storesTo(r *regions) iter.Seq[site] {
	if r == nil || !r.anywhere && len(r.spans) == 0 {
		return func(func(site) bool) {}
	}
	return g.writers(r.meets)
}

// feeds reports whether the launch may write to one of the regions.
func (g *Graph) feeds(r *regions) bool {
	for range g.storesTo(r) {
		return true
	}
	return false
}
