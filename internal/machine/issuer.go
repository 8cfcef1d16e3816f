package machine

import (
	"slices"

	"hyptx/internal/pipe"
)

// issuer chooses the next instruction: of those whose operands are there and
// whose unit is free the one that is highest above the end.
type issuer struct {
	*before
	at   []int32 // when the operands are there
	free [numUnits]int32
	// ready are those by height, and then by place; patient the same ones by place. What
	// has been issued is taken out of a queue when it is the first there.
	ready, patient [numUnits]queue
	waiting        queue // by at
	// left are the cycles that each unit takes for what has not been issued, and the most
	// of them, and of as many instructions.
	left [numUnits]int32
	rest int32
	// along is the order that the window goes along and rank the place of each in it,
	// nil for their own order. issued are
	// the places of those that have been; all before oldest have. Those in parked stand
	// too far behind it.
	along, rank []int32
	issued      []bool
	oldest      int32
	parked      queue
}

// maxAhead is how far an instruction may be issued ahead of the first one in the order
// that has not been (own estimate, of 64, 96 and 128 that with which the registers of a
// thread come out nearest: ptxas keeps to 255, and to fewer where it can). Only what takes
// hundreds of cycles goes that far, and what computes its address; the rest takes tens,
// and a warp issues no more than one instruction in each.
const (
	maxAhead  = 96
	nearAhead = 32
)

// unhurried is how many times as long the rest takes then (own estimate, of 1 to 8 the least with
// which registers that ptxas counted come out no worse).
const unhurried = 6

// ordered returns the last instruction without a result that each waits for.
func (g *before) ordered() []int32 {
	behind := slices.Repeat([]int32{-1}, len(g.ops))
	for i := range g.edges {
		if e := &g.edges[i]; g.ops[e.from].Dst == NoSlot {
			behind[e.op] = max(behind[e.op], e.from)
		}
	}
	return behind
}

// goesFar finds whether an instruction may go maxAhead, and behind what; those that wait for it
// have been asked.
func (g *before) goesFar(i int32) {
	switch g.ops[i].Kind {
	case pipe.LoadGlobal, pipe.LoadLocal, pipe.Texture, pipe.Atomic:
		g.far[i] = true
	case pipe.IntAdd, pipe.IntShift, pipe.IntMul, pipe.IntMulWide, pipe.Move, pipe.Uniform:
		for _, w := range g.succs(i) {
			if !g.far[w.op] {
				continue
			}
			if !g.far[i] || g.behind[w.op] < g.behind[i] {
				g.behind[i] = g.behind[w.op]
			}
			g.far[i] = true
		}
	}
}

// reach returns the place that all before have to have been issued for an instruction to be: an address
// is not computed long before its load can go, which stores or barriers hold.
func (s *issuer) reach(i int32) int32 {
	at := s.place(i)
	if !s.far[i] {
		return at - nearAhead
	}
	if s.behind[i] < 0 {
		return at - maxAhead
	}
	return max(at-maxAhead, min(at, s.place(s.behind[i]))-nearAhead)
}

func newIssuer(l *lister, g *before, ops []draft, along []int32) *issuer {
	s := &issuer{before: g, at: make([]int32, len(ops)), issued: make([]bool, len(ops)), along: along}
	if along != nil {
		s.rank = make([]int32, len(ops))
	}
	for k, i := range along {
		s.rank[i] = int32(k)
	}
	for i := range ops {
		t := l.taken(&ops[i].Op)
		s.left[t.unit] += t.cycles
		s.left[anyUnit]++
	}
	s.rest = slices.Max(s.left[:])
	return s
}

// place returns the place of an instruction in the order that the window goes along.
func (s *issuer) place(i int32) int32 {
	if s.rank == nil {
		return i
	}
	return s.rank[i]
}

// offer puts an instruction among those whose operands are there.
func (s *issuer) offer(l *lister, i int32) {
	if from := s.reach(i); from > s.oldest {
		s.parked.add(from, i)
		return
	}
	s.let(l, i)
}

