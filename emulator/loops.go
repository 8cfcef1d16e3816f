package emulator

import "hyptx/ir"

// Views that are asked for beside the counts: trip counts of loops, and how many
// different ways threads went. Both need what a CTA's counters have lost, who it
// was; so each warp keeps counters of its own while they are on, and hashes of the
// branches of each thread. They cost memory and time, and nobody else pays.

// countLoops adds a warp's counts to those of the loops.
func (p *Program) countLoops(loops []LoopCount, counts []uint64) {
	for i := range loops {
		n := counts[2*p.loops[i].segment]
		if n == 0 {
			continue
		}
		one := LoopCount{Warps: 1, Min: n, Max: n, Sum: n}
		for _, s := range p.loops[i].exits {
			one.DivergentExits += counts[p.segs[s].branch]
		}
		loops[i].add(one)
	}
}

// findLoopSegments notes where each loop's counters stand: its header's
// segment and the branches that leave it.
func (p *Program) findLoopSegments() {
	byHeader := make(map[ir.PC]*loopInfo, len(p.loops))
	for i := range p.loops {
		byHeader[p.loops[i].header] = &p.loops[i]
	}
	for s := range p.segs {
		seg := &p.segs[s]
		if l := byHeader[seg.pcFirst]; l != nil && seg.length > 0 {
			l.segment = int32(s)
		}
		if seg.branch < 0 {
			continue
		}
		p.leaves(&seg.next, int32(s))
		p.leaves(&seg.target, int32(s))
		for i := range seg.targets {
			p.leaves(&seg.targets[i], int32(s))
		}
	}
}

// leaves adds segment s, of whose branch e is an edge, to the exits of the loops that the
// edge leaves.
func (p *Program) leaves(e *edge, s int32) {
	for _, i := range e.exits {
		if l := &p.loops[i]; len(l.exits) == 0 || l.exits[len(l.exits)-1] != s {
			l.exits = append(l.exits, s)
		}
	}
}

// pathHash is a 128-bit hash of the branches that a thread has taken.
type pathHash [2]uint64

// note adds an outcome: that the branch at the end of segment seg led to
// segment to. The two halves are independent multiplicative hashes.
func (h *pathHash) note(seg, to int32) {
	v := uint64(uint32(seg))<<32 | uint64(uint32(to))
	h[0] = (h[0] ^ v) * 0x9e3779b97f4a7c15
	h[0] ^= h[0] >> 29
	h[1] = (h[1] + v ^ 0xff51afd7ed558ccd) * 0xc4ceb9fe1a85ec53
	h[1] ^= h[1] >> 31
}

// notePath adds the outcome of a branch for some lanes.
func (w *warp) notePath(seg, to int32, lanes uint32) {
	for lane := range w.hashes {
		if lanes>>lane&1 != 0 {
			w.hashes[lane].note(seg, to)
		}
	}
}

// distinctPaths returns the number of different paths among the CTA's threads.
func (c *cta) distinctPaths() int {
	seen := map[pathHash]bool{}
	for _, w := range c.warps {
		for lane := range w.hashes {
			if w.born>>lane&1 != 0 {
				seen[w.hashes[lane]] = true
			}
		}
	}
	return len(seen)
}

// endViews accounts for a CTA in the views that are kept by warp or thread.
func (l *launch) endViews(c *cta) {
	t := l.classes
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.Loops && t.loops == nil {
		for _, info := range l.prog.loops {
			t.loops = append(t.loops, LoopCount{Header: info.header, Waiting: info.waiting})
		}
	}
	for _, w := range c.warps {
		if !l.ownCounts() {
			break
		}
		l.prog.countLoops(t.loops, w.counts)
		for i, n := range w.counts {
			c.counts[i] += n
		}
		if l.OnWarp != nil {
			l.OnWarp(c.linear, w.number, w.counts)
		}
	}
	if l.Paths {
		t.paths = max(t.paths, c.distinctPaths())
	}
	if l.OnPath != nil {
		l.tellPaths(c)
	}
}
