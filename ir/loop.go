package ir

import "slices"

// Loop is a natural loop: the blocks that reach a back edge's source without
// passing the header, which dominates them all. Back edges to one header make
// one loop. Cycles with several entries are no natural loops: see
// [Func.Irreducible].
type Loop struct {
	// Header is the block that is entered.
	Header int
	// Latches are the sources of the back edges, ascending.
	Latches []int
	// Blocks are the loop's blocks, the header and inner loops' included,
	// ascending.
	Blocks []int
	// Exits are the edges that leave the loop, by From, then in the order of
	// the successors.
	Exits []Edge
	// Parent is the next enclosing loop, nil for an outermost one; Depth is 1
	// for those.
	Parent *Loop
	Depth  int
}

// Edge is an edge of the control-flow graph; To may be Exit.
type Edge struct{ From, To int }

// Has reports whether block b belongs to the loop.
func (l *Loop) Has(b int) bool {
	_, ok := slices.BinarySearch(l.Blocks, b)
	return ok
}

// naturalLoops returns the loops of f, ordered by header in the text's order,
// and for each block the innermost loop that holds it.
func naturalLoops(f *Func, dom *DomTree) (loops []*Loop, of []*Loop) {
	byHeader := make(map[int]*Loop)
	for b, block := range f.Blocks {
		for _, s := range block.Succs {
			if s == Exit || dom.Depth(b) < 0 || !dom.Dominates(s, b) {
				continue
			}
			l := byHeader[s]
			if l == nil {
				l = &Loop{Header: s}
				byHeader[s] = l
				loops = append(loops, l)
			}
			l.Latches = append(l.Latches, b)
		}
	}
	of = make([]*Loop, len(f.Blocks))
	// Outer headers dominate inner ones: from the deepest up, each walk may
	// jump over the loops found before.
	slices.SortFunc(loops, func(a, b *Loop) int {
		if d := dom.Depth(b.Header) - dom.Depth(a.Header); d != 0 {
			return d
		}
		return a.Header - b.Header
	})
	for _, l := range loops {
		l.collect(f, dom, of)
	}
	for i := len(loops) - 1; i >= 0; i-- { // outer ones first
		l := loops[i]
		l.Depth = 1
		if l.Parent != nil {
			l.Depth = l.Parent.Depth + 1
		}
	}
	fillLoops(f, loops, of)
	slices.SortFunc(loops, func(a, b *Loop) int { return a.Header - b.Header })
	return loops, of
}

// collect walks backwards from the latches to the header and claims the blocks
// that no inner loop has claimed; an inner loop is passed at its header.
func (l *Loop) collect(f *Func, dom *DomTree, of []*Loop) {
	work := slices.Clone(l.Latches)
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		inner := of[b]
		if inner == nil {
			of[b] = l
			if b == l.Header {
				continue
			}
			for _, p := range f.Blocks[b].Preds {
				if dom.Depth(p) >= 0 {
					work = append(work, p)
				}
			}
			continue
		}
		for inner.Parent != nil && inner != l {
			inner = inner.Parent
		}
		if inner == l {
			continue
		}
		inner.Parent = l
		for _, p := range f.Blocks[inner.Header].Preds {
			if dom.Depth(p) >= 0 && !dom.Dominates(inner.Header, p) {
				work = append(work, p)
			}
		}
	}
}

// fillLoops fills Blocks and Exits from the blocks' innermost loops.
func fillLoops(f *Func, loops, of []*Loop) {
	for b := range f.Blocks {
		for l := of[b]; l != nil; l = l.Parent {
			l.Blocks = append(l.Blocks, b)
		}
	}
	for _, l := range loops {
		for _, b := range l.Blocks {
			for _, s := range f.Blocks[b].Succs {
				if s == Exit || !l.Has(s) {
					l.Exits = append(l.Exits, Edge{b, s})
				}
			}
		}
	}
}
