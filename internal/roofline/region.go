package roofline

import (
	"math"

	"hyptx/ir"
)

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
	ssa    *ir.SSA
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
		for _, b := range fn.Blocks[l.Header].Preds {
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
	for _, b := range reversePostorder(w.fn) {
		l := w.fn.LoopOf(b)
		place(l)
		w.items[l] = append(w.items[l], item{block: b})
	}
}

// reversePostorder returns the blocks that the entry reaches.
func reversePostorder(f *ir.Func) []int {
	seen := make([]bool, len(f.Blocks))
	order := make([]int, 0, len(f.Blocks))
	type frame struct{ block, next int }
	stack := []frame{{0, 0}}
	seen[0] = true
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		succs := f.Blocks[top.block].Succs
		if top.next < len(succs) {
			// Later successors first, so that the fall-through comes right behind.
			s := succs[len(succs)-1-top.next]
			top.next++
			if s != ir.Exit && !seen[s] {
				seen[s] = true
				stack = append(stack, frame{s, 0})
			}
			continue
		}
		order = append(order, top.block)
		stack = stack[:len(stack)-1]
	}
	for i, j := 0, len(order)-1; i < j; i, j = i+1, j-1 {
		order[i], order[j] = order[j], order[i]
	}
	return order
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
	seen := map[ir.ValueID]bool{}
	var work []ir.ValueID
	for _, e := range l.Exits {
		block := w.fn.Blocks[e.From]
		work = append(work, w.ssa.Uses(block.End-1)...)
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if v == ir.NoValue || seen[v] {
			continue
		}
		seen[v] = true
		val := &w.ssa.Values[v]
		if val.Kind == ir.Entry || val.Kind == ir.Undef || !l.Has(int(val.Block)) {
			continue
		}
		work = append(work, val.Args...)
		if val.Kind == ir.Def || val.Kind == ir.Select {
			switch kindOf(&w.fn.Module.Instrs[val.PC]) {
			case memory, shared, local, atomics:
				return false
			}
			work = append(work, w.ssa.Uses(val.PC)...)
		}
	}
	return true
}
