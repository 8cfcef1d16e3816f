package roofline

import (
	"math"
	"slices"

	"hyptx/internal/flow"
	"hyptx/internal/ssa"
	"hyptx/ir"
)

// Regions. How long a warp takes alone is a longest path through what its
// instructions need of one another, but a path through a loop of a million rounds
// cannot be laid out. So a function is cut into regions: its own body, and one round
// of each loop. A region is timed once and multiplied by how often it is gone through.
// The cut has a price, that nothing overlaps across it; a compiler's unrolling takes
// it away for short loops, and so it is done here, too, by the rules that package
// machine has for counting.

// Limits of unrolling; nobody has published ptxas'. The first two are those of
// package machine. The third one is for loads in flight: so that a loop that the
// front end unrolled already has no more of them than one that it did not.
const (
	maxUnrolled      = 1024 // machine instructions of a loop that is unrolled as a whole
	partRounds       = 4    // else the most rounds that begin together
	partInstructions = 64   // and the machine instructions of these
)

// walk is a warp's way through one function, cut into regions.
type walk struct {
	fn     *ir.Func
	ssa    *ssa.Form
	issues []float64 // of each block
	// rounds are how often each loop's header is issued, entries how often the
	// loop is entered from outside; nil is the function itself.
	rounds, entries map[*ir.Loop]float64
	// items are the blocks and inner loops of each loop, in the order in which
	// they are reached.
	items map[*ir.Loop][]item
	// whole are the loops that are unrolled into the region around them; part is
	// how many rounds of the others begin together.
	whole map[*ir.Loop]bool
	part  map[*ir.Loop]int
	size  map[*ir.Loop]float64 // instructions of a round, with unrolled loops
	issue float64              // machine instructions for each
}

// item is a block of a region, or a loop inside it.
type item struct {
	block int
	loop  *ir.Loop
}

func (p *Path) walk(fn *ir.Func) *walk {
	w := &walk{fn: fn, ssa: p.ssa.of(fn), issues: make([]float64, len(fn.Blocks)), rounds: map[*ir.Loop]float64{}, entries: map[*ir.Loop]float64{},
		items: map[*ir.Loop][]item{}, whole: map[*ir.Loop]bool{}, part: map[*ir.Loop]int{}, size: map[*ir.Loop]float64{}, issue: p.issue}
	for b, block := range fn.Blocks {
		if block.First < block.End {
			w.issues[b] = p.issues[block.First]
		}
	}
	w.rounds[nil], w.entries[nil] = w.issues[0], w.issues[0]
	if l := fn.LoopOf(0); l != nil && l.Header == 0 {
		w.rounds[nil] = 1
	}
	for _, l := range fn.Loops() {
		w.rounds[l] = w.issues[l.Header]
		for _, b := range fn.Blocks[l.Header].Preds() {
			if !l.Has(b) {
				w.entries[l] += w.issues[b]
			}
		}
		w.entries[l] = max(min(w.entries[l], w.rounds[l]), 1)
	}
	w.arrange()
	w.unroll(nil)
	return w
}

// arrange fills items: the blocks in reverse postorder, each under the
// innermost loop that holds it; a loop stands where its first block is reached.
func (w *walk) arrange() {
	placed := map[*ir.Loop]bool{nil: true}
	var place func(l *ir.Loop)
	place = func(l *ir.Loop) {
		if !placed[l] {
			placed[l] = true
			place(l.Parent)
			w.items[l.Parent] = append(w.items[l.Parent], item{loop: l})
		}
	}
	for _, b := range slices.Backward(flow.Postorder(byText{w.fn})) {
		l := w.fn.LoopOf(b)
		place(l)
		w.items[l] = append(w.items[l], item{block: b})
	}
}

// byText is a function's graph whose later successors are visited first, so that
// in reverse postorder the fall-through comes right behind its branch.
type byText struct{ fn *ir.Func }

func (g byText) Len() int          { return len(g.fn.Blocks) }
func (g byText) Preds(b int) []int { return g.fn.Blocks[b].Preds() }

func (g byText) Succs(b int) []int {
	succs := slices.Clone(g.fn.Blocks[b].Succs())
	slices.Reverse(succs)
	return succs
}

// unroll decides from the innermost loops outwards, and reports whether l is
// left without a loop inside.
func (w *walk) unroll(l *ir.Loop) (innermost bool) {
	innermost = true
	for _, it := range w.items[l] {
		if it.loop == nil {
			block := w.fn.Blocks[it.block]
			w.size[l] += float64(block.End-block.First) * w.issue
			continue
		}
		in := w.unroll(it.loop)
		size := w.size[it.loop]
		counted := in && !w.noUnroll(it.loop) && w.counted(it.loop)
		if trips := w.trips(it.loop); counted && trips*size <= maxUnrolled {
			w.whole[it.loop] = true
			w.size[l] += trips * size
			continue
		}
		w.part[it.loop] = 1
		if counted {
			w.part[it.loop] = int(min(partRounds, max(partInstructions/size, 1), w.trips(it.loop)))
		}
		innermost = false
	}
	return innermost
}

// noUnroll reports whether a pragma forbids it.
func (w *walk) noUnroll(l *ir.Loop) bool {
	header := w.fn.Blocks[l.Header]
	for pc := range w.fn.NoUnroll {
		if pc >= header.First && pc < header.End {
			return true
		}
	}
	return w.fn.NoUnrollAll
}

// trips returns the rounds of a loop each time it is entered, rounded up.
func (w *walk) trips(l *ir.Loop) float64 { return math.Ceil(w.rounds[l]/w.entries[l] - 1e-9) }

// counted reports whether nothing that a loop loads decides whether it goes on.
func (w *walk) counted(l *ir.Loop) bool {
	seen := map[ssa.ValueID]bool{}
	var work []ssa.ValueID
	for e := range l.Exits() {
		block := w.fn.Blocks[e.From]
		work = append(work, w.ssa.Uses(block.End-1)...)
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if v == ssa.NoValue || seen[v] {
			continue
		}
		seen[v] = true
		val := &w.ssa.Values[v]
		if val.Kind == ssa.Entry || val.Kind == ssa.Undef || !l.Has(int(val.Block)) {
			continue
		}
		work = append(work, val.Args...)
		if val.Kind == ssa.Def || val.Kind == ssa.Select {
			switch kindOf(&w.fn.Module.Instrs[val.PC]) {
			case memory, shared, local, atomics:
				return false
			}
			work = append(work, w.ssa.Uses(val.PC)...)
		}
	}
	return true
}