// let puts an instruction into the queues of its unit.
func (s *issuer) let(l *lister, i int32) {
	u, at := l.units[s.ops[i].Kind].unit, s.place(i)
	s.ready[u].add(-s.height[i], at)
	s.patient[u].add(at, at)
}

// firstOf returns the place of the instruction of a unit that is issued next, and what it
// is sorted by; -1 without one. Where the rest of the block takes many times as long as the way
// from the highest to its end, it need not hurry: of products and sums the first in order goes,
// so that values end soon.
func (s *issuer) firstOf(u int) (at, by int32) {
	for len(s.ready[u]) > 0 && s.issued[s.ready[u].payload()] {
		s.ready[u].take()
	}
	for len(s.patient[u]) > 0 && s.issued[s.patient[u].payload()] {
		s.patient[u].take()
	}
	if len(s.ready[u]) == 0 {
		return -1, 0
	}
	at, by = s.ready[u].payload(), s.ready[u].first()
	if unit(u) != fmaUnit || -by*unhurried >= s.rest {
		return at, by
	}
	return s.patient[u].payload(), 0
}

// done notes that an instruction has been issued: others may come into reach.
func (s *issuer) done(l *lister, i int32) {
	s.issued[s.place(i)] = true
	t := l.taken(&s.ops[i].Op)
	s.left[t.unit] -= t.cycles
	s.left[anyUnit]--
	s.rest = slices.Max(s.left[:])
	for int(s.oldest) < len(s.issued) && s.issued[s.oldest] {
		s.oldest++
	}
	for len(s.parked) > 0 && s.parked.first() <= s.oldest {
		s.offer(l, s.parked.take())
	}
}

// next returns the instruction that is issued at now, or as soon as one can be;
// -1 if none is left.
func (s *issuer) next(l *lister, now *int32) int32 {
	for {
		for len(s.waiting) > 0 && s.waiting.first() <= *now {
			s.offer(l, s.waiting.take())
		}
		best, soonest, place := int32(0), int32(-1), int32(-1)
		for u := range s.ready {
			at, by := s.firstOf(u)
			switch {
			case at < 0:
			case s.free[u] > *now:
				if soonest < 0 || s.free[u] < soonest {
					soonest = s.free[u]
				}
			case place < 0 || by < best || by == best && at < place:
				best, place = by, at
			}
		}
		if place >= 0 {
			if s.along != nil {
				return s.along[place]
			}
			return place
		}
		if len(s.waiting) > 0 && (soonest < 0 || s.waiting.first() < soonest) {
			soonest = s.waiting.first()
		}
		if soonest < 0 && len(s.parked) > 0 { // the oldest one waits for it
			s.let(l, s.parked.take())
			continue
		}
		if soonest < 0 {
			return -1
		}
		*now = soonest
	}
}

// queue is a heap of numbers of instructions, each below what it is sorted by: one word
// a piece.
type queue []int64

func (q *queue) add(by, i int32) {
	h := append(*q, int64(by)<<32|int64(i))
	k := len(h) - 1
	for word := h[k]; k > 0 && word < h[(k-1)/2]; k = (k - 1) / 2 {
		h[k], h[(k-1)/2] = h[(k-1)/2], word
	}
	*q = h
}

// payload returns the first.
func (q queue) payload() int32 { return int32(uint32(q[0])) }

// first returns what the first is sorted by.
func (q queue) first() int32 { return int32(q[0] >> 32) }

func (q *queue) take() int32 {
	h := *q
	i, end := int32(h[0]), len(h)-1
	word := h[end]
	k := 0
	for c := 1; c < end; c = 2*k + 1 {
		if c+1 < end && h[c+1] < h[c] {
			c++
		}
		if word <= h[c] {
			break
		}
		h[k], k = h[c], c
	}
	h[k] = word
	*q = h[:end]
	return i
}
