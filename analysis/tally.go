package analysis

import (
	"fmt"
	"slices"

	"hyptx/internal/number"
	"hyptx/ir"
)

// A profile may be of more launches than there is memory for: of a hundred thousand,
// with some KB each. What totals are made of is added up as the launches end, so that
// none of them has to be kept for it (Options.Each).
//
// tally is what launches add up to.
type tally struct {
	facts Facts
	// lost are the counters that are no total, as one launch does not know them.
	lost                       [NumCounters]bool
	exactness, memoryExactness string
	ms                         number.Real
	// counted launches are in it, failed ones are not.
	counted, failed int
	// largest bounds every counter of the total from above.
	largest float64
	// fileInstructions are those of the distinct files.
	files            []*ir.Module
	fileInstructions uint64
	// extents are what programs touched, each once.
	extents []*extent
	kernels []*kernelSum
}

// add adds a launch.
func (t *tally) add(lp *LaunchProfile) {
	if lp.Error != "" {
		t.failed++
		return
	}
	t.counted++
	t.largest += max(lp.Facts.largest(), lp.Facts.X(StaticThreadInstructions))
	t.addFacts(lp)
	t.addFile(lp.Kernel.Module)
	if o := lp.outcome; o != nil {
		if o.program != nil && !slices.Contains(t.extents, o.program) {
			t.extents = append(t.extents, o.program)
		}
		t.addKernel(&KernelRow{Network: lp.Network, Kernel: lp.KernelName, KernelDemangled: lp.Demangled, Launches: lp.Facts.Of(Launches).N,
			Threads: lp.Facts.Of(Threads).N, Exactness: lp.Exactness, facts: lp.Facts}, lp.Kernel.Module.File)
	}
}

// addFacts adds the facts of a launch, or of a total, and how sure they are.
func (t *tally) addFacts(lp *LaunchProfile) {
	t.facts.addTimes(&lp.Facts, 1)
	for c := range NumCounters {
		t.lost[c] = t.lost[c] || counters[c].total == sumOfAll && !lp.Facts.known.has(c)
	}
	t.ms = number.Real{X: t.ms.X + lp.AnalysisMS.X, Known: lp.AnalysisMS.Known}
	t.exactness = Worse(t.exactness, lp.Exactness)
	t.memoryExactness = Worse(t.memoryExactness, lp.MemoryExactness)
}

// addFile adds a file of kernels. Most launches are of the file of the one before.
func (t *tally) addFile(m *ir.Module) {
	if n := len(t.files); n > 0 && t.files[n-1] == m || slices.Contains(t.files, m) {
		return
	}
	t.files = append(t.files, m)
	t.fileInstructions += uint64(len(m.Instrs))
}

// join adds what other launches add up to.
func (t *tally) join(u *tally) {
	if u.counted > 0 {
		t.addFacts(&LaunchProfile{Facts: u.facts, Launch: Launch{AnalysisMS: u.ms, Exactness: u.exactness, MemoryExactness: u.memoryExactness}})
	}
	for c := range t.lost {
		t.lost[c] = t.lost[c] || u.lost[c]
	}
	t.counted, t.failed, t.largest = t.counted+u.counted, t.failed+u.failed, t.largest+u.largest
	for _, m := range u.files {
		t.addFile(m)
	}
	for _, e := range u.extents {
		if !slices.Contains(t.extents, e) {
			t.extents = append(t.extents, e)
		}
	}
	for _, k := range u.kernels {
		t.addKernel(&k.KernelRow, k.file)
	}
}

// total is the profile of all launches together. What is of single launches only
// stays unknown, and what is no sum of launches is for the caller to set.
func (t *tally) total() *LaunchProfile {
	lp := &LaunchProfile{Facts: t.facts, Launch: Launch{AnalysisMS: t.ms, Exactness: t.exactness, MemoryExactness: t.memoryExactness}}
	f := &lp.Facts
	if f.unseen != nil {
		lp.MemoryExactness = ""
	}
	for c := range NumCounters {
		if t.lost[c] || counters[c].total == ofLaunch {
			f.drop(c)
		}
	}
	if t.failed > 0 {
		lp.Error = fmt.Sprintf("without %d of %d launches, which failed", t.failed, t.counted+t.failed)
	}
	return lp
}

// footprint returns the distinct bytes that the launches touched: of each program the
// union.
func (t *tally) footprint() (n uint64) {
	for _, e := range t.extents {
		n += e.bytes()
	}
	return n
}
